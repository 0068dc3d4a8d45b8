//===- Tcgemm.h - The functions of libtcgemm.so --------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_TCGEMM_H
#define TCGEMM_LIB_CUBLASSHIM_TCGEMM_H

#include "tcgemm.h"

/// X(name): the functions of tcgemm.h that are called.
#define TCGEMM_SHIM_LIBRARY_FUNCTIONS(X)                                       \
  X(tcgemmCreate)                                                              \
  X(tcgemmGetLastErrorMessage)                                                 \
  X(tcgemmMatmulDescInitSized)                                                 \
  X(tcgemmOperandsInitSized)                                                   \
  X(tcgemmPlan)                                                                \
  X(tcgemmPlanDestroy)                                                         \
  X(tcgemmPlanWorkspaceSize)                                                   \
  X(tcgemmRunOperands)

namespace tcgemm::shim {

/// libtcgemm.so, which is loaded by the first product. Each process that the
/// program starts has LD_PRELOAD, too, and most of them multiply nothing.
struct Tcgemm {
#define TCGEMM_MEMBER(name) decltype(&::name) name = nullptr;
  TCGEMM_SHIM_LIBRARY_FUNCTIONS(TCGEMM_MEMBER)
#undef TCGEMM_MEMBER

  /// The library of TCGEMM_LIBRARY, or the one beside this library. Null, with
  /// a message on standard error, if it cannot be loaded.
  static const Tcgemm *get();
};

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_TCGEMM_H
