//===- CommandValidate.cpp - tcgemm-tune validate -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineInputs.h"
#include "ValidateFlags.h"
#include "tcgemm/Tuner/Validation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

namespace {
/// The inputs of a validation.
struct ValidationInputs {
  ValidationOptions options;
  Machine machine;
  std::vector<ValidationResult> results; ///< Of the log.
  std::vector<ValidationCase> left;      ///< That this run measures.
};
} // namespace

/// The results of the log; none if there is no file.
static Expected<std::vector<ValidationResult>> readLog(llvm::StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return std::vector<ValidationResult>();
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  // A run that ended early may have written nothing.
  if ((*buffer)->getBuffer().empty())
    return std::vector<ValidationResult>();
  return parseResults((*buffer)->getBuffer(), path);
}

static Expected<ValidationInputs> readInputs(const ValidateFlags &flags) {
  ValidationInputs inputs;
  Expected<EngineOptions> engine = readEngineOptions(flags.shared);
  if (!engine)
    return engine.takeError();
  inputs.options.engine = std::move(*engine);
  if (Error error = refuseSimulated(inputs.options.engine, "compare with"))
    return std::move(error);
  constexpr int64_t mostSeconds = 36000;
  Expected<double> budget = readSeconds("--budget", flags.budget, mostSeconds);
  if (!budget)
    return budget.takeError();
  inputs.options.budget = *budget;
  Expected<Machine> machine = readMachine(flags.machine);
  if (!machine)
    return machine.takeError();
  inputs.machine = std::move(*machine);
  Expected<std::vector<ValidationResult>> results = readLog(flags.log);
  if (!results)
    return results.takeError();
  inputs.results = std::move(*results);
  for (const ValidationCase &each : getValidationCases())
    if (inputs.left.size() < flags.most &&
        llvm::none_of(inputs.results, [&](const ValidationResult &result) {
          return result.measured == each;
        }))
      inputs.left.push_back(each);
  return std::move(inputs);
}

static Error makeWriteError(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError("cannot write '" + path +
                                 "': " + code.message());
}

/// Measures the cases that are left and appends them to the log.
static int measure(llvm::StringRef path, CalibrationDevice &opened,
                   const ValidationInputs &inputs) {
  namespace fs = llvm::sys::fs;
  std::error_code code;
  llvm::raw_fd_ostream log(path, code, fs::CD_OpenAlways, fs::FA_Write,
                           fs::OF_Append);
  if (code)
    return fail(makeWriteError(path, code), kExitBadInput);
  auto flush = [&]() -> Error {
    log.flush();
    if (!log.has_error())
      return Error::success();
    std::error_code failure = log.error();
    log.clear_error();
    return makeWriteError(path, failure);
  };
  uint64_t bytes = 0;
  code = fs::file_size(path, bytes);
  if (code)
    return fail(makeWriteError(path, code), kExitBadInput);
  if (bytes == 0) {
    writeResultHeader(log);
    if (Error error = flush())
      return fail(std::move(error), kExitBadInput);
  }
  auto keep = [&](const ValidationResult &result) -> Error {
    writeResult(result, log);
    return flush();
  };
  Expected<size_t> done =
      measureCases(opened, inputs.left, inputs.machine, inputs.options, keep,
                   [](const llvm::Twine &text) { printMessage("note", text); });
  if (!done)
    return fail(done.takeError(), kExitRunFailed);
  if (*done < inputs.left.size())
    printMessage("note", formatv("{0} cases are left; the same command "
                                 "measures them",
                                 inputs.left.size() - *done));
  return kExitSuccess;
}

/// Measures on the device of the log's results.
static int measure(llvm::StringRef path, const ValidationInputs &inputs) {
  Expected<CalibrationDevice> opened =
      openCalibrationDevice(inputs.options.engine);
  if (!opened)
    return fail(opened.takeError(), kExitNoDevice);
  const DeviceProperties &properties = opened->device->getProperties();
  for (const ValidationResult &result : inputs.results)
    if (result.device != properties.name)
      return fail(llvm::createStringError(
                      "'" + path + "' has times of " + result.device +
                      ", but the device is " + properties.name),
                  kExitBadInput);
  if (properties.isEmulated)
    printMessage("note", "the device is emulated; the times are those of " +
                             inputs.machine.name + ", not measured");
  return measure(path, *opened, inputs);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::string formatErrors(const PredictionErrors &errors) {
  constexpr double percent = 100;
  std::string choice = "-";
  if (errors.choice)
    choice = formatv("{0:f3}", *errors.choice);
  return formatv("{0,7:f3} {1,6:f1} % {2,6:f1} % {3,7}", errors.mean,
                 percent * errors.error, percent * errors.most, choice);
}

static void printRow(llvm::StringRef name, const ValidationSummary &summary) {
  llvm::outs() << formatv("{0,-12} {1,5} {2}  {3}\n", name, summary.numCases,
                          formatErrors(summary.kernel),
                          formatErrors(summary.recurrences));
}

namespace {
/// Results with their predictions.
struct ComparedResults {
  std::vector<ValidationResult> results;
  std::vector<ValidationPrediction> predictions;
};
} // namespace

/// Prints the errors of both layers, by tiles and of all cases.
static void printTable(const Machine &machine,
                       const ComparedResults &compared) {
  size_t numCases = getValidationCases().size();
  llvm::outs() << formatv("{0} of {1} cases of {2}, by the speeds of {3}\n",
                          compared.results.size(), numCases,
                          compared.results.front().device, machine.name);
  llvm::outs() << formatv("{0,-12} {0,5} {1,-33}  {2}\n", "",
                          "simulator of kernels", "recurrences of the paper");
  std::string columns =
      formatv("{0,7} {1,8} {2,8} {3,7}", "mean", "error", "90 %", "choice");
  llvm::outs() << formatv("{0,-12} {1,5} {2}  {2}\n", "tile", "cases", columns);
  std::map<std::array<int64_t, 3>, ComparedResults> tiles;
  for (auto [result, prediction] :
       llvm::zip_equal(compared.results, compared.predictions)) {
    ComparedResults &own = tiles[result.measured.tile];
    own.results.push_back(result);
    own.predictions.push_back(prediction);
  }
  for (auto &[tile, own] : tiles)
    printRow(formatv("{0}x{1}x{2}", tile[0], tile[1], tile[2]).str(),
             summarize(own.results, own.predictions));
  ValidationSummary all = summarize(compared.results, compared.predictions);
  printRow("all", all);
  llvm::outs() << formatv("largest errors: {0:f1} %, {1:f1} %\n",
                          100 * all.kernel.worst, 100 * all.recurrences.worst);
  llvm::outs() << formatv("sizes with times of all tiles: {0}\n", all.numSizes);
}

/// Lists the cases with the largest errors of the simulator of kernels.
static void printWorst(const ComparedResults &compared, size_t most) {
  auto getRatio = [&](size_t i) {
    return compared.predictions[i].kernel / compared.results[i].microseconds;
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(compared.results.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::abs(getRatio(a) - 1) > std::abs(getRatio(b) - 1);
  });
  order.resize(std::min(order.size(), most));
  for (size_t i : order) {
    const auto &[sizes, tile] = compared.results[i].measured;
    llvm::outs() << formatv("{0}x{1}x{2}, tile {3}x{4}x{5}: {6:f2} us, "
                            "simulated {7:f2} us ({8:f3})\n",
                            sizes.m, sizes.n, sizes.k, tile[0], tile[1],
                            tile[2], compared.results[i].microseconds,
                            compared.predictions[i].kernel, getRatio(i));
  }
}

static int printTable(const Machine &machine,
                      std::vector<ValidationResult> results, size_t worst) {
  const ChipInfo &chip = llvm::cantFail(lookupChip(machine.chip));
  ComparedResults compared;
  compared.results = std::move(results);
  for (const ValidationResult &result : compared.results) {
    Expected<ValidationPrediction> prediction =
        predictCase(machine, chip, result.measured);
    if (!prediction)
      return fail(prediction.takeError(), kExitBadInput);
    compared.predictions.push_back(*prediction);
  }
  printTable(machine, compared);
  printWorst(compared, worst);
  return kExitSuccess;
}

int tcgemm::runValidate(const ValidateFlags &flags) {
  Expected<ValidationInputs> inputs = readInputs(flags);
  if (!inputs)
    return fail(inputs.takeError(), kExitBadInput);
  if (!inputs->left.empty())
    if (int code = measure(flags.log, *inputs))
      return code;
  Expected<std::vector<ValidationResult>> results = readLog(flags.log);
  if (!results)
    return fail(results.takeError(), kExitBadInput);
  if (results->empty())
    return fail(
        llvm::createStringError("'" + flags.log + "' has no times to compare"),
        kExitNoConfig);
  return printTable(inputs->machine, std::move(*results), flags.worst);
}
