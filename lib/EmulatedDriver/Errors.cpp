//===- Errors.cpp - Errors of driver calls --------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "EntryPoints.h"

using namespace tcgemm;
using namespace tcgemm::emulated_driver;
using llvm::Error;

Thread &emulated_driver::getThread() {
  thread_local Thread thread;
  return thread;
}

Result emulated_driver::finish(Error error) {
  if (!error)
    return Success;
  Thread &thread = getThread();
  thread.code = InvalidValue;
  thread.text.clear();
  llvm::handleAllErrors(
      std::move(error),
      [&](const Failure &failure) {
        thread.code = failure.getCode();
        thread.text = failure.message();
      },
      [&](const llvm::ErrorInfoBase &other) { thread.text = other.message(); });
  return thread.code;
}

Result cuGetErrorName(Result result, const char **name) {
  switch (result) {
#define TCGEMM_NAME(code, text)                                                \
  case code:                                                                   \
    *name = text;                                                              \
    return Success;
    TCGEMM_NAME(Success, "CUDA_SUCCESS")
    TCGEMM_NAME(InvalidValue, "CUDA_ERROR_INVALID_VALUE")
    TCGEMM_NAME(OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY")
    TCGEMM_NAME(NotInitialized, "CUDA_ERROR_NOT_INITIALIZED")
    TCGEMM_NAME(DeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE")
    TCGEMM_NAME(NoDevice, "CUDA_ERROR_NO_DEVICE")
    TCGEMM_NAME(InvalidDevice, "CUDA_ERROR_INVALID_DEVICE")
    TCGEMM_NAME(InvalidContext, "CUDA_ERROR_INVALID_CONTEXT")
    TCGEMM_NAME(InvalidPtx, "CUDA_ERROR_INVALID_PTX")
    TCGEMM_NAME(FileNotFound, "CUDA_ERROR_FILE_NOT_FOUND")
    TCGEMM_NAME(InvalidHandle, "CUDA_ERROR_INVALID_HANDLE")
    TCGEMM_NAME(NotFound, "CUDA_ERROR_NOT_FOUND")
    TCGEMM_NAME(IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS")
    TCGEMM_NAME(AssertionFailed, "CUDA_ERROR_ASSERT")
    TCGEMM_NAME(LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED")
    TCGEMM_NAME(NotSupported, "CUDA_ERROR_NOT_SUPPORTED")
#undef TCGEMM_NAME
  default:
    return InvalidValue;
  }
}

Result cuGetErrorString(Result result, const char **text) {
  const Thread &thread = getThread();
  if (result == thread.code && result != Success)
    *text = thread.text.c_str();
  else
    *text = "an error of the emulated driver";
  return Success;
}
