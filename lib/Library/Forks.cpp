//===- Forks.cpp - Forked processes ---------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forks.h"

#include <atomic>
#include <pthread.h>

using namespace tcgemm;

static std::atomic<unsigned> forks{0};

unsigned library::countForks() {
  // Without memory for the handler, forks are not noticed.
  static const bool isRegistered =
      pthread_atfork(nullptr, nullptr, [] { ++forks; }) == 0;
  (void)isRegistered;
  return forks.load(std::memory_order_relaxed);
}
