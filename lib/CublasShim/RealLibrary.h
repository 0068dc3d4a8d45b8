//===- RealLibrary.h - The replaced libraries ----------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_REALLIBRARY_H
#define TCGEMM_LIB_CUBLASSHIM_REALLIBRARY_H

#include "CublasFunctions.h"

namespace tcgemm::shim {

using namespace cublas;

/// The functions of the cuBLAS and cuBLASLt that the program has loaded. A
/// function that they do not have is null.
struct RealLibrary {
#define TCGEMM_MEMBER(name, parameters) Status(*name) parameters;
#define TCGEMM_PRODUCT_MEMBER(name, family, Int, type)                         \
  TCGEMM_MEMBER(name, TCGEMM_##family##_PARAMETERS(Int))
#define TCGEMM_TABLE_MEMBER(name, family, Int)                                 \
  TCGEMM_MEMBER(name, TCGEMM_##family##_PARAMETERS(Int))
  TCGEMM_CUBLAS_PRODUCTS(TCGEMM_PRODUCT_MEMBER)
  TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_TABLE_MEMBER)
  TCGEMM_CUBLASLT_FUNCTIONS(TCGEMM_MEMBER)
  TCGEMM_CUBLAS_SETTERS(TCGEMM_MEMBER)
  TCGEMM_CUBLAS_GETTERS(TCGEMM_MEMBER)
#undef TCGEMM_TABLE_MEMBER
#undef TCGEMM_PRODUCT_MEMBER
#undef TCGEMM_MEMBER

  /// The functions of TCGEMM_CUBLAS_LIBRARY, or else the next ones in the order
  /// of the dynamic linker, or else those of a loaded libcublas or libcublasLt.
  /// They are found once in a process, and again if a function of cuBLAS is
  /// called that was missing: programs may load cuBLASLt first.
  static const RealLibrary &getBlas();
  /// The same for functions of cuBLASLt.
  static const RealLibrary &getLt();
};

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_REALLIBRARY_H
