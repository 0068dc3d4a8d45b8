//===- Errors.cpp - A thread's first error --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Errors.h"

#include "tcgemm/GpuRuntime/GpuRuntime.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tcgemm;

namespace {
struct ThreadErrors {
  std::string kept;  ///< Empty: no error.
  std::string taken; ///< Valid until the next error is taken.
};
} // namespace

static ThreadErrors &getErrors() {
  thread_local ThreadErrors errors;
  return errors;
}

bool gpu_runtime::hasError() { return !getErrors().kept.empty(); }

void gpu_runtime::setError(std::string text) {
  if (hasError())
    return;
  const char *mode = std::getenv("TCGEMM_GPU_ERRORS");
  if (mode && std::strcmp(mode, "abort") == 0) {
    std::fprintf(stderr, "tcgemm_gpu_runtime: error: %s\n", text.c_str());
    std::abort();
  }
  getErrors().kept = std::move(text);
}

const char *tcgemm_gpu_take_error() {
  ThreadErrors &errors = getErrors();
  if (errors.kept.empty())
    return nullptr;
  errors.taken = std::move(errors.kept);
  errors.kept.clear();
  return errors.taken.c_str();
}
