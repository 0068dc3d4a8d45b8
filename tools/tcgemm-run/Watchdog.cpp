//===- Watchdog.cpp - Ends a process whose device hangs -------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread sleeps until the deadline of the current task.
//
//===----------------------------------------------------------------------===//

#include "Watchdog.h"

#include "ExitCodes.h"

#include <cstdio>
#include <unistd.h>

using namespace tcgemm;

Watchdog::Watchdog(double seconds, const char *tool)
    : seconds(seconds), tool(tool) {
  if (seconds > 0)
    thread = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void Watchdog::start(std::string what) {
  std::lock_guard<std::mutex> lock(mutex);
  task = std::move(what);
  deadline = std::chrono::steady_clock::now() +
             std::chrono::microseconds(static_cast<long long>(seconds * 1e6));
  isArmed = true;
  changed.notify_all();
}

void Watchdog::stop() {
  std::lock_guard<std::mutex> lock(mutex);
  isArmed = false;
}

void Watchdog::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!isDone) {
    if (!isArmed) {
      changed.wait(lock);
      continue;
    }
    changed.wait_until(lock, deadline);
    if (isArmed && !isDone && std::chrono::steady_clock::now() >= deadline) {
      std::fprintf(stderr,
                   "%s: error: no end after %g s of %s; the kernel may hang\n",
                   tool, seconds, task.c_str());
      std::fflush(nullptr);
      // Not exit(): its handlers would wait for the device.
      _exit(kExitTimeout);
    }
  }
}
