//===- Plan.cpp - The plan of the gemv schedule ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program supports any K: only the starts of rows must be aligned to its
// loads. Packing is slower than the product, and is used only if loads cannot
// read an operand, or for functions of the small operand's elements.
//
// A load of a large operand that is not contiguous along k has elements of
// several rows, and their number divides that of the rows. Single elements are
// read with any strides.
//
//===----------------------------------------------------------------------===//

#include "Common/ElementFunctions.h"
#include "Common/Windows.h"
#include "Gemv/Family.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// Adds the variants of a kernel whose operands are contiguous along k, or not.
class GemvPlan {
public:
  explicit GemvPlan(PlanBuilder &plan)
      : plan(plan), config(plan.getConfig()), kernel(plan.getKernel()),
        few(config.swapAB ? 1 : 0), many(1 - few) {}

  void build();

private:
  bool isAlongK(unsigned operand) {
    return kernel.getOperandInfo(operand).getDims().back() == 'k';
  }
  int64_t getBytes(const KernelConfig &c, unsigned operand) {
    return operand ? c.copyB : c.copyA;
  }
  ProgramOp buildProgram(const KernelConfig &c, GemvReading reading,
                         StringRef suffix) {
    return buildGemvProgram(kernel, plan.getModule(), c, reading,
                            plan.getName(suffix));
  }
  /// True if a program reads an operand that is not packed.
  bool reads(unsigned operand);
  Conditions getFewOfOneRow(const KernelConfig &c);
  Conditions getManyAcross(const KernelConfig &c);
  void addVariant(StringRef name, const Conditions &guard, ProgramOp program,
                  const KernelConfig &c, ArrayRef<unsigned> packed);
  void addAlongK();
  void addSteps();
  void addAcross();
  /// The configuration with the loads of `unaligned`, if they are narrower.
  std::optional<KernelConfig> getNarrow();

  PlanBuilder &plan;
  const KernelConfig &config;
  KernelOp kernel;
  unsigned few, many; // Operands: 0 is A.
};
} // namespace

bool GemvPlan::reads(unsigned operand) {
  // The elements of an operand across k are read as they are, even if other
  // schedules transpose it.
  bool mustChange = isAlongK(operand) ? mustPack(kernel, operand)
                                      : isUnfolded(kernel, operand);
  return !mustChange && !mapsInPack(kernel, config, operand);
}

void GemvPlan::addVariant(StringRef name, const Conditions &guard,
                          ProgramOp program, const KernelConfig &c,
                          ArrayRef<unsigned> packed) {
  for (unsigned operand : {0, 1})
    if (!llvm::is_contained(packed, operand) && !reads(operand))
      return;
  VariantDraft draft = plan.start(name, guard, c, packed);
  // Elements that share a byte are multiplied together.
  for (unsigned operand : {0, 1})
    llvm::append_range(draft.guard, plan.getWholeBytes(operand));
  // An operand that is not packed has no zeros after K.
  draft.bindings.erase(Argument::i32(getSizeSymbol('k')));
  // Those that programs read by steps are neighbours once they are packed.
  for (unsigned operand : packed) {
    StringRef dims = kernel.getOperandInfo(operand).getDims();
    if (isAlongK(operand))
      continue;
    char inner = isKContiguous(kernel, operand) ? 'k' : dims.back();
    draft.bindings.set(
        Argument::i64(getProgramStride(kernel, operand, dims.find(inner))),
        Argument::i64(1));
  }
  SmallVector<Expr> counts{getProductCount(kernel),
                           countTiles(getSizeSymbol('m'), c.cta[0]),
                           countTiles(getSizeSymbol('n'), c.cta[1])};
  if (c.splitK > 1)
    counts.push_back(c.splitK);
  plan.finish(std::move(draft), program, product(counts));
}

std::optional<KernelConfig> GemvPlan::getNarrow() {
  int64_t bytesA = getUnalignedBytes(config.unaligned, plan.getProblem(), 0);
  int64_t bytesB = getUnalignedBytes(config.unaligned, plan.getProblem(), 1);
  if (!bytesA || (bytesA >= config.copyA && bytesB >= config.copyB))
    return std::nullopt;
  KernelConfig narrow = config;
  narrow.copyA = bytesA;
  narrow.copyB = bytesB;
  return narrow;
}

/// Both operands are contiguous along k.
void GemvPlan::addAlongK() {
  ProgramOp main = buildProgram(config, GemvReading::Loads, "main");
  addVariant("aligned", plan.getAlignments(config.copyA, config.copyB), main,
             config, {});
  if (std::optional<KernelConfig> narrow = getNarrow()) {
    // The value is the name of the variant: `copy_8`.
    std::string name = config.get("unaligned");
    addVariant(name, plan.getAlignments(narrow->copyA, narrow->copyB),
               buildProgram(*narrow, GemvReading::Loads, name), *narrow, {});
  }
  addVariant("pack_b", plan.getAlignment(0, config.copyA), main, config, {1});
  addVariant("pack_a", plan.getAlignment(1, config.copyB), main, config, {0});
  addVariant("pack_ab", {}, main, config, {0, 1});
}

/// The conditions that the small operand is one row, whose elements are
/// neighbours and aligned to its loads.
Conditions GemvPlan::getFewOfOneRow(const KernelConfig &c) {
  std::string name = kernel.getOperandName(few);
  StringRef dims = kernel.getOperandInfo(few).getDims();
  int64_t bytes = getBytes(c, few);
  int64_t vector = bytes * 8 / plan.getProblem().getBits(few);
  size_t alongK = dims.find('k');
  Conditions guard{eq(getSizeSymbol(few ? 'n' : 'm'), 1),
                   eq(getStrideSymbol(name, alongK), 1)};
  if (vector == 1)
    return guard;
  guard.push_back(eq(Expr::symbol(name + ".base") % bytes, 0));
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != 'k' && i + 1 != dims.size())
      guard.push_back(eq(getStrideSymbol(name, i) % vector, 0));
  return guard;
}

/// The large operand is contiguous along k, and the small one is not.
void GemvPlan::addSteps() {
  int64_t rows = few ? kernel.getN() : kernel.getM();
  bool mayBeOne = ShapedType::isDynamic(rows) || rows == 1;
  // A packed small operand has the functions of its elements behind it.
  SmallVector<unsigned> packed;
  if (!reads(few))
    packed.push_back(few);
  auto addBoth = [&](const KernelConfig &c, StringRef name, StringRef suffix) {
    Conditions guard = plan.getAlignment(many, getBytes(c, many));
    if (mayBeOne && packed.empty()) {
      Conditions all = getFewOfOneRow(c);
      llvm::append_range(all, guard);
      addVariant(name, all,
                 buildProgram(c, GemvReading::OneRow, (suffix + "_row").str()),
                 c, {});
    }
    ProgramOp program = buildProgram(c, GemvReading::Loads, suffix);
    addVariant((name + "_steps").str(), guard, program, c, packed);
    return program;
  };
  ProgramOp main = addBoth(config, "aligned", "main");
  if (std::optional<KernelConfig> narrow = getNarrow()) {
    std::string name = config.get("unaligned");
    addBoth(*narrow, name, name);
  }
  packed.push_back(many);
  llvm::sort(packed);
  addVariant(many ? "pack_b" : "pack_a", {}, main, config, packed);
}

/// The conditions that loads of several rows of the large operand are aligned,
/// and that the rows are a multiple of these.
Conditions GemvPlan::getManyAcross(const KernelConfig &c) {
  int64_t bytes = getBytes(c, many);
  int64_t vector = bytes * 8 / plan.getProblem().getBits(many);
  Conditions guard = plan.getAlignment(many, bytes);
  guard.push_back(eq(getSizeSymbol(many ? 'n' : 'm') % vector, 0));
  return guard;
}

/// The large operand is not contiguous along k.
void GemvPlan::addAcross() {
  SmallVector<unsigned> packed;
  if (!reads(few))
    packed.push_back(few);
  int64_t rows = many ? kernel.getN() : kernel.getM();
  auto add = [&](const KernelConfig &c, StringRef name, StringRef suffix) {
    int64_t vector = getBytes(c, many) * 8 / plan.getProblem().getBits(many);
    if (ShapedType::isDynamic(rows) || rows % vector == 0)
      addVariant(name, getManyAcross(c),
                 buildProgram(c, GemvReading::Loads, suffix), c, packed);
  };
  add(config, "aligned", "main");
  std::optional<KernelConfig> narrow = getNarrow();
  if (narrow && getBytes(*narrow, many) * 8 > plan.getProblem().getBits(many)) {
    std::string name = config.get("unaligned");
    add(*narrow, name, name);
  }
  addVariant("elements", {},
             buildProgram(config, GemvReading::Elements, "elements"), config,
             packed);
}

void GemvPlan::build() {
  if (!isAlongK(many))
    addAcross();
  else if (!isAlongK(few))
    addSteps();
  else
    addAlongK();
}

void tcgemm::planGemv(PlanBuilder &plan) { GemvPlan(plan).build(); }
