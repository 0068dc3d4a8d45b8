//===- Record.cpp - The result of a candidate -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Record.h"
#include "tcgemm/Store/Fingerprint.h"
#include "tcgemm/Version.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral kOutcomes[] = {
    "success", "constraints", "compile",     "compile_timeout", "memory",
    "runtime", "timeout",     "correctness", "crash",           "pruned"};
static_assert(std::size(kOutcomes) == kNumOutcomes);

constexpr StringLiteral kStages[] = {"none", "single", "screened",
                                     "full", "final",  "model"};

template <typename E>
std::optional<E> findName(ArrayRef<StringLiteral> names, StringRef name) {
  const auto *found = find(names, name);
  if (found == names.end())
    return std::nullopt;
  return static_cast<E>(found - names.begin());
}

} // namespace

StringRef getOutcomeName(Outcome outcome) {
  return kOutcomes[static_cast<unsigned>(outcome)];
}

std::optional<Outcome> parseOutcome(StringRef name) {
  return findName<Outcome>(kOutcomes, name);
}

StringRef getTimingStageName(TimingStage stage) {
  return kStages[static_cast<unsigned>(stage)];
}

std::optional<TimingStage> parseTimingStage(StringRef name) {
  return findName<TimingStage>(kStages, name);
}

bool Platform::operator==(const Platform &other) const {
  return chip == other.chip && device == other.device &&
         driver == other.driver && ptxas == other.ptxas &&
         tcgemm == other.tcgemm;
}

double Record::getTflops() const {
  return timing.median > 0 ? problem.getFlops() / timing.median * 1e-6 : 0;
}

std::optional<double> Record::getJoules() const {
  if (!state.power || timing.median <= 0)
    return std::nullopt;
  return *state.power * timing.median * 1e-6;
}

std::optional<double> Record::getTflopsPerWatt() const {
  if (!state.power || *state.power <= 0 || timing.median <= 0)
    return std::nullopt;
  return getTflops() / *state.power;
}

std::string getGeneratorVersion() {
  return TCGEMM_VERSION_STRING "+" TCGEMM_GENERATOR_FINGERPRINT;
}

Timing summarizeSamples(TimingStage stage, std::vector<double> samples) {
  Timing timing;
  timing.stage = stage;
  timing.samples = samples;
  if (samples.empty())
    return timing;
  llvm::sort(samples);
  auto n = static_cast<double>(samples.size());
  size_t middle = samples.size() / 2;
  timing.median = samples.size() % 2
                      ? samples[middle]
                      : (samples[middle - 1] + samples[middle]) / 2;
  size_t low = 0, high = samples.size() - 1;
  if (samples.size() >= 6) {
    // Le Boudec's ranks start at 1, and the upper rank is one larger.
    double reach = 0.98 * std::sqrt(n);
    low = static_cast<size_t>(std::max(0.0, std::floor(n / 2 - reach) - 1));
    high = std::min(high, static_cast<size_t>(std::ceil(n / 2 + reach)));
  }
  timing.low = samples[low];
  timing.high = samples[high];
  return timing;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

json::Object toJSON(const Record &record) {
  json::Object object{
      {"kernel", record.problem.kernel.str()},
      {"sizes", record.problem.sizes.str()},
      {"tag", record.problem.tag},
      {"config", record.config.str()},
      {"chip", record.platform.chip},
      {"device", record.platform.device},
      {"driver", record.platform.driver},
      {"ptxas", record.platform.ptxas},
      {"tcgemm", record.platform.tcgemm},
      {"outcome", getOutcomeName(record.outcome)},
      {"message", record.message},
      {"variant", record.variant},
      {"stage", getTimingStageName(record.timing.stage)},
      {"microseconds", record.timing.median},
      {"low", record.timing.low},
      {"high", record.timing.high},
      {"samples", json::Array(record.timing.samples)},
      {"registers", record.resources.registers},
      {"spill_bytes", record.resources.spillBytes},
      {"shared_memory", record.resources.sharedMemory},
      {"threads", record.resources.threads},
      {"workspace", record.resources.workspace},
      {"binary", record.resources.binary},
      {"compile_ms", record.costs.compile},
      {"verify_ms", record.costs.verify},
      {"measure_ms", record.costs.measure},
      {"timestamp", record.timestamp},
  };
  addJSON(object, record.state);
  return object;
}

namespace {

/// Reads members and stores the first missing or mistyped one.
class MemberReader {
public:
  explicit MemberReader(const json::Object &object) : object(object) {}

  void read(StringRef name, std::string &value) {
    if (std::optional<StringRef> text = object.getString(name))
      value = text->str();
    else
      note(name, "a string");
  }
  void read(StringRef name, int64_t &value) {
    if (std::optional<int64_t> number = object.getInteger(name))
      value = *number;
    else
      note(name, "an integer");
  }
  void read(StringRef name, double &value) {
    if (std::optional<double> number = object.getNumber(name))
      value = *number;
    else
      note(name, "a number");
  }
  void read(StringRef name, std::vector<double> &values) {
    const json::Array *array = object.getArray(name);
    for (size_t i = 0; array && i != array->size(); ++i)
      if (std::optional<double> number = (*array)[i].getAsNumber())
        values.push_back(*number);
      else
        array = nullptr;
    if (!array)
      note(name, "an array of numbers");
  }

  std::string problem; ///< Empty if there is no error.

private:
  void note(StringRef name, StringRef expected) {
    if (problem.empty())
      problem = ("record: '" + name + "' is not " + expected).str();
  }
  const json::Object &object;
};

} // namespace

Error checkSizes(const MatmulSizes &sizes) {
  for (int64_t size : {sizes.m, sizes.n, sizes.k, sizes.batch})
    if (size < 1 || size > kMaxProblemSize)
      return createStringError("record: the sizes are " + sizes.str() +
                               ", but each must be from 1 to 2^31 - 1");
  return Error::success();
}

Error checkNumbers(const Record &record) {
  if (Error error = checkSizes(record.problem.sizes))
    return error;
  return checkResult(record);
}

Error checkResult(const Record &record) {
  constexpr double least = 1e-6, most = 1e15;
  auto check = [](const char *name, double value) -> Error {
    // Written so that a NaN fails.
    if (value == 0 || (value >= least && value <= most))
      return Error::success();
    return createStringError("record: '%s' is %g, but it must be 0 or from "
                             "1e-6 to 1e15",
                             name, value);
  };
  const Timing &timing = record.timing;
  const Costs &costs = record.costs;
  for (auto [name, value] :
       {std::pair("microseconds", timing.median), std::pair("low", timing.low),
        std::pair("high", timing.high), std::pair("compile_ms", costs.compile),
        std::pair("verify_ms", costs.verify),
        std::pair("measure_ms", costs.measure),
        std::pair("power_w", record.state.power.value_or(0))})
    if (Error error = check(name, value))
      return error;
  for (double sample : timing.samples)
    if (Error error = check("samples", sample))
      return error;
  return Error::success();
}

Expected<Record> recordFromJSON(const json::Object &object) {
  Record record;
  MemberReader reader(object);
  std::string kernel, sizes, config, outcome, stage;
  reader.read("kernel", kernel);
  reader.read("sizes", sizes);
  reader.read("tag", record.problem.tag);
  reader.read("config", config);
  reader.read("chip", record.platform.chip);
  reader.read("device", record.platform.device);
  reader.read("driver", record.platform.driver);
  reader.read("ptxas", record.platform.ptxas);
  reader.read("tcgemm", record.platform.tcgemm);
  reader.read("outcome", outcome);
  reader.read("message", record.message);
  reader.read("variant", record.variant);
  reader.read("stage", stage);
  reader.read("microseconds", record.timing.median);
  reader.read("low", record.timing.low);
  reader.read("high", record.timing.high);
  reader.read("samples", record.timing.samples);
  reader.read("registers", record.resources.registers);
  reader.read("spill_bytes", record.resources.spillBytes);
  reader.read("shared_memory", record.resources.sharedMemory);
  reader.read("threads", record.resources.threads);
  reader.read("workspace", record.resources.workspace);
  reader.read("binary", record.resources.binary);
  reader.read("compile_ms", record.costs.compile);
  reader.read("verify_ms", record.costs.verify);
  reader.read("measure_ms", record.costs.measure);
  reader.read("timestamp", record.timestamp);
  if (!reader.problem.empty())
    return createStringError(reader.problem);
  Expected<DeviceState> state = deviceStateFromJSON(object);
  if (!state)
    return state.takeError();
  record.state = *state;
  Expected<KernelSpec> spec = KernelSpec::parse(kernel);
  if (!spec)
    return spec.takeError();
  record.problem.kernel = *spec;
  Expected<MatmulSizes> parsed = MatmulSizes::parse(sizes);
  if (!parsed)
    return parsed.takeError();
  record.problem.sizes = *parsed;
  if (Error error = record.config.apply(config))
    return std::move(error);
  std::optional<Outcome> known = parseOutcome(outcome);
  std::optional<TimingStage> knownStage = parseTimingStage(stage);
  if (!known || !knownStage)
    return createStringError("record: outcome '" + outcome + "' or stage '" +
                             stage + "' is unknown");
  record.outcome = *known;
  record.timing.stage = *knownStage;
  if (Error error = checkNumbers(record))
    return std::move(error);
  return record;
}

} // namespace tcgemm
