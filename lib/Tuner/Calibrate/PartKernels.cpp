//===- PartKernels.cpp - Kernels of experiments, compiled -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrate/PartKernels.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Pipelines/WritePack.h"
#include "tcgemm/Target/EmitPTX.h"
#include "tcgemm/Target/Ptxas.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;

namespace tcgemm {

KernelSpec getCalibratedProduct() {
  return llvm::cantFail(KernelSpec::parse("bf16 tn bf16 none"));
}

namespace {

/// A module with the errors of its passes.
class Compilation {
public:
  Compilation() : context(createContext()), handler(context.get(), collect()) {}

  llvm::Error parse(const std::string &source) {
    module = parseSourceString<ModuleOp>(source, context.get(), "<kernel>");
    return module ? llvm::Error::success() : takeError();
  }
  ModuleOp getModule() { return *module; }
  MLIRContext *getContext() { return context.get(); }
  llvm::Error takeError() {
    return llvm::createStringError(
        errors.empty() ? "compilation failed without a diagnostic"
                       : StringRef(errors).rtrim().str());
  }

private:
  std::function<LogicalResult(Diagnostic &)> collect() {
    return [this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
      return success();
    };
  }

  std::unique_ptr<MLIRContext> context;
  std::string errors;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
};

} // namespace

static CompileOptions getCompileOptions(const PartOptions &options) {
  CompileOptions compile;
  compile.chip = options.chip;
  compile.ptxasPath = options.ptxasPath;
  compile.ptxasThreads = 1;
  compile.format = options.isPTX ? OutputFormat::PTX : OutputFormat::Cubin;
  return compile;
}

/// The passes of the compiler, and between them the one that leaves parts out.
static void addPasses(PassManager &manager, const CalibrationKernel &kernel,
                      const CompileOptions &options) {
  HostOptions host;
  host.remarks = false;
  host.packConstants = true;
  buildHostPipeline(manager, host);
  ConfigureOptions configure;
  configure.chip = options.chip;
  configure.config = kernel.getConfig().str();
  configure.records = "none";
  manager.addPass(createConfigure(configure, {}));
  manager.addPass(createSchedule());
  KeepPartsOptions keep;
  keep.copies = kernel.parts.copies;
  keep.products = kernel.parts.products;
  keep.epilogue = kernel.parts.epilogue;
  manager.addNestedPass<gpu::GPUModuleOp>(createKeepParts(keep));
  manager.addNestedPass<gpu::GPUModuleOp>(createLowerPrograms());
  manager.addPass(createAddCopyKernels());
  addEmission(manager, options);
}

llvm::Expected<KernelPack> compileParts(const CalibrationKernel &kernel,
                                        const PartOptions &options) {
  auto fail = [&](llvm::Error error) {
    return addContext(kernel.str(), std::move(error));
  };
  Compilation compilation;
  TuningProblem problem{getCalibratedProduct(), {}, ""};
  if (llvm::Error error = compilation.parse(problem.getSource()))
    return fail(std::move(error));
  PassManager manager(compilation.getContext());
  addPasses(manager, kernel, getCompileOptions(options));
  if (failed(manager.run(compilation.getModule())))
    return fail(compilation.takeError());
  FailureOr<KernelPack> pack = buildPack(compilation.getModule());
  if (failed(pack))
    return fail(compilation.takeError());
  return std::move(*pack);
}

/// It starts and ends at steps of the nanosecond clock, whose resolution may be
/// as coarse as a microsecond.
static constexpr llvm::StringLiteral kClockSource = R"mlir(
gpu.module @clocks {
  llvm.func @tcgemm_clocks(%results: !llvm.ptr<1>, %wait: i64, %most: i64)
      attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1 : i64) : i64
    %large = llvm.mlir.constant(9223372036854775807 : i64) : i64
    %before = nvvm.read.ptx.sreg.globaltimer : i64
    llvm.br ^edge(%zero : i64)
  ^edge(%i: i64):
    %first = nvvm.read.ptx.sreg.globaltimer : i64
    %isSame = llvm.icmp "eq" %first, %before : i64
    %nextI = llvm.add %i, %one : i64
    %mayTryAgain = llvm.icmp "ult" %nextI, %most : i64
    %triesAgain = llvm.and %isSame, %mayTryAgain : i1
    llvm.cond_br %triesAgain, ^edge(%nextI : i64), ^start
  ^start:
    %firstClock = nvvm.read.ptx.sreg.clock64 : i64
    llvm.br ^loop(%first, %large, %zero : i64, i64, i64)
  ^loop(%last: i64, %least: i64, %j: i64):
    %now = nvvm.read.ptx.sreg.globaltimer : i64
    %step = llvm.sub %now, %last : i64
    %isStep = llvm.icmp "ne" %step, %zero : i64
    %isLess = llvm.icmp "ult" %step, %least : i64
    %isLeast = llvm.and %isStep, %isLess : i1
    %leastNow = llvm.select %isLeast, %step, %least : i1, i64
    %spent = llvm.sub %now, %first : i64
    %isShort = llvm.icmp "ult" %spent, %wait : i64
    %nextJ = llvm.add %j, %one : i64
    %mayGoOn = llvm.icmp "ult" %nextJ, %most : i64
    %goesOn = llvm.and %isShort, %mayGoOn : i1
    llvm.cond_br %goesOn, ^loop(%now, %leastNow, %nextJ : i64, i64, i64), ^end
  ^end:
    %lastClock = nvvm.read.ptx.sreg.clock64 : i64
    %clocks = llvm.sub %lastClock, %firstClock : i64
    %second = llvm.getelementptr %results[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64
    %third = llvm.getelementptr %results[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i64
    llvm.store %clocks, %results : i64, !llvm.ptr<1>
    llvm.store %spent, %second : i64, !llvm.ptr<1>
    llvm.store %leastNow, %third : i64, !llvm.ptr<1>
    llvm.return
  }
}
)mlir";

llvm::Expected<ModuleImage> compileClockKernel(const PartOptions &options) {
  auto fail = [](llvm::Error error) {
    return addContext(kClockKernel, std::move(error));
  };
  llvm::Expected<const ChipInfo &> chip = lookupChip(options.chip);
  if (!chip)
    return chip.takeError();
  Compilation compilation;
  if (llvm::Error error = compilation.parse(kClockSource.str()))
    return fail(std::move(error));
  auto kernels = *compilation.getModule().getOps<gpu::GPUModuleOp>().begin();
  FailureOr<std::string> ptx = emitPTX(kernels, *chip);
  if (failed(ptx))
    return fail(compilation.takeError());
  ModuleImage image;
  image.ptx = std::move(*ptx);
  if (options.isPTX)
    return std::move(image);
  llvm::Expected<Ptxas> ptxas = Ptxas::find(options.ptxasPath);
  if (!ptxas)
    return ptxas.takeError();
  llvm::Expected<PtxasResult> assembled =
      ptxas->assemble(image.ptx, options.chip);
  if (!assembled)
    return fail(assembled.takeError());
  image.cubin = std::move(assembled->cubin);
  return std::move(image);
}

} // namespace tcgemm
