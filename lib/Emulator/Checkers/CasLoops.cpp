//===- CasLoops.cpp - Loads that begin a compare-and-swap loop ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checkers/CasLoops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace tcgemm::emu {

using ptx::Operand;

namespace {

/// A base, a register or a variable, and an offset.
struct Place {
  Operand::Kind kind;
  ptx::SymbolKind symbol;
  uint32_t index;
  int64_t offset;
  bool operator==(const Place &other) const {
    return kind == other.kind && symbol == other.symbol &&
           index == other.index && offset == other.offset;
  }
};

class CasLoopFinder {
public:
  explicit CasLoopFinder(const FunctionCode &function) : function(function) {}
  std::vector<const Instruction *> find();

private:
  void collect();
  std::optional<Place> getPlace(const Operand &operand) const;
  llvm::DenseSet<uint32_t> findSources(uint32_t reg) const;

  const FunctionCode &function;
  /// By register: the registers that are moved into it.
  llvm::DenseMap<uint32_t, llvm::SmallVector<uint32_t, 2>> moves;
  /// By register that is written once, by a move or conversion of an address:
  /// its source.
  llvm::DenseMap<uint32_t, uint32_t> copies;
  std::vector<const Instruction *> loads, swaps;
};

} // namespace

static bool isRegister(const Operand &operand) {
  return operand.kind == Operand::Kind::Register;
}

/// Other loads are strong. They do not race with atomic operations.
static bool isPlain(const ptx::Instruction &load) {
  return llvm::none_of(load.modifiers, [](llvm::StringRef modifier) {
    return modifier == "relaxed" || modifier == "acquire" ||
           modifier == "volatile" || modifier == "mmio";
  });
}

void CasLoopFinder::collect() {
  llvm::DenseMap<uint32_t, unsigned> writes;
  for (const Instruction &inst : function.instructions) {
    const ptx::Instruction &source = *inst.source;
    for (uint32_t id : inst.destinations)
      ++writes[id];
    const auto &operands = source.operands;
    if (operands.size() < 2)
      continue;
    if (source.opcode == "atom" && llvm::is_contained(source.modifiers, "cas"))
      swaps.push_back(&inst);
    if (!isRegister(operands[0]))
      continue;
    if (source.opcode == "ld" && isPlain(source))
      loads.push_back(&inst);
    if (!isRegister(operands[1]))
      continue;
    uint32_t to = operands[0].reg, from = operands[1].reg;
    if (source.opcode == "mov")
      moves[to].push_back(from);
    if (source.opcode == "mov" || source.opcode == "cvta")
      copies[to] = from;
  }
  for (auto [reg, count] : writes)
    if (count > 1)
      copies.erase(reg);
}

std::optional<Place> CasLoopFinder::getPlace(const Operand &operand) const {
  if (operand.kind != Operand::Kind::Address || operand.elements.empty())
    return std::nullopt;
  const Operand &base = operand.elements.front();
  if (base.kind == Operand::Kind::Symbol)
    return Place{base.kind, base.symbol, base.index, operand.offset};
  if (!isRegister(base))
    return std::nullopt;
  uint32_t reg = base.reg;
  // Registers that are copies of each other have no origin.
  for (size_t i = 0; i <= copies.size(); ++i) {
    auto it = copies.find(reg);
    if (it == copies.end())
      break;
    reg = it->second;
  }
  return Place{base.kind, ptx::SymbolKind::None, reg, operand.offset};
}

/// The register and the registers that its value may come from.
llvm::DenseSet<uint32_t> CasLoopFinder::findSources(uint32_t reg) const {
  llvm::DenseSet<uint32_t> seen;
  llvm::SmallVector<uint32_t> rest{reg};
  while (!rest.empty()) {
    uint32_t next = rest.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (auto it = moves.find(next); it != moves.end())
      rest.append(it->second.begin(), it->second.end());
  }
  return seen;
}

std::vector<const Instruction *> CasLoopFinder::find() {
  collect();
  std::vector<const Instruction *> found;
  if (loads.empty())
    return found;
  for (const Instruction *swap : swaps) {
    const auto &operands = swap->source->operands;
    if (operands.size() < 3 || !isRegister(operands[2]))
      continue;
    std::optional<Place> place = getPlace(operands[1]);
    if (!place)
      continue;
    llvm::DenseSet<uint32_t> sources = findSources(operands[2].reg);
    for (const Instruction *load : loads)
      if (sources.contains(load->source->operands[0].reg) &&
          getPlace(load->source->operands[1]) == place)
        found.push_back(load);
  }
  return found;
}

std::vector<const Instruction *>
findCasLoopLoads(const FunctionCode &function) {
  return CasLoopFinder(function).find();
}

} // namespace tcgemm::emu
