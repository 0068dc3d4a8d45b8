//===- Errors.h - A thread's first error ------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread has its own error. Otherwise a thread could take the error of
// another thread, which would then consider its results valid.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_GPURUNTIME_ERRORS_H
#define TCGEMM_LIB_GPURUNTIME_ERRORS_H

#include <string>

namespace tcgemm::gpu_runtime {

bool hasError();
/// Stores `text` unless there is already an error.
void setError(std::string text);

} // namespace tcgemm::gpu_runtime

#endif // TCGEMM_LIB_GPURUNTIME_ERRORS_H
