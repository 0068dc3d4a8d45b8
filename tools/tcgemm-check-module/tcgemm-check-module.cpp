//===- tcgemm-check-module.cpp - Whole modules, checked -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line, and the run over files and functions.
//
//===----------------------------------------------------------------------===//

#include "../common/FlagRange.h"
#include "../common/ToolSetup.h"
#include "../tcgemm-run/ExitCodes.h"
#include "../tcgemm-run/Watchdog.h"
#include "Checker.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "tcgemm/EmulatedDriver/EmulatedDriver.h"
#include "tcgemm/GpuRuntime/GpuRuntime.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/SourceCheck.h"
#include "tcgemm/Runtime/Npy.h"
#include "tcgemm/Target/Ptxas.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using namespace mlir;
using namespace tcgemm;
namespace cl = llvm::cl;
using llvm::Error;

namespace {
struct Flags {
  cl::OptionCategory category{"tcgemm-check-module"};
  cl::list<std::string> files{cl::Positional, cl::OneOrMore,
                              cl::desc("FILE.mlir..."), cl::cat(category)};
  cl::list<std::string> functions{
      "function", cl::desc("Function to check (all public ones)"),
      cl::value_desc("name"), cl::cat(category)};
  cl::opt<std::string> device{
      "device", cl::desc("cuda, cuda:N or emulator (a GPU if there is one)"),
      cl::cat(category)};
  cl::opt<std::string> chip{"chip",
                            cl::desc("Chip to compile for (the device's)"),
                            cl::cat(category)};
  cl::opt<std::string> pipelineOptions{
      "pipeline-options", cl::desc("Further options of tcgemm-to-cubin"),
      cl::cat(category)};
  cl::list<std::string> fills{
      "fill",
      cl::desc("Contents of arguments: normal, uniform, int, constant:V or a "
               ".npy file, for all or one (uniform)"),
      cl::value_desc("[name=]fill"), cl::cat(category)};
  cl::list<std::string> outputs{
      "output", cl::desc("Write a result of the device: result0=y.npy"),
      cl::value_desc("name=file.npy"), cl::cat(category)};
  cl::list<std::string> sizes{
      "size",
      cl::desc("Size of all dynamic dimensions (33), or shape of one "
               "argument: arg0=17x64"),
      cl::cat(category)};
  cl::list<std::string> scalars{"scalar",
                                cl::desc("Value of a scalar argument: arg1=3"),
                                cl::cat(category)};
  NumberOption<uint64_t> seed{"seed", cl::desc("Seed of the contents (1)"),
                              cl::init(1), cl::cat(category)};
  NumberOption<double> tolerance{"tolerance",
                                 cl::desc("Factor on the tolerance (1)"),
                                 cl::init(1), cl::cat(category)};
  NumberOption<double> timeout{
      "timeout", cl::desc("Seconds that a function may take (no limit)"),
      cl::init(0), cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("Print no functions that pass"),
                      cl::cat(category)};
};

/// The tool's state over all files.
class Run {
public:
  Run(const Flags &flags, CheckOptions options)
      : flags(flags), options(std::move(options)),
        watchdog(flags.timeout, "tcgemm-check-module") {}
  int checkFiles();

private:
  void checkFile(StringRef path, const DialectRegistry &registry);
  void check(ModuleOp module, StringRef path, StringRef function);
  /// Errors: there is no such result, or its file cannot be written.
  Error writeOutputs(const CheckReport &report) const;
  void print(StringRef label, const CheckReport &report) const;
  void count(CheckStatus status);
  void reject(StringRef label, const Twine &why);
  int finish() const;

  const Flags &flags;
  CheckOptions options;
  Watchdog watchdog;
  std::map<CheckStatus, int64_t> counts;
};
} // namespace

static int fail(const Twine &text, int code) {
  llvm::errs() << "tcgemm-check-module: error: " << text << '\n';
  return code;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static StringRef getName(CheckStatus status) {
  switch (status) {
  case CheckStatus::Skipped:
    return "skipped";
  case CheckStatus::Passed:
    return "pass";
  case CheckStatus::Wrong:
    return "fail";
  case CheckStatus::BadInput:
    return "error";
  case CheckStatus::DeviceError:
    return "device error";
  case CheckStatus::Finding:
    return "finding";
  }
  llvm_unreachable("covered switch");
}

static int getExitCode(CheckStatus status) {
  switch (status) {
  case CheckStatus::Skipped:
  case CheckStatus::Passed:
    return kExitSuccess;
  case CheckStatus::Wrong:
    return kExitWrongResult;
  case CheckStatus::BadInput:
    return kExitBadInput;
  case CheckStatus::DeviceError:
    return kExitDeviceError;
  case CheckStatus::Finding:
    return kExitFinding;
  }
  llvm_unreachable("covered switch");
}

void Run::print(StringRef label, const CheckReport &report) const {
  if (flags.quiet && report.status == CheckStatus::Passed)
    return;
  llvm::outs() << label << ": " << getName(report.status);
  if (!report.text.empty())
    llvm::outs() << ": " << report.text;
  llvm::outs() << '\n';
  for (auto [i, result] : llvm::enumerate(report.results)) {
    llvm::outs() << "  result " << i << ' ' << report.types[i].text << ": "
                 << (result.passed ? "pass" : "fail")
                 << llvm::formatv(", largest error {0:e2}, tolerance {1:e2}",
                                  result.largestError, result.tolerance);
    if (!result.passed)
      llvm::outs() << "; " << result.numWrong << " wrong, "
                   << result.firstWrong;
    llvm::outs() << '\n';
  }
}

void Run::count(CheckStatus status) { ++counts[status]; }

void Run::reject(StringRef label, const Twine &why) {
  CheckReport report;
  report.status = CheckStatus::BadInput;
  report.text = why.str();
  print(label, report);
  count(report.status);
}

int Run::finish() const {
  int64_t total = 0;
  int code = kExitSuccess;
  std::string text;
  for (auto [status, count] : counts) {
    total += count;
    code = std::max(code, getExitCode(status));
    text += llvm::formatv(", {0} {1}", count, getName(status));
  }
  llvm::outs() << total << " functions" << text << '\n';
  // A run without any check is a failure.
  bool isIdle = counts.empty() ||
                (counts.size() == 1 && counts.count(CheckStatus::Skipped));
  return isIdle ? fail("no function was checked", kExitBadInput) : code;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Error Run::writeOutputs(const CheckReport &report) const {
  // A function that has not run has no results.
  if (report.outputs.empty())
    return Error::success();
  for (const auto &[name, path] : options.outputs) {
    unsigned index = 0;
    StringRef number = name;
    if (!number.consume_front("result") || number.getAsInteger(10, index) ||
        index >= report.outputs.size())
      return llvm::createStringError("--output: there is no '" + name +
                                     "' among the " +
                                     Twine(report.outputs.size()) + " results");
    if (Error error = writeNpy(path, report.outputs[index]))
      return error;
  }
  return Error::success();
}

void Run::check(ModuleOp module, StringRef path, StringRef function) {
  std::string label = (path + " @" + function).str();
  options.crash = [&](StringRef text) {
    llvm::outs() << label << ": crashed: " << text << '\n';
    llvm::outs().flush();
    llvm::errs() << "tcgemm-check-module: error: the run ends with this "
                    "function\n";
    _exit(kExitDeviceError);
  };
  watchdog.start(label);
  CheckReport report = checkFunction(module, function, options);
  watchdog.stop();
  if (Error error = writeOutputs(report)) {
    report.status = CheckStatus::BadInput;
    report.text = llvm::toString(std::move(error));
  }
  print(label, report);
  llvm::outs().flush();
  count(report.status);
}

void Run::checkFile(StringRef path, const DialectRegistry &registry) {
  std::string errors;
  auto source = openInputFile(path, &errors);
  if (!source)
    return reject(path, errors);
  if (llvm::Error error = checkSource(source->getBuffer(), path))
    return reject(path, llvm::toString(std::move(error)));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (errors.empty())
        llvm::raw_string_ostream(errors)
            << diagnostic.getLocation() << ": " << diagnostic;
      return success();
    });
    module = parseSourceString<ModuleOp>(source->getBuffer(), &context, path);
  }
  if (!module)
    return reject(path, errors.empty() ? "cannot be read" : errors);
  std::vector<std::string> names(flags.functions.begin(),
                                 flags.functions.end());
  if (names.empty())
    for (auto function : module->getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        names.push_back(function.getName().str());
  for (const std::string &name : names) {
    auto function = module->lookupSymbol<func::FuncOp>(name);
    if (!function || function.isExternal())
      reject(path, "has no function '" + name + "' with a body");
    else
      check(*module, path, name);
  }
}

int Run::checkFiles() {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerDialects(registry);
  for (const std::string &path : flags.files)
    checkFile(path, registry);
  return finish();
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// The contents of arguments, and the files of results.
static Error readFiles(const Flags &flags, CheckOptions &options) {
  options.fill.kind = FillOptions::Uniform;
  for (const std::string &text : flags.fills) {
    auto [name, value] = StringRef(text).split('=');
    bool isNamed = StringRef(text).contains('=');
    auto fill = parseFill(isNamed ? value : name);
    if (!fill)
      return fill.takeError();
    (isNamed ? options.fills[name.str()] : options.fill) = *fill;
  }
  for (const std::string &text : flags.outputs) {
    auto [name, path] = StringRef(text).split('=');
    if (path.empty())
      return llvm::createStringError("--output: '" + text +
                                     "' is not name=file.npy");
    options.outputs[name.str()] = path.str();
  }
  if (!options.outputs.empty() &&
      (flags.files.size() != 1 || flags.functions.size() != 1))
    return llvm::createStringError(
        "--output needs one file and one --function");
  return Error::success();
}

static Error readFlags(const Flags &flags, CheckOptions &options) {
  if (Error error = readFiles(flags, options))
    return error;
  if (Error error = checkFlagRange(flags.tolerance, 0, 1e6))
    return error;
  if (Error error = checkFlagRange(flags.timeout, 0, kMostSeconds, " s"))
    return error;
  options.seed = flags.seed;
  options.toleranceFactor = flags.tolerance;
  options.compile.remarks = false;
  options.compile.allowSpills = true;
  options.compile.separateComponents = true;
  options.compile.mlirPipelineOptions = flags.pipelineOptions;
  for (const std::string &text : flags.sizes) {
    auto [name, value] = StringRef(text).split('=');
    bool isNamed = StringRef(text).contains('=');
    SmallVector<StringRef> parts;
    (isNamed ? value : name).split(parts, 'x');
    std::vector<int64_t> sizes(parts.size());
    for (auto [part, size] : llvm::zip(parts, sizes))
      if (part.getAsInteger(10, size) || size < 0)
        return llvm::createStringError("--size: '" + part + "' is not a size");
    if (!isNamed && sizes.size() != 1)
      return llvm::createStringError("--size: '" + text +
                                     "' names no argument: arg0=17x64");
    if (isNamed)
      options.sizes.shapes[name.str()] = sizes;
    else
      options.sizes.defaultSize = sizes[0];
  }
  for (const std::string &text : flags.scalars) {
    auto [name, value] = StringRef(text).split('=');
    double number = 0;
    if (value.getAsDouble(number))
      return llvm::createStringError("--scalar: '" + text +
                                     "' is not name=value");
    options.scalars[name.str()] = number;
  }
  return Error::success();
}

/// Opens the selected device. By default it is a GPU, or else the emulator with
/// a note.
static int openDevice(const Flags &flags, CheckOptions &options) {
  StringRef number = flags.device;
  int32_t ordinal = 0;
  bool isCuda = number.consume_front("cuda") &&
                (number.empty() || (number.consume_front(":") &&
                                    !number.getAsInteger(10, ordinal)));
  if (!flags.device.empty() && flags.device != "emulator" && !isCuda)
    return fail("--device: '" + flags.device +
                    "' is none of cuda, cuda:N, emulator",
                kExitBadInput);
  std::optional<gpu_runtime::Device> device;
  if (flags.device != "emulator") {
    device = gpu_runtime::openDevice(ordinal);
    std::string why = gpu_runtime::takeError().value_or("");
    if (!device && isCuda)
      return fail("no device to run on: " + why, kExitNoDevice);
    if (!device)
      llvm::errs() << "tcgemm-check-module: note: the emulator runs it: " << why
                   << '\n';
  }
  options.isEmulated = !device;
  if (!device) {
    EmulatorOptions emulator;
    if (!flags.chip.empty())
      emulator.chip = flags.chip;
    setEmulatedDriverOptions(emulator);
    tcgemm_gpu_set_driver_functions(findEmulatedDriverFunction);
    device = gpu_runtime::openDevice();
    if (!device)
      return fail(gpu_runtime::takeError().value_or("no device"),
                  kExitBadInput);
  }
  // Code for the device's own features is valid and fast on it.
  options.compile.chip = !flags.chip.empty()         ? flags.chip.getValue()
                         : device->arch_chip[0] != 0 ? device->arch_chip
                                                     : device->chip;
  options.smCount = device->sm_count;
  options.compile.format = OutputFormat::PTX;
  if (!options.isEmulated) {
    if (auto ptxas = Ptxas::find())
      options.compile.format = OutputFormat::Cubin;
    else // The driver compiles the PTX.
      llvm::consumeError(ptxas.takeError());
  }
  llvm::outs() << "device: " << device->name << ", " << options.compile.chip
               << ", " << device->sm_count << " SMs\n";
  return kExitSuccess;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  Flags flags;
  setUpTool(&flags.category);
  if (!parseCommandLine(
          argc, argv,
          "Runs functions on tensors on a device and on the CPU, by MLIR's own "
          "passes, and\ncompares their results.\n\n"
          "Exit codes: 0 all is well, 1 a result is wrong, 2 bad input or code "
          "that does not\ncompile, 3 no device, 4 a device or driver error, 5 "
          "time-out, 6 the emulator has\nfindings.\n"))
    return kExitBadInput;
  CheckOptions options;
  if (Error error = readFlags(flags, options))
    return fail(llvm::toString(std::move(error)), kExitBadInput);
  if (int code = openDevice(flags, options))
    return code;
  auto compile = resolveOptions(options.compile);
  if (!compile)
    return fail(llvm::toString(compile.takeError()), kExitBadInput);
  options.compile = *compile;
  return Run(flags, std::move(options)).checkFiles();
}
