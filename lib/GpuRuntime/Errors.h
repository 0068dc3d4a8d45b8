//===- Errors.h - A thread's first error ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are a thread's own, so that no thread takes the error of another one,
// which would then believe its results.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_GPURUNTIME_ERRORS_H
#define TCGEMM_LIB_GPURUNTIME_ERRORS_H

#include <string>

namespace tcgemm::gpu_runtime {

bool hasError();
/// Keeps `text` unless there is an error already.
void setError(std::string text);

} // namespace tcgemm::gpu_runtime

#endif // TCGEMM_LIB_GPURUNTIME_ERRORS_H
