//===- TileResources.cpp - Shared memory and registers ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileVerifier.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Bytes of staging memory, in addition to the rings, for the stores of
/// `region` on `warps` warps. Staging memory that aliases the rings is added to
/// `aliased`.
static int64_t countStaging(Operation *container, int64_t warps,
                            int64_t &aliased) {
  bool isRole = isa<RoleOp>(container);
  int64_t bytes = 0;
  container->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != container && isa<RoleOp>(op))
      return WalkResult::skip();
    auto addBoxes = [&](int64_t buffers, TensorMapType map) {
      int64_t box = llvm::alignTo(map.getBox().getBytes(), 1024);
      bytes =
          std::max<int64_t>(bytes, llvm::divideCeil(warps, 4) * buffers * box);
    };
    if (auto store = dyn_cast<TmaStoreOp>(op))
      addBoxes(store.getBuffers(), store.getMap().getType());
    if (auto stage = dyn_cast<AccStageOp>(op)) {
      Type element = stage.getAcc().getType().getElementType();
      aliased = std::max(aliased, int64_t(stage.getRows() * stage.getPitch()) *
                                      getStorageBits(element) / 8);
    }
    if (auto reduce = dyn_cast<AccReduceOp>(op))
      aliased = std::max(aliased, reduce.getScratchBytes());
    if (auto dot = dyn_cast<AccDotOp>(op))
      aliased = std::max(aliased, dot.getScratchBytes());
    if (auto combine = dyn_cast<PartialsCombineOp>(op))
      aliased = std::max(aliased, combine.getScratchBytes());
    if (auto epilogue = dyn_cast<EpilogueOp>(op)) {
      for (Value map : epilogue.getMaps())
        addBoxes(epilogue.getBuffers(), cast<TensorMapType>(map.getType()));
      int64_t &into = isRole ? bytes : aliased;
      into = std::max(into, int64_t(epilogue.getStaging().value_or(0)));
    }
    return WalkResult::advance();
  });
  return bytes;
}

int64_t RoleOp::getStagingBytes() {
  int64_t aliased = 0;
  return countStaging(*this, getNumWarps(), aliased);
}

int64_t tile_verifier::countSharedMemory(ProgramOp program) {
  if (program.getBody().empty())
    return 0;
  int64_t rings = 0, aliased = 0;
  for (RingCreateOp ring : getRings(program))
    rings += ring.getRing().getType().getBytes();
  int64_t staging =
      countStaging(program, int64_t(program.getThreads()) / 32, aliased);
  for (RoleOp role : program.getBody().front().getOps<RoleOp>())
    staging += role.getStagingBytes();
  program.walk([&](AccClusterReduceOp op) { staging += op.getInboxBytes(); });
  program.walk([&](AccReceiveOp op) { staging += op.getInboxBytes(); });
  program.walk([&](ScalesCreateOp op) { staging += op.getBytes(); });
  return std::max(rings, aliased) + staging;
}

static LogicalResult verifySharedMemory(ProgramOp program,
                                        const ChipInfo &chip) {
  int64_t bytes = countSharedMemory(program);
  if (bytes <= chip.sharedPerBlock)
    return success();
  return program.emitOpError()
         << "too much shared memory: uses " << bytes
         << " bytes of shared memory; the limit of " << program.getChip()
         << " is " << chip.sharedPerBlock;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

static LogicalResult verifyRegisters(ProgramOp program, const ChipInfo &chip) {
  int64_t available = chip.registersPerSM;
  auto roles = program.getBody().front().getOps<RoleOp>();
  if (llvm::none_of(roles, [](RoleOp role) { return role.getRegisters(); }))
    return success();
  // A role without a request keeps the CTA's initial number of registers.
  int64_t ctas = std::max<int64_t>(1, program.getMinCtas());
  int64_t launched = program.getMaxRegisters();
  if (launched <= 0)
    launched = std::min<int64_t>(
        chip.maxRegistersPerThread,
        llvm::alignDown(available / (ctas * program.getThreads()), 8));
  int64_t registers = 0;
  for (RoleOp role : roles)
    registers += role.getNumWarps() * 32 *
                 int64_t(role.getRegisters().value_or(launched));
  if (registers * ctas <= available)
    return success();
  return program.emitOpError()
         << "too many registers: its roles ask for " << registers
         << (ctas > 1 ? " in each of " + std::to_string(ctas) + " CTAs"
                      : std::string())
         << ", but an SM has " << available;
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

static LogicalResult verifyFeatures(ProgramOp program, const ChipInfo &chip) {
  if (!chip.features.tma && program.getCluster() > 1)
    return program.emitOpError() << program.getChip() << " has no clusters";
  WalkResult result = program.walk([&](Operation *op) {
    auto ring = dyn_cast<RingCreateOp>(op);
    bool needsTma =
        isa<TmaLoadOp, TmaStoreOp, AccClusterReduceOp>(op) ||
        (ring && ring.getRing().getType().getKind() == RingKind::MBarrier);
    auto role = dyn_cast<RoleOp>(op);
    bool needsWgmma = isa<MmaAsyncOp, MmaAsyncFragmentOp>(op) ||
                      (role && role.getRegisters());
    if ((!needsTma || chip.features.tma) &&
        (!needsWgmma || chip.features.wgmma))
      return WalkResult::advance();
    op->emitOpError() << "needs " << (needsTma ? "sm_90" : "sm_90a")
                      << ", but the program is for " << program.getChip();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tile_verifier::verifyResources(ProgramOp program) {
  llvm::Expected<const ChipInfo &> chip = lookupChip(program.getChip());
  if (!chip)
    return program.emitOpError() << llvm::toString(chip.takeError());
  if (failed(verifyFeatures(program, *chip)) ||
      failed(verifySharedMemory(program, *chip)))
    return failure();
  return verifyRegisters(program, *chip);
}
