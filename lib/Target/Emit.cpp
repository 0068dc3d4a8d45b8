//===- Emit.cpp - Pass 5: PTX and cubin -------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/EmitPTX.h"
#include "tcgemm/Target/PassOptions.h"
#include "tcgemm/Target/Passes.h"
#include "tcgemm/Target/Ptxas.h"

using namespace mlir;

namespace tcgemm {
#define GEN_PASS_DEF_EMIT
#include "tcgemm/Target/Passes.h.inc"

namespace {

class EmitPass : public impl::EmitBase<EmitPass> {
public:
  using EmitBase::EmitBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    EmitBase::getDependentDialects(registry);
    registerEmissionDialects(registry);
  }
  LogicalResult initialize(MLIRContext *context) override {
    return reportOptions(*this, context, checkOptions());
  }
  void runOnOperation() override;

private:
  llvm::Error checkOptions();
  LogicalResult emitModule(gpu::GPUModuleOp module);
  FailureOr<PtxasResult> assemble(gpu::GPUModuleOp module, StringRef ptx,
                                  const ChipInfo &chip);
  FailureOr<PtxasResult> emitCubin(gpu::GPUModuleOp module,
                                   const ChipInfo &chip,
                                   const EmitPTXOptions &options,
                                   std::string &ptx);
  LogicalResult checkLog(gpu::GPUModuleOp module, const PtxasLog &log);

  std::optional<Ptxas> assembler;
};

llvm::Error EmitPass::checkOptions() {
  if (llvm::Error error = lookupChip(chip).takeError())
    return error;
  if (format != "ptx" && format != "cubin")
    return formatError("format is '{0}', but it must be ptx or cubin", format);
  if (llvm::Error error = checkOptionRange("opt-level", optLevel, 0, 3))
    return error;
  if (llvm::Error error =
          checkOptionRange("timeout", timeout, 1, 86400, " seconds"))
    return error;
  if (llvm::Error error =
          checkOptionRange("ptxas-threads", ptxasThreads, 0, 1024))
    return error;
  // Without a path, ptxas is searched for when there is code to assemble.
  if (format == "cubin" && !ptxas.empty())
    return Ptxas::find(ptxas).takeError();
  return llvm::Error::success();
}

/// The chip of the module's NVVM target, or the default.
static FailureOr<const ChipInfo *> getChip(gpu::GPUModuleOp module,
                                           StringRef defaultChip) {
  StringRef name = defaultChip;
  if (ArrayAttr targets = module.getTargetsAttr())
    for (Attribute target : targets)
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        name = nvvm.getChip();
  llvm::Expected<const ChipInfo &> chip = lookupChip(name);
  if (!chip)
    return emitError(module.getLoc()) << llvm::toString(chip.takeError());
  return &*chip;
}

static bool maySpill(gpu::GPUModuleOp module, StringRef name) {
  Operation *function = module.lookupSymbol(name);
  return function && function->hasAttr(kMaySpillAttrName);
}

/// Reports spills and serious remarks as errors unless they are allowed. If the
/// configuration was not chosen explicitly, spills are a warning only: a slower
/// kernel is better than none.
LogicalResult EmitPass::checkLog(gpu::GPUModuleOp module, const PtxasLog &log) {
  bool failed = false;
  auto checkRemarks = [&](ArrayRef<std::string> remarks, StringRef where) {
    for (StringRef remark : remarks)
      if (remark.starts_with("(C75") && !allowRemarks) {
        failed = true;
        emitError(module.getLoc()) << where << ": ptxas remarks " << remark
                                   << "; allow-remarks accepts it";
      }
  };
  checkRemarks(log.remarks, module.getName());
  for (const PtxasEntry &entry : log.entries) {
    checkRemarks(entry.remarks, entry.name);
    int64_t spills = entry.spillStoreBytes + entry.spillLoadBytes;
    if (!spills || allowSpills)
      continue;
    bool isAllowed = maySpill(module, entry.name);
    failed |= !isAllowed;
    InFlightDiagnostic diagnostic =
        isAllowed ? emitWarning(module.getLoc()) : emitError(module.getLoc());
    diagnostic << entry.name << ": spills " << entry.spillStoreBytes
               << " bytes of stores and " << entry.spillLoadBytes
               << " bytes of loads with " << entry.registers << " registers";
    if (!isAllowed)
      diagnostic << ", but the limit is 0; allow-spills accepts it";
  }
  return failure(failed);
}

/// The output of ptxas in the format of the manifest.
static DictionaryAttr buildProperties(Builder &builder,
                                      const PtxasResult &result,
                                      StringRef version) {
  SmallVector<NamedAttribute> kernels;
  auto strings = [&](ArrayRef<std::string> list) {
    return builder.getStrArrayAttr(
        SmallVector<StringRef>(list.begin(), list.end()));
  };
  for (const PtxasEntry &entry : result.log.entries) {
    auto number = [&](StringRef name, int64_t value) {
      return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
    };
    kernels.push_back(builder.getNamedAttr(
        entry.name,
        builder.getDictionaryAttr(
            {number("registers", entry.registers),
             number("spill_bytes",
                    entry.spillStoreBytes + entry.spillLoadBytes),
             number("stack_bytes", entry.stackBytes),
             number("static_shared_memory", entry.staticSharedBytes),
             number("barriers", entry.barriers),
             builder.getNamedAttr("remarks", strings(entry.remarks))})));
  }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("kernels", builder.getDictionaryAttr(kernels)),
       builder.getNamedAttr("log", builder.getStringAttr(result.text)),
       builder.getNamedAttr("ptxas", builder.getStringAttr(version)),
       builder.getNamedAttr("remarks", strings(result.log.remarks)),
       builder.getNamedAttr("warnings", strings(result.log.warnings))});
}

FailureOr<PtxasResult> EmitPass::assemble(gpu::GPUModuleOp module,
                                          StringRef ptx, const ChipInfo &chip) {
  auto fail = [&](llvm::Error error) -> LogicalResult {
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  };
  if (!assembler) {
    llvm::Expected<Ptxas> found = Ptxas::find(ptxas);
    if (!found)
      return fail(found.takeError());
    assembler = std::move(*found);
  }
  PtxasOptions options;
  options.timeout = timeout;
  llvm::Expected<llvm::StringRef> version = assembler->getVersion();
  if (!version)
    return fail(version.takeError());
  // Older versions do not have the option.
  unsigned release = 0;
  if (!version->consumeInteger(10, release) && release >= 13)
    options.extraArguments.push_back("--split-compile=" +
                                     std::to_string(ptxasThreads));
  llvm::Expected<PtxasResult> result =
      assembler->assemble(ptx, chip.name, options);
  if (!result)
    return fail(result.takeError());
  ++numAssembled;
  return std::move(*result);
}

/// By default ptxas spills a few registers rather than reduce the number of
/// resident blocks. Sets a limit of one resident block for the kernels that
/// spilled; returns whether there are any.
static bool relaxSpilling(gpu::GPUModuleOp module, const PtxasLog &log) {
  StringRef blocks = NVVM::NVVMDialect::getMinctasmAttrName();
  bool changed = false;
  module.walk([&](LLVM::LLVMFuncOp function) {
    const PtxasEntry *entry = log.find(function.getName());
    if (!entry || entry->spillStoreBytes + entry->spillLoadBytes == 0 ||
        !function->hasAttr(NVVM::NVVMDialect::getMaxntidAttrName()) ||
        function->hasAttr(NVVM::NVVMDialect::getMaxnregAttrName()) ||
        function->hasAttr(blocks))
      return;
    function->setAttr(blocks,
                      Builder(function.getContext()).getI32IntegerAttr(1));
    changed = true;
  });
  return changed;
}

/// Emits and assembles the module; a second time if ptxas spills without need.
FailureOr<PtxasResult> EmitPass::emitCubin(gpu::GPUModuleOp module,
                                           const ChipInfo &chip,
                                           const EmitPTXOptions &options,
                                           std::string &ptx) {
  FailureOr<PtxasResult> result = assemble(module, ptx, chip);
  if (succeeded(result) && relaxSpilling(module, result->log)) {
    FailureOr<std::string> relaxed = emitPTX(module, chip, options);
    if (failed(relaxed))
      return failure();
    ptx = std::move(*relaxed);
    result = assemble(module, ptx, chip);
  }
  if (failed(result) || failed(checkLog(module, result->log)))
    return failure();
  return result;
}

LogicalResult EmitPass::emitModule(gpu::GPUModuleOp module) {
  FailureOr<const ChipInfo *> chip = getChip(module, this->chip);
  if (failed(chip))
    return failure();
  EmitPTXOptions options;
  options.optLevel = optLevel;
  options.shortPointers = shortPointers;
  ChipInfo target = **chip;
  if (auto version = module->getAttrOfType<IntegerAttr>(kPtxVersionAttrName))
    target.ptxVersion = std::max(target.ptxVersion, version.getInt());
  FailureOr<std::string> ptx;
  if (auto text = module->getAttrOfType<StringAttr>(kPtxTextAttrName))
    ptx = text.getValue().str();
  else
    ptx = emitPTX(module, target, options);
  if (failed(ptx))
    return failure();
  ++numModules;
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      ++numKernels;
  });

  MLIRContext *context = &getContext();
  auto targetAttr = NVVM::NVVMTargetAttr::get(
      context, /*optLevel=*/optLevel, "nvptx64-nvidia-cuda", target.name,
      target.getPTXFeature());
  SmallVector<Attribute> objects;
  if (format == "cubin") {
    FailureOr<PtxasResult> cubin = emitCubin(module, target, options, *ptx);
    if (failed(cubin))
      return failure();
    llvm::Expected<StringRef> version = assembler->getVersion();
    if (!version)
      return emitError(module.getLoc()) << llvm::toString(version.takeError());
    Builder builder(context);
    objects.push_back(
        gpu::ObjectAttr::get(targetAttr, gpu::CompilationTarget::Binary,
                             builder.getStringAttr(cubin->cubin),
                             buildProperties(builder, *cubin, *version)));
  }
  objects.push_back(gpu::ObjectAttr::get(targetAttr,
                                         gpu::CompilationTarget::Assembly,
                                         StringAttr::get(context, *ptx)));
  OpBuilder builder(module);
  gpu::BinaryOp::create(builder, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr, objects);
  module.erase();
  return success();
}

void EmitPass::runOnOperation() {
  for (auto module :
       llvm::make_early_inc_range(getOperation().getOps<gpu::GPUModuleOp>())) {
    if (onlyPrograms && !module->hasAttr(kProgramsAttrName) &&
        !module->hasAttr(kPtxTextAttrName))
      continue;
    if (failed(emitModule(module)))
      return signalPassFailure();
  }
}

} // namespace
} // namespace tcgemm
