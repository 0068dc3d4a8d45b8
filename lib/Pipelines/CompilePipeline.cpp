//===- CompilePipeline.cpp - The compiler's passes in order -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/CompilePipeline.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Pipelines/DevicePipeline.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Target/Passes.h"
#include "tcgemm/Target/Precision.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

void tcgemm::addProductCompilation(OpPassManager &manager,
                                   const CompileOptions &options) {
  ConfigureOptions configure;
  configure.chip = options.chip;
  configure.config = options.configText;
  configure.sizeHint = options.sizeHint;
  configure.records = options.records;
  configure.onlyChip = true;
  manager.addPass(createConfigure(configure, options.providers));
  manager.addPass(createSchedule());
  if (options.trace) {
    TraceProgramsOptions trace;
    trace.ctas.assign(options.trace->ctas.begin(), options.trace->ctas.end());
    trace.events = options.trace->events;
    manager.addPass(createTracePrograms(trace));
  }
  // After scheduling, which copies the epilogues. The manifest has the original
  // epilogues of the kernels.
  LowerProgramsOptions lower;
  lower.approximateMath = options.approximateMath;
  manager.addNestedPass<gpu::GPUModuleOp>(createLowerPrograms(lower));
}

void tcgemm::addEmission(OpPassManager &manager, const CompileOptions &options,
                         bool onlyPrograms) {
  EmitOptions emit;
  emit.chip = options.chip;
  emit.format = options.format == OutputFormat::PTX ? "ptx" : "cubin";
  emit.ptxas = options.ptxasPath;
  emit.timeout = options.timeout;
  emit.ptxasThreads = options.ptxasThreads;
  emit.allowSpills = options.allowSpills;
  emit.allowRemarks = options.allowRemarks;
  emit.onlyPrograms = onlyPrograms;
  manager.addPass(createEmit(emit));
}

void tcgemm::buildToNVVMPipeline(OpPassManager &manager,
                                 const CompileOptions &options) {
  HostOptions host;
  host.remarks = options.remarks;
  host.onlyMarked = options.onlyMarked;
  host.precision = options.precision;
  host.filter = options.filter;
  host.dual = hasDualConfig(options.chip, options.configText);
  host.summedDims = hasSummedConfig(options.chip, options.configText);
  host.structured = hasStructuredConfig(options.chip, options.configText);
  host.representations =
      hasRepresentationConfig(options.chip, options.configText);
  host.packConstants = options.packConstants;
  host.separateComponents = options.separateComponents;
  buildHostPipeline(manager, host);
  addProductCompilation(manager, options);
}

void tcgemm::buildToCubinPipeline(OpPassManager &manager,
                                  const CompileOptions &options) {
  buildToNVVMPipeline(manager, options);
  if (options.packConstants)
    manager.addPass(createAddCopyKernels());
  addEmission(manager, options);
}

void tcgemm::buildKernelsPipeline(OpPassManager &manager,
                                  const CompileOptions &options) {
  RaiseOptions raise;
  raise.remarks = options.remarks;
  raise.onlyMarked = options.onlyMarked;
  raise.precision = options.precision;
  raise.dual = hasDualConfig(options.chip, options.configText);
  raise.summedDims = hasSummedConfig(options.chip, options.configText);
  raise.structured = hasStructuredConfig(options.chip, options.configText);
  raise.representations =
      hasRepresentationConfig(options.chip, options.configText);
  manager.addPass(createRaise(raise, options.filter));
  addProductCompilation(manager, options);
  addEmission(manager, options);
}

namespace {
using llvm::cl::desc;
using llvm::cl::init;

/// Common options of both pipelines; the defaults are those of CompileOptions.
template <typename Self>
struct CommonOptions : public PassPipelineOptions<Self> {
  template <typename T>
  using Option = typename CommonOptions::template Option<T>;

  Option<std::string> chip{*this, "chip",
                           desc("Chip to compile for, e.g. sm_80"),
                           init(CompileOptions().chip)};
  Option<std::string> config{
      *this, "config", desc("Parameters to set, \"cta=128x128x64 stages=3\""),
      init("")};
  Option<std::string> sizeHint{
      *this, "size-hint",
      desc("Expected sizes MxNxK or BxMxNxK where they are dynamic"), init("")};
  Option<std::string> records{
      *this, "records",
      desc("Tuned records to choose configurations by: a database or lines of "
           "JSON, before the shipped ones; or none"),
      init("")};
  Option<bool> approximateMath{
      *this, "approximate-math",
      desc("Math by approximate instructions, not polynomials"), init(false)};
  Option<bool> remarks{*this, "remarks",
                       desc("Say why operations are not taken"), init(true)};
  Option<bool> onlyMarked{
      *this, "only-marked",
      desc("Take only operations with tcgemm.take or tcgemm.config"),
      init(false)};
  Option<std::string> precision{*this, "precision", desc(kPrecisionHelp),
                                init(CompileOptions().precision)};
  Option<bool> trace{*this, "trace",
                     desc("Let kernels write a trace of what their roles do"),
                     init(false)};
  typename CommonOptions::template ListOption<int64_t> traceCtas{
      *this, "trace-ctas",
      desc("CTAs of a trace, by default 0,-1; negative numbers count from the "
           "end of the grid")};
  Option<int64_t> traceEvents{*this, "trace-events",
                              desc("Room of a trace for events of a role"),
                              init(TraceOptions().events)};

  /// Applies the options in the text.
  void apply(CompileOptions &options) const {
    auto set = [](auto &target, const auto &option) {
      if (option.hasValue())
        target = option.getValue();
    };
    set(options.chip, chip);
    set(options.configText, config);
    set(options.sizeHint, sizeHint);
    set(options.records, records);
    set(options.approximateMath, approximateMath);
    set(options.remarks, remarks);
    set(options.onlyMarked, onlyMarked);
    set(options.precision, precision);
    // Each of the options asks for a trace.
    if (!trace && traceCtas.empty() && !traceEvents.hasValue())
      return;
    options.trace.emplace();
    if (!traceCtas.empty())
      options.trace->ctas.assign(traceCtas.begin(), traceCtas.end());
    options.trace->events = traceEvents;
  }
};

struct ToNVVMOptions : public CommonOptions<ToNVVMOptions> {};

/// Further options of pipelines that create binaries.
template <typename Self> struct BinaryOptions : public CommonOptions<Self> {
  template <typename T>
  using Option = typename BinaryOptions::template Option<T>;

  Option<OutputFormat> format{
      *this, "format", desc("What to make"), init(OutputFormat::Cubin),
      llvm::cl::values(
          clEnumValN(OutputFormat::PTX, "ptx", "PTX, without ptxas"),
          clEnumValN(OutputFormat::Cubin, "cubin", "PTX and cubin"))};
  Option<std::string> ptxas{
      *this, "ptxas", desc("Path of ptxas; else it is looked for"), init("")};
  Option<unsigned> timeout{*this, "timeout",
                           desc("Seconds that ptxas may take"),
                           init(CompileOptions().timeout)};
  Option<unsigned> ptxasThreads{
      *this, "ptxas-threads",
      desc("Threads of ptxas, from CUDA 13 on; 0: as many as there are cores"),
      init(CompileOptions().ptxasThreads)};
  Option<bool> allowSpills{*this, "allow-spills",
                           desc("Accept kernels that spill registers"),
                           init(false)};
  Option<bool> allowRemarks{*this, "allow-remarks",
                            desc("Accept kernels that ptxas remarks on"),
                            init(false)};

  void apply(CompileOptions &options) const {
    CommonOptions<Self>::apply(options);
    auto set = [](auto &target, const auto &option) {
      if (option.hasValue())
        target = option.getValue();
    };
    set(options.format, format);
    set(options.ptxasPath, ptxas);
    set(options.timeout, timeout);
    set(options.ptxasThreads, ptxasThreads);
    set(options.allowSpills, allowSpills);
    set(options.allowRemarks, allowRemarks);
  }
};

struct KernelsOptions : public BinaryOptions<KernelsOptions> {};

/// Further options of pipelines whose modules or packs may copy tensors.
template <typename Self> struct CopyingOptions : public BinaryOptions<Self> {
  template <typename T>
  using Option = typename CopyingOptions::template Option<T>;

  Option<bool> separateComponents{
      *this, "separate-components",
      desc("Separate interleaved components of numbers by copies where that "
           "saves time; tcgemm-to-cubin: in packs"),
      init(true)};

  void apply(CompileOptions &options) const {
    BinaryOptions<Self>::apply(options);
    if (separateComponents.hasValue())
      options.separateComponents = separateComponents;
  }
};

struct ToDeviceOptions : public CopyingOptions<ToDeviceOptions> {
  Option<int64_t> smCount{
      *this, "sm-count",
      desc("Multiprocessors of the device, for kernels that depend on them"),
      init(DeviceOptions().smCount)};
};

struct ToCubinOptions : public CopyingOptions<ToCubinOptions> {
  Option<std::string> pack{
      *this, "pack", desc("Directory to write a kernel pack to"), init("")};
  Option<bool> keepBinaries{
      *this, "keep-binaries",
      desc("Leave code in the module that is in the pack, too"), init(false)};
};
} // namespace

llvm::Expected<CompileOptions>
tcgemm::resolveOptions(const CompileOptions &options) {
  CompileOptions result = options;
  result.mlirPipelineOptions.clear();
  if (options.mlirPipelineOptions.empty())
    return result;
  std::string message;
  llvm::raw_string_ostream stream(message);
  ToCubinOptions parsed;
  if (failed(parsed.parseFromString(options.mlirPipelineOptions, stream)))
    return llvm::createStringError("options of tcgemm-to-cubin '" +
                                   options.mlirPipelineOptions +
                                   "': " + message);
  parsed.apply(result);
  return result;
}

void tcgemm::registerCompilePipelines() {
  PassPipelineRegistration<ToDeviceOptions>(
      "tcgemm-to-device",
      "Compile whole modules: all that they compute runs on the device",
      [](OpPassManager &manager, const ToDeviceOptions &pipeline) {
        CompileOptions options;
        options.separateComponents = true;
        pipeline.apply(options);
        DeviceOptions device;
        device.smCount = pipeline.smCount;
        buildDevicePipeline(manager, options, device);
      });
  PassPipelineRegistration<ToNVVMOptions>(
      "tcgemm-to-nvvm", "Compile contractions to kernels in the NVVM dialect",
      [](OpPassManager &manager, const ToNVVMOptions &pipeline) {
        CompileOptions options;
        pipeline.apply(options);
        buildToNVVMPipeline(manager, options);
      });
  PassPipelineRegistration<KernelsOptions>(
      "tcgemm-kernels",
      "Make contractions launches of kernels with binaries, and leave all else "
      "as it is",
      [](OpPassManager &manager, const KernelsOptions &pipeline) {
        CompileOptions options;
        pipeline.apply(options);
        buildKernelsPipeline(manager, options);
      });
  PassPipelineRegistration<ToCubinOptions>(
      "tcgemm-to-cubin",
      "Compile contractions to PTX and cubins, by ptxas, and to a kernel pack",
      [](OpPassManager &manager, const ToCubinOptions &pipeline) {
        CompileOptions options;
        options.separateComponents = true;
        pipeline.apply(options);
        // A module that keeps its binaries is lowered for the host later.
        options.packConstants =
            !pipeline.pack.empty() && !pipeline.keepBinaries;
        buildToCubinPipeline(manager, options);
        if (pipeline.pack.empty())
          return;
        WritePackOptions pack;
        pack.path = pipeline.pack;
        pack.dropBinaries = !pipeline.keepBinaries;
        manager.addPass(createWritePack(pack));
      });
}
