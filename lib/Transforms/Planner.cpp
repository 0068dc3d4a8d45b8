//===- Planner.cpp - The plan, and that of mma_sync and simt -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planner.h"

using namespace mlir;
using namespace tcgemm;
using llvm::formatv;

/// What makes `bytes`-wide copies of an operand legal.
std::string Planner::alignment(unsigned operand, int64_t bytes) {
  StringRef x = operand ? "B" : "A";
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  int64_t vector = bytes / getElementBytes();
  std::string guard = formatv("{0}.stride{1} == 1", x, dims.size() - 1);
  if (vector == 1)
    return guard;
  guard += formatv(" && {0}.base % {1} == 0", x, bytes);
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    guard += formatv(" && {0}.stride{1} % {2} == 0", x, i, vector);
  return guard;
}

StepAttr Planner::step(ProgramOp program, Twine grid,
                       const Bindings &bindings) {
  SmallVector<StringAttr> arguments;
  SmallVector<TensorMapAttr> maps;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    if (auto map = program.getArgAttrOfType<TensorMapAttr>(i, kBindingAttr)) {
      arguments.push_back(text("tensor_map " + Twine(maps.size())));
      maps.push_back(rebase(map, bindings));
      continue;
    }
    auto binding = program.getArgAttrOfType<StringAttr>(i, kBindingAttr);
    auto found = bindings.find(binding.getValue());
    arguments.push_back(found == bindings.end() ? binding
                                                : text(found->second));
  }
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         FlatSymbolRefAttr::get(program.getSymNameAttr()));
  SmallVector<int64_t> cluster;
  if (program.getCluster() > 1)
    cluster = {int64_t(program.getCluster()), 1, 1};
  return StepAttr::get(context, symbol, {text(grid), text("1"), text("1")},
                       cluster, program.getThreads(), program.getSharedMemory(),
                       maps, arguments, StringAttr(), program.waitsForGrids());
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

std::string Planner::pack(ArrayRef<unsigned> operands,
                          SmallVectorImpl<StepAttr> &steps, Bindings &main) {
  std::string end = "0";
  if (operands.empty())
    return end;
  int64_t bytes = getElementBytes();
  // k is padded to the main program's copy width wherever some operand is
  // contiguous along it; an operand that is not packed is a multiple already.
  int64_t vector = getVector(config);
  std::string paddedK = vector > 1 ? roundedUp("K", vector) : "K";
  main["i32 K"] = "i32 " + paddedK;
  std::string blocks[] = {"0", "0"};
  Bindings bindings;
  for (unsigned operand : {0, 1}) {
    StringRef dims = kernel.getOperandInfo(operand).getDims();
    std::string side = operand ? "N" : "M", suffix = operand ? "_b" : "_a";
    bool kContiguous = dims.back() == 'k';
    std::string rows = kContiguous ? side : paddedK;
    bindings["i32 rows" + suffix] = "i32 " + rows;
    bindings["workspace packed" + suffix] = "workspace " + end;
    if (!llvm::is_contained(operands, operand))
      continue;
    std::string columns = kContiguous ? "K" : side;
    std::string pitch = roundedUp(columns, kPackVector);
    StringRef batch = dims.contains('b') ? "batch" : "1";
    // See Schedules.h.
    blocks[operand] =
        formatv("{0} * ceildiv({1}, select({2} <= {3}, {4}, {5})) * "
                "ceildiv({2}, {6})",
                batch, rows, columns, kPackShortBytes / bytes,
                kPackThreads / kPackLanesShort, kPackThreads / kPackLanesLong,
                kPackPieceBytes / bytes);
    main["pointer " + kernel.getOperandName(operand)] = "workspace " + end;
    for (auto [i, dim] : llvm::enumerate(dims.drop_back()))
      main[formatv("i64 {0}.stride{1}", kernel.getOperandName(operand), i)
               .str()] = dim == 'b'
                             ? formatv("i64 ({0}) * ({1})", rows, pitch).str()
                             : "i64 " + pitch;
    end = formatv("{0} + ceildiv({1} * ({2} * ({3})) * ({4}), 256) * 256", end,
                  bytes, batch, rows, pitch);
  }
  bindings["i32 blocks_a"] = "i32 " + blocks[0];
  std::string grid = operands.size() == 2 ? blocks[0] + " + " + blocks[1]
                                          : blocks[operands.front()];
  steps.push_back(step(getPack(), grid, bindings));
  return end;
}

std::string Planner::contiguity() {
  std::string guard;
  for (unsigned i = 2; i < kernel.getNumOperandInfos(); ++i) {
    size_t rank = kernel.getOperandInfo(i).getDims().size();
    if (rank)
      guard += formatv("{0}{1}.stride{2} == 1", guard.empty() ? "" : " && ",
                       kernel.getOperandName(i), rank - 1);
  }
  return guard;
}

void Planner::addVariant(StringRef variantName, StringRef guard,
                         const KernelConfig &c, StringRef workspace,
                         ArrayRef<StepAttr> steps) {
  std::string all = contiguity();
  if (guard != "1")
    all = (guard + " && " + all).str();
  variants.push_back(VariantAttr::get(context, text(variantName), text(all),
                                      ConfigAttr::get(context, c),
                                      text(workspace), steps));
}

void Planner::addMainVariant(StringRef variantName, StringRef guard,
                             ProgramOp program, const KernelConfig &c,
                             ArrayRef<unsigned> packed) {
  Bindings bindings;
  SmallVector<StepAttr> steps;
  std::string workspace = pack(packed, steps, bindings);
  std::string grid = formatv("batch * ceildiv(M, {0}) * ceildiv(N, {1}) * {2}",
                             c.cta[0], c.cta[1], c.splitK);
  if (c.wmma.tilesPerCta > 1)
    grid = formatv("ceildiv({0}, {1})", grid, c.wmma.tilesPerCta);
  addSteps(variantName, guard, program, grid, c, workspace, bindings, steps);
}

void Planner::addSteps(StringRef variantName, StringRef guard,
                       ProgramOp program, StringRef grid, const KernelConfig &c,
                       std::string workspace, Bindings &bindings,
                       SmallVectorImpl<StepAttr> &steps) {
  std::string partials = workspace;
  bindings[("workspace " + kPartials).str()] = "workspace " + partials;
  steps.push_back(step(program, grid, bindings));
  if (c.splitK > 1) {
    bindings["i32 slices"] = "i32 " + std::to_string(c.splitK);
    steps.push_back(step(getReduce(), reduceGrid(), bindings));
    workspace = formatv("{0} + 4 * {1} * batch * M * N", partials, c.splitK);
  }
  addVariant(variantName, guard, c, workspace, steps);
}

/// The sum over nothing: the epilogue of zero.
void Planner::addEmptyK() {
  int64_t k = kernel.getK();
  if (!ShapedType::isDynamic(k) && k != 0)
    return;
  Bindings bindings;
  bindings["i32 slices"] = "i32 0";
  bindings[("workspace " + kPartials).str()] = "workspace 0";
  variants.push_back(
      VariantAttr::get(context, text("empty_k"), text("K == 0"),
                       ConfigAttr::get(context, config), text("0"),
                       {step(getReduce(), reduceGrid(), bindings)}));
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
  std::string guard = alignment(0, a) + " && " + alignment(1, b);
  if (vector > 1)
    guard += formatv(" && K % {0} == 0", vector);
  addMainVariant(variantName, guard, program, narrow, {});
}

ProgramOp Planner::buildMultistage(const KernelConfig &c, StringRef suffix) {
  auto *build = c.schedule == tcgemm::Schedule::Simt ? buildSimtProgram
                                                     : buildMmaSyncProgram;
  return build(kernel, module, c, name(suffix));
}

void Planner::addStaged(ProgramOp main, const KernelConfig &c) {
  int64_t vector = getVector(c);
  std::string multiple =
      vector > 1 ? formatv(" && K % {0} == 0", vector).str() : std::string();
  std::string a = alignment(0, getCopyBytes(c, problem, 0)),
              b = alignment(1, getCopyBytes(c, problem, 1));
  if (!provablyMisaligned(vector)) {
    addMainVariant("aligned", a + " && " + b + multiple, main, c, {});
    addUnaligned();
    addMainVariant("pack_b", a + multiple, main, c, {1});
    addMainVariant("pack_a", b + multiple, main, c, {0});
  } else {
    addUnaligned();
  }
  addMainVariant("pack_ab", "1", main, c, {0, 1});
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
