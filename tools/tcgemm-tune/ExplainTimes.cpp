//===- ExplainTimes.cpp - A configuration's time by parts -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainTimes.h"
#include "MachineInputs.h"
#include "Screen.h"
#include "Selection.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Model/TimeBound.h"
#include "tcgemm/Tuner/Pruner.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;

static constexpr double kNanoPerMicro = 1000;

Expected<TimeExplainer> TimeExplainer::create(const Flags &flags) {
  TimeExplainer explainer(flags);
  const std::string &model = flags.search.model;
  if (model.empty()) {
    Expected<llvm::StringMap<ModelConstants>> shipped = readShippedConstants();
    if (!shipped)
      return shipped.takeError();
    explainer.constants = std::move(*shipped);
  } else if (model != "none" && model != "default") {
    if (Error error = refuseMachine(model))
      return std::move(error);
    Expected<ModelConstants> constants = readModelConstants(model);
    if (!constants)
      return constants.takeError();
    explainer.constants.try_emplace(constants->chip, *constants);
  }
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

void TimeExplainer::printPrediction(const Subject &subject) const {
  const auto &[chip, problem, config] = subject;
  auto ofChip = constants.find(chip->name);
  const ScheduleConstants *own = ofChip == constants.end()
                                     ? nullptr
                                     : ofChip->second.find(config.schedule);
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
  llvm::outs() << formatv("  {0,-10} {1,9:f2} us\n", "predicted",
                          total / kNanoPerMicro);
  for (auto [name, time] :
       {std::pair("launch", parts.launch),
        std::pair("prologue", parts.prologue), std::pair("loads", parts.loads),
        std::pair("products", parts.products), std::pair("wait", parts.wait),
        std::pair("epilogue", parts.epilogue),
        std::pair("memory", parts.memory), std::pair("others", parts.others)})
    llvm::outs() << formatv("    {0,-8} {1,9:f2} us {2,5:f1} %\n", name,
                            time / kNanoPerMicro, 100 * time / total);
  llvm::outs() << formatv("    {0,-8} {1,9:f2}, rounds {2:f0}\n", "waves",
                          parts.waves, parts.rounds);
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
    printPrediction(subject);
    printBound(subject);
    if (Error error = printMeasured(subject))
      return error;
  }
  return Error::success();
}
