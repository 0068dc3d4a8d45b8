//===- PlanBuilder.cpp - Tools to write a kernel's plan -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/PlanBuilder.h"
#include "Common/ElementFunctions.h"
#include "Common/Windows.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

int64_t PlanBuilder::getVector(const KernelConfig &c) const {
  int64_t vector = 1;
  for (unsigned operand : {0, 1})
    if (isKContiguous(kernel, operand))
      vector = std::max(vector, getCopyBytes(c, problem, operand) *
                                    getPackedElements(kernel, operand) /
                                    getElementBytes(operand));
  return vector;
}

Conditions PlanBuilder::getAlignment(unsigned operand, int64_t bytes) {
  std::string x = kernel.getOperandName(operand);
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  int64_t vector =
      bytes / getElementBytes(operand) * getPackedElements(kernel, operand);
  Conditions guard{eq(getStrideSymbol(x, dims.size() - 1), 1)};
  if (vector == 1)
    return guard;
  guard.push_back(eq(Expr::symbol(x + ".base") % bytes, 0));
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    guard.push_back(eq(getStrideSymbol(x, i) % vector, 0));
  return guard;
}

Conditions PlanBuilder::getWholeBytes(unsigned operand) {
  int64_t packed = getPackedElements(kernel, operand);
  if (packed == 1)
    return {};
  int64_t unit = getRowUnit(
      *getScalarType(kernel.getOperandInfo(operand).getElementType()));
  Conditions guard =
      getAlignment(operand, unit / packed * getElementBytes(operand));
  guard.push_back(eq(getSizeSymbol('k') % unit, 0));
  return guard;
}

Conditions PlanBuilder::getAlignments(int64_t bytesA, int64_t bytesB) {
  Conditions guard = getAlignment(0, bytesA);
  llvm::append_range(guard, getAlignment(1, bytesB));
  return guard;
}

/// The condition of all variants: contiguous rows of inputs and outputs.
Conditions PlanBuilder::getContiguity() {
  Conditions guard;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    if (kernel.isMatrix(i))
      continue;
    size_t rank = kernel.getOperandInfo(i).getDims().size();
    if (rank)
      guard.push_back(
          eq(getStrideSymbol(kernel.getOperandName(i), rank - 1), 1));
  }
  return guard;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The map with the workspace as base, if `bindings` move its operand there.
TensorMapAttr PlanBuilder::rebase(TensorMapAttr map, const Bindings &bindings) {
  BindingAttr base = bindings.find(map.getBase());
  if (!base)
    return map;
  auto lookup = [&](StringRef symbol) -> std::optional<Expr> {
    if (BindingAttr bound = bindings.find(Argument::i64(Expr::symbol(symbol))))
      return bound.getValue().value;
    return std::nullopt;
  };
  SmallVector<ExprAttr> strides;
  for (ExprAttr stride : map.getStrides())
    strides.push_back(getAttr(stride.getValue().substitute(lookup)));
  return TensorMapAttr::get(context, map.getName(), map.getElementType(), base,
                            map.getDims(), strides, map.getBox(),
                            map.getSwizzle(), map.getL2Promotion(),
                            map.getWindow());
}

StepAttr PlanBuilder::getStep(ProgramOp program, const Expr &grid,
                              const Bindings &bindings) {
  SmallVector<BindingAttr> arguments;
  SmallVector<TensorMapAttr> maps;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    if (auto map =
            program.getArgAttrOfType<TensorMapAttr>(i, kBindingAttrName)) {
      arguments.push_back(
          BindingAttr::get(context, Argument::tensorMap(maps.size())));
      maps.push_back(rebase(map, bindings));
      continue;
    }
    auto asked = program.getArgAttrOfType<BindingAttr>(i, kBindingAttrName);
    BindingAttr bound = bindings.find(asked);
    arguments.push_back(bound ? bound : asked);
  }
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         FlatSymbolRefAttr::get(program.getSymNameAttr()));
  SmallVector<int64_t> cluster;
  if (program.getCluster() > 1)
    cluster = {int64_t(program.getCluster()), 1, 1};
  ExprAttr one = getAttr(1);
  return StepAttr::get(context, symbol, {getAttr(grid), one, one}, cluster,
                       program.getThreads(), program.getSharedMemory(), maps,
                       arguments, ExprAttr(), program.waitsForGrids());
}

ProgramOp PlanBuilder::getReduceProgram() {
  if (!reduceProgram)
    reduceProgram =
        buildReduceProgram(kernel, module, config, getName("reduce"));
  return reduceProgram;
}

StepAttr PlanBuilder::getReduceStep(const Bindings &bindings) {
  Expr grid = product({getProductCount(kernel), getSizeSymbol('m'),
                       countTiles(getSizeSymbol('n'), kReduceThreads)});
  return getStep(getReduceProgram(), grid, bindings);
}

/// Reserves workspace for the partial results that the epilogue of `program`
/// stores, before that program is a step.
static void bindReductions(VariantDraft &draft, KernelOp kernel,
                           ProgramOp program) {
  for (const ReducedOutput &output : getReducedOutputs(kernel)) {
    draft.workspace = roundUp(draft.workspace, 256);
    Expr slots = output.countSlots(program);
    draft.bindings.set(Argument::workspace(output.getPartialsSymbol()),
                       Argument::workspace(draft.workspace));
    draft.bindings.set(Argument::i64(output.getSlotsSymbol()),
                       Argument::i64(slots));
    draft.workspace = sum(draft.workspace, output.getBytes(slots));
  }
}

/// Adds the steps that combine the partial results.
void PlanBuilder::addReductions(VariantDraft &draft) {
  for (const ReducedOutput &output : getReducedOutputs(kernel)) {
    ProgramOp &program = combinePrograms[output.index];
    if (!program)
      program = buildCombineProgram(kernel, module, config,
                                    getName("combine_" + output.name), output);
    draft.steps.push_back(
        getStep(program, output.countBlocks(), draft.bindings));
  }
}

PlanBuilder::PackedLayout PlanBuilder::getPackedLayout(unsigned operand,
                                                       const Expr &paddedK) {
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  Expr side = getSizeSymbol(operand ? 'n' : 'm');
  bool kContiguous = isKContiguous(kernel, operand);
  PackedLayout layout;
  layout.batch = getProductCount(kernel, dims);
  if (splitsOperands(kernel)) {
    layout.rows = side;
    layout.pitch = getStoredDepth(kernel, config);
    layout.blocks = product({layout.batch, ceilDiv(side, kSplitRows),
                             countTiles(getSizeSymbol('k'), kSplitColumns)});
    return layout;
  }
  layout.rows = kContiguous ? side : paddedK;
  if (int64_t held = getRowsInMemoryRow(kernel, operand); held > 1)
    layout.rows = ceilDiv(layout.rows, held);
  Expr columns = kContiguous ? getSizeSymbol('k') : side;
  int64_t packed = getPackedElements(kernel, operand);
  if (packed > 1)
    columns = ceilDiv(columns, packed);
  layout.pitch = roundUp(columns, getPackVector(kernel) / packed);
  int64_t bytes = getElementBytes(operand);
  if (isUnfolded(kernel, operand)) {
    layout.blocks = countTiles(product({layout.rows, layout.pitch}),
                               kUnfoldThreads * kUnfoldBytes / bytes);
    return layout;
  }
  // See Programs.h.
  Expr rowsOfBlock =
      select(le(columns, kPackShortBytes / bytes),
             kPackThreads / kPackLanesShort, kPackThreads / kPackLanesLong);
  layout.blocks = product({layout.batch, ceilDiv(layout.rows, rowsOfBlock),
                           countTiles(columns, kPackPieceBytes / bytes)});
  return layout;
}

ProgramOp PlanBuilder::getPackProgram(std::optional<unsigned> only) {
  ProgramOp &program = packPrograms[only.value_or(0)];
  if (program)
    return program;
  constexpr StringLiteral programs[] = {"pack_a", "pack_b", "pack_b2"};
  if (splitsOperands(kernel))
    program = buildSplitProgram(kernel, module, config, getName("split"));
  else if (only && isUnfolded(kernel, *only))
    program = buildUnfoldProgram(kernel, module, config, getName("unfold"));
  else
    program = buildPackProgram(
        kernel, module, config,
        getName(only ? StringRef(programs[*only]) : StringRef("pack")), only);
  return program;
}

/// The stride of a packed operand along an outer dimension. Those with later
/// letters lie inside.
Expr PlanBuilder::getPackedStride(StringRef dims, char dim,
                                  const PackedLayout &layout) {
  Expr stride = product({layout.rows, layout.pitch});
  for (char inner : kernel.getOuterDims().split(dim).second)
    if (dims.contains(inner))
      stride = product({stride, getSizeSymbol(inner)});
  return stride;
}

/// Adds the steps that pack `operands`: one for both, unless their elements
/// differ in size. The main program reads them from the
/// workspace.
void PlanBuilder::pack(ArrayRef<unsigned> operands, VariantDraft &draft) {
  // k is padded to the main program's copy width if an operand is contiguous
  // along k. An operand that is not packed already is a multiple of it.
  int64_t vector = getVector(config);
  Expr k = getSizeSymbol('k');
  Expr paddedK = vector > 1 ? roundUp(k, vector) : k;
  draft.bindings.set(Argument::i32(k), Argument::i32(paddedK));
  Expr blocks[] = {0, 0, 0};
  Bindings bindings(context);
  for (unsigned operand : getMatrices(kernel)) {
    StringRef dims = kernel.getOperandInfo(operand).getDims();
    PackedLayout layout = getPackedLayout(operand, paddedK);
    Argument packed = Argument::workspace(draft.workspace);
    bindings.set(Argument::i32(Expr::symbol(kPackedRows[operand])),
                 Argument::i32(layout.rows));
    bindings.set(Argument::workspace(Expr::symbol(kPacked[operand])), packed);
    if (!llvm::is_contained(operands, operand))
      continue;
    llvm::append_range(draft.guard, getWholeBytes(operand));
    blocks[operand] = layout.blocks;
    std::string name = kernel.getOperandName(operand);
    draft.bindings.set(Argument::pointer(name), packed);
    char innermost = isKContiguous(kernel, operand) ? 'k' : dims.back();
    int64_t shared = getPackedElements(kernel, operand);
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (dim == innermost)
        continue;
      Expr stride =
          isOuter(dim) ? getPackedStride(dims, dim, layout) : layout.pitch;
      draft.bindings.set(Argument::i64(getProgramStride(kernel, operand, i)),
                         Argument::i64(stride));
      // Tensor maps have the stride as it is in memory.
      if (shared > 1)
        draft.bindings.set(Argument::i64(getStrideSymbol(name, i)),
                           Argument::i64(product({stride, shared})));
    }
    Expr size = product({getElementBytes(operand),
                         product({layout.batch, layout.rows}), layout.pitch});
    draft.workspace = sum(draft.workspace, roundUp(size, 256));
  }
  bool maps = llvm::any_of(operands, [&](unsigned operand) {
    return mapsInPack(kernel, config, operand);
  });
  if (problem.getBits(0) != problem.getBits(1) || kernel.findSecond() ||
      isUnfolded(kernel, 0) || (maps && !splitsOperands(kernel))) {
    for (unsigned operand : operands)
      draft.steps.push_back(
          getStep(getPackProgram(operand), blocks[operand], bindings));
    return;
  }
  bindings.set(Argument::i32(Expr::symbol(kPackBlocksOfA)),
               Argument::i32(blocks[0]));
  Expr grid = operands.size() == 2 ? sum(blocks[0], blocks[1])
                                   : blocks[operands.front()];
  draft.steps.push_back(getStep(getPackProgram(std::nullopt), grid, bindings));
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// The program that checks the sizes of groups, which all variants share. As a
/// program of its own it leaves the main program as it is: ptxas would
/// serialise the instructions of wgmma in a program that calls a function.
static ProgramOp getCheckProgram(KernelOp kernel, gpu::GPUModuleOp module,
                                 const KernelConfig &config,
                                 const std::string &name) {
  if (auto program = module.lookupSymbol<ProgramOp>(name))
    return program;
  return buildCheckProgram(kernel, module, config, name);
}

VariantDraft PlanBuilder::start(StringRef name, Conditions guard,
                                const KernelConfig &c,
                                ArrayRef<unsigned> packed) {
  VariantDraft draft{name.str(), std::move(guard), c, Bindings(context), {}};
  draft.bindings.set(Argument::i32(Expr::symbol(kWholeDepth)),
                     Argument::i32(getSizeSymbol('k')));
  if (kernel.getCheckOffsets())
    draft.steps.push_back(getStep(
        getCheckProgram(kernel, module, config, getName("check_offsets")), 1,
        Bindings(context)));
  if (!packed.empty())
    pack(packed, draft);
  return draft;
}

void PlanBuilder::finish(VariantDraft draft, ProgramOp program,
                         const Expr &grid) {
  int64_t slices = draft.config.splitK;
  draft.bindings.set(Argument::workspace(Expr::symbol(kPartials)),
                     Argument::workspace(draft.workspace));
  if (slices > 1)
    draft.workspace =
        sum(draft.workspace,
            product({problem.getSumBytes(), slices, getProductCount(kernel),
                     getSizeSymbol('m'), getSizeSymbol('n')}));
  bindReductions(draft, kernel, slices > 1 ? getReduceProgram() : program);
  draft.steps.push_back(getStep(program, grid, draft.bindings));
  if (slices > 1) {
    draft.bindings.set(Argument::i32(Expr::symbol(kSlices)),
                       Argument::i32(slices));
    draft.steps.push_back(getReduceStep(draft.bindings));
  }
  addReductions(draft);
  llvm::append_range(draft.guard, getContiguity());
  addVariant(draft.name, draft.guard, draft.config, draft.workspace,
             draft.steps);
}

/// The same step, launched after the preceding grid of the stream has ended.
static StepAttr withoutDependence(StepAttr step) {
  return StepAttr::get(step.getContext(), step.getProgram(), step.getGrid(),
                       step.getCluster(), step.getThreads(),
                       step.getSharedMemory(), step.getTensorMaps(),
                       step.getArguments(), step.getWhen(),
                       /*dependent=*/false);
}

void PlanBuilder::addVariant(StringRef name, ArrayRef<Expr> guard,
                             const KernelConfig &c, const Expr &workspace,
                             ArrayRef<StepAttr> steps) {
  SmallVector<StepAttr> list(steps);
  if (!c.dependentLaunch)
    list.front() = withoutDependence(list.front());
  variants.push_back(VariantAttr::get(
      context, StringAttr::get(context, name), getAttr(allOf(guard)),
      ConfigAttr::get(context, c), getAttr(workspace), list));
}

bool PlanBuilder::canRead(ArrayRef<unsigned> packed, bool windows) {
  return llvm::all_of(ArrayRef<unsigned>{0, 1}, [&](unsigned operand) {
    return llvm::is_contained(packed, operand) ||
           (windows && isUnfolded(kernel, operand)) ||
           !(mustPack(kernel, operand) || mapsInPack(kernel, config, operand));
  });
}

void PlanBuilder::addTiled(StringRef name, const Conditions &guard,
                           ProgramOp program, const KernelConfig &c,
                           ArrayRef<unsigned> packed) {
  if (!canRead(packed))
    return;
  Expr grid = product({getProductCount(kernel),
                       countTiles(getSizeSymbol('m'), c.cta[0]),
                       countTiles(getSizeSymbol('n'), c.cta[1]), c.splitK});
  if (c.wmma.tilesPerCta > 1)
    grid = ceilDiv(grid, c.wmma.tilesPerCta);
  if (c.persistent)
    grid = min(grid, getResidentCtas(c));
  finish(start(name, guard, c, packed), program, grid);
}

bool tcgemm::mayHaveEmptyK(KernelOp kernel) {
  auto mayBeEmpty = [&](char dim) {
    int64_t size = kernel.getSize(dim);
    return ShapedType::isDynamic(size) || size == 0;
  };
  std::optional<char> summed = kernel.findSummedDim();
  return mayBeEmpty('k') || (summed && mayBeEmpty(*summed));
}

void PlanBuilder::addEmptyK() {
  if (!mayHaveEmptyK(kernel))
    return;
  std::optional<char> summed = kernel.findSummedDim();
  Expr k = getSizeSymbol('k');
  if (summed)
    k = product({getSizeSymbol(*summed), k});
  VariantDraft draft{"empty_k", {eq(k, 0)}, config, Bindings(context), {}};
  draft.bindings.set(Argument::i32(Expr::symbol(kSlices)), Argument::i32(0));
  draft.bindings.set(Argument::workspace(Expr::symbol(kPartials)),
                     Argument::workspace(0));
  bindReductions(draft, kernel, getReduceProgram());
  draft.steps.push_back(getReduceStep(draft.bindings));
  addReductions(draft);
  addVariant(draft.name, draft.guard, config, draft.workspace, draft.steps);
}

void PlanBuilder::setPlan() {
  kernel.setPlanAttr(ArrayAttr::get(context, variants));
}
