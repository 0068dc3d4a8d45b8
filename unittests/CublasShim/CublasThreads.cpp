//===- CublasThreads.cpp - Products of cuBLAS by threads ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Library/ThreadsTest.h"
#include "FakeCublas.h"
#include "tcgemm_cublas.h"

#include <atomic>
#include <cstdio>

static Handle handle = nullptr;
static std::atomic<uint64_t> numCalls{0};

bool tcgemm::openMultiplier() {
  return cublasCreate_v2(&handle) == StatusSuccess;
}

bool tcgemm::multiply(int size, const void *a, const void *b, void *c) {
  float alpha = 1, beta = 0;
  ++numCalls;
  Status status =
      cublasSgemm_v2(handle, OperationN, OperationT, size, size, size, &alpha,
                     a, size, b, size, &beta, c, size);
  if (status != StatusSuccess)
    std::fprintf(stderr, "cublasSgemm: %d\n", status);
  return status == StatusSuccess;
}

/// cuBLAS has no texts of errors.
bool tcgemm::checkErrors() { return true; }

/// All products must be tcgemm's.
bool tcgemm::closeMultiplier() {
  uint64_t served = 0, forwarded = 0;
  tcgemmCublasGetCounts(&served, &forwarded);
  bool isRight = served == numCalls && forwarded == 0;
  if (!isRight)
    std::fprintf(stderr, "%llu calls served, %llu forwarded\n",
                 static_cast<unsigned long long>(served),
                 static_cast<unsigned long long>(forwarded));
  return cublasDestroy_v2(handle) == StatusSuccess && isRight;
}
