//===- HostAccess.h - Atomic host access to emulated memory -----*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks run on several threads of the host, and their kernels may access the
// same bytes at the same time: by atomics, by polling, or by mistake. So the
// host accesses them by relaxed atomics, which cost nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_MACHINE_HOSTACCESS_H
#define TCGEMM_LIB_EMULATOR_MACHINE_HOSTACCESS_H

#include <cstdint>
#include <cstring>

namespace tcgemm::emu {

/// Returns whether the host accesses a T at `at` atomically.
template <class T> inline bool isHostAtomic(const uint8_t *at) {
  return sizeof(T) <= 8 && reinterpret_cast<uintptr_t>(at) % sizeof(T) == 0;
}

template <class T> inline T loadShared(const uint8_t *from) {
  T value;
  if constexpr (sizeof(T) <= 8)
    if (isHostAtomic<T>(from)) {
      __atomic_load(reinterpret_cast<const T *>(from), &value,
                    __ATOMIC_RELAXED);
      return value;
    }
  memcpy(&value, from, sizeof(T));
  return value;
}

template <class T> inline void storeShared(uint8_t *to, T value) {
  if constexpr (sizeof(T) <= 8)
    if (isHostAtomic<T>(to)) {
      __atomic_store(reinterpret_cast<T *>(to), &value, __ATOMIC_RELAXED);
      return;
    }
  memcpy(to, &value, sizeof(T));
}

} // namespace tcgemm::emu

#endif // TCGEMM_LIB_EMULATOR_MACHINE_HOSTACCESS_H
