//===- Producer.h - The role that fills the stages --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_PRODUCER_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_PRODUCER_H

#include "Common/Windows.h"
#include "Wgmma/Stages.h"
#include "Wgmma/Tiles.h"

namespace tcgemm {

/// Writes the producer of a program.
class WgmmaProducer {
public:
  WgmmaProducer(const WgmmaContext &context, const WgmmaTiles &tiles,
                const WgmmaStages &stages);
  void build();

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  /// An operand that threads copy.
  struct Copied {
    const WgmmaOperand *operand;
    Values loaders; // one for each box, for the running tile
  };

  /// A tile's first element along k, and the coordinate along the summed
  /// dimension, if there is one.
  struct Depth {
    Value k, summed;
  };

  Values produceTile(const WgmmaPlace &place, mlir::ValueRange carried);
  /// The first row or column of this CTA's part of an operand's box.
  Value getOwn(const WgmmaOperand &operand) const;
  void loadStage(const WgmmaOperand &operand, const WgmmaPlace &place,
                 const Depth &depth, Value state, Value write);
  void loadMatrix(const WgmmaOperand &operand, int64_t matrix,
                  const WgmmaPlace &place, const Depth &depth, Value state,
                  Value write);
  void loadWindows(const WgmmaOperand &operand, Value k, Value state,
                   Value write);
  Value startCopies(Copied &copies, const WgmmaPlace &place);
  void copyStage(const Copied &copies, Value address, Value kLeft, Value state,
                 Value write);
  void commit(Value write, llvm::SmallVectorImpl<Value> &groups);
  void publishOldest(llvm::SmallVectorImpl<Value> &groups);
  int64_t getGroupsBehind() const;

  const WgmmaContext &context;
  ProgramBuilder &p;
  const KernelConfig &c;
  const WgmmaTiles &tiles;
  const WgmmaStages &stages;
  Value ring;
  llvm::SmallVector<Copied, 2> copied;
  WindowPlace window; ///< Of the running tile's first pixel.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_PRODUCER_H
