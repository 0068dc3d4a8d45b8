//===- Exports.h - Declarations of the replaced functions ----- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_EXPORTS_H
#define TCGEMM_LIB_CUBLASSHIM_EXPORTS_H

#include "CublasFunctions.h"

extern "C" {
using namespace tcgemm::cublas;
#define TCGEMM_DECLARE(name, parameters)                                       \
  __attribute__((visibility("default"))) Status name parameters;
#define TCGEMM_DECLARE_PRODUCT(name, family, Int, type)                        \
  TCGEMM_DECLARE(name, TCGEMM_##family##_PARAMETERS(Int))
#define TCGEMM_DECLARE_TABLE_PRODUCT(name, family, Int)                        \
  TCGEMM_DECLARE(name, TCGEMM_##family##_PARAMETERS(Int))
TCGEMM_CUBLAS_PRODUCTS(TCGEMM_DECLARE_PRODUCT)
TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_DECLARE_TABLE_PRODUCT)
TCGEMM_CUBLASLT_FUNCTIONS(TCGEMM_DECLARE)
TCGEMM_CUBLAS_SETTERS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE_TABLE_PRODUCT
#undef TCGEMM_DECLARE_PRODUCT
#undef TCGEMM_DECLARE
}

#endif // TCGEMM_LIB_CUBLASSHIM_EXPORTS_H
