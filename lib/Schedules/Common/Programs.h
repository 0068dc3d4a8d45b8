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

namespace tcgemm {

class ProgramBuilder;

/// Symbols of programs that the plan gives a value: the workspace of the f32
/// partial results of split-K, and the number of its slices.
inline constexpr llvm::StringLiteral kPartials = "partials";
inline constexpr llvm::StringLiteral kSlices = "slices";
/// The workspace of packed A and B, the rows of each, and the number of blocks
/// that pack A.
inline constexpr llvm::StringLiteral kPacked[] = {"packed_a", "packed_b"};
inline constexpr llvm::StringLiteral kPackedRows[] = {"rows_a", "rows_b"};
inline constexpr llvm::StringLiteral kPackBlocksOfA = "blocks_a";

/// Whether the operand's innermost dimension is k.
bool isKContiguous(KernelOp kernel, unsigned operand);

/// K as copies see it. A static K that their width does not divide reaches the
/// main program only through packed operands, which are padded with zeros.
mlir::Value getPaddedDepth(ProgramBuilder &p, const KernelConfig &config);
/// Which tile of `tilesM` x `tilesN`, and slice of k, `linear` stands for.
/// With `reciprocalTile`, the M and N elements that one CTA or cluster
/// computes, divisions are multiplications by reciprocals from the host. This
/// takes registers that large kernels of the multistage schedules do not have:
/// ptxas spills there.
RasterOp
buildRaster(ProgramBuilder &p, const KernelConfig &config, mlir::Value linear,
            mlir::Value tilesM, mlir::Value tilesN,
            std::optional<std::pair<int64_t, int64_t>> reciprocalTile = {});

/// Sums `kSlices` partial results of each element and runs the epilogue.
/// One thread serves one element; consecutive blocks serve kReduceThreads
/// columns each of a row, then the next row, then the next batch.
inline constexpr int64_t kReduceThreads = 128;
ProgramOp buildReduceProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                             const KernelConfig &config, llvm::StringRef name);

/// Copies A and B to the aligned workspaces `kPacked`: rows of as many elements
/// as the operand's, rounded up to kPackVector, `kPackedRows` of them a batch
/// where k is the rows and may be padded; zero beyond the operand. The first
/// `kPackBlocksOfA` blocks pack A, the others B.
///
/// A row of at most kPackShortBytes is kPackLanesShort lanes', which copy it
/// element by element. A longer one is cut into pieces of kPackLanesLong lanes
/// that store kPackRounds vectors of 16 bytes each. A block takes as many rows
/// of one piece as it has threads for, of one batch.
inline constexpr int64_t kPackThreads = 256, kPackVector = 8, kPackRounds = 4,
                         kPackLanesShort = 8, kPackLanesLong = 32,
                         kPackShortBytes = 256,
                         kPackPieceBytes = kPackLanesLong * kPackRounds * 16;
ProgramOp buildPackProgram(KernelOp kernel, mlir::gpu::GPUModuleOp module,
                           const KernelConfig &config, llvm::StringRef name);

class StagedInputs;
/// How an epilogue stores.
struct StoreInfo {
  EpilogueKind kind = EpilogueKind::Direct;
  /// Bytes to stage in, if it is neither 16 rows a warp nor a box a warpgroup.
  int64_t staging = 0;
  /// Of the role that stages boxes.
  int64_t warpgroups = 1;
  /// Of the TMA stores: staging tiles.
  int64_t buffers = 0;
  /// The accumulator's rows are the output's columns.
  bool transposed = false;
  /// Inputs are read ahead of the products.
  bool early = false;
  /// Inputs in shared memory and the token to read them, if there are any.
  const StagedInputs *staged = nullptr;
  mlir::Value token;
};
/// Columns of the chunks in which TMA stores `acc`.
int64_t getChunkColumns(KernelOp kernel, AccType acc);
/// Builds the kernel's epilogue on `acc` at (batch, m, n).
void buildEpilogue(ProgramBuilder &p, mlir::Value acc, mlir::Value batch,
                   mlir::Value m, mlir::Value n, const StoreInfo &store);
/// Fetches what that epilogue will read of matrices but the `staged` operands,
/// `rows` x `columns`, into the L2 cache; of vectors too if that is asked.
void buildPrefetch(ProgramBuilder &p, int64_t rows, int64_t columns,
                   mlir::Value batch, mlir::Value m, mlir::Value n,
                   llvm::ArrayRef<unsigned> staged, bool vectors);
/// Builds the epilogue that stores `acc` as slice `slice`'s partial result.
void buildPartialStore(ProgramBuilder &p, mlir::Value acc, mlir::Value slice,
                       mlir::Value batch, mlir::Value m, mlir::Value n,
                       const StoreInfo &store);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_PROGRAMS_H
