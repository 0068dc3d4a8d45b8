//===- Session.cpp - What tcgemm-run does with a problem ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packs come from a directory, a file, or text written here; each problem is
// checked, measured and reported.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "tcgemm/Runtime/ProblemCost.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Target/Chip.h"

#include "ExitCodes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

int Session::fail(Error error, int code) {
  // The text of a failed device says more than where the tool was.
  if (error.isA<DeviceError>())
    code = kExitDeviceError;
  err << "tcgemm-run: error: " << llvm::toString(std::move(error)) << '\n';
  return code;
}

ProblemOptions Session::getOptions(const NamedProblem &problem) const {
  ProblemOptions result = options.problem;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (problem.sizes[d])
      result.sizes[d] = problem.sizes[d];
  return result;
}

/// Whether what is generated is for one problem, though its sizes are dynamic:
/// then tuned records of that size are meant. Many problems share a kernel
/// unless records were asked for.
bool Session::hasOwnKernels() const {
  return options.input.empty() &&
         (options.problems.size() == 1 || !options.compile.records.empty());
}

/// Says which kernels spill, each once: where nobody fixed a configuration that
/// is no error.
static void noteSpills(const KernelPack &pack, llvm::raw_ostream &os) {
  llvm::StringSet<> noted;
  for (const KernelInfo &kernel : pack.manifest.kernels)
    for (const Variant &variant : kernel.variants)
      for (const Step &step : variant.steps)
        if (step.spillBytes.value_or(0) && noted.insert(step.symbol).second)
          os << "tcgemm-run: note: " << step.symbol << " spills "
             << *step.spillBytes << " bytes\n";
}

Expected<KernelPack> Session::getPack(const NamedProblem &problem) {
  if (!options.input.empty() && llvm::sys::fs::is_directory(options.input))
    return readPack(options.input);
  std::string source;
  if (options.input.empty()) {
    GenerateOptions generate = options.generate;
    ProblemSizes sizes = {generate.m, generate.n, generate.k, generate.batch};
    for (unsigned d = 0; d != kNumDims; ++d)
      if (problem.sizes[d])
        sizes[d] = *problem.sizes[d];
    generate.m = sizes[0];
    generate.n = sizes[1];
    generate.k = sizes[2];
    generate.batch = sizes[3];
    generate.isBatched |= generate.batch != 1;
    Expected<std::string> text = generateMLIR(generate);
    if (!text)
      return text.takeError();
    source = std::move(*text);
  } else {
    auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(options.input);
    if (!buffer)
      return llvm::createStringError("cannot read '" + options.input +
                                     "': " + buffer.getError().message());
    source = (*buffer)->getBuffer().str();
  }
  CompileOptions compile = options.compile;
  if (!options.hasChip && device) {
    const DeviceProperties &p = device->getProperties();
    compile.chip = "sm_" + std::to_string(p.major) + std::to_string(p.minor);
    // With what only this generation has, where it is known.
    bool hasSpecific = llvm::is_contained(
        llvm::map_range(getKnownChips(),
                        [](const ChipInfo &chip) { return chip.name; }),
        compile.chip + "a");
    if (hasSpecific && !p.isEmulated)
      compile.chip += "a";
  }
  // The emulator needs no ptxas, nor that anybody has one.
  if (device && device->getProperties().isEmulated && options.savePack.empty())
    compile.format = OutputFormat::PTX;
  // Made here, so that it can say what it answered.
  auto records = createRecordProvider(compile.records);
  if (records)
    compile.providers = {records};
  compile.records = "none";
  if (records) {
    if (Error error = records->prepare())
      return std::move(error);
    for (const std::string &note : records->takeNotes())
      err << "tcgemm-run: note: " << note << '\n';
  }
  if (records && hasOwnKernels()) {
    MatmulSizes sizes;
    int64_t *targets[] = {&sizes.m, &sizes.n, &sizes.k, &sizes.batch};
    for (auto [size, target] : llvm::zip(problem.sizes, targets))
      *target = size.value_or(*target);
    records->assumeSizes(sizes);
  }
  // A generated function has a name of its own.
  std::string function =
      options.input.empty() ? std::string() : options.problem.function;
  Expected<KernelPack> pack = compileToPack(source, compile, function);
  if (records)
    for (const std::string &answer : records->getAnswers())
      err << "tcgemm-run: note: config of " << answer << '\n';
  if (pack) {
    for (const LeftOutFunction &other : pack->manifest.leftOut)
      err << "tcgemm-run: note: left out: " << other.reason << '\n';
    noteSpills(*pack, err);
  }
  if (!pack || options.savePack.empty())
    return pack;
  if (Error error = writePack(options.savePack, *pack))
    return std::move(error);
  return pack;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {

/// Prints what a function does, step by step.
struct StepPrinter {
  const Problem &problem;
  llvm::ArrayRef<uint64_t> addresses;
  int64_t smCount;
  llvm::raw_ostream &out;

  Error operator()(const LaunchStep &step) {
    Expected<LaunchPlan> plan = problem.plan(step.launch, addresses, smCount);
    if (!plan)
      return plan.takeError();
    out << describePlan(*plan);
    return Error::success();
  }
  Error operator()(const FillStep &step) {
    out << problem.describe(step);
    return Error::success();
  }
  Error operator()(const CopyStep &step) {
    out << problem.describe(step);
    return Error::success();
  }
};

} // namespace

int Session::printPlans() {
  for (const NamedProblem &named : options.problems) {
    Expected<KernelPack> pack = getPack(named);
    if (!pack)
      return fail(pack.takeError(), kExitBadInput);
    Expected<Problem> problem = Problem::create(*pack, getOptions(named));
    if (!problem)
      return fail(problem.takeError(), kExitBadInput);
    // Addresses as a device would give them: aligned to 4096 bytes.
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i != problem->buffers.size(); ++i)
      addresses.push_back((i + 1) << 40);
    if (!named.tag.empty())
      out << named.tag << '\n';
    StepPrinter printer{*problem, addresses, options.planSMCount, out};
    for (const ProblemStep &step : problem->steps)
      if (Error error = std::visit(printer, step))
        return fail(std::move(error), kExitBadInput);
  }
  return kExitSuccess;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Before anything is allocated or run: whether the problem fits the memory,
/// and a note if the emulator takes long for it.
Error Session::checkCost(const Problem &problem) {
  const DeviceProperties *properties =
      device ? &device->getProperties() : nullptr;
  if (Error error = checkMemory(problem, properties))
    return error;
  if (!properties || !properties->isEmulated)
    return Error::success();
  constexpr double longSeconds = 60;
  double seconds =
      estimateEmulatorSeconds(problem, options.device.emulator.threads);
  if (seconds >= longSeconds) {
    std::string duration = seconds < 7200
                               ? formatv("{0:f0} minutes", seconds / 60)
                               : formatv("{0:f0} hours", seconds / 3600);
    err << "tcgemm-run: note: the emulator will take about " << duration
        << "; --timeout limits it\n";
    err.flush();
  }
  return Error::success();
}

/// Fills, runs and checks; wrong results are in the record.
int Session::check(LoadedPack &loaded, Problem &problem,
                   ProblemRecord &record) {
  if (Error error = problem.fill()) {
    record.error = llvm::toString(std::move(error));
    return kExitBadInput;
  }
  VerifyOptions verification = options.verification;
  verification.compare = options.verify;
  if (!options.verify && !device->getAccessChecker())
    return kExitSuccess;
  Expected<RunResult> result =
      runAndVerify(*device, *loaded.executor, problem, verification);
  if (!result) {
    Error error = result.takeError();
    int code = error.isA<DeviceError>() ? kExitDeviceError : kExitBadInput;
    record.error = llvm::toString(std::move(error));
    // What led to it.
    if (AccessChecker *checker = device->getAccessChecker())
      record.observed = checker->takeObservations();
    if (isInterrupted())
      return kExitInterrupted;
    return record.observed.hasFindings() ? int(kExitFinding) : code;
  }
  record.run = std::move(*result);
  for (const LaunchResult &launch : record.run->launches)
    if (Error error = annotate(launch.observed)) {
      record.error = llvm::toString(std::move(error));
      return kExitBadInput;
    }
  if (record.run->hasFindings())
    return kExitFinding;
  return record.run->passed() ? kExitSuccess : kExitWrongResult;
}

int Session::runOne(const NamedProblem &named, LoadedPack &loaded) {
  ProblemOptions problemOptions = getOptions(named);
  ProblemRecord record;
  record.tag = named.tag;
  record.reproduce =
      formatReproduction(options.input, problemOptions) +
      (device->getProperties().isEmulated ? " --device=emulator" : "");
  Expected<Problem> problem = Problem::create(loaded.pack, problemOptions);
  if (!problem)
    return fail(problem.takeError(), kExitBadInput);
  if (Error error = checkCost(*problem))
    return fail(std::move(error), kExitBadInput);
  record.sizes = problem->getSizes(0);
  watchdog.start(record.reproduce);
  int code = check(loaded, *problem, record);
  if (code == kExitSuccess && options.benchmark) {
    // The check has replaced outputs; contents of inputs are as they were.
    Expected<BenchmarkReport> report = runBenchmark(
        *device, *loaded.executor, *problem, options.benchmarkOptions);
    if (report) {
      record.benchmark = std::move(*report);
      if (record.benchmark->difference > 0 &&
          StringRef(record.benchmark->note).contains("differ"))
        code = kExitWrongResult;
    } else {
      Error error = report.takeError();
      code = error.isA<DeviceError>() ? kExitDeviceError : kExitBadInput;
      record.error = llvm::toString(std::move(error));
    }
  }
  watchdog.stop();
  reporter.print(record);
  return code;
}

/// What can be found wrong without a device is, so that bad input is reported
/// as such on every machine.
int Session::checkInput() {
  const NamedProblem &first = options.problems.front();
  Expected<KernelPack> pack = getPack(first);
  if (!pack)
    return fail(pack.takeError(), kExitBadInput);
  Expected<Problem> problem = Problem::create(*pack, getOptions(first));
  if (!problem)
    return fail(problem.takeError(), kExitBadInput);
  bool readsFiles = llvm::any_of(problem->buffers, [](const auto &buffer) {
    return buffer.isRead && buffer.fill.kind == FillOptions::File;
  });
  if (!readsFiles)
    return kExitSuccess;
  Error error = checkCost(*problem);
  if (!error)
    error = problem->fill();
  return error ? fail(std::move(error), kExitBadInput) : int(kExitSuccess);
}

int Session::runProblems() {
  if (options.problems.empty())
    return fail(llvm::createStringError("no problem to run"), kExitBadInput);
  // A pack is read twice; what is compiled waits for the device's chip, unless
  // there is none.
  bool isPack = llvm::sys::fs::is_directory(options.input);
  bool isMissing = !options.input.empty() && options.input != "-" &&
                   !llvm::sys::fs::exists(options.input);
  if (isPack || isMissing)
    if (int code = checkInput())
      return code;
  if (int code = openDevice(getChip(options.input))) {
    bool isUnknown = code == kExitNoDevice && !isPack;
    int inputCode = isUnknown ? checkInput() : kExitSuccess;
    return inputCode ? inputCode : code;
  }
  int result = kExitSuccess;
  LoadedPack loaded;
  bool isLoaded = false;
  for (const NamedProblem &named : options.problems) {
    // Static sizes and batches need a kernel each; all else shares one.
    bool isGenerated = options.input.empty();
    if (!isLoaded || hasOwnKernels() ||
        (isGenerated &&
         (options.generate.isStatic || named.sizes[unsigned(Dim::Batch)]))) {
      Expected<KernelPack> pack = getPack(named);
      if (!pack)
        return fail(pack.takeError(), kExitBadInput);
      loaded.executor.reset();
      loaded.pack = std::move(*pack);
      loaded.executor = std::make_unique<Executor>(*device, loaded.pack);
      isLoaded = true;
    }
    int code = runOne(named, loaded);
    result = std::max(result, code);
    if (isInterrupted())
      break;
    if (code == kExitDeviceError) {
      loaded.executor.reset();
      if (reopenDevice() != kExitSuccess)
        return kExitDeviceError;
      loaded.executor = std::make_unique<Executor>(*device, loaded.pack);
    }
  }
  // Modules go before the device that holds them.
  loaded.executor.reset();
  return result;
}

//===----------------------------------------------------------------------===//
// Test cases
//===----------------------------------------------------------------------===//

Expected<Session::LoadedPack *> Session::load(const std::string &path) {
  std::unique_ptr<LoadedPack> &slot = packs[path];
  if (slot)
    return slot.get();
  Expected<KernelPack> pack = readPack(path);
  if (!pack)
    return pack.takeError();
  slot = std::make_unique<LoadedPack>();
  slot->pack = std::move(*pack);
  slot->executor = std::make_unique<Executor>(*device, slot->pack);
  return slot.get();
}

int Session::runCase(const TestCase &test) {
  ProblemRecord record;
  record.tag = test.id;
  record.reproduce =
      formatReproduction(test.pack, test.options) +
      (device->getProperties().isEmulated ? " --device=emulator" : "");
  auto reject = [&](Error error) {
    record.error = llvm::toString(std::move(error));
    reporter.print(record);
    return int(kExitBadInput);
  };
  Expected<LoadedPack *> loaded = load(test.pack);
  if (!loaded)
    return reject(loaded.takeError());
  Expected<Problem> problem = Problem::create((*loaded)->pack, test.options);
  if (!problem)
    return reject(problem.takeError());
  if (Error error = checkCost(*problem))
    return reject(std::move(error));
  record.sizes = problem->getSizes(0);
  watchdog.start("case " + test.id + ": " + record.reproduce);
  int code = check(**loaded, *problem, record);
  watchdog.stop();
  reporter.print(record);
  return code;
}

int Session::runCases(StringRef path) {
  Expected<std::vector<TestCase>> cases = readCases(path);
  if (!cases)
    return fail(cases.takeError(), kExitBadInput);
  if (int code = openDevice(getChip(cases->empty() ? "" : cases->front().pack)))
    return code;
  int result = kExitSuccess;
  size_t numPassed = 0, numWrong = 0, numErrors = 0;
  for (const TestCase &test : *cases) {
    if (isInterrupted())
      break;
    int code = runCase(test);
    bool isWrong = code == kExitWrongResult || code == kExitFinding;
    numPassed += code == kExitSuccess;
    numWrong += isWrong;
    numErrors += code != kExitSuccess && !isWrong;
    result = std::max(result, code);
    if (code == kExitDeviceError && reopenDevice() != kExitSuccess)
      return kExitDeviceError;
  }
  packs.clear();
  err << "tcgemm-run: " << cases->size() << " cases, " << numPassed
      << " passed, " << numWrong << " wrong, " << numErrors << " errors\n";
  return result;
}
