//===- Plan.cpp - The plan of the wgmma schedule --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TMA copies A and B if possible. Otherwise they are packed for TMA, or the
// program's threads copy them, depending on the configuration. Outputs that TMA
// cannot store are stored by the threads of a separate program.
//
//===----------------------------------------------------------------------===//

#include "Common/EpilogueOperands.h"
#include "Common/Windows.h"
#include "Wgmma/Family.h"
#include "tcgemm/Config/Sizes.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/TensorMap.h"
#include "tcgemm/Target/TensorMapGuard.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// The paths of A, B and the second B (0, 1 and 2) to a program. An operand
/// that is neither packed nor copied by threads is copied directly by TMA.
struct WgmmaWay {
  StringRef name, program; // of the variants; after "main"
  SmallVector<unsigned, 2> packed, copied;
};
} // namespace

static std::vector<Expr> getValues(ArrayRef<ExprAttr> attributes) {
  std::vector<Expr> values;
  for (ExprAttr attribute : attributes)
    values.push_back(attribute.getValue());
  return values;
}

/// The conditions for TMA copies of the operands in the program's maps, except
/// for those in the workspace. `summed` is an outer dimension that is summed
/// over.
static Conditions getTmaGuard(ProgramOp program, const Bindings &bindings,
                              std::optional<char> summed) {
  // Conditions on dimensions that several operands have are added once.
  Conditions conditions;
  auto require = [&](const Expr &condition) {
    if (llvm::none_of(conditions, [&](const Expr &other) {
          return other.isSame(condition);
        }))
      conditions.push_back(condition);
  };
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    auto map = program.getArgAttrOfType<TensorMapAttr>(i, kBindingAttrName);
    if (!map)
      continue;
    if (bindings.find(map.getBase())) {
      // A packed operand is aligned, but without k it has no map. (Without rows
      // there is no launch.)
      require(ge(getSizeSymbol('k'), 1));
      if (summed)
        require(ge(getSizeSymbol(*summed), 1));
      continue;
    }
    StringRef operand = map.getBase().getValue().operand;
    for (const Expr &condition : getTensorMapConditions(
             Expr::symbol((operand + ".base").str()), getValues(map.getDims()),
             getValues(map.getStrides())))
      require(condition);
    // A store writes whole 16-byte pieces of a row, also beyond its end.
    if (operand.starts_with("out")) {
      int64_t bytes = getStorageBits(map.getElementType()) / 8;
      Expr rowBytes = product({map.getDims().front().getValue(), bytes});
      require(eq(rowBytes % kTensorMapAlignment, 0));
    }
    // The condition for outputs is always required.
    if (operand == "A" || operand == "B" || operand == "B2")
      require(eq(getStrideSymbol(operand,
                                 map.getWindow() ? 1 : map.getStrides().size()),
                 1));
  }
  return conditions;
}

/// The tiles along M of all products. With groups of rows it is the largest
/// number that there can be: each contiguous group may end with a part of a
/// tile, and each padded one may have all of its rows.
static Expr countRowTiles(KernelOp kernel, int64_t rows) {
  Expr m = getSizeSymbol('m');
  std::optional<GroupKind> groups = kernel.findGroupKind();
  if (!groups || getGroupKindInfo(*groups).divided != 'm')
    return product({getProductCount(kernel), countTiles(m, rows)});
  return sum(Expr::make(ExprKind::Div, {m, Expr(rows)}),
             min(m, getSizeSymbol('b')));
}

/// The tiles on and below the diagonal of all symmetric products, in square
/// blocks.
static Expr countTilesBelowDiagonal(KernelOp kernel, int64_t rows,
                                    int64_t columns) {
  int64_t block = std::max(rows, columns);
  Expr blocks = countTiles(getSizeSymbol('m'), block);
  return product({getProductCount(kernel),
                  Expr::make(ExprKind::Div, {product({blocks, blocks + 1}), 2}),
                  block / rows * (block / columns)});
}

Expr tcgemm::getWgmmaGrid(KernelOp kernel, const KernelConfig &c) {
  int64_t cluster = c.getClusterSize();
  int64_t rows = c.cta[0] * c.wgmma.cluster[0];
  int64_t columns = getOutputExtent(kernel, c, 1) * c.wgmma.cluster[1];
  Expr clusters =
      kernel.getSymmetric()
          ? countTilesBelowDiagonal(kernel, rows, columns)
          : product({countRowTiles(kernel, rows),
                     countTiles(getSizeSymbol('n'), columns), c.splitK});
  if (c.persistent) {
    Expr places = Expr::make(ExprKind::Div, {getResidentCtas(c), cluster});
    clusters = min(clusters, max(1, places));
  }
  return cluster == 1 ? clusters : product({clusters, cluster});
}

static void addVariant(PlanBuilder &plan, const Twine &name, ProgramOp program,
                       const KernelConfig &c, const WgmmaWay &way) {
  VariantDraft draft = plan.start(name.str(), {}, c, way.packed);
  // TMA handles the end of K.
  Expr k = getSizeSymbol('k');
  draft.bindings.erase(Argument::i32(k));
  draft.guard =
      getTmaGuard(program, draft.bindings, plan.getKernel().findSummedDim());
  for (unsigned operand : {0, 1})
    llvm::append_range(draft.guard, plan.getWholeBytes(operand));
  for (unsigned operand : way.copied)
    llvm::append_range(draft.guard,
                       plan.getAlignment(operand, operand ? c.copyB : c.copyA));
  // The first stage is peeled. If TMA copies an operand, its guard has this
  // condition.
  if (way.copied.size() == 2)
    draft.guard.push_back(ge(k, 1));
  if (plan.getKernel().getSymmetric())
    draft.guard.push_back(eq(getSizeSymbol('m'), getSizeSymbol('n')));
  // A slice must not be empty.
  if (int64_t slices = c.splitK * c.wgmma.cluster[2]; slices > 1)
    draft.guard.push_back(ge(countDepthTiles(plan.getKernel(), c), slices));
  plan.finish(std::move(draft), program, getWgmmaGrid(plan.getKernel(), c));
}

/// The configuration for the programs of one path. Programs with TMA copies
/// only are the same for packed and unpacked operands.
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

/// The epilogue for outputs that TMA cannot store. Threads store full rows if
/// rows are long, if no tile is stored twice, and if the rows fit shared memory
/// beside the partial sums of a cluster.
static EpilogueKind getOtherEpilogue(const KernelConfig &c, PlanBuilder &plan) {
  KernelOp kernel = plan.getKernel();
  if (c.swapAB || kernel.getSymmetric())
    return EpilogueKind::Direct;
  KernelConfig staged = c;
  staged.epilogue = EpilogueKind::Staged;
  const ChipInfo &chip = llvm::cantFail(lookupChip(*kernel.getChip()));
  int64_t bytes = planSharedMemory(staged, plan.getProblem()).getTotal();
  return bytes <= chip.sharedPerBlock ? EpilogueKind::Staged
                                      : EpilogueKind::Direct;
}

/// The configurations of one path's programs, with the suffixes of their names:
/// `c`, and those for problems that `c` does not support.
static SmallVector<std::pair<StringRef, KernelConfig>, 3>
getForms(const KernelConfig &c, PlanBuilder &plan) {
  SmallVector<std::pair<StringRef, KernelConfig>, 3> forms{{"", c}};
  auto add = [&](StringRef suffix, KernelConfig other) {
    other.wgmma.stageInputs = false;
    // The sums of a whole tile, the epilogue's results, and inputs from global
    // memory exceed a thread's registers. The tile is therefore divided among
    // warpgroups if it has 64 rows for each.
    bool canShare = c.getRowSide() % (64 * c.getConsumers()) == 0;
    other.wgmma.pingpong &= hasPlainEpilogue(plan.getKernel()) || !canShare;
    forms.push_back({suffix, other});
  };
  // Slices in a workspace are stored by a kernel of their own.
  if (c.epilogue == EpilogueKind::Tma && c.splitK == 1) {
    KernelConfig other = c;
    other.epilogue = getOtherEpilogue(c, plan);
    add(other.epilogue == EpilogueKind::Staged ? "_staged" : "_direct", other);
  }
  // Problems with fewer k-tiles than slices run unsplit.
  if (c.splitK * c.wgmma.cluster[2] > 1) {
    KernelConfig other = c;
    other.splitK = other.wgmma.cluster[2] = 1;
    other.epilogue = EpilogueKind::Direct;
    add("_whole", other);
  }
  return forms;
}

void tcgemm::planWgmma(PlanBuilder &plan) {
  const KernelConfig &config = plan.getConfig();
  SmallVector<WgmmaWay> ways{{"aligned", "", {}, {}}};
  if (config.wgmma.producer == ProducerKind::CpAsync)
    ways.append({{"copy_b", "_copy_b", {}, {1}},
                 {"copy_a", "_copy_a", {}, {0}},
                 {"copy_ab", "_copy_ab", {}, {0, 1}}});
  ways.append({{"pack_b", "", {1}, {}},
               {"pack_a", "", {0}, {}},
               {"pack_ab", "", {0, 1}, {}}});
  KernelOp kernel = plan.getKernel();
  // The second B takes the path of B.
  if (std::optional<unsigned> second = kernel.findSecond())
    for (WgmmaWay &way : ways)
      if (llvm::is_contained(way.packed, 1))
        way.packed.push_back(*second);
  // A row of a tile of A is at most a swizzle wide.
  bool hasWindows =
      findWindow(kernel, std::min<int64_t>(1024 / plan.getProblem().getBitsA(),
                                           config.cta[2]))
          .has_value();
  llvm::StringMap<ProgramOp> programs;
  for (const WgmmaWay &way : ways) {
    bool windows = hasWindows && !llvm::is_contained(way.packed, 0) &&
                   !llvm::is_contained(way.copied, 0);
    if (!plan.canRead(way.packed, windows))
      continue;
    for (auto &[suffix, c] : getForms(getConfig(config, way), plan)) {
      std::string programName =
          plan.getName(("main" + way.program +
                        (hasWindows && !windows ? "_packed" : "") + suffix)
                           .str());
      ProgramOp &program = programs[programName];
      if (!program) {
        program = buildWgmmaProgram(kernel, plan.getModule(), c, way.copied,
                                    windows, programName);
        program.setMaySpill(!suffix.empty());
      }
      addVariant(plan, way.name + suffix, program, c, way);
    }
  }
}
