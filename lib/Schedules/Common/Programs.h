//===- Programs.h - Parts and programs of all schedules ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMS_H
#define TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Expr.h"

namespace tcgemm {

class ProgramBuilder;

/// Symbols of programs whose values the plan sets: the workspace of the f32
/// partial results of split-K, and the number of its slices.
inline constexpr llvm::StringLiteral kPartials = "partials";
inline constexpr llvm::StringLiteral kSlices = "slices";
/// The workspace of packed A, B and second B, the rows of each, and the number
/// of blocks that pack A.
inline constexpr llvm::StringLiteral kPacked[] = {"packed_a", "packed_b",
                                                  "packed_b2"};
inline constexpr llvm::StringLiteral kPackedRows[] = {"rows_a", "rows_b",
                                                      "rows_b2"};
inline constexpr llvm::StringLiteral kPackBlocksOfA = "blocks_a";
/// K. Where operands are packed, a main program's `K` includes their padding.
inline constexpr llvm::StringLiteral kWholeDepth = "whole_k";

/// The operands that are multiplied: A (0), B (1) and the second B, if there is
/// one. The functions below take their numbers.
llvm::SmallVector<unsigned> getMatrices(KernelOp kernel);
/// The columns of a tile of the outputs along M (0) or N (1). With a second B,
/// `cta` counts the columns of both products.
int64_t getOutputExtent(KernelOp kernel, const KernelConfig &config,
                        unsigned side);
/// The dims of operand A (0) or B (1) as main programs read it: as it lies in
/// memory, but with k innermost where the instruction takes nothing else. Such
/// an operand is transposed when it is packed.
std::string getTileDims(KernelOp kernel, unsigned operand);
/// Returns whether k is the innermost of them.
bool isKContiguous(KernelOp kernel, unsigned operand);
/// Returns whether the operand lies in memory with another dim than k
/// innermost, and is packed with k innermost before it is read.
bool isPackedTransposed(KernelOp kernel, unsigned operand);
/// The rows of an operand that one row in memory has: those of a block of a
/// representation.
int64_t getRowsInMemoryRow(KernelOp kernel, unsigned operand);
/// Returns whether main programs read the operand only after it was packed.
bool mustPack(KernelOp kernel, unsigned operand);
/// The type of what main programs read: for a split operand, that of its parts,
/// and i8 for two elements of 4 bits. Tiles of ui1, which count bytes, keep it.
mlir::Type getTileElement(KernelOp kernel, unsigned operand);
/// The elements along k in one i8 that programs read: 2 of 4 bits, 8 bits,
/// or 1.
int64_t getPackedElements(KernelOp kernel, unsigned operand);
/// The stride along the dimension at `position`, in what programs read. A
/// kernel's symbols count elements.
Expr getProgramStride(KernelOp kernel, unsigned operand, size_t position);
/// Returns whether A and B are split into parts when they are packed.
bool splitsOperands(KernelOp kernel);
/// The depth of the product that main programs compute: K, or that of all
/// products of parts.
Expr getDepth(KernelOp kernel, const KernelConfig &config);
/// The elements along k of A or B as main programs read them: of split
/// operands, those of all parts in memory.
Expr getStoredDepth(KernelOp kernel, const KernelConfig &config);
/// The elements along k of a part that follow each other in a packed row, in
/// multiples of which K is rounded up. Where programs share parts, those of a
/// stage; its other parts follow.
int64_t getPartUnit(KernelOp kernel, const KernelConfig &config);
/// The tiles along k that main programs multiply: for each value of a summed
/// dimension, those that cover the depth.
Expr countDepthTiles(KernelOp kernel, const KernelConfig &config);

/// K for the copies. A static K that is not a multiple of their width occurs in
/// the main program only with packed operands, which are padded with zeros.
mlir::Value getPaddedDepth(ProgramBuilder &p, const KernelConfig &config);
/// Maps `linear` to a tile of `tilesM` x `tilesN` and a slice of k. With
/// `reciprocalTile`, the M and N elements of one CTA or cluster, divisions
/// become multiplications by reciprocals from the host. This needs registers
/// that large kernels of the multistage schedules do not have: ptxas would
/// spill.
RasterOp
buildRaster(ProgramBuilder &p, const KernelConfig &config, mlir::Value linear,
            mlir::Value tilesM, mlir::Value tilesN,
            std::optional<std::pair<int64_t, int64_t>> reciprocalTile = {});

/// Sums `kSlices` partial results of each element and runs the epilogue.
/// One thread computes one element. Consecutive blocks compute kReduceThreads
/// columns of a row each, then the next row, then the next batch.
inline constexpr int64_t kReduceThreads = 128;
ProgramOp buildReduceProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                             const KernelConfig &config, llvm::StringRef name);

/// Copies A and B to the aligned workspaces `kPacked`. The length of a packed
/// row is that of the operand's, rounded up to getPackVector(). A batch has
/// `kPackedRows` rows if rows are along k and may be padded. Elements beyond
/// the operand are zero. The first `kPackBlocksOfA` blocks pack A, the others
/// B.
///
/// kPackLanesShort lanes copy a row of at most kPackShortBytes element by
/// element. A longer row is divided into pieces for kPackLanesLong lanes, which
/// store kPackRounds vectors of 16 bytes each. A block copies one piece of as
/// many rows of a batch as its threads allow.
inline constexpr int64_t kPackThreads = 256, kPackRounds = 4,
                         kPackLanesShort = 8, kPackLanesLong = 32,
                         kPackShortBytes = 256,
                         kPackPieceBytes = kPackLanesLong * kPackRounds * 16;
int64_t getPackVector(KernelOp kernel);
/// With `only`, the program packs that operand and has no blocks for the
/// others. The second B always has a program of its own.
ProgramOp buildPackProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                           const KernelConfig &config, llvm::StringRef name,
                           std::optional<unsigned> only);

/// Splits A and B into parts and writes these to the workspaces `kPacked`. A
/// row of the results has getStoredDepth() columns: for schedules that share
/// parts, getPartUnit() columns of each part in turn; for others, K columns,
/// rounded up, for each product of parts. Elements beyond K are zero. The first
/// `kPackBlocksOfA` blocks split A, the others B. A block splits kSplitRows
/// rows of a batch and kSplitColumns columns; a thread splits kSplitVector
/// columns of a row.
inline constexpr int64_t kSplitVector = 16, kSplitRows = 32,
                         kSplitColumns = 128,
                         kSplitThreads =
                             kSplitRows * kSplitColumns / kSplitVector;
ProgramOp buildSplitProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                            const KernelConfig &config, llvm::StringRef name);

/// Checks the sizes of groups, by one block of kCheckThreads threads. An
/// assertion with the rule of their kind fails where one breaks it.
inline constexpr int64_t kCheckThreads = 32;
ProgramOp buildCheckProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                            const KernelConfig &config, llvm::StringRef name);

class StagedInputs;
/// Properties of an epilogue's stores.
struct StoreInfo {
  EpilogueKind kind = EpilogueKind::Direct;
  /// Bytes of staging memory, if it is neither 16 rows for each warp nor a box
  /// for each warpgroup.
  int64_t staging = 0;
  /// Warpgroups of the role that stages boxes.
  int64_t warpgroups = 1;
  /// Staging tiles of the TMA stores.
  int64_t buffers = 0;
  /// The accumulator's rows are the output's columns.
  bool transposed = false;
  /// The end of the rows to store; null if that is M.
  mlir::Value endM;
  /// The accumulator of the second product; null without one.
  mlir::Value second;
  /// Inputs are read before the products.
  bool early = false;
  /// Caches evict the matrices of the epilogue first.
  bool streaming = false;
  /// Inputs in shared memory and the token to read them, if there are any.
  const StagedInputs *staged = nullptr;
  mlir::Value token;
};
/// Columns of a chunk that TMA stores of `acc`.
int64_t getChunkColumns(KernelOp kernel, AccType acc);
/// Builds the kernel's epilogue on `acc` at (batch, m, n).
void buildEpilogue(ProgramBuilder &p, mlir::Value acc, mlir::Value batch,
                   mlir::Value m, mlir::Value n, const StoreInfo &store);
/// Fetches `rows` x `columns` elements of each matrix that the epilogue reads,
/// except the `staged` operands, into the L2 cache; optionally those of vectors
/// too.
void buildPrefetch(ProgramBuilder &p, int64_t rows, int64_t columns,
                   mlir::Value batch, mlir::Value m, mlir::Value n,
                   llvm::ArrayRef<unsigned> staged, bool vectors);
/// Builds the epilogue that stores `acc` as slice `slice`'s partial result.
void buildPartialStore(ProgramBuilder &p, mlir::Value acc, mlir::Value slice,
                       mlir::Value batch, mlir::Value m, mlir::Value n,
                       const StoreInfo &store);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMS_H
