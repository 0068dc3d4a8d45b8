//===- Legality.h - Which configurations are possible -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that decides whether a configuration is legal for a chip and a
// problem. Each rule has a name; each violation says the value, the rule and
// the limit. A search space is the set of configurations that pass.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_LEGALITY_H
#define TCGEMM_TARGET_LEGALITY_H

#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/KernelConfig.h"
#include "llvm/ADT/SmallVector.h"

namespace tcgemm {

/// What legality and the choice of a configuration need to know of a kernel.
struct ProblemInfo {
  /// Element type of A and B as the manifest writes it, and its width.
  std::string elementType = "bf16";
  int64_t elementBits = 16;
  /// Whether k is the innermost dimension of A and of B.
  bool aKContiguous = true, bKContiguous = true;
  /// Sizes; -1 where they are known at run time only.
  int64_t batch = 1, m = -1, n = -1, k = -1;
  /// Whether TMA can store all outputs: their rows run along n and hold f16,
  /// bf16 or f32; and whether all of them have 16 bits.
  bool tmaOutputs = true, narrowOutputs = true;
  /// Matrices that the epilogue reads and TMA can bring: of 16 bits, with rows
  /// along n, and read whatever the scalars are.
  int64_t stageableInputs = 0;
  /// Bytes that the epilogue reads and writes for each element (m, n).
  int64_t epilogueBytes = 2;
  /// Whether it only converts the sums.
  bool plainEpilogue = true;
};

/// One broken rule.
struct Violation {
  /// Name of the rule, e.g. `shared-memory`.
  llvm::StringRef rule;
  /// The value, what is required of it, and the limit.
  std::string message;
};

/// Sizes that follow from a configuration.
/// Tile of A and of B in shared memory: rows and columns (contiguous).
struct TileShape {
  int64_t rows, columns;
};
TileShape getTileA(const KernelConfig &config, const ProblemInfo &problem);
TileShape getTileB(const KernelConfig &config, const ProblemInfo &problem);
/// With simt: whether the tile of an operand with such rows is turned on its
/// way to shared memory, and how many bytes of A (0) or B (1) one copy moves:
/// then a single element.
bool isStagingTransposed(const KernelConfig &config, bool kContiguous);
int64_t getCopyBytes(const KernelConfig &config, const ProblemInfo &problem,
                     unsigned operand);
/// Bytes that one copy moves of an operand which the copies of `copy_a` and
/// `copy_b` cannot read; 0 where such an operand is packed.
int64_t getUnalignedBytes(UnalignedPath path);
/// With simt: elements along k of one step. Tiles with rows along k that are
/// not turned are read by vectors of so many.
int64_t getSimtDepth(const KernelConfig &config, const ProblemInfo &problem);
/// With simt: neighbouring rows (operand 0) or columns (1) of the output that a
/// thread has; its others are multiples of `threads` such runs away.
int64_t getSimtVector(const KernelConfig &config, const ProblemInfo &problem,
                      unsigned operand);
/// With gemv: what the warps of a CTA share. A group of `slices` warps along k
/// has `groupRows` rows of the large operand and all `fewRows` of the small
/// one; a lane loads `unroll` vectors of 16 bytes of each of the large one's
/// before it multiplies.
struct GemvShape {
  /// Rows of the small operand that a CTA multiplies, at most.
  static constexpr int64_t kMostFewRows = 4;
  int64_t fewRows, manyRows, groups, slices, groupRows, unroll;
};
GemvShape getGemvShape(const KernelConfig &config, const ProblemInfo &problem);
/// With gemv: bytes that the sums of a group's warps go through.
int64_t getGemvBytes(const KernelConfig &config);
/// Bytes of the whole ring: stages of both tiles, each aligned to 128.
int64_t getRingBytes(const KernelConfig &config, const ProblemInfo &problem);
/// Bytes that the sum over the warps along k goes through.
int64_t getKSplitBytes(const KernelConfig &config);
/// Bytes that a staged epilogue goes through: 16 rows of f32 a warp, padded.
int64_t getStagingBytes(const KernelConfig &config);
/// With wmma: what the epilogue stages, in f32, and the elements from one row
/// of that to the next: the CTA's tile, or a fragment of each warp. Then the
/// bytes of the ring or of that, which takes the ring's place.
int64_t getWmmaStagingBytes(const KernelConfig &config);
int64_t getWmmaStagingPitch(const KernelConfig &config);
int64_t getWmmaBytes(const KernelConfig &config, const ProblemInfo &problem);
/// With wgmma: the ring, its barriers and the staging tiles.
int64_t getWgmmaBytes(const KernelConfig &config, const ProblemInfo &problem);
/// What setmaxnreg gives a thread of the producer and of the consumers; 0 for
/// the latter where registers stay as the kernel starts.
int64_t getProducerRegisters(const KernelConfig &config);
int64_t getConsumerRegisters(const KernelConfig &config);
/// Estimated registers a thread.
int64_t estimateRegisters(const KernelConfig &config);
/// CTAs with `sharedBytes` each that one multiprocessor is estimated to hold
/// together, by registers, shared memory and threads; at least 1.
int64_t estimateResidents(const KernelConfig &config, const ChipInfo &chip,
                          int64_t sharedBytes);

/// Whether all counts of `config` are at least 1 and small enough for the
/// functions above and for the models of its time, which divide by them. Code
/// that computes with a configuration from outside asks this first. It is
/// cheaper than `findViolations`, which reports what is wrong.
bool isComputable(const KernelConfig &config);

/// All rules that `config` breaks; none if it is legal.
llvm::SmallVector<Violation> findViolations(const KernelConfig &config,
                                            const ChipInfo &chip,
                                            const ProblemInfo &problem);

/// Success, or one error with the message and name of every broken rule.
llvm::Error checkConfig(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);

/// The names of all rules.
llvm::ArrayRef<llvm::StringLiteral> getRuleNames();

} // namespace tcgemm

#endif // TCGEMM_TARGET_LEGALITY_H
