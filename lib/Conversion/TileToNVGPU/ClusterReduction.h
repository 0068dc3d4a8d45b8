//===- ClusterReduction.h - Sums over the CTAs of a cluster -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_CLUSTERREDUCTION_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_CLUSTERREDUCTION_H

#include "LoweringContext.h"

namespace tcgemm {

/// Sums over the CTAs of a cluster.
class ClusterReduction : public Lowering {
public:
  using Lowering::Lowering;
  void lower(AccClusterReduceOp op);

private:
  mlir::Value mapToOwner(mlir::Value address, mlir::Value owner);
  void send(AccClusterReduceOp op, int64_t slice,
            llvm::ArrayRef<mlir::Value> values);
  Values receive(AccClusterReduceOp op, llvm::ArrayRef<Values> slices);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_CLUSTERREDUCTION_H
