//===- Call.h - Frame of a driver call --------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATEDDRIVER_CALL_H
#define TCGEMM_LIB_EMULATEDDRIVER_CALL_H

#include "State.h"

#include <vector>

namespace tcgemm::emulated_driver {

/// The contexts of a thread and the text of its last error.
struct Thread {
  std::vector<cuda::Context> contexts;
  cuda::Result code = cuda::Success;
  std::string text;
};

Thread &getThread();

/// Keeps the error's text for the thread and returns its code.
cuda::Result finish(llvm::Error error);

/// Runs `body(state)` while holding the mutex. Fails before cuInit, and in a
/// process that was forked after it.
template <typename Body> cuda::Result runOpen(Body &&body) {
  State &state = State::get();
  if (llvm::Error error = state.checkProcess())
    return finish(std::move(error));
  std::lock_guard<std::mutex> lock(state.mutex);
  return finish(body(state));
}

/// The same. Fails also if the thread has no current context.
template <typename Body> cuda::Result run(Body &&body) {
  return runOpen([&](State &state) -> llvm::Error {
    const std::vector<cuda::Context> &contexts = getThread().contexts;
    if (contexts.empty() || !contexts.back())
      return fail(cuda::InvalidContext, "the thread has no current context");
    llvm::Expected<Gpu *> gpu = state.findGpu(contexts.back());
    if (!gpu)
      return gpu.takeError();
    state.current = *gpu;
    return body(state);
  });
}

inline cuda::DevicePointer toAddress(const void *pointer) {
  return reinterpret_cast<cuda::DevicePointer>(pointer);
}

} // namespace tcgemm::emulated_driver

#endif // TCGEMM_LIB_EMULATEDDRIVER_CALL_H
