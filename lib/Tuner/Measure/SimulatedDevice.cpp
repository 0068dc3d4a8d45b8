//===- SimulatedDevice.cpp - Simulated candidates -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/SimulatedDevice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tcgemm {
namespace {

/// A number of the options, with its name and its largest value.
struct OptionInfo {
  StringLiteral name;
  double SimulationOptions::*value;
  double most;
};

const OptionInfo kOptions[] = {
    {"seed", &SimulationOptions::seed, 1e9},
    {"ms", &SimulationOptions::milliseconds, 1e6},
    {"refused", &SimulationOptions::refused, 1},
    {"compiler-hang", &SimulationOptions::compilerHangs, 1},
    {"compiler-crash", &SimulationOptions::compilerCrashes, 1},
    {"hang", &SimulationOptions::hangs, 1},
    {"crash", &SimulationOptions::crashes, 1},
    {"fault", &SimulationOptions::faults, 1},
    {"wrong", &SimulationOptions::wrong, 1},
    {"memory", &SimulationOptions::lacksMemory, 1},
    {"start-crashes", &SimulationOptions::startCrashes, 1000},
};

/// A number from 0 to 1, excluding 1, that depends on the texts only.
double draw(const SimulationOptions &options, StringRef what, StringRef problem,
            StringRef config) {
  std::string text = std::to_string(options.seed);
  for (StringRef part : {what, problem, config}) {
    text += '\n';
    text += part;
  }
  return static_cast<double>(xxh3_64bits(text) >> 11) * 0x1p-53;
}

/// Does not return. The parent's deadline ends it.
[[noreturn]] void hang() {
  while (true)
    ::pause();
}

/// Ends the process as the kernel does it when memory is short.
[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  hang();
}

/// The outcomes of candidates by their shares.
class SimulatedRunner : public DeviceRunner {
public:
  explicit SimulatedRunner(const SimulationOptions &options)
      : options(options) {}

  RunOutcome run(const TuningProblem &problem, const KernelPack &pack,
                 const KernelConfig &config, double best) override;
  Expected<std::vector<FinalTiming>>
  refine(const TuningProblem &problem,
         ArrayRef<const KernelPack *> packs) override;

private:
  void work(size_t candidates) const {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(
        options.milliseconds * static_cast<double>(candidates)));
  }
  Timing makeTiming(TimingStage stage, StringRef problem,
                    StringRef config) const;

  SimulationOptions options;
};

} // namespace

/// 10 to 100 us; samples differ by half a per cent.
Timing SimulatedRunner::makeTiming(TimingStage stage, StringRef problem,
                                   StringRef config) const {
  double time = 10 + 90 * draw(options, "time", problem, config);
  return summarizeSamples(stage, {time, time * 1.005, time * 0.995});
}

RunOutcome SimulatedRunner::run(const TuningProblem &problem,
                                const KernelPack &pack,
                                const KernelConfig &config, double best) {
  work(1);
  RunOutcome result;
  result.variant = "simulated";
  result.measureMilliseconds = options.milliseconds;
  std::string problemText = problem.str(), configText = config.str();
  double value = draw(options, "device", problemText, configText);
  auto takes = [&](double share) { return (value -= share) < 0; };
  if (takes(options.hangs))
    hang();
  if (takes(options.crashes))
    die();
  if (takes(options.faults)) {
    result.outcome = Outcome::Runtime;
    result.message = "a simulated fault of the device";
    result.isDeviceLost = true;
  } else if (takes(options.wrong)) {
    result.outcome = Outcome::Correctness;
    result.message = "a simulated wrong result";
  } else if (takes(options.lacksMemory)) {
    result.outcome = Outcome::Memory;
    result.message = "a simulated lack of memory";
  } else {
    result.timing = makeTiming(TimingStage::Full, problemText, configText);
  }
  return result;
}

Expected<std::vector<FinalTiming>>
SimulatedRunner::refine(const TuningProblem &problem,
                        ArrayRef<const KernelPack *> packs) {
  work(packs.size());
  std::vector<FinalTiming> timings;
  for (const KernelPack *pack : packs)
    timings.push_back({makeTiming(TimingStage::Final, problem.str(),
                                  pack->images.front().ptx),
                       {}});
  return std::move(timings);
}

std::unique_ptr<DeviceRunner>
createSimulatedRunner(const SimulationOptions &options, unsigned numBefore) {
  if (numBefore < options.startCrashes)
    die();
  return std::make_unique<SimulatedRunner>(options);
}

Expected<KernelPack> compileSimulated(const CompileJob &job, StringRef chip,
                                      const SimulationOptions &options) {
  KernelPack pack;
  ModuleInfo &module = pack.manifest.modules.emplace_back();
  module.name = kSimulatedDevice.str();
  module.chip = chip.str();
  module.ptx = module.name + ".ptx";
  pack.images.emplace_back().ptx = job.config.str();
  // One compilation serves all sizes.
  double value = draw(options, "compiler", job.problem.kernel.str(),
                      pack.images.front().ptx);
  auto takes = [&](double share) { return (value -= share) < 0; };
  if (takes(options.refused))
    return createStringError("a simulated error of the compiler");
  if (takes(options.compilerHangs))
    hang();
  if (takes(options.compilerCrashes))
    die();
  return std::move(pack);
}

Expected<SimulationOptions> SimulationOptions::parse(StringRef text) {
  SimulationOptions options;
  SmallVector<StringRef> parts;
  text.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    const OptionInfo *info =
        find_if(kOptions, [name = name](const OptionInfo &each) {
          return each.name == name;
        });
    if (info == std::end(kOptions)) {
      std::string names;
      for (const OptionInfo &each : kOptions)
        names += (names.empty() ? "" : ", ") + each.name.str();
      return createStringError("simulation: '" + name + "' is none of " +
                               names);
    }
    double value = 0;
    if (number.getAsDouble(value) || !(value >= 0 && value <= info->most))
      return createStringError("simulation: " + name + " is '" + number +
                               "', but it must be a number from 0 to " +
                               Twine(static_cast<uint64_t>(info->most)));
    options.*info->value = value;
  }
  return options;
}

} // namespace tcgemm
