//===- PlannerWgmma.cpp - The plan of the wgmma schedule -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A and B are copied by TMA where it can. Else they are packed to where it can,
// or the program's threads copy them, as the configuration has it. What TMA
// cannot store the threads do, by a program of its own.
//
//===----------------------------------------------------------------------===//

#include "EpilogueOperands.h"
#include "Planner.h"
#include "tcgemm/Target/TensorMap.h"
#include "tcgemm/Target/TensorMapGuard.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tcgemm;
using llvm::formatv;

/// `map` of what `bindings` put in its operand's place.
TensorMapAttr Planner::rebase(TensorMapAttr map, const Bindings &bindings) {
  auto found = bindings.find(map.getBase().getValue());
  if (found == bindings.end())
    return map;
  SmallVector<StringAttr> strides;
  for (StringAttr stride : map.getStrides()) {
    auto [symbol, factor] = stride.getValue().split(' ');
    auto bound = bindings.find(("i64 " + symbol).str());
    StringRef value = bound == bindings.end()
                          ? symbol
                          : StringRef(bound->second).drop_front(4);
    strides.push_back(text("(" + value + ") " + factor));
  }
  return TensorMapAttr::get(context, map.getName(), map.getElementType(),
                            text(found->second), map.getDims(), strides,
                            map.getBox(), map.getSwizzle(),
                            map.getL2Promotion());
}

static std::vector<Expr> parseAll(ArrayRef<StringAttr> texts) {
  std::vector<Expr> expressions;
  for (StringAttr text : texts)
    expressions.push_back(cantFail(Expr::parse(text.getValue())));
  return expressions;
}

std::string Planner::tmaGuard(ProgramOp program, const Bindings &bindings) {
  // Operands share dimensions, which are asked for once.
  SmallVector<std::string> conditions;
  auto require = [&](const Twine &condition) {
    if (!llvm::is_contained(conditions, condition.str()))
      conditions.push_back(condition.str());
  };
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    auto map = program.getArgAttrOfType<TensorMapAttr>(i, kBindingAttr);
    if (!map)
      continue;
    if (rebase(map, bindings) != map) {
      // What is packed lies well, but without k there is no map of it. (Without
      // rows there is no launch that would need one.)
      require("K >= 1");
      continue;
    }
    StringRef operand = map.getName().getValue();
    for (const Expr &condition : getTensorMapConditions(
             Expr::symbol(operand.str() + ".base"), parseAll(map.getDims()),
             parseAll(map.getStrides())))
      require(condition.str());
    // A store writes whole 16-byte pieces of a row, also across its end.
    if (operand.starts_with("out"))
      require(map.getDims().front().getValue() + " * " +
              Twine(map.getElementType().getIntOrFloatBitWidth() / 8) + " % " +
              Twine(kTensorMapAlignment) + " == 0");
    // That of outputs is asked for in any case.
    if (operand == "A" || operand == "B")
      require(operand + ".stride" + Twine(map.getStrides().size()) + " == 1");
  }
  return llvm::join(conditions, " && ");
}

std::string Planner::wgmmaGrid(const KernelConfig &c) {
  int64_t cluster = c.getClusterSize();
  std::string clusters = formatv(
      "batch * ceildiv(M, {0}) * ceildiv(N, {1}) * {2}",
      c.cta[0] * c.wgmma.cluster[0], c.cta[1] * c.wgmma.cluster[1], c.splitK);
  if (c.wgmma.persistent)
    clusters = formatv("min({0}, max(1, sm_count * {1} / {2}))", clusters,
                       std::max<int64_t>(1, c.minCtas), cluster);
  return cluster == 1 ? clusters
                      : formatv("({0}) * {1}", clusters, cluster).str();
}

void Planner::addWgmmaVariant(const Twine &variantName, ProgramOp program,
                              const KernelConfig &c, const WgmmaWay &way) {
  Bindings bindings;
  SmallVector<StepAttr> steps;
  std::string workspace = pack(way.packed, steps, bindings);
  // TMA knows where K ends.
  bindings.erase("i32 K");
  SmallVector<std::string> guards;
  if (std::string guard = tmaGuard(program, bindings); !guard.empty())
    guards.push_back(guard);
  for (unsigned operand : way.copied)
    guards.push_back(alignment(operand, operand ? c.copyB : c.copyA));
  // The first stage is peeled; where TMA copies an operand its guard asks this.
  if (way.copied.size() == 2)
    guards.push_back("K >= 1");
  // A slice must not be empty.
  if (int64_t slices = c.splitK * c.wgmma.cluster[2]; slices > 1)
    guards.push_back(formatv("ceildiv(K, {0}) >= {1}", c.cta[2], slices).str());
  addSteps(variantName.str(), guards.empty() ? "1" : llvm::join(guards, " && "),
           program, wgmmaGrid(c), c, workspace, bindings, steps);
}

/// What of `c` is for the programs of one way: those that TMA feeds alone,
/// packed or not, are the same.
static KernelConfig getConfig(KernelConfig c, const WgmmaWay &way) {
  KernelConfig standard;
  if (way.copied.empty())
    c.wgmma.producer = standard.wgmma.producer;
  if (!llvm::is_contained(way.copied, 0))
    c.copyA = standard.copyA;
  if (!llvm::is_contained(way.copied, 1))
    c.copyB = standard.copyB;
  return c;
}

/// The configurations of one way's programs, with the suffixes of their names:
/// that of `c`, and one for what it cannot serve.
static SmallVector<std::pair<StringRef, KernelConfig>, 2>
getForms(const KernelConfig &c, bool isPlain) {
  SmallVector<std::pair<StringRef, KernelConfig>, 2> forms{{"", c}};
  bool isSplit = c.splitK * c.wgmma.cluster[2] > 1;
  if (!isSplit && c.epilogue != EpilogueKind::Tma)
    return forms;
  // What has fewer stages than slices runs unsplit.
  KernelConfig other = c;
  other.splitK = other.wgmma.cluster[2] = 1;
  // What TMA cannot store, threads do: rows in full where they are long.
  bool isStaged = !isSplit && !c.swapAB && c.epilogue == EpilogueKind::Tma;
  other.epilogue = isStaged ? EpilogueKind::Staged : EpilogueKind::Direct;
  other.wgmma.stageInputs = false;
  // The sums of a whole tile and what an epilogue computes of them, with inputs
  // from global memory besides, are more than a thread's registers: warpgroups
  // share the tile, if it has 64 rows for each.
  bool canShare = c.getRowSide() % (64 * c.getConsumers()) == 0;
  other.wgmma.pingpong &= isPlain || !canShare;
  forms.push_back({isSplit    ? "_whole"
                   : isStaged ? "_staged"
                              : "_direct",
                   other});
  return forms;
}

void Planner::addWgmma() {
  SmallVector<WgmmaWay> ways{{"aligned", "", {}, {}}};
  if (config.wgmma.producer == ProducerKind::CpAsync)
    ways.append({{"copy_b", "_copy_b", {}, {1}},
                 {"copy_a", "_copy_a", {}, {0}},
                 {"copy_ab", "_copy_ab", {}, {0, 1}}});
  ways.append({{"pack_b", "", {1}, {}},
               {"pack_a", "", {0}, {}},
               {"pack_ab", "", {0, 1}, {}}});
  llvm::StringMap<ProgramOp> programs;
  bool isPlain = hasPlainEpilogue(kernel);
  for (const WgmmaWay &way : ways)
    for (auto &[suffix, c] : getForms(getConfig(config, way), isPlain)) {
      std::string programName = name(("main" + way.program + suffix).str());
      ProgramOp &program = programs[programName];
      if (!program) {
        program = buildWgmmaProgram(kernel, module, c, way.copied, programName);
        program.setMaySpill(!suffix.empty());
      }
      addWgmmaVariant(way.name + suffix, program, c, way);
    }
}
