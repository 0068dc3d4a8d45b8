//===- Context.cpp - Sizes that all parts of a program use ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma/Context.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/Wgmma.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

void WgmmaContext::startRole(RoleKind kind, int64_t firstWarp,
                             int64_t warps) const {
  auto &b = p.b();
  auto role = b.create<RoleOp>(
      kind, b.getDenseI64ArrayAttr({firstWarp, firstWarp + warps}),
      IntegerAttr());
  b.setInsertionPointToStart(&role.getBody().emplaceBlock());
  // Registers move from the producer to the consumers, where that gives the
  // consumers more than the kernel starts with.
  ProblemInfo problem = getProblemInfo(p.getKernel());
  if (int64_t registers = getConsumerRegisters(c, problem))
    role.setRegisters(kind == RoleKind::Producer
                          ? getProducerRegisters(c, problem)
                          : registers);
}

AccType WgmmaContext::getAcc() const {
  return AccType::get(getShareRows(), c.getColumnSide(),
                      p.getKernel().getAccumulatorType(), AccLayout::Wgmma);
}

AccType WgmmaContext::getInstructionAcc(bool inFlight) const {
  return AccType::get(getShareRows(), c.getColumnSide(),
                      p.getKernel().getInstructionSumType(), AccLayout::Wgmma,
                      inFlight);
}

AccType WgmmaContext::getStoredAcc() const {
  AccType acc = getAcc();
  int64_t parts = c.getSumParts() * (p.getKernel().findSecond() ? 2 : 1);
  return AccType::get(acc.getRows(), acc.getColumns() / parts,
                      acc.getElementType(), AccLayout::Wgmma);
}

int64_t WgmmaContext::getPartDepth(unsigned operand) const {
  int64_t bits = getElementBits(
      getPartType(p.getKernel().getOperandInfo(operand).getElementType()));
  return splitsOperands(p.getKernel())
             ? getPartUnit(p.getKernel(), c)
             : std::min<int64_t>(1024 / bits, c.cta[2]);
}

int64_t WgmmaContext::getStageDepth() const {
  return getFamily(c.schedule)
      .countStored(getProblemInfo(p.getKernel()), c.cta[2]);
}

int64_t WgmmaContext::getMulticast(unsigned operand) const {
  int64_t stride = operand ? 1 : c.wgmma.cluster[0], mask = 0;
  for (int64_t i = 0; i < c.wgmma.cluster[1 - operand]; ++i)
    mask |= int64_t(1) << (i * stride);
  return mask;
}
