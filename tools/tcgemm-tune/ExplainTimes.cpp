//===- ExplainTimes.cpp - A configuration's time by parts -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainTimes.h"
#include "Screen.h"
#include "Selection.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Model/ChoiceModel.h"
#include "tcgemm/Model/KernelModel.h"
#include "tcgemm/Model/TimeBound.h"
#include "tcgemm/Tuner/Pruner.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

static constexpr double kNanoPerMicro = 1000, kPicoPerNano = 1000;

/// The speeds that `model`, the value of --model, names.
static Expected<ShippedSpeeds> readSpeeds(const std::string &model) {
  ShippedSpeeds speeds;
  if (model.empty())
    return readShippedSpeeds();
  if (model == "none" || model == "default")
    return std::move(speeds);
  if (StringRef(model).ends_with(kMachineExtension)) {
    Expected<Machine> machine = readMachine(model);
    if (!machine)
      return machine.takeError();
    speeds.machines.try_emplace(machine->chip, std::move(*machine));
    return std::move(speeds);
  }
  Expected<ModelConstants> constants = readModelConstants(model);
  if (!constants)
    return constants.takeError();
  speeds.constants.try_emplace(constants->chip, std::move(*constants));
  return std::move(speeds);
}

Expected<TimeExplainer> TimeExplainer::create(const Flags &flags) {
  TimeExplainer explainer(flags);
  Expected<ShippedSpeeds> speeds = readSpeeds(flags.search.model);
  if (!speeds)
    return speeds.takeError();
  explainer.speeds = std::move(*speeds);
  Expected<llvm::StringMap<SpeedLimits>> limits = readShippedLimits();
  if (!limits)
    return limits.takeError();
  explainer.limits = std::move(*limits);
  return std::move(explainer);
}

void TimeExplainer::add(const ChipInfo &chip, const TuningProblem &problem,
                        const KernelConfig &config) {
  if (Error error = checkConfig(config, chip, problem.getInfo())) {
    llvm::consumeError(std::move(error));
    return;
  }
  if (llvm::none_of(subjects, [&](const Subject &other) {
        return other.problem.str() == problem.str() && other.config == config;
      }))
    subjects.push_back({&chip, problem, config});
}

static void printTotal(StringRef name, double nanoseconds,
                       const llvm::Twine &source = "") {
  llvm::outs() << formatv("  {0,-10} {1,9:f2} us{2}\n", name,
                          nanoseconds / kNanoPerMicro, source.str());
}

static void printPart(StringRef name, double nanoseconds, double total) {
  llvm::outs() << formatv("    {0,-8} {1,9:f2} us {2,5:f1} %\n", name,
                          nanoseconds / kNanoPerMicro,
                          100 * nanoseconds / total);
}

void TimeExplainer::printPrediction(const Subject &subject) const {
  const auto &[chip, problem, config] = subject;
  const ModelConstants *ofChip = speeds.find(chip->name).constants;
  const ScheduleConstants *own =
      ofChip ? ofChip->find(config.schedule) : nullptr;
  if (!own) {
    llvm::outs() << "  no predicted time: the model has no constants for "
                    "schedule "
                 << getScheduleName(config.schedule) << " on " << chip->name
                 << '\n';
    return;
  }
  TimeParts parts =
      estimateParts(describeWork(config, *chip, problem.getInfo()), *own);
  double total = parts.getTotal();
  printTotal("predicted", total);
  for (auto [name, time] :
       {std::pair("launch", parts.launch),
        std::pair("prologue", parts.prologue), std::pair("loads", parts.loads),
        std::pair("products", parts.products), std::pair("wait", parts.wait),
        std::pair("epilogue", parts.epilogue),
        std::pair("memory", parts.memory), std::pair("others", parts.others)})
    printPart(name, time, total);
  llvm::outs() << formatv("    {0,-8} {1,9:f2}, rounds {2:f0}\n", "waves",
                          parts.waves, parts.rounds);
}

/// Only a user who named the machine is told why there is no time.
void TimeExplainer::printSimulation(const Subject &subject) const {
  const auto &[chip, problem, config] = subject;
  const Machine *machine = speeds.find(chip->name).machine;
  bool isNamed = !speeds.machines.empty() && !flags.search.model.empty();
  if (!machine) {
    if (isNamed)
      llvm::outs() << "  no simulated time: the machine is of "
                   << speeds.machines.begin()->first() << '\n';
    return;
  }
  Expected<KernelPrediction> found =
      predictKernel(*machine, *chip, config, problem.getInfo());
  if (!found) {
    std::string reason = llvm::toString(found.takeError());
    if (isNamed)
      llvm::outs() << "  no simulated time: " << reason << '\n';
    return;
  }
  auto toNano = [](Picoseconds time) { return double(time) / kPicoPerNano; };
  double total = toNano(found->getTotal());
  printTotal("simulated", total, ", with the speeds of " + machine->name);
  Picoseconds load = found->first.stages.front().math;
  printPart("launch", toNano(found->launch), total);
  printPart("load", toNano(load), total);
  printPart("tiles", toNano(found->waves - load), total);
  printPart("others", toNano(found->packing + found->reduction), total);
  llvm::outs() << formatv("    tensor cores busy for {0:f1} % of load and "
                          "tiles, clock {1:f2} GHz\n",
                          100 * found->tensorShare, found->clock);
}

void TimeExplainer::printChoosingModel(const Subject &subject) const {
  if (!flags.search.model.empty())
    return;
  ChoiceModel model(*subject.chip, speeds.find(subject.chip->name),
                    subject.problem.getInfo());
  llvm::outs() << "  without a record, the " << model.getName() << " chooses\n";
}

void TimeExplainer::printBound(const Subject &subject) const {
  auto found = limits.find(subject.chip->name);
  if (found == limits.end())
    return;
  TimeBound bound = computeTimeBound(found->second, subject.config,
                                     *subject.chip, subject.problem.getInfo());
  llvm::outs() << formatv("  {0,-10} {1,9:f2} us, by the limits of {2}\n",
                          "at least", bound.getTotal() / kNanoPerMicro,
                          found->second.name);
}

/// The best record of the configuration.
Error TimeExplainer::printMeasured(const Subject &subject) const {
  Expected<std::vector<Record>> records =
      selectRecords(flags, {subject.problem});
  if (!records)
    return records.takeError();
  llvm::erase_if(*records, [&](const Record &record) {
    return !(record.config == subject.config);
  });
  if (const Record *best = findBest(*records))
    llvm::outs() << formatv("  {0,-10} {1,9:f2} us on {2}, {3}\n", "measured",
                            best->timing.median, best->platform.device,
                            getTimingStageName(best->timing.stage));
  else
    llvm::outs() << "  not measured: no record has it\n";
  return Error::success();
}

Error TimeExplainer::print() const {
  for (const Subject &subject : subjects) {
    llvm::outs() << subject.problem.str() << ", " << subject.chip->name << ", "
                 << formatConfig(subject.config) << ":\n";
    if (std::string groups = formatGroups(subject.problem); !groups.empty())
      llvm::outs() << "  " << groups << '\n';
    // A machine file has no constants.
    if (speeds.machines.empty() || !speeds.constants.empty())
      printPrediction(subject);
    printSimulation(subject);
    printChoosingModel(subject);
    printBound(subject);
    if (Error error = printMeasured(subject))
      return error;
  }
  return Error::success();
}
