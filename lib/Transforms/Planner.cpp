//===- Planner.cpp - The plan, and that of mma_sync and simt -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;
using namespace tcgemm;

/// What makes `bytes`-wide copies of an operand legal.
Conditions Planner::alignment(unsigned operand, int64_t bytes) {
  StringRef x = operand ? "B" : "A";
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  int64_t vector = bytes / getElementBytes();
  Conditions guard{eq(getStrideSymbol(x, dims.size() - 1), 1)};
  if (vector == 1)
    return guard;
  guard.push_back(eq(Expr::symbol((x + ".base").str()) % bytes, 0));
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    guard.push_back(eq(getStrideSymbol(x, i) % vector, 0));
  return guard;
}

Conditions Planner::bothAligned(int64_t bytesA, int64_t bytesB) {
  Conditions guard = alignment(0, bytesA);
  llvm::append_range(guard, alignment(1, bytesB));
  return guard;
}

StepAttr Planner::step(ProgramOp program, const Expr &grid,
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
  ExprAttr one = expression(1);
  return StepAttr::get(context, symbol, {expression(grid), one, one}, cluster,
                       program.getThreads(), program.getSharedMemory(), maps,
                       arguments, ExprAttr(), program.waitsForGrids());
}

ProgramOp Planner::getReduce() {
  if (!reduceProgram)
    reduceProgram = buildReduceProgram(kernel, module, config, name("reduce"));
  return reduceProgram;
}

ProgramOp Planner::getPack() {
  if (!packProgram)
    packProgram = buildPackProgram(kernel, module, config, name("pack"));
  return packProgram;
}

Planner::PackedLayout Planner::getPackedLayout(unsigned operand,
                                               const Expr &paddedK) {
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  Expr side = getSizeSymbol(operand ? 'n' : 'm');
  bool kContiguous = dims.back() == 'k';
  PackedLayout layout;
  layout.rows = kContiguous ? side : paddedK;
  Expr columns = kContiguous ? getSizeSymbol('k') : side;
  layout.pitch = roundUp(columns, kPackVector);
  layout.batch = dims.contains('b') ? getSizeSymbol('b') : Expr(1);
  // See Schedules.h.
  int64_t bytes = getElementBytes();
  Expr rowsOfBlock =
      select(le(columns, kPackShortBytes / bytes),
             kPackThreads / kPackLanesShort, kPackThreads / kPackLanesLong);
  layout.blocks = product({layout.batch, ceilDiv(layout.rows, rowsOfBlock),
                           countTiles(columns, kPackPieceBytes / bytes)});
  return layout;
}

Expr Planner::pack(ArrayRef<unsigned> operands,
                   SmallVectorImpl<StepAttr> &steps, Bindings &main) {
  Expr end = 0;
  if (operands.empty())
    return end;
  int64_t bytes = getElementBytes();
  // k is padded to the main program's copy width wherever some operand is
  // contiguous along it; an operand that is not packed is a multiple already.
  int64_t vector = getVector(config);
  Expr k = getSizeSymbol('k');
  Expr paddedK = vector > 1 ? roundUp(k, vector) : k;
  main.set(Argument::i32(k), Argument::i32(paddedK));
  Expr blocks[] = {0, 0};
  Bindings bindings(context);
  for (unsigned operand : {0, 1}) {
    StringRef dims = kernel.getOperandInfo(operand).getDims();
    PackedLayout layout = getPackedLayout(operand, paddedK);
    bindings.set(Argument::i32(Expr::symbol(kPackedRows[operand])),
                 Argument::i32(layout.rows));
    bindings.set(Argument::workspace(Expr::symbol(kPacked[operand])),
                 Argument::workspace(end));
    if (!llvm::is_contained(operands, operand))
      continue;
    blocks[operand] = layout.blocks;
    std::string name = kernel.getOperandName(operand);
    main.set(Argument::pointer(name), Argument::workspace(end));
    for (auto [i, dim] : llvm::enumerate(dims.drop_back()))
      main.set(Argument::i64(getStrideSymbol(name, i)),
               Argument::i64(dim == 'b' ? product({layout.rows, layout.pitch})
                                        : layout.pitch));
    Expr size =
        product({bytes, product({layout.batch, layout.rows}), layout.pitch});
    end = sum(end, roundUp(size, 256));
  }
  bindings.set(Argument::i32(Expr::symbol(kPackBlocksOfA)),
               Argument::i32(blocks[0]));
  Expr grid = operands.size() == 2 ? sum(blocks[0], blocks[1])
                                   : blocks[operands.front()];
  steps.push_back(step(getPack(), grid, bindings));
  return end;
}

Conditions Planner::contiguity() {
  Conditions guard;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    size_t rank = kernel.getOperandInfo(i).getDims().size();
    if (rank)
      guard.push_back(
          eq(getStrideSymbol(kernel.getOperandName(i), rank - 1), 1));
  }
  return guard;
}

void Planner::addVariant(StringRef variantName, Conditions guard,
                         const KernelConfig &c, const Expr &workspace,
                         ArrayRef<StepAttr> steps) {
  llvm::append_range(guard, contiguity());
  variants.push_back(VariantAttr::get(
      context, StringAttr::get(context, variantName), expression(allOf(guard)),
      ConfigAttr::get(context, c), expression(workspace), steps));
}

void Planner::addMainVariant(StringRef variantName, const Conditions &guard,
                             ProgramOp program, const KernelConfig &c,
                             ArrayRef<unsigned> packed) {
  Bindings bindings(context);
  SmallVector<StepAttr> steps;
  Expr workspace = pack(packed, steps, bindings);
  Expr grid =
      product({getSizeSymbol('b'), countTiles(getSizeSymbol('m'), c.cta[0]),
               countTiles(getSizeSymbol('n'), c.cta[1]), c.splitK});
  if (c.wmma.tilesPerCta > 1)
    grid = ceilDiv(grid, c.wmma.tilesPerCta);
  addSteps(variantName, guard, program, grid, c, workspace, bindings, steps);
}

void Planner::addSteps(StringRef variantName, const Conditions &guard,
                       ProgramOp program, const Expr &grid,
                       const KernelConfig &c, Expr workspace,
                       Bindings &bindings, SmallVectorImpl<StepAttr> &steps) {
  bindings.set(Argument::workspace(Expr::symbol(kPartials)),
               Argument::workspace(workspace));
  steps.push_back(step(program, grid, bindings));
  if (c.splitK > 1) {
    bindings.set(Argument::i32(Expr::symbol(kSlices)), Argument::i32(c.splitK));
    steps.push_back(step(getReduce(), reduceGrid(), bindings));
    workspace =
        sum(workspace, product({4, c.splitK, getSizeSymbol('b'),
                                getSizeSymbol('m'), getSizeSymbol('n')}));
  }
  addVariant(variantName, guard, c, workspace, steps);
}

/// The sum over nothing: the epilogue of zero.
void Planner::addEmptyK() {
  int64_t k = kernel.getK();
  if (!ShapedType::isDynamic(k) && k != 0)
    return;
  Bindings bindings(context);
  bindings.set(Argument::i32(Expr::symbol(kSlices)), Argument::i32(0));
  bindings.set(Argument::workspace(Expr::symbol(kPartials)),
               Argument::workspace(0));
  variants.push_back(VariantAttr::get(
      context, StringAttr::get(context, "empty_k"),
      expression(eq(getSizeSymbol('k'), 0)), ConfigAttr::get(context, config),
      expression(0), {step(getReduce(), reduceGrid(), bindings)}));
}

/// The ways for an A or B that the main program's copies cannot read.
void Planner::addUnaligned() {
  if (config.unaligned == UnalignedPath::Pack)
    return;
  KernelConfig narrow = config;
  narrow.copyA = narrow.copyB = getUnalignedBytes(config.unaligned);
  int64_t a = getCopyBytes(narrow, problem, 0),
          b = getCopyBytes(narrow, problem, 1);
  int64_t vector = getVector(narrow);
  bool isMain = a == getCopyBytes(config, problem, 0) &&
                b == getCopyBytes(config, problem, 1);
  if (isMain || provablyMisaligned(vector))
    return;
  // The variant has the value's name: `copy_8`.
  std::string variantName = config.get("unaligned");
  ProgramOp program = buildMultistage(narrow, variantName);
  Conditions guard = bothAligned(a, b);
  if (vector > 1)
    guard.push_back(eq(getSizeSymbol('k') % vector, 0));
  addMainVariant(variantName, guard, program, narrow, {});
}

ProgramOp Planner::buildMultistage(const KernelConfig &c, StringRef suffix) {
  auto *build = c.schedule == tcgemm::Schedule::Simt ? buildSimtProgram
                                                     : buildMmaSyncProgram;
  return build(kernel, module, c, name(suffix));
}

void Planner::addStaged(ProgramOp main, const KernelConfig &c) {
  int64_t vector = getVector(c);
  int64_t a = getCopyBytes(c, problem, 0), b = getCopyBytes(c, problem, 1);
  auto withMultiple = [&](Conditions guard) {
    if (vector > 1)
      guard.push_back(eq(getSizeSymbol('k') % vector, 0));
    return guard;
  };
  if (!provablyMisaligned(vector)) {
    addMainVariant("aligned", withMultiple(bothAligned(a, b)), main, c, {});
    addUnaligned();
    addMainVariant("pack_b", withMultiple(alignment(0, a)), main, c, {1});
    addMainVariant("pack_a", withMultiple(alignment(1, b)), main, c, {0});
  } else {
    addUnaligned();
  }
  addMainVariant("pack_ab", {}, main, c, {0, 1});
}

void Planner::run() {
  addEmptyK();
  if (kernel.getK() != 0) {
    if (config.schedule == tcgemm::Schedule::Wgmma)
      addWgmma();
    else if (config.schedule == tcgemm::Schedule::Wmma)
      addWmma();
    else if (config.schedule == tcgemm::Schedule::Gemv)
      addGemv();
    else
      addStaged(buildMultistage(config, "main"), config);
  }
  kernel.setPlanAttr(ArrayAttr::get(context, variants));
}
