//===- ControlFlow.cpp - Reconvergence points -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Immediate post-dominators of instructions, by the iterative algorithm of
// Cooper, Harvey and Kennedy ("A simple, fast dominance algorithm", 2001) on
// the reversed graph of basic blocks.
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"

#include "llvm/ADT/BitVector.h"

namespace tcgemm::emu {

namespace {
struct BasicBlock {
  uint32_t first = 0, last = 0; ///< Instructions, inclusive.
  llvm::SmallVector<uint32_t, 2> successors, predecessors;
  uint32_t order = UINT32_MAX; ///< In reverse post-order from the exit.
  uint32_t postDominator = UINT32_MAX;
};
} // namespace

static std::vector<BasicBlock> findBlocks(const FunctionCode &function) {
  const auto &code = function.instructions;
  uint32_t count = code.size();
  llvm::BitVector leaders(count + 1);
  leaders.set(0);
  for (const Instruction &inst : code) {
    if (inst.control == Control::None)
      continue;
    leaders.set(inst.index + 1);
    if (inst.control == Control::Branch)
      leaders.set(inst.target);
    for (uint32_t target : inst.targets)
      leaders.set(target);
  }
  std::vector<BasicBlock> blocks;
  std::vector<uint32_t> blockOf(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (leaders.test(i)) {
      blocks.emplace_back();
      blocks.back().first = i;
    }
    blocks.back().last = i;
    blockOf[i] = blocks.size() - 1;
  }
  // The virtual exit is the last one.
  uint32_t exit = blocks.size();
  for (BasicBlock &block : blocks) {
    const Instruction &last = code[block.last];
    auto add = [&](uint32_t to) { block.successors.push_back(to); };
    if (last.control == Control::Branch)
      add(blockOf[last.target]);
    for (uint32_t target : last.targets)
      add(blockOf[target]);
    if (last.control == Control::End)
      add(exit);
    bool falls = last.control == Control::None || last.guarded;
    if (falls && block.last + 1 < count)
      add(blockOf[block.last + 1]);
    llvm::sort(block.successors);
    block.successors.erase(llvm::unique(block.successors),
                           block.successors.end());
  }
  blocks.emplace_back();
  blocks.back().first = count;
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (uint32_t successor : blocks[b].successors)
      blocks[successor].predecessors.push_back(b);
  return blocks;
}

/// Blocks in reverse post-order of the reversed graph, without the blocks that
/// do not reach the exit (endless loops).
static std::vector<uint32_t> orderFromExit(std::vector<BasicBlock> &blocks) {
  std::vector<uint32_t> postOrder;
  llvm::BitVector seen(blocks.size());
  llvm::SmallVector<std::pair<uint32_t, uint32_t>> stack;
  uint32_t exit = blocks.size() - 1;
  seen.set(exit);
  stack.push_back({exit, 0});
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == blocks[block].predecessors.size()) {
      postOrder.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t to = blocks[block].predecessors[next++];
    if (!seen.test(to)) {
      seen.set(to);
      stack.push_back({to, 0});
    }
  }
  std::reverse(postOrder.begin(), postOrder.end());
  for (uint32_t i = 0; i < postOrder.size(); ++i)
    blocks[postOrder[i]].order = i;
  return postOrder;
}

void findReconvergence(FunctionCode &function) {
  std::vector<BasicBlock> blocks = findBlocks(function);
  std::vector<uint32_t> order = orderFromExit(blocks);
  uint32_t exit = blocks.size() - 1;
  blocks[exit].postDominator = exit;
  auto intersect = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (blocks[a].order > blocks[b].order)
        a = blocks[a].postDominator;
      while (blocks[b].order > blocks[a].order)
        b = blocks[b].postDominator;
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b : order) {
      if (b == exit)
        continue;
      uint32_t best = UINT32_MAX;
      for (uint32_t successor : blocks[b].successors) {
        if (blocks[successor].postDominator == UINT32_MAX)
          continue;
        best = best == UINT32_MAX ? successor : intersect(best, successor);
      }
      if (best != blocks[b].postDominator) {
        blocks[b].postDominator = best;
        changed = true;
      }
    }
  }
  for (const BasicBlock &block : blocks) {
    if (block.first >= function.instructions.size())
      continue;
    Instruction &last = function.instructions[block.last];
    uint32_t to = block.postDominator;
    // Paths that meet at the exit only do not meet.
    last.reconvergence =
        to == UINT32_MAX || to == exit ? UINT32_MAX : blocks[to].first;
  }
}

} // namespace tcgemm::emu
