//===- RoleSums.h - Sums of the roles that divide k -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLESUMS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLESUMS_H

#include "LoweringContext.h"

namespace tcgemm {

/// Sums over the consumer roles of a program that divide k.
class RoleSums : public Lowering {
public:
  using Lowering::Lowering;
  void lower(AccSendOp op);
  void lower(AccReceiveOp op);

private:
  /// The address of registers of the running thread, of a part that sends: of
  /// the four from number `first` on, of `count` in all.
  mlir::Value getAddress(mlir::Operation *op, int64_t part, int64_t count,
                         int64_t first);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_ROLESUMS_H
