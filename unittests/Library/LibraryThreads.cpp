//===- LibraryThreads.cpp - Products of the C library by threads ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadsTest.h"
#include "tcgemm.h"

#include <cstdio>
#include <string>

static tcgemmHandle_t handle = nullptr;

bool tcgemm::openMultiplier() {
  return tcgemmCreate(&handle, 0) == TCGEMM_SUCCESS;
}

bool tcgemm::closeMultiplier() {
  return tcgemmDestroy(handle) == TCGEMM_SUCCESS;
}

bool tcgemm::multiply(int size, const void *a, const void *b, void *c) {
  float alpha = 1, beta = 0;
  tcgemmStatus status = tcgemmGemmEx(
      handle, TCGEMM_N, TCGEMM_T, size, size, size, &alpha, a, TCGEMM_F32, size,
      b, TCGEMM_F32, size, &beta, c, TCGEMM_F32, size, nullptr);
  if (status != TCGEMM_SUCCESS)
    std::fprintf(stderr, "tcgemmGemmEx: %s\n", tcgemmGetLastErrorMessage());
  return status == TCGEMM_SUCCESS;
}

bool tcgemm::checkErrors() {
  tcgemmPlan_t plan = nullptr;
  return tcgemmPlan(handle, nullptr, &plan) == TCGEMM_INVALID_VALUE &&
         tcgemmGetLastErrorMessage() == std::string("desc is null");
}
