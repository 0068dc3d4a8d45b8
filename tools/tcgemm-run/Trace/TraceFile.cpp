//===- TraceFile.cpp - The trace of a session's problem -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFile.h"
#include "ModelRows.h"

#include "tcgemm/Config/ManifestConfig.h"
#include "tcgemm/Store/Problems.h"
#include "tcgemm/Store/ShippedMachines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

Error TraceFile::prepare() {
  if (options.trace.file.empty())
    return Error::success();
  Expected<std::optional<Machine>> found = findMachine();
  if (!found)
    return found.takeError();
  machine = std::move(*found);
  bool isTraced = false;
  for (const KernelInfo &kernel : pack.manifest.kernels)
    for (const Variant &variant : kernel.variants)
      for (const Step &step : variant.steps) {
        Expected<Module *> module = executor.getModule(step.module);
        if (!module)
          return module.takeError();
        if (!hasTrace(**module, step.symbol))
          continue;
        isTraced = true;
        if (Error error = clearTrace(device, **module, step.symbol))
          return error;
      }
  if (isTraced)
    return Error::success();
  return llvm::createStringError(
      "--trace: no kernel of the pack writes a trace; compile them with the "
      "option trace of tcgemm-to-cubin");
}

const Variant &TraceFile::getVariant(const LaunchResult &launch) const {
  const KernelInfo *kernel = pack.manifest.findKernel(launch.kernel);
  return *llvm::find_if(kernel->variants, [&](const Variant &variant) {
    return variant.name == launch.variant;
  });
}

static std::string getGroupName(const Step &step) {
  return "measured: " + step.symbol;
}

/// Adds the trace of a step, if its program writes one.
Error TraceFile::addMeasured(const Step &step) {
  Expected<Module *> module = executor.getModule(step.module);
  if (!module)
    return module.takeError();
  if (!hasTrace(**module, step.symbol))
    return Error::success();
  Expected<KernelTrace> trace = readTrace(device, **module, step.symbol);
  if (!trace)
    return addContext("the trace of " + step.symbol, trace.takeError());
  if (trace->roles.empty())
    return llvm::createStringError(
        "--trace-ctas: the grid has none of the CTAs " +
        llvm::join(
            llvm::map_range(trace->options.ctas,
                            [](int64_t cta) { return std::to_string(cta); }),
            ", "));
  for (int64_t cta : trace->absent)
    note(formatv("--trace-ctas: the grid of {0} CTAs has no CTA {1}",
                 trace->ctas, cta)
             .str());
  if (uint64_t lacking = trace->countMissing()) {
    note(formatv("the trace lacks {0} events: it has room for {1} of each "
                 "role; --trace-events changes that",
                 lacking, trace->options.events)
             .str());
    missing += lacking;
  }
  timeline.groups.push_back(
      {getGroupName(step), getUnit().str(), getRows(*trace)});
  return Error::success();
}

/// The machine that was asked for, or the shipped one of the device.
Expected<std::optional<Machine>> TraceFile::findMachine() const {
  if (options.trace.machine.empty())
    return findShippedMachine(device.getProperties().name);
  Expected<Machine> named = readMachine(options.trace.machine);
  if (!named)
    return named.takeError();
  return std::optional<Machine>(std::move(*named));
}

/// Adds what the simulator says of the kernel. It needs the description of the
/// product, which only a generated one has.
Error TraceFile::addModel(const NamedProblem &named, const Variant &variant) {
  const GenerateOptions &generate = options.generate;
  bool isProduct = options.input.empty() && !generate.contraction &&
                   !generate.convolution && !generate.bilinear;
  if (!machine || !isProduct) {
    note(!isProduct
             ? "the trace has no model: the simulator describes generated "
               "matrix products"
             : "the trace has no model: there is no machine file for " +
                   device.getProperties().name + "; --machine names one");
    return Error::success();
  }
  TuningProblem problem{{generate.problem}, named.getSizes(), ""};
  KernelConfig config;
  if (Error error = config.apply(
          getManifestParameters(variant.config).value_or(variant.config)))
    return error;
  const ChipInfo &chip = llvm::cantFail(lookupChip(machine->chip));
  Expected<KernelPrediction> prediction =
      predictKernel(*machine, chip, config, problem.getInfo());
  if (!prediction) {
    note("the trace has no model: " + llvm::toString(prediction.takeError()));
    return Error::success();
  }
  timeline.facts.emplace_back("machine", machine->name);
  timeline.groups.push_back(
      {"model: " + machine->name, "ns", getModelRows(*prediction)});
  return Error::success();
}

/// Opens a file of a flag and lets `write` fill it.
Error TraceFile::writeFile(StringRef flag, const std::string &path,
                           TimelineWriter write) const {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (!code) {
    write(timeline, file);
    file.close();
    code = file.error();
    file.clear_error();
  }
  if (!code)
    return Error::success();
  return llvm::createStringError(flag + ": cannot write '" + path +
                                 "': " + code.message());
}

/// Adds the programs of a launch that write a trace. A program that several
/// launches share has the trace of the last one.
Error TraceFile::addLaunch(const LaunchResult &launch) {
  for (const Step &step : getVariant(launch).steps) {
    auto isSame = [&](const TimelineGroup &group) {
      return group.name == getGroupName(step);
    };
    if (llvm::any_of(timeline.groups, isSame))
      continue;
    if (Error error = addMeasured(step))
      return error;
  }
  return Error::success();
}

Error TraceFile::write(const NamedProblem &problem,
                       llvm::ArrayRef<LaunchResult> launches) {
  if (options.trace.file.empty())
    return Error::success();
  const DeviceProperties &properties = device.getProperties();
  timeline.facts = {{"device", properties.name},
                    {"measured_unit", getUnit().str()}};
  for (const LaunchResult &launch : launches)
    if (Error error = addLaunch(launch))
      return error;
  if (timeline.groups.empty())
    return llvm::createStringError(
        "--trace: no launch has a program that writes a trace");
  const LaunchResult &last = launches.back();
  timeline.title =
      formatv("{0}: {1} x {2} x {3} on {4}", last.kernel,
              last.sizes[unsigned(Dim::M)], last.sizes[unsigned(Dim::N)],
              last.sizes[unsigned(Dim::K)], properties.name);
  const Variant &variant = getVariant(last);
  timeline.facts.insert(timeline.facts.end(),
                        {{"kernel", last.kernel},
                         {"variant", last.variant},
                         {"config", variant.config},
                         {"missing_events", std::to_string(missing)}});
  if (Error error = addModel(problem, variant))
    return error;
  if (Error error = writeFile("--trace", options.trace.file, writeChromeTrace))
    return error;
  if (options.trace.chart.empty())
    return Error::success();
  return writeFile("--trace-chart", options.trace.chart, drawTimeline);
}
