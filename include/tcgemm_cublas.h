/*===- tcgemm_cublas.h - Calls that libtcgemm_cublas.so has seen --*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libtcgemm_cublas.so replaces functions of cuBLAS in programs that are started
// with LD_PRELOAD. docs/guide/cublas.md is an introduction. Programs that want
// to know whether the library is there look for this function by dlsym.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_CUBLAS_H
#define TCGEMM_CUBLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The products of the process so far: those that tcgemm has computed, and those
   that cuBLAS has. Pointers may be null. */
__attribute__((visibility("default"))) void
tcgemmCublasGetCounts(uint64_t *served, uint64_t *forwarded);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TCGEMM_CUBLAS_H */
