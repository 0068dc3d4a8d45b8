//===- Program.cpp - The multistage program without tensor cores ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread computes a tile of the output by fused multiply-adds. It reads
// runs of neighbouring rows of A and columns of B for one k at a time. An
// operand that is contiguous along k is transposed while it is copied to shared
// memory, so that runs are contiguous there: cp.async copies single elements,
// and 16 bytes of padding in each row avoid bank conflicts of a warp. Without
// the transposition, vectors of four k are read from each row.
//
// Groups of threads may split each k-tile: each multiplies a part of it, and
// their sums are added through shared memory at the end.
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageSchedule.h"
#include "Simt/Family.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Simt.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

namespace {

class SimtWorker final : public MultistageWorker {
public:
  SimtWorker(ProgramBuilder &p, const KernelConfig &config)
      : MultistageWorker(p, config), problem(getProblemInfo(p.getKernel())) {}

private:
  void locate() override;
  LoaderType getLoaderType(unsigned operand) override;
  FragmentType getFragmentType(unsigned operand) override;
  AccType getAccType() override;
  int64_t getKSteps() override {
    return c.cta[2] / getSimtDepth(c, problem) / getPartsOfK();
  }
  int64_t getPartsOfK() override { return c.simt.threads[2]; }
  Value getOffset(unsigned operand) override {
    return p.mul(indices[operand], p.i32(getSimtVector(c, problem, operand)));
  }
  /// Length and distance of a thread's runs.
  SmallVector<int64_t> getRuns(unsigned operand) const {
    int64_t length = getSimtVector(c, problem, operand);
    return {length, length * c.simt.threads[operand]};
  }

  ProblemInfo problem;
};

/// Threads along M and N of a warp, or of a group that is less than one. The
/// shape is as square as the group's threads allow, so that they read few
/// different elements. There is always such a shape, because a group has whole
/// warps or divides one.
std::pair<int64_t, int64_t> getWarpShape(const KernelConfig &config) {
  int64_t lanes = std::min<int64_t>(32, config.getGroupThreads());
  std::pair<int64_t, int64_t> best = {lanes, lanes}; // none yet
  for (int64_t m = 1; m <= lanes; m *= 2) {
    int64_t n = lanes / m;
    bool fits =
        config.simt.threads[0] % m == 0 && config.simt.threads[1] % n == 0;
    // Ties go to the shape with more threads along N.
    if (fits && m + n < best.first + best.second)
      best = {m, n};
  }
  return best;
}

} // namespace

void SimtWorker::locate() {
  Value thread = p.threadId();
  if (getPartsOfK() > 1) {
    partOfK = p.divU(thread, p.i32(c.getGroupThreads()));
    thread = p.remU(thread, p.i32(c.getGroupThreads()));
  }
  // Index of `value` in a grid of rows of `columns`.
  auto split = [&](Value value, int64_t columns) {
    return std::pair(p.divU(value, p.i32(columns)),
                     p.remU(value, p.i32(columns)));
  };
  auto [m, n] = getWarpShape(c);
  auto [warp, lane] = split(thread, m * n);
  auto [warpM, warpN] = split(warp, c.simt.threads[1] / n);
  auto [laneM, laneN] = split(lane, n);
  if (m > 1 && n > 1) {
    // Blocks of 2 x 2: if every lane's neighbour, or the neighbour after that,
    // reads the same 16 bytes, shared memory serves 16 lanes at a time instead
    // of 8.
    auto [block, inBlock] = split(lane, 4);
    auto [blockM, blockN] = split(block, n / 2);
    laneM = p.add(p.mul(blockM, p.i32(2)), p.divU(inBlock, p.i32(2)));
    laneN = p.add(p.mul(blockN, p.i32(2)), p.remU(inBlock, p.i32(2)));
  }
  indices[0] = p.add(p.mul(warpM, p.i32(m)), laneM);
  indices[1] = p.add(p.mul(warpN, p.i32(n)), laneN);
}

LoaderType SimtWorker::getLoaderType(unsigned operand) {
  MLIRContext *context = p.b().getContext();
  bool kContiguous = isKContiguous(p.getKernel(), operand);
  bool transposed = isStagingTransposed(c, kContiguous);
  TileShape shape = operand ? getTileB(c, problem) : getTileA(c, problem);
  auto tile =
      TileType::get(context, shape.rows, shape.columns,
                    p.getKernel().getOperandInfo(operand).getElementType(),
                    kContiguous ? Swizzle::Pad : Swizzle::None);
  return LoaderType::get(context, tile, getCopyBytes(c, problem, operand),
                         kContiguous, c.getNumThreads(),
                         getSimtRowCopies(c, problem, operand), transposed);
}

FragmentType SimtWorker::getFragmentType(unsigned operand) {
  return FragmentType::get(
      p.b().getContext(), operand ? FragmentRole::B : FragmentRole::A,
      operand ? c.getThreadN() : c.getThreadM(), getSimtDepth(c, problem),
      p.getKernel().getOperandInfo(operand).getElementType(), getRuns(operand));
}

AccType SimtWorker::getAccType() {
  SmallVector<int64_t> runs = getRuns(0);
  runs.append(getRuns(1));
  return AccType::get(c.getThreadM(), c.getThreadN(),
                      p.getKernel().getAccumulatorType(), AccLayout::Simt,
                      /*inFlight=*/false, runs);
}

ProgramOp tcgemm::buildSimtProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                   const KernelConfig &config, StringRef name) {
  ProgramBuilder p(kernel, module, name, config.getNumThreads());
  SimtWorker worker(p, config);
  buildMultistage(p, config, worker);
  return p.finish(config);
}
