/*===- CompilerInterface.h - The compiler as a shared library -----*- C -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only function of libtcgemm-compiler.so. libtcgemm.so loads that library
// when it needs a kernel that it has not: so a program that finds all kernels
// in the cache never loads MLIR.
//
//===----------------------------------------------------------------------===*/

#ifndef TCGEMM_LIBRARY_COMPILERINTERFACE_H
#define TCGEMM_LIBRARY_COMPILERINTERFACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with the structure below. */
#define TCGEMM_COMPILER_INTERFACE 1
#define TCGEMM_COMPILER_FUNCTION "tcgemmCompilePack"

typedef struct tcgemmCompileRequest {
  int interface;           /* TCGEMM_COMPILER_INTERFACE */
  const char *version;     /* libtcgemm's; the compiler's must be the same. */
  const char *fingerprint; /* Of the code generator; must be the same, too. */
  const char *source;      /* MLIR text with one function. */
  const char *chip;        /* `sm_90a` */
  const char *config;      /* All parameters: `#tcgemm.config<...>`. */
  int isPTX;               /* True if ptxas is left to the driver. */
  const char *directory;   /* Where the pack goes; it is created. */
} tcgemmCompileRequest;

/* Returns 0, or another number with the reason in `message`, which is cut to
   `size` bytes with its terminator. */
typedef int (*tcgemmCompileFunction)(const tcgemmCompileRequest *request,
                                     char *message, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TCGEMM_LIBRARY_COMPILERINTERFACE_H */
