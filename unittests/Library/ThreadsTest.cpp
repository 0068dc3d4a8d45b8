//===- ThreadsTest.cpp - Many threads with ThreadSanitizer ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that is built with ThreadSanitizer from the sources that it tests:
//
//   PROGRAM THREADS CALLS
//
// All threads multiply by one handle, with a few sizes, which they plan at the
// same time. The driver executes two products of each thread, whose results are
// compared. It captures the others. The exit status is 1 if a call fails or a
// result is wrong, and 66 after a data race, which ThreadSanitizer prints.
//
//===----------------------------------------------------------------------===//

#include "ThreadsTest.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

using namespace tcgemm;

namespace {

constexpr int kSizes = 4, kMost = 24;

/// Calls a function of the driver.
template <typename... Parameters, typename... Arguments>
bool callDriver(const char *name, Arguments... arguments) {
  static void *const library =
      dlopen(std::getenv("TCGEMM_CUDA_DRIVER"), RTLD_NOW);
  auto *function = reinterpret_cast<int (*)(Parameters...)>(
      library ? dlsym(library, name) : nullptr);
  if (function && function(static_cast<Parameters>(arguments)...) == 0)
    return true;
  std::fprintf(stderr, "%s failed\n", name);
  return false;
}

class Test {
public:
  Test(int numThreads, int numCalls)
      : numThreads(numThreads), numCalls(numCalls) {}
  bool run();

private:
  bool open();
  bool setContext() const {
    return callDriver<void *>("cuCtxSetCurrent", context);
  }
  bool multiplyTo(int size, unsigned long long c);
  bool runCalls(int thread);
  bool checkResult(int thread);
  template <typename Body> bool runThreads(Body body);

  int numThreads, numCalls;
  void *context = nullptr;
  unsigned long long operand = 0;          ///< A and B: ones.
  std::vector<unsigned long long> results; ///< C of each thread.
};

} // namespace

bool Test::open() {
  if (!callDriver<unsigned>("cuInit", 0) ||
      !callDriver<void **, int>("cuDevicePrimaryCtxRetain", &context, 0) ||
      !setContext())
    return false;
  std::vector<float> ones(kMost * kMost, 1);
  size_t bytes = ones.size() * sizeof(float);
  results.resize(numThreads);
  for (unsigned long long &result : results)
    if (!callDriver<unsigned long long *, size_t>("cuMemAlloc_v2", &result,
                                                  bytes))
      return false;
  return callDriver<unsigned long long *, size_t>("cuMemAlloc_v2", &operand,
                                                  bytes) &&
         callDriver<unsigned long long, const void *, size_t>(
             "cuMemcpyHtoD_v2", operand, ones.data(), bytes) &&
         openMultiplier();
}

bool Test::multiplyTo(int size, unsigned long long c) {
  auto at = [](unsigned long long address) {
    return reinterpret_cast<void *>(address); // NOLINT(performance-*)
  };
  return multiply(size, at(operand), at(operand), at(c));
}

bool Test::runCalls(int thread) {
  for (int i = 0; i != numCalls; ++i)
    if (!multiplyTo(kMost - 4 * ((thread + i) % kSizes), results[thread]))
      return false;
  return checkErrors();
}

bool Test::checkResult(int thread) {
  int size = kMost - 4 * (thread % kSizes);
  std::vector<float> found(size * size);
  if (!multiplyTo(size, results[thread]) ||
      !callDriver<void *, unsigned long long, size_t>(
          "cuMemcpyDtoH_v2", found.data(), results[thread],
          found.size() * sizeof(float)))
    return false;
  for (float each : found)
    if (each != static_cast<float>(size))
      return false;
  return true;
}

template <typename Body> bool Test::runThreads(Body body) {
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  threads.reserve(numThreads);
  for (int i = 0; i != numThreads; ++i)
    threads.emplace_back([&, i] {
      if (!setContext() || !body(i))
        ++failed;
    });
  for (std::thread &thread : threads)
    thread.join();
  if (failed)
    std::fprintf(stderr, "%d threads have failed\n", failed.load());
  return failed == 0;
}

bool Test::run() {
  void *stream = nullptr, *graph = nullptr;
  auto check = [this](int thread) { return checkResult(thread); };
  return open() && runThreads(check) &&
         callDriver<void **, unsigned>("cuStreamCreate", &stream, 0) &&
         callDriver<void *, int>("cuStreamBeginCapture_v2", stream, 2) &&
         runThreads([this](int thread) { return runCalls(thread); }) &&
         callDriver<void *, void **>("cuStreamEndCapture", stream, &graph) &&
         runThreads(check) && closeMultiplier();
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  int threads = std::atoi(argv[1]), calls = std::atoi(argv[2]);
  if (threads < 1 || calls < 1 || !Test(threads, calls).run())
    return 1;
  std::printf("%d calls of %d threads: all right\n", threads * calls, threads);
  return 0;
}
