//===- TileCopies.cpp - Conditions of copies ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TileCopies.h"

using namespace mlir;
using namespace tcgemm;

Value tcgemm::getCopyCondition(TmaLoadOp load) {
  auto branch = dyn_cast<scf::IfOp>(load->getParentOp());
  auto acquire = load.getToken().getDefiningOp<RingAcquireOp>();
  bool isFollowed = branch && acquire &&
                    branch->getBlock() == acquire->getBlock() &&
                    load->getBlock() == branch.thenBlock();
  return isFollowed ? branch.getCondition() : Value();
}
