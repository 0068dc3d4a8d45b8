//===- Consumer.h - A role that multiplies the stages -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_CONSUMER_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_CONSUMER_H

#include "Wgmma/Epilogue.h"
#include "Wgmma/Groups.h"
#include "Wgmma/Scales.h"
#include "Wgmma/Stages.h"

namespace tcgemm {

/// Writes one role of consumers.
class WgmmaConsumer {
public:
  /// `inputs` are the role's staged inputs, if it has any. `turn` is its number
  /// where two roles take turns, else -1; `part` is its part of each stage
  /// along k.
  WgmmaConsumer(const WgmmaContext &context, const WgmmaTiles &tiles,
                const WgmmaStages &stages, const WgmmaEpilogue &epilogue,
                StagedInputs *inputs, int64_t turn, int64_t part)
      : context(context), p(context.p), c(context.c), tiles(tiles),
        stages(stages), epilogue(epilogue), inputs(inputs), turn(turn),
        part(part) {}
  void build(int64_t firstWarp, int64_t warps);

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;
  /// A stage whose data have arrived.
  struct Stage {
    Value state, read;
  };
  /// A stage whose sums are scaled by groups. `fragment` is the prepared one of
  /// the part that is multiplied next, `zeroPoints` those of the part, or null,
  /// and `values` what WgmmaGroups carries.
  struct GroupStage : Stage {
    Value tile, fragment, zeroPoints;
    Values values;
    Values carry(Value total) const;
    Value adopt(Value newTile, mlir::ValueRange carried);
  };

  Values consumeTile(const WgmmaPlace &place, mlir::ValueRange carried);
  Value multiplyTile(const WgmmaPlace &place, Value &state);
  Value multiplyStages(const WgmmaPlace &place, Value &state);
  Value multiplyGroups(const WgmmaPlace &place, Value &state);
  void startGroup(GroupStage &stage, int64_t number);
  Value multiplyGroup(GroupStage &stage, int64_t number, Value total,
                      bool isLast);
  /// The steps of the role's part of a stage, and the first of them.
  int64_t countSteps() const {
    return context.getDepthOfPart() / stages.getFragmentType().getDepth();
  }
  int64_t getFirstStep() const { return part * countSteps(); }
  /// Returns whether the role stores the sums of its tiles.
  bool stores() const { return part == 0; }
  /// Adds the sums of all parts if the role stores. Otherwise sends the role's
  /// own to that role, and returns null.
  Value sumParts(Value acc);
  WgmmaPlace getOwn(const WgmmaPlace &place) const;
  Value await(Value acc, int64_t pending);
  /// Waits for the stage at `state`.
  Value waitFor(Value state);
  /// The same for number `number` of the stages along k of the tile at
  /// `place`, whose elements outside the operands' bands, or behind the end of
  /// its group along k, become zeros.
  Value waitFor(Value state, const WgmmaPlace &place, Value number);
  void mask(const WgmmaOperand &operand, Value state, Value read, Value side,
            Value k);
  /// `first` may be null.
  void trim(Value state, Value read, Value left, Value first);
  void release(Value read);
  /// Starts the products of a stage. The first one drops the sum if `isNew`.
  /// `releaseBefore`, if it is given, is called once, where the products of the
  /// stage before have ended.
  Value multiply(Value state, Value read, Value acc, bool isNew,
                 llvm::function_ref<void()> releaseBefore = {});
  Value multiplyTiles(Value state, Value read, Value acc, bool isNew);
  Value multiplyFragments(const Stage &stage, Value acc, bool isNew,
                          llvm::function_ref<void()> releaseBefore);
  /// The rows' operand of one step of a stage: as it is in the stage, and as it
  /// is multiplied. `zeroPoints` may be null.
  Value loadFragment(const Stage &stage, int64_t step);
  Value prepareFragment(Value loaded, Value zeroPoints = {});
  /// Starts the products of a step.
  Value multiplyFragment(const Stage &stage, int64_t step, Value fragment,
                         Value acc, bool isNew);
  /// Products of tiles that may be in flight when the stage before is released.
  int64_t getPending() const {
    int64_t products = stages.getProducts().size();
    return c.stages > products ? products : 1;
  }

  /// Products of `steps` fragments that may be in flight when the next one is
  /// converted. They read other registers than it.
  static int64_t getPendingFragments(int64_t steps) {
    constexpr int64_t most = 3;
    return std::clamp<int64_t>(steps - 1, 1, most);
  }

  const WgmmaContext &context;
  ProgramBuilder &p;
  const KernelConfig &c;
  const WgmmaTiles &tiles;
  const WgmmaStages &stages;
  const WgmmaEpilogue &epilogue;
  StagedInputs *inputs;
  int64_t turn, part;
  /// The running warpgroup's number among those that share its tile.
  Value group;
  /// The scales of blocks, if the kernel has any.
  std::optional<WgmmaScales> scales;
  /// The scales of groups, if the kernel has any.
  std::optional<WgmmaGroups> groups;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_CONSUMER_H
