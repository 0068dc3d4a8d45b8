//===- EmulatedDriver.cpp - Interface of the emulated driver --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/EmulatedDriver/EmulatedDriver.h"
#include "Call.h"
#include "EntryPoints.h"
#include "State.h"

#include "llvm/ADT/StringMap.h"

#include <utility>

using namespace tcgemm;
using emulated_driver::State;

void *tcgemm::findEmulatedDriverFunction(const char *name) {
  static const llvm::StringMap<void *> functions = {
#define TCGEMM_ENTRY(name, parameters)                                         \
  {#name, reinterpret_cast<void *>(&(name))},
      TCGEMM_EMULATED_FUNCTIONS(TCGEMM_ENTRY)
#undef TCGEMM_ENTRY
  };
  return functions.lookup(name);
}

void tcgemm::setEmulatedDriverOptions(const EmulatorOptions &options) {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.hasOptions = true;
  state.options = options;
}

uint64_t tcgemm::takeEmulatedDriverFindings() {
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  return std::exchange(state.numFindings, 0);
}

/// Callers ask for a function's first name, and get its newest form.
Result cuGetProcAddress_v2(const char *name, void **function, int, uint64_t,
                           int *status) {
  enum { Found = 0, NoSymbol = 1 };
  *function =
      findEmulatedDriverFunction((llvm::Twine(name) + "_v2").str().c_str());
  if (!*function)
    *function = findEmulatedDriverFunction(name);
  if (status)
    *status = *function ? Found : NoSymbol;
  if (*function)
    return Success;
  return emulated_driver::finish(emulated_driver::fail(
      NotFound, llvm::Twine("the emulated driver has no ") + name));
}

Result cuGetProcAddress(const char *name, void **function, int version,
                        uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
