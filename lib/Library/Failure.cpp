//===- Failure.cpp - Errors with a status ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Failure.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Twine;

char Failure::ID = 0;

static std::string &getText() {
  thread_local std::string text;
  return text;
}

Error library::fail(tcgemmStatus status, const Twine &text) {
  return llvm::make_error<Failure>(status, text.str());
}

Error library::withStatus(tcgemmStatus status, Error error) {
  if (!error || error.isA<Failure>())
    return error;
  return fail(status, llvm::toString(std::move(error)));
}

tcgemmStatus library::finish(Error error) {
  if (!error)
    return TCGEMM_SUCCESS;
  tcgemmStatus status = TCGEMM_INVALID_VALUE;
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure &failure) {
        status = failure.getStatus();
        getText() = failure.message();
      },
      [&](const llvm::ErrorInfoBase &other) { getText() = other.message(); });
  return status;
}

tcgemmStatus library::failNow(tcgemmStatus status, const Twine &text) {
  getText() = text.str();
  return status;
}

const char *library::getLastMessage() { return getText().c_str(); }

const char *library::getStatusName(tcgemmStatus status) {
  switch (status) {
#define TCGEMM_NAME(status)                                                    \
  case status:                                                                 \
    return #status;
    TCGEMM_NAME(TCGEMM_SUCCESS)
    TCGEMM_NAME(TCGEMM_INVALID_HANDLE)
    TCGEMM_NAME(TCGEMM_INVALID_VALUE)
    TCGEMM_NAME(TCGEMM_NOT_SUPPORTED)
    TCGEMM_NAME(TCGEMM_MISALIGNED)
    TCGEMM_NAME(TCGEMM_WORKSPACE)
    TCGEMM_NAME(TCGEMM_COMPILER)
    TCGEMM_NAME(TCGEMM_NO_DEVICE)
    TCGEMM_NAME(TCGEMM_DRIVER)
    TCGEMM_NAME(TCGEMM_FILE)
#undef TCGEMM_NAME
  }
  return "unknown status";
}
