//===- Context.h - Sizes that all parts of a program use --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_WGMMA_CONTEXT_H
#define TCGEMM_LIB_SCHEDULES_WGMMA_CONTEXT_H

#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"

namespace tcgemm {

/// Threads of the producing warpgroup.
inline constexpr int64_t kWgmmaProducerThreads = 128;

/// The builder and the configuration of a program, and the sizes that follow
/// from them.
class WgmmaContext {
public:
  WgmmaContext(ProgramBuilder &p, const KernelConfig &config)
      : p(p), c(config) {}

  /// Starts a role of `warps` warps; the insertion point is its body.
  void startRole(RoleKind kind, int64_t firstWarp, int64_t warps) const;
  TokenType getToken(TokenKind kind) const {
    return TokenType::get(p.b().getContext(), kind);
  }
  /// The sum of one warpgroup.
  AccType getAcc() const;
  /// The sum in which the instructions of one warpgroup add.
  AccType getInstructionAcc(bool inFlight) const;
  /// The part of it that the warpgroup stores: the whole, its CTA's part of the
  /// cluster's sum, or, of a dual product, the columns of one product.
  AccType getStoredAcc() const;
  /// Rows of the instruction's side of a tile that one warpgroup computes.
  int64_t getShareRows() const { return c.getRowSide() / c.getSharers(); }

  /// Elements along k of a part of an operand's stage: a tile's row is at most
  /// a swizzle wide.
  int64_t getPartDepth(unsigned operand) const;
  /// Elements along k of an operand that a stage stores: of split operands,
  /// those of all parts.
  int64_t getStageDepth() const;
  /// Arrivals of a role that free a stage: one for each warp.
  int64_t getArrivals() const { return 4 * c.getSharers(); }
  /// The roles that divide each stage along k.
  int64_t getParts() const { return c.warps[2]; }
  /// Elements along k of a role's part of a stage.
  int64_t getDepthOfPart() const { return c.cta[2] / getParts(); }
  /// The CTAs that read the same part of an operand (A: those along N). Each
  /// has the bit of its rank less that of the lowest.
  int64_t getMulticast(unsigned operand) const;
  /// The CTAs that share A or B with a CTA.
  int64_t getMulticast() const { return getMulticast(0) | getMulticast(1); }

  ProgramBuilder &p;
  const KernelConfig &c;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_WGMMA_CONTEXT_H
