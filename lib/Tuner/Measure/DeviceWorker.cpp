//===- DeviceWorker.cpp - The child process that uses the device ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/EngineDevice.h"
#include "Measure/SimulatedDevice.h"
#include "Measure/Workers.h"

using namespace llvm;

namespace tcgemm {
namespace {

class DeviceWorker {
public:
  DeviceWorker(Channel &channel, const EngineOptions &options,
               StringRef binaries, unsigned numBefore)
      : channel(channel), options(options), binaries(binaries),
        numBefore(numBefore) {}

  int run();

private:
  DeviceAnswer answer(const json::Object &message);
  Error open();
  void simulate();

  Channel &channel;
  const EngineOptions &options;
  StringRef binaries;
  unsigned numBefore;
  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceMonitor> monitor;
  std::unique_ptr<DeviceRunner> runner;
};

RunOutcome makeFailure(Error error) {
  RunOutcome result;
  result.outcome = error.isA<DeviceError>() ? Outcome::Runtime : Outcome::Crash;
  result.isDeviceLost = error.isA<DeviceError>();
  result.message = toString(std::move(error));
  return result;
}

} // namespace

DeviceAnswer DeviceWorker::answer(const json::Object &message) {
  DeviceAnswer answer;
  auto fail = [&](Error error, size_t count) {
    RunOutcome failure = makeFailure(std::move(error));
    answer.isDeviceLost = failure.isDeviceLost;
    answer.outcomes.assign(count, failure);
    return answer;
  };
  const json::Array *builds = message.getArray("builds");
  Expected<KernelSpec> kernel =
      KernelSpec::parse(message.getString("kernel").value_or(""));
  Expected<MatmulSizes> sizes =
      MatmulSizes::parse(message.getString("sizes").value_or(""));
  if (!kernel || !sizes || !builds)
    return fail(joinErrors(kernel.takeError(), sizes.takeError()), 1);
  TuningProblem problem{*kernel, *sizes, ""};
  std::vector<KernelPack> packs;
  std::vector<KernelConfig> configs;
  for (const json::Value &value : *builds) {
    Build build;
    readBuild(*value.getAsObject(), build);
    StringRef config = value.getAsObject()->getString("config").value_or("");
    if (Error error = configs.emplace_back().apply(config))
      return fail(std::move(error), builds->size());
    Expected<KernelPack> pack =
        readBinaries(binaries, build.manifest, build.binaries);
    if (!pack) {
      fail(pack.takeError(), builds->size());
      answer.outcomes[packs.size()].isDamagedCode = true;
      return answer;
    }
    packs.push_back(std::move(*pack));
  }
  if (!message.getBoolean("refine").value_or(false)) {
    answer.outcomes.push_back(
        runner->run(problem, packs.front(), configs.front(),
                    message.getNumber("best").value_or(0)));
    answer.isDeviceLost = answer.outcomes.front().isDeviceLost;
    return answer;
  }
  std::vector<const KernelPack *> pointers;
  pointers.reserve(packs.size());
  for (const KernelPack &pack : packs)
    pointers.push_back(&pack);
  Expected<std::vector<FinalTiming>> timings =
      runner->refine(problem, pointers);
  if (!timings)
    return fail(timings.takeError(), packs.size());
  for (FinalTiming &timing : *timings) {
    RunOutcome &outcome = answer.outcomes.emplace_back();
    outcome.timing = std::move(timing.timing);
    outcome.state = timing.state;
  }
  return answer;
}

/// Opens the device and states its properties.
Error DeviceWorker::open() {
  Expected<std::unique_ptr<Device>> opened = openEngineDevice(options);
  if (!opened)
    return opened.takeError();
  device = std::move(*opened);
  const DeviceProperties &properties = device->getProperties();
  std::string chipName =
      options.chip.empty() ? getDeviceChip(properties) : options.chip;
  Expected<const ChipInfo &> chip = lookupChip(chipName);
  if (!chip)
    return chip.takeError();
  channel.send(json::Object{
      {"device", properties.isEmulated ? "emulator" : properties.name},
      {"driver", properties.isEmulated ? "emulator" : properties.driver},
      {"chip", chipName}});
  // Without NVML, records lack the device's state.
  if (!properties.pciBusId.empty()) {
    if (auto found = DeviceMonitor::open(properties.pciBusId))
      monitor = std::move(*found);
    else
      consumeError(found.takeError());
  }
  runner =
      std::make_unique<CandidateRunner>(*device, *chip, options, monitor.get());
  return Error::success();
}

void DeviceWorker::simulate() {
  runner = createSimulatedRunner(options.simulation, numBefore);
  constexpr StringLiteral usual = "sm_90a";
  channel.send(json::Object{
      {"device", kSimulatedDevice},
      {"driver", kSimulatedDevice},
      {"chip", options.chip.empty() ? usual.str() : options.chip}});
}

int DeviceWorker::run() {
  if (options.device == kSimulatedDevice) {
    simulate();
  } else if (Error error = open()) {
    channel.send(json::Object{{"error", toString(std::move(error))}});
    return 1;
  }
  while (std::optional<json::Object> message = channel.receive()) {
    DeviceAnswer result = answer(*message);
    json::Array outcomes;
    for (const RunOutcome &outcome : result.outcomes)
      outcomes.push_back(toJSON(outcome));
    if (!channel.send(json::Object{{"outcomes", std::move(outcomes)},
                                   {"lost", result.isDeviceLost}}))
      return 1;
    if (result.isDeviceLost)
      return 0;
  }
  return 0;
}

int runDeviceWorker(Channel &channel, const EngineOptions &options,
                    StringRef binaries, unsigned numBefore) {
  return DeviceWorker(channel, options, binaries, numBefore).run();
}

} // namespace tcgemm
