//===- WgmmaProducts.h - Asynchronous products of a warpgroup ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAPRODUCTS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAPRODUCTS_H

#include "LoweringContext.h"

namespace tcgemm {

class WgmmaProducts : public Lowering {
public:
  using Lowering::Lowering;
  void lower(MmaAsyncOp op);
  void lower(MmaAsyncFragmentOp op);
  void lower(MmaAwaitOp op);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_WGMMAPRODUCTS_H
