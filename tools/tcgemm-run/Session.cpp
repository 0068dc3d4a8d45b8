//===- Session.cpp - Runs problems and test cases -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each problem is checked, measured and reported.
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "tcgemm/Runtime/ProblemCost.h"

#include "ExitCodes.h"
#include "Progress.h"
#include "Trace/TraceFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// Checks, before any allocation or launch, that the problem fits into memory.
/// Prints a note if the emulator needs much time for it.
Error Session::checkCost(const Problem &problem) {
  const DeviceProperties *properties =
      device.get() ? &device->getProperties() : nullptr;
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
    context.err << "tcgemm-run: note: the emulator will take about " << duration
                << "; --timeout limits it\n";
    context.err.flush();
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
    // The cause of the error.
    if (AccessChecker *checker = device->getAccessChecker())
      record.observed = checker->takeObservations();
    if (getInterruptFlag())
      return kExitInterrupted;
    return record.observed.hasFindings() ? int(kExitFinding) : code;
  }
  record.run = std::move(*result);
  for (const LaunchResult &launch : record.run->launches)
    if (Error error = annotated.write(launch.observed)) {
      record.error = llvm::toString(std::move(error));
      return kExitBadInput;
    }
  if (record.run->hasFindings())
    return kExitFinding;
  return record.run->passed() ? kExitSuccess : kExitWrongResult;
}

/// Measures a checked problem, if that is asked for. The check has replaced
/// outputs; the contents of inputs are unchanged.
int Session::measure(LoadedPack &loaded, const Problem &problem,
                     ProblemRecord &record) {
  if (!options.benchmark)
    return kExitSuccess;
  Expected<BenchmarkReport> report = runBenchmark(
      *device, *loaded.executor, problem, options.benchmarkOptions);
  if (!report) {
    Error error = report.takeError();
    int code = error.isA<DeviceError>() ? kExitDeviceError : kExitBadInput;
    record.error = llvm::toString(std::move(error));
    return code;
  }
  record.benchmark = std::move(*report);
  return record.benchmark->isWrong ? kExitWrongResult : kExitSuccess;
}

int Session::runOne(const NamedProblem &named, LoadedPack &loaded) {
  ProblemOptions problemOptions = options.getOptions(named);
  ProblemRecord record;
  record.tag = named.tag;
  record.reproduce =
      formatReproduction(options.input, options.given,
                         options.getFurther(problemOptions)) +
      (device->getProperties().isEmulated ? " --device=emulator" : "");
  Expected<Problem> problem = Problem::create(loaded.pack, problemOptions);
  if (!problem)
    return context.fail(problem.takeError(), kExitBadInput);
  if (Error error = checkCost(*problem))
    return context.fail(std::move(error), kExitBadInput);
  if (Error error = checkOutputFiles(options.outputs, problem->buffers))
    return context.fail(std::move(error), kExitBadInput);
  record.sizes = problem->getSizes(0);
  context.watchdog.start(record.reproduce);
  TraceFile trace(context, *device, *loaded.executor, loaded.pack);
  if (Error error = trace.prepare())
    return context.fail(std::move(error), kExitBadInput);
  int code = check(loaded, *problem, record);
  // Wrong results are written, too: the file is to look at them.
  if (code == kExitSuccess || code == kExitWrongResult)
    if (Error error = writeOutputFiles(options.outputs, problem->buffers))
      return context.fail(std::move(error), kExitBadInput);
  if (record.run)
    if (Error error = trace.write(named, record.run->launches)) {
      int ofTrace = context.fail(std::move(error), kExitBadInput);
      return code == kExitSuccess ? ofTrace : code;
    }
  if (code == kExitSuccess)
    code = measure(loaded, *problem, record);
  context.watchdog.stop();
  context.reporter.print(record);
  return code;
}

/// Checks the input as far as possible without a device, so that bad input has
/// the same error on every machine.
int Session::checkInput() {
  const NamedProblem &first = options.problems.front();
  Expected<KernelPack> pack = getPack(first);
  if (!pack)
    return context.fail(pack.takeError(), kExitBadInput);
  Expected<Problem> problem = Problem::create(*pack, options.getOptions(first));
  if (!problem)
    return context.fail(problem.takeError(), kExitBadInput);
  bool readsFiles = llvm::any_of(problem->buffers, [](const auto &buffer) {
    return buffer.isRead && buffer.fill.kind == FillOptions::File;
  });
  if (!readsFiles)
    return kExitSuccess;
  Error error = checkCost(*problem);
  if (!error)
    error = problem->fill();
  return error ? context.fail(std::move(error), kExitBadInput)
               : int(kExitSuccess);
}

/// After a device error everything on the device is lost: it is loaded again.
int Session::reopenDevice() {
  for (auto &[path, loaded] : packs)
    loaded->executor.reset();
  if (int code = device.reopen())
    return code;
  for (auto &[path, loaded] : packs)
    loaded->executor = std::make_unique<Executor>(*device, loaded->pack);
  return kExitSuccess;
}

int Session::runProblems() {
  if (options.problems.empty())
    return context.fail(llvm::createStringError("no problem to run"),
                        kExitBadInput);
  // A pack is read twice; what is compiled waits for the device's chip, unless
  // there is none.
  bool isPack = llvm::sys::fs::is_directory(options.input);
  bool isMissing = !options.input.empty() && options.input != "-" &&
                   !llvm::sys::fs::exists(options.input);
  if (isPack || isMissing)
    if (int code = checkInput())
      return code;
  if (int code = device.open(source.getChip(options.input))) {
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
    if (!isLoaded || source.hasOwnKernels() ||
        (isGenerated &&
         (options.generate.isStatic || named.sizes[unsigned(Dim::Batch)]))) {
      Expected<KernelPack> pack = getPack(named);
      if (!pack)
        return context.fail(pack.takeError(), kExitBadInput);
      loaded.executor.reset();
      loaded.pack = std::move(*pack);
      loaded.executor = std::make_unique<Executor>(*device, loaded.pack);
      isLoaded = true;
    }
    int code = runOne(named, loaded);
    result = std::max(result, code);
    if (getInterruptFlag())
      break;
    if (code == kExitDeviceError) {
      loaded.executor.reset();
      if (reopenDevice() != kExitSuccess)
        return kExitDeviceError;
      loaded.executor = std::make_unique<Executor>(*device, loaded.pack);
    }
  }
  // Modules must be destroyed before their device.
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
      formatReproduction(test.pack, "", test.options) +
      (device->getProperties().isEmulated ? " --device=emulator" : "");
  auto reject = [&](Error error) {
    record.error = llvm::toString(std::move(error));
    context.reporter.print(record);
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
  context.watchdog.start("case " + test.id + ": " + record.reproduce);
  int code = check(**loaded, *problem, record);
  if (code == kExitSuccess)
    code = measure(**loaded, *problem, record);
  context.watchdog.stop();
  context.reporter.print(record);
  return code;
}

int Session::runCases(StringRef path) {
  Expected<std::vector<TestCase>> cases = readCases(path);
  if (!cases)
    return context.fail(cases.takeError(), kExitBadInput);
  if (cases->empty())
    return context.fail(
        llvm::createStringError("no case to run: '" + path + "' has none"),
        kExitBadInput);
  if (int code = device.open(source.getChip(cases->front().pack)))
    return code;
  int result = kExitSuccess;
  size_t numPassed = 0, numWrong = 0, numErrors = 0;
  for (const TestCase &test : *cases) {
    if (getInterruptFlag())
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
  context.err << "tcgemm-run: " << cases->size() << " cases, " << numPassed
              << " passed, " << numWrong << " wrong, " << numErrors
              << " errors\n";
  return result;
}
