//===- Epilogue.h - Epilogues of the wgmma program --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_EPILOGUE_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_EPILOGUE_H

#include "Common/StagedInputs.h"
#include "Wgmma/Tiles.h"

namespace tcgemm {

/// Writes the epilogues of a program's consumers.
class WgmmaEpilogue {
public:
  WgmmaEpilogue(const WgmmaContext &context, const WgmmaTiles &tiles)
      : context(context), p(context.p), c(context.c), tiles(tiles),
        early(readsEarly()) {}

  /// Returns whether the epilogue's inputs come to registers while the first
  /// stages are on their way.
  bool isEarly() const { return early; }
  /// The start of what a warpgroup stores of a tile. `group` is its number
  /// among the warpgroups that share the tile, if there are several.
  WgmmaPlace getShare(WgmmaPlace place, mlir::Value group) const;
  void prefetch(const WgmmaPlace &own, const StagedInputs *inputs) const;
  /// Stores the sum `acc` of the products of one tile; `own` is the running
  /// warpgroup's share of the tile.
  void finish(const WgmmaPlace &own, mlir::Value acc) const;
  /// As `finish`, with staged inputs, which `token` allows to read.
  void store(const WgmmaPlace &own, mlir::Value acc, const StagedInputs *inputs,
             mlir::Value token) const;

private:
  bool readsEarly() const;
  bool fitsInRegisters(int64_t available) const;
  void reduceAndStore(const WgmmaPlace &own, mlir::Value acc) const;

  const WgmmaContext &context;
  ProgramBuilder &p;
  const KernelConfig &c;
  const WgmmaTiles &tiles;
  bool early;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_EPILOGUE_H
