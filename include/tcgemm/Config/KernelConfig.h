//===- KernelConfig.h - Everything tuned about a kernel ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One plain struct holds all parameters of a generated kernel. It is written
// and read as text and JSON and has a stable hash. Whether a configuration is
// legal for a chip and a problem is decided in Legality.h, not here.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_KERNELCONFIG_H
#define TCGEMM_CONFIG_KERNELCONFIG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>
#include <string>

namespace tcgemm {

enum class Schedule { MmaSync, Wgmma, Wmma, Simt, Gemv, Expand };
/// The keyword of a schedule: `mma_sync`.
llvm::StringRef getScheduleName(Schedule schedule);
enum class RasterOrder { AlongM, AlongN, Diagonal };
enum class TileOrder { Sequential, Strided };
enum class SliceOrder { Outer, Inner };
enum class SharedLayout { Xor, Pad, Sectors };
enum class UnalignedPath { Pack, Copy8, Copy4, Registers };
enum class EpilogueKind { Direct, Staged, Tma };
enum class ProducerKind { Tma, CpAsync };
enum class DotMath { Fma, Mma };
enum class DotLoads { Registers, Shared };
enum class RepresentationForm { Fragments, Packed };

/// Parameters of mma_sync alone.
struct MmaSyncParameters {
  /// How tiles avoid bank conflicts in shared memory. Sectors: as Xor, and a
  /// row that starts in the middle of a 32-byte sector is rotated by 16 bytes,
  /// so that cp.async does not fetch its sectors twice; for rows along k whose
  /// stride is an odd multiple of 16 bytes.
  SharedLayout shared = SharedLayout::Xor;
  /// The path of a B that is the representation of numbers. Fragments: the
  /// stages hold the numbers, and lanes load the components of their elements.
  /// Packed: another kernel writes the representation first.
  RepresentationForm representation = RepresentationForm::Fragments;
};

/// Parameters of wgmma alone.
struct WgmmaParameters {
  /// Staging tiles of a warpgroup whose epilogue is tma.
  int64_t epilogueBuffers = 2;
  /// CTAs of a cluster along M, N and K. CTAs along M share B, and those along
  /// N share A: each CTA copies a part of the shared operand to all of them by
  /// TMA multicast. CTAs along K compute slices of k, which are summed through
  /// distributed shared memory.
  std::array<int64_t, 3> cluster = {1, 1, 1};
  /// Two warpgroups alternate, each with tiles of its own, so that the epilogue
  /// of one overlaps the products of the other.
  bool pingpong = false;
  /// TMA copies the 16-bit matrices that a tma epilogue reads to shared memory
  /// while the products run.
  bool stageInputs = false;
  /// Bytes of DRAM's lines, 64, 128 or 256, that L2 fetches for each piece of A
  /// or B that TMA copies; 0 leaves it at the size of the copy.
  int64_t l2Promotion = 128;
  /// The path to shared memory of an A or B that TMA cannot copy: TMA after a
  /// kernel has packed it, or cp.async with copies of `copyA` and `copyB`
  /// bytes.
  ProducerKind producer = ProducerKind::Tma;
  /// The tensor cores sum the products of a stage alone; the consumers add
  /// these partial sums in f32. For operands whose products the tensor cores
  /// add with fewer bits than f32 has.
  bool promoteSums = false;
};

/// Parameters of wmma alone.
struct WmmaParameters {
  /// Output tiles that a CTA computes, one after the other.
  int64_t tilesPerCta = 1;
};

/// Parameters of simt alone.
struct SimtParameters {
  /// Threads along M and N, among which the tile is divided, and groups of such
  /// threads, each of which multiplies a part of every k-tile.
  std::array<int64_t, 3> threads = {16, 16, 1};
  /// Tiles of an operand that is contiguous along k are transposed while they
  /// are copied to shared memory, so that a thread reads its rows of a k as
  /// vectors.
  bool transposeStaging = true;
  /// Copies that a thread makes of each row, in global memory, of A's and B's
  /// tile. The more they are, the fewer threads share a row. 0: as few as
  /// suffice.
  int64_t rowCopiesA = 1, rowCopiesB = 1;

  /// The same by operand: A (0) or B (1).
  int64_t getRowCopies(unsigned operand) const {
    return operand ? rowCopiesB : rowCopiesA;
  }
};

/// Parameters of gemv alone.
struct GemvParameters {
  /// The units that multiply: each thread, in f32, or tensor cores (mma.sync),
  /// which take weights of 4 bits as 16 rows of A.
  DotMath math = DotMath::Fma;
  /// The path of the large operand to the units: a lane loads an iteration's
  /// vectors to registers, or copies those of `stages` - 1 iterations ahead to
  /// shared memory.
  DotLoads loads = DotLoads::Registers;
};

/// All parameters of a kernel: those that several schedules have, and a struct
/// for each schedule with parameters of its own. ScheduleFamily::getKeys lists
/// the parameters of a schedule; others keep their default values.
struct KernelConfig {
  Schedule schedule = Schedule::MmaSync;
  /// CTA tile: the M, N and K elements that a CTA processes at a time.
  std::array<int64_t, 3> cta = {128, 128, 32};
  /// Warps along M, N and K (the last splits k inside the CTA). With wgmma
  /// these are the consumers' warps: [4, 1, 1] is a warpgroup. With gemv the
  /// warps along K are a group that shares rows of the large operand.
  std::array<int64_t, 3> warps = {2, 2, 1};
  /// Shape of the tensor-core instruction.
  std::array<int64_t, 3> instruction = {16, 8, 16};
  /// Depth of the shared-memory ring.
  int64_t stages = 3;
  /// Order of the output tiles, and width in tiles of its bands. A diagonal has
  /// no bands.
  RasterOrder raster = RasterOrder::AlongM;
  int64_t rasterGroup = 8;
  /// Slices of k that different CTAs compute and sum through a workspace.
  int64_t splitK = 1;
  /// Inner: the slices of one tile are neighbours in launch order.
  SliceOrder sliceOrder = SliceOrder::Outer;
  /// Bytes of one global-to-shared copy of A and B: 16, 8, 4 by cp.async; 2
  /// goes through registers. With wgmma for producer = cp_async only; with gemv
  /// of one load from global memory to registers.
  int64_t copyA = 16, copyB = 16;
  /// How an A or B that is not 16-byte aligned is read.
  UnalignedPath unaligned = UnalignedPath::Pack;
  /// Fragment sets in registers: with 2 or 3 they are loaded one or two k-steps
  /// before their product.
  int64_t fragmentBuffers = 2;
  /// True if the copies of the next stage are spread over the k-steps.
  bool spreadCopies = true;
  /// True if a k-step's copies come after the loads of the next fragments.
  bool loadsFirst = true;
  /// Stores directly from registers, or through shared memory in full rows, or
  /// from shared memory by TMA. With wgmma, staged replaces tma if TMA cannot
  /// store the outputs.
  EpilogueKind epilogue = EpilogueKind::Direct;
  /// With wgmma, B takes the instruction's 64-row side: for products with few
  /// rows. With gemv, B is the small operand: for products with few columns.
  bool swapAB = false;
  /// Programmatic dependent launch: a kernel starts before the preceding kernel
  /// has ended, and waits for it before it accesses global memory. From sm_90
  /// on.
  bool dependentLaunch = false;
  /// The same of the kernels of one product behind its first, as for those
  /// before them that pack operands. The first one is launched as usual.
  bool dependentSteps = false;
  /// With mma_sync and simt: the epilogue's inputs are loaded to registers
  /// behind the first copies. Otherwise matrices are fetched to the L2 cache
  /// there, and all inputs are loaded behind the products.
  bool earlyInputs = false;
  /// With mma_sync and simt: the epilogue's matrices are loaded and stored with
  /// PTX's `.cs`: caches evict them before the operands, which are read again.
  bool streamEpilogue = false;
  /// With mma_sync, wgmma and simt: only as many CTAs as can be resident are
  /// launched, and each loops over several tiles. Otherwise there is one CTA
  /// for each tile.
  bool persistent = false;
  /// With wmma, and with persistent CTAs of mma_sync and simt: whether the
  /// tiles of a CTA are neighbours in the raster's order, or as many tiles
  /// apart as there are CTAs.
  TileOrder tileOrder = TileOrder::Sequential;
  /// Hints to ptxas; 0 leaves it the choice.
  int64_t minCtas = 0, maxRegisters = 0;
  /// With wmma and simt: whether A and B are copied through shared memory.
  /// Otherwise fragments are loaded directly from global memory if sizes and
  /// pitches allow that.
  bool stageA = true, stageB = true;

  MmaSyncParameters mmaSync;
  WgmmaParameters wgmma;
  WmmaParameters wmma;
  SimtParameters simt;
  GemvParameters gemv;

  /// Returns whether A (0) or B (1) is copied through shared memory.
  bool isStaged(unsigned operand) const { return operand ? stageB : stageA; }
  /// Returns whether the kernels wait for those before them.
  bool waitsForGrids() const { return dependentLaunch || dependentSteps; }
  int64_t getNumWarps() const { return warps[0] * warps[1] * warps[2]; }
  /// Threads of a CTA, those of producers included.
  int64_t getNumThreads() const;
  /// Warpgroups that multiply, those of them that store, and how many share the
  /// rows of a tile.
  int64_t getConsumers() const { return getStorers() * warps[2]; }
  int64_t getStorers() const { return warps[0] / 4; }
  int64_t getSharers() const { return wgmma.pingpong ? 1 : getStorers(); }
  int64_t getClusterSize() const {
    auto [m, n, k] = wgmma.cluster;
    return m * n * k;
  }
  /// CTAs of a cluster that store the sum of its slices of k; each stores an
  /// equal part of the instruction's columns.
  int64_t getSumParts() const {
    int64_t parts = wgmma.cluster[2];
    while (parts > 1 && getColumnSide() % (8 * parts) != 0)
      parts /= 2;
    return parts;
  }
  /// The size of the tile along the instruction's 64 rows and along its
  /// columns: M and N, or N and M.
  int64_t getRowSide() const { return cta[swapAB ? 1 : 0]; }
  int64_t getColumnSide() const { return cta[swapAB ? 0 : 1]; }
  int64_t getWarpM() const { return cta[0] / warps[0]; }
  int64_t getWarpN() const { return cta[1] / warps[1]; }
  int64_t getKSteps() const { return cta[2] / instruction[2]; }
  /// With simt: rows and columns of the output that a thread computes.
  int64_t getThreadM() const { return cta[0] / simt.threads[0]; }
  int64_t getThreadN() const { return cta[1] / simt.threads[1]; }
  /// With simt: threads that multiply the same part of a k-tile.
  int64_t getGroupThreads() const { return simt.threads[0] * simt.threads[1]; }

  /// Sets one parameter from text: an integer, a keyword, `true`/`false`, or a
  /// list as `[128, 256, 64]` or `128x256x64`. The error names the key, the
  /// value and the expected format.
  llvm::Error set(llvm::StringRef key, llvm::StringRef value);

  /// Applies `key = value` pairs separated by commas, semicolons or blanks.
  /// With wgmma the tile decides the instruction unless the text has one; with
  /// wmma it is 16x16x16 then.
  llvm::Error apply(llvm::StringRef text);

  /// All parameters, `key = value` separated by commas; `apply` reads this
  /// text.
  std::string str() const;

  llvm::json::Object toJSON() const;
  static llvm::Expected<KernelConfig>
  fromJSON(const llvm::json::Object &object);

  /// Sixteen hexadecimal digits that depend on the parameters only.
  std::string hash() const;

  /// The names of all parameters, in the order of `str`.
  static llvm::ArrayRef<llvm::StringRef> keys();
  /// The value of one parameter as text; `key` is one of `keys()`.
  std::string get(llvm::StringRef key) const;
  /// The parameter `key` if it has three parts (M, N and K), else null.
  std::array<int64_t, 3> *findTriple(llvm::StringRef key);
  const std::array<int64_t, 3> *findTriple(llvm::StringRef key) const;

  bool operator==(const KernelConfig &other) const {
    return str() == other.str();
  }
};

inline llvm::hash_code hash_value(const KernelConfig &config) {
  return llvm::hash_value(config.str());
}

} // namespace tcgemm

#endif // TCGEMM_CONFIG_KERNELCONFIG_H
