//===- Flags.cpp - The command line ---------------------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts of flags into options.
//
//===----------------------------------------------------------------------===//

#include "Flags.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

/// Splits `name=value`; without a name, it is empty.
static std::pair<std::string, std::string> splitName(StringRef text) {
  auto [name, value] = text.split('=');
  if (text.contains('='))
    return {name.str(), value.str()};
  return {"", text.str()};
}

static Error readCounts(const cl::list<std::string> &texts, StringRef flag,
                        std::map<std::string, int64_t> &named, int64_t &all) {
  for (const std::string &text : texts) {
    auto [name, value] = splitName(text);
    int64_t count = 0;
    if (StringRef(value).getAsInteger(10, count) || count < 0)
      return llvm::createStringError("--" + flag + ": '" + value +
                                     "' is not a count");
    (name.empty() ? all : named[name]) = count;
  }
  return Error::success();
}

static Error readData(const Flags &flags, ProblemOptions &problem) {
  problem.function = flags.function;
  problem.variant = flags.variant;
  problem.seed = flags.seed;
  problem.repeat = flags.repeat;
  for (const std::string &text : flags.fills) {
    auto [name, value] = splitName(text);
    llvm::Expected<FillOptions> fill = parseFill(value);
    if (!fill)
      return fill.takeError();
    (name.empty() ? problem.defaultFill : problem.fills[name]) = *fill;
  }
  for (const std::string &text : flags.scalars) {
    auto [name, value] = splitName(text);
    double number = 0;
    if (name.empty() || StringRef(value).getAsDouble(number))
      return llvm::createStringError("--scalar: '" + text +
                                     "' is not name=value");
    problem.scalars[name] = number;
  }
  for (const std::string &text : flags.shapes) {
    auto [name, value] = splitName(text);
    llvm::SmallVector<StringRef> parts;
    StringRef(value).split(parts, 'x');
    for (StringRef part : parts) {
      int64_t size = 0;
      if (name.empty() || part.getAsInteger(10, size) || size < 0)
        return llvm::createStringError("--shape: '" + text +
                                       "' is not name=AxB");
      problem.shapes[name].push_back(size);
    }
  }
  if (Error error = readCounts(flags.paddings, "ld-pad", problem.rowPaddings,
                               problem.defaultRowPadding))
    return error;
  return readCounts(flags.offsets, "offset", problem.offsets,
                    problem.defaultOffset);
}

/// The first of `options` that was given, as `--name`; else nothing.
static std::string findGiven(llvm::ArrayRef<const cl::Option *> options) {
  for (const cl::Option *option : options)
    if (option->getNumOccurrences())
      return ("--" + option->ArgStr).str();
  return "";
}

/// Whether the input is PTX, and how it is launched.
static Error readPtx(const Flags &flags, PtxOptions &options) {
  options.isUsed = StringRef(flags.input).ends_with(".ptx");
  // (A list's address is that of its vector.)
  const cl::Option *ours[] = {&flags.kernel,
                              &flags.grid,
                              &flags.block,
                              &flags.cluster,
                              &flags.shared,
                              std::addressof<const cl::Option>(flags.args),
                              std::addressof<const cl::Option>(flags.outputs)};
  const cl::Option *others[] = {&flags.bench,    &flags.compare, &flags.plan,
                                &flags.problems, &flags.cases,   &flags.m,
                                &flags.n,        &flags.k,       &flags.batch,
                                &flags.emitMLIR, &flags.savePack};
  if (!options.isUsed) {
    std::string given = findGiven(ours);
    return given.empty() ? Error::success()
                         : llvm::createStringError(
                               given + " needs a file that ends in .ptx");
  }
  if (std::string given = findGiven(others); !given.empty())
    return llvm::createStringError(given + " does not go with a PTX file");
  if (flags.format == ReportFormat::CSV)
    return llvm::createStringError("--format=csv does not go with a PTX file");
  PtxLaunch &launch = options.launch;
  launch.kernel = flags.kernel;
  launch.seed = flags.seed;
  launch.config.sharedMemory = flags.shared;
  if (Error error = readExtent("grid", flags.grid, launch.config.grid))
    return error;
  if (Error error = readExtent("block", flags.block, launch.config.block))
    return error;
  if (Error error = readExtent("cluster", flags.cluster, launch.config.cluster))
    return error;
  return readArguments(flags.args, flags.outputs, options);
}

static Error readDevice(const Flags &flags, SessionOptions &options) {
  llvm::Expected<DeviceChoice> choice = parseDevice(flags.device);
  if (!choice)
    return choice.takeError();
  llvm::Expected<emu::Checks> checks = parseChecks(flags.checks);
  if (!checks)
    return checks.takeError();
  options.device = std::move(*choice);
  EmulatorOptions &emulator = options.device.emulator;
  emulator.checks = *checks;
  emulator.profile = flags.profile || !flags.annotate.empty();
  emulator.threads = flags.emulatorThreads;
  emulator.smCount = flags.emulatorSMs;
  emulator.maxInstructions = flags.maxInstructions;
  options.annotate = flags.annotate;
  options.emulatorOption =
      findGiven({&flags.profile, &flags.annotate, &flags.checks});
  return Error::success();
}

/// How anything is compiled.
static void readCompile(const Flags &flags, SessionOptions &options) {
  options.hasChip = flags.chip.getNumOccurrences() > 0;
  if (options.hasChip)
    options.compile.chip = flags.chip;
  options.compile.configText = flags.config;
  options.compile.ptxasPath = flags.ptxas;
  options.compile.mlirPipelineOptions = flags.pipeline;
  options.compile.sizeHint = flags.sizeHint;
  options.compile.records = flags.records;
  options.compile.approximateMath = flags.approximateMath;
  options.compile.allowSpills = flags.allowSpills;
  options.savePack = flags.savePack;
}

/// Alpha and beta of a generated function.
static void readScalars(const Flags &flags, SessionOptions &options) {
  const MatmulProblem &problem = options.generate.problem;
  // Names of the generated function's arguments, from the end.
  unsigned numTensors = 2 + problem.hasBeta +
                        llvm::count_if(problem.epilogue.parts, readsOperand);
  if (problem.hasAlpha)
    options.problem.scalars["arg" + std::to_string(numTensors++)] = flags.alpha;
  if (problem.hasBeta)
    options.problem.scalars["arg" + std::to_string(numTensors)] = flags.beta;
}

/// Whether a product is generated, for want of other input.
static bool isGenerated(const Flags &flags) {
  return flags.input.empty() && flags.cases.empty() && !flags.listDevices;
}

/// The function that is generated.
static Error readGenerated(const Flags &flags, SessionOptions &options) {
  if (!isGenerated(flags))
    return Error::success();
  GenerateOptions &generate = options.generate;
  StringRef out = flags.outType.empty() ? flags.type : flags.outType;
  if (Error error =
          generate.problem.read(flags.type, flags.layout, out, flags.epilogue))
    return error;
  generate.problem.hasAlpha = flags.alpha.getNumOccurrences() > 0;
  generate.problem.hasBeta = flags.beta.getNumOccurrences() > 0;
  generate.isStatic = flags.isStatic;
  generate.isBatched = flags.batch.getNumOccurrences() > 0;
  readScalars(flags, options);
  return Error::success();
}

static Error readSizes(const Flags &flags, SessionOptions &options) {
  const int64_t sizes[] = {flags.m, flags.n, flags.k, flags.batch};
  NamedProblem single;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (sizes[d] >= 0)
      single.sizes[d] = sizes[d];
    else if (sizes[d] != -1)
      return llvm::createStringError("sizes must not be negative");
  options.problem.sizes = single.sizes;
  if (flags.problems.empty()) {
    options.problems.push_back(single);
  } else {
    llvm::Expected<std::vector<NamedProblem>> read =
        readProblems(flags.problems);
    if (!read)
      return read.takeError();
    options.problems = std::move(*read);
  }
  if (isGenerated(flags))
    for (const NamedProblem &problem : options.problems)
      for (unsigned d = 0; d != 3; ++d)
        if (!problem.sizes[d] && !(flags.emitMLIR && !flags.isStatic))
          return llvm::createStringError(
              "nothing to run: give a pack, an MLIR file, or --m, --n and "
              "--k");
  return Error::success();
}

/// What is done, and how it is shown.
static Error readActions(const Flags &flags, SessionOptions &options) {
  bool isFused = flags.compare == "cublaslt-fused";
  if (!flags.compare.empty() && flags.compare != "cublaslt" && !isFused)
    return llvm::createStringError("--compare: '" + flags.compare +
                                   "' is neither cublaslt nor cublaslt-fused");
  options.verify = !flags.noVerify;
  options.verification.maxWork = flags.verifyWork;
  options.verification.mathError = flags.mathError;
  if (flags.approximateMath && flags.mathError.getNumOccurrences() == 0)
    options.verification.mathError = kApproximateMathError;
  options.verification.seed = flags.seed;
  options.benchmark = flags.bench || !flags.compare.empty();
  options.benchmarkOptions.compareCublasLt = !flags.compare.empty();
  options.benchmarkOptions.fuseCublasLt = isFused;
  options.benchmarkOptions.cublasLtPath = flags.cublasLt;
  options.benchmarkOptions.rounds = std::max(1U, flags.rounds.getValue());
  options.benchmarkOptions.seed = flags.seed;
  options.timeout = flags.timeout;
  if (flags.plan && flags.format != ReportFormat::Table)
    return llvm::createStringError("--plan: a plan is a table; --save-pack "
                                   "writes a manifest for programs");
  options.planSMCount = flags.smCount;
  options.format = flags.format;
  return Error::success();
}

Error tcgemm::readFlags(const Flags &flags, SessionOptions &options) {
  options.input = flags.input;
  if (Error error = readPtx(flags, options.ptx))
    return error;
  if (Error error = readDevice(flags, options))
    return error;
  readCompile(flags, options);
  if (Error error = readData(flags, options.problem))
    return error;
  if (Error error = readSizes(flags, options))
    return error;
  if (Error error = readActions(flags, options))
    return error;
  return readGenerated(flags, options);
}
