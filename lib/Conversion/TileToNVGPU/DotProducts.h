//===- DotProducts.h - Dot products of rows ---------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTPRODUCTS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTPRODUCTS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Dot products of rows in global memory.
class DotProducts : public Lowering {
public:
  using Lowering::Lowering;
  void lower(AccDotOp op);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_DOTPRODUCTS_H
