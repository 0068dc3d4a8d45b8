//===- Schedule.cpp - Pass 3: programs and plan of each kernel -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"
#include "Schedules.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Target/Chip.h"
#include "tcgemm/Target/Legality.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;
using llvm::formatv;

namespace tcgemm {
#define GEN_PASS_DEF_SCHEDULE
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

namespace {

using Bindings = llvm::StringMap<std::string>;

/// Writes the programs of one kernel and its plan: which of them a launch runs,
/// under which guard, with which arguments. Expressions are docs/manifest.md's.
class Planner {
public:
  Planner(KernelOp kernel, const KernelConfig &config, gpu::GPUModuleOp module)
      : kernel(kernel), config(config), module(module),
        context(kernel.getContext()) {}

  void run();
  unsigned getNumPrograms() {
    return llvm::count_if(*module.getBody(), llvm::IsaPred<ProgramOp>);
  }

private:
  // Guards.
  std::string alignment(unsigned operand, int64_t bytes);
  bool needsMultipleOfK() {
    return isKContiguous(kernel, 0) || isKContiguous(kernel, 1);
  }
  bool provablyMisaligned(int64_t vector) {
    int64_t k = kernel.getK();
    return needsMultipleOfK() && !ShapedType::isDynamic(k) && k % vector;
  }
  /// Elements of the wider of the main program's copies.
  int64_t getVector() const { return std::max(config.copyA, config.copyB) / 2; }
  static std::string roundedUp(StringRef size, int64_t multiple) {
    return formatv("ceildiv({0}, {1}) * {1}", size, multiple);
  }
  // Steps.
  StepAttr step(ProgramOp program, Twine grid, const Bindings &bindings);
  std::string packWorkspace(unsigned operand, SmallVectorImpl<StepAttr> &steps,
                            Bindings &main, StringRef offset);
  /// What all variants need: rows of inputs and outputs without gaps between
  /// elements.
  std::string contiguity();
  void addVariant(StringRef name, StringRef guard, const KernelConfig &c,
                  StringRef workspace, ArrayRef<StepAttr> steps);
  void addMainVariant(StringRef name, StringRef guard, ProgramOp program,
                      const KernelConfig &c, ArrayRef<unsigned> packed);
  void addEmptyK();
  void addUnaligned();
  std::string reduceGrid() {
    return formatv("batch * M * ceildiv(N, {0})", kReduceThreads);
  }

  ProgramOp getReduce();
  ProgramOp getPack(unsigned operand);
  std::string name(StringRef suffix) {
    return (kernel.getName() + "_" + suffix).str();
  }
  StringAttr text(const Twine &value) {
    return StringAttr::get(context, value);
  }

  KernelOp kernel;
  KernelConfig config;
  gpu::GPUModuleOp module;
  MLIRContext *context;
  ProgramOp reduce, pack[2];
  SmallVector<Attribute> variants;
};

} // namespace

/// What makes `bytes`-wide copies of an operand legal.
std::string Planner::alignment(unsigned operand, int64_t bytes) {
  StringRef x = operand ? "B" : "A";
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  int64_t vector = bytes / 2;
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
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    auto binding = program.getArgAttrOfType<StringAttr>(i, kBindingAttr);
    auto found = bindings.find(binding.getValue());
    arguments.push_back(found == bindings.end() ? binding
                                                : text(found->second));
  }
  auto symbol =
      SymbolRefAttr::get(module.getSymNameAttr(),
                         FlatSymbolRefAttr::get(program.getSymNameAttr()));
  return StepAttr::get(context, symbol, {text(grid), text("1"), text("1")},
                       /*cluster=*/{}, program.getThreads(),
                       program.getSharedMemory(), /*tensorMaps=*/{}, arguments,
                       StringAttr());
}

ProgramOp Planner::getReduce() {
  if (!reduce)
    reduce = buildReduceProgram(kernel, module, name("reduce"));
  return reduce;
}

ProgramOp Planner::getPack(unsigned operand) {
  if (!pack[operand])
    pack[operand] = buildPackProgram(kernel, module, operand,
                                     name(operand ? "pack_b" : "pack_a"));
  return pack[operand];
}

/// Adds the step that packs `operand` at `offset` of the workspace and makes
/// `main` read it there. Returns the offset behind it.
std::string Planner::packWorkspace(unsigned operand,
                                   SmallVectorImpl<StepAttr> &steps,
                                   Bindings &main, StringRef offset) {
  StringRef dims = kernel.getOperandInfo(operand).getDims();
  std::string x = operand ? "B" : "A", side = operand ? "N" : "M";
  bool kContiguous = dims.back() == 'k';
  bool batched = dims.contains('b');
  // k is padded to the main program's copy width wherever some operand is
  // contiguous along it; an operand that is not packed is a multiple already.
  std::string paddedK = needsMultipleOfK() ? roundedUp("K", getVector()) : "K";
  std::string rows = kContiguous ? side : paddedK;
  std::string pitch = roundedUp(kContiguous ? "K" : side, 8);
  std::string lines = formatv("{0} * ({1})", batched ? "batch" : "1", rows);
  Bindings bindings;
  bindings["workspace packed"] = ("workspace " + offset).str();
  bindings["i32 rows"] = "i32 " + rows;
  bindings["i64 pitch"] = "i64 " + pitch;
  bindings["i64 lines"] = "i64 " + lines;
  ProgramOp program = getPack(operand);
  steps.push_back(step(
      program,
      formatv("ceildiv(({0}) * ({1}), {2})", lines, pitch, 8 * kPackThreads)
          .str(),
      bindings));
  main["pointer " + x] = ("workspace " + offset).str();
  for (auto [i, dim] : llvm::enumerate(dims.drop_back()))
    main[formatv("i64 {0}.stride{1}", x, i).str()] =
        dim == 'b' ? formatv("i64 ({0}) * ({1})", rows, pitch).str()
                   : "i64 " + pitch;
  main["i32 K"] = "i32 " + paddedK;
  return formatv("{0} + ceildiv(2 * ({1}) * ({2}), 256) * 256", offset, lines,
                 pitch);
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
  std::string workspace = "0";
  for (unsigned operand : packed)
    workspace = packWorkspace(operand, steps, bindings, workspace);
  std::string partials = workspace;
  bindings[("workspace " + kPartials).str()] = "workspace " + partials;
  std::string grid = formatv("batch * ceildiv(M, {0}) * ceildiv(N, {1}) * {2}",
                             c.cta[0], c.cta[1], c.splitK);
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
  auto addNarrow = [&](StringRef variantName, int64_t bytes) {
    if (provablyMisaligned(bytes / 2) && bytes > 2)
      return;
    KernelConfig narrow = config;
    narrow.copyA = narrow.copyB = bytes;
    ProgramOp program =
        buildMmaSyncProgram(kernel, module, narrow, name(variantName));
    std::string guard = alignment(0, bytes) + " && " + alignment(1, bytes);
    if (needsMultipleOfK() && bytes > 2)
      guard += formatv(" && K % {0} == 0", bytes / 2);
    addMainVariant(variantName, guard, program, narrow, {});
  };
  switch (config.unaligned) {
  case UnalignedPath::Pack:
    break;
  case UnalignedPath::Copy8:
    addNarrow("copy_8", 8);
    break;
  case UnalignedPath::Copy4:
    addNarrow("copy_4", 4);
    break;
  case UnalignedPath::Registers:
    addNarrow("registers", 2);
    break;
  }
}

void Planner::run() {
  addEmptyK();
  if (kernel.getK() == 0) {
    kernel.setPlanAttr(ArrayAttr::get(context, variants));
    return;
  }
  ProgramOp main = buildMmaSyncProgram(kernel, module, config, name("main"));
  std::string multiple = needsMultipleOfK()
                             ? formatv(" && K % {0} == 0", getVector()).str()
                             : std::string();
  std::string a = alignment(0, config.copyA), b = alignment(1, config.copyB);
  if (!provablyMisaligned(getVector())) {
    addMainVariant("aligned", a + " && " + b + multiple, main, config, {});
    addUnaligned();
    addMainVariant("pack_b", a + multiple, main, config, {1});
    addMainVariant("pack_a", b + multiple, main, config, {0});
  } else {
    addUnaligned();
  }
  addMainVariant("pack_ab", "1", main, config, {0, 1});
  kernel.setPlanAttr(ArrayAttr::get(context, variants));
}

/// A configuration may come from the user's IR, past tcgemm-configure.
static LogicalResult checkLegality(KernelOp kernel,
                                   const KernelConfig &config) {
  llvm::Expected<const ChipInfo &> chip = lookupChip(*kernel.getChip());
  if (!chip)
    return kernel.emitOpError() << llvm::toString(chip.takeError());
  if (llvm::Error error = checkConfig(config, *chip, getProblemInfo(kernel)))
    return kernel.emitOpError() << llvm::toString(std::move(error));
  return success();
}

namespace {
class SchedulePass : public tcgemm::impl::ScheduleBase<SchedulePass> {
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      auto config = dyn_cast_or_null<ConfigAttr>(kernel.getConfigAttr());
      if (!config || !kernel.getChip()) {
        kernel.emitOpError()
            << "has no configuration: run tcgemm-configure first";
        return signalPassFailure();
      }
      if (kernel.getPlan())
        continue;
      if (failed(checkLegality(kernel, config.getValue())))
        return signalPassFailure();
      OpBuilder builder(kernel);
      builder.setInsertionPointAfter(kernel);
      auto module = gpu::GPUModuleOp::create(
          builder, kernel.getLoc(), (kernel.getName() + "_module").str());
      Planner planner(kernel, config.getValue(), module);
      planner.run();
      numPrograms += planner.getNumPrograms();
      numVariants += kernel.getPlanAttr().size();
    }
    if (!getOperation().getOps<gpu::GPUModuleOp>().empty())
      getOperation()->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                              UnitAttr::get(&getContext()));
  }
};
} // namespace
