//===- KernelChoice.cpp - Kernels that are exported -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelChoice.h"

#include "Selection.h"
#include "tcgemm/Config/ManifestConfig.h"
#include "tcgemm/Pipelines/Compile.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

std::string tcgemm::getChip(const Flags &flags) {
  return flags.device.chip.empty() ? "sm_90a" : flags.device.chip.getValue();
}

KernelChoice tcgemm::makeComplete(const Record &record) {
  KernelChoice choice;
  choice.record = record;
  choice.problem = record.problem.str();
  choice.configText = record.config.str();
  return choice;
}

Expected<KernelChoice> tcgemm::predictKernel(const TuningProblem &problem,
                                             StringRef chip) {
  Expected<Prediction> prediction = predictRecord(problem, chip);
  if (!prediction)
    return prediction.takeError();
  llvm::errs() << "tcgemm-tune: note: there is no record of " << problem.str()
               << " on " << chip << "; its config is by the "
               << prediction->source << '\n';
  return makeComplete(prediction->record);
}

/// Reads the configuration that the compiler has completed.
static Error readCompiledConfig(const KernelPack &pack, KernelConfig &config) {
  if (pack.manifest.kernels.empty())
    return Error::success();
  for (const Variant &variant : pack.manifest.kernels.front().variants)
    if (auto parameters = getManifestParameters(variant.config))
      return config.apply(*parameters);
  return Error::success();
}

static Expected<KernelPack> compile(const ExchangeFlags &flags,
                                    KernelChoice &choice) {
  Record &record = choice.record;
  std::string source =
      choice.module.empty() ? record.problem.getSource() : choice.module;
  CompileOptions options;
  options.chip = record.platform.chip;
  options.configText = choice.configText;
  if (!record.problem.kernel.isStatic)
    options.sizeHint = record.problem.sizes.str();
  options.records = choice.records;
  options.approximateMath = record.problem.kernel.isApproximate;
  options.ptxasPath = flags.shared.device.ptxas;
  options.allowSpills = flags.shared.device.allowSpills || choice.allowsSpills;
  options.remarks = false;
  options.format = flags.embedPTX ? OutputFormat::PTX : OutputFormat::Cubin;
  Expected<KernelPack> pack = compileToPack(source, options);
  if (pack && !choice.isComplete)
    if (Error error = readCompiledConfig(*pack, record.config))
      return std::move(error);
  return pack;
}

Expected<KernelPack> tcgemm::getPack(const ExchangeFlags &flags,
                                     KernelChoice &choice) {
  const Flags &shared = flags.shared;
  if (!choice.isComplete || !choice.module.empty())
    return compile(flags, choice);
  Expected<std::unique_ptr<Store>> store =
      Store::open(shared.output.database, Store::Mode::ReadOnly);
  if (!store) {
    llvm::consumeError(store.takeError()); // Records may be lines of JSON.
    return compile(flags, choice);
  }
  const Record &record = choice.record;
  Expected<std::optional<Build>> build =
      (*store)->getBuild(getBuildKey(record.problem, record.config,
                                     record.platform.chip, flags.embedPTX),
                         "");
  if (!build)
    return build.takeError();
  if (std::optional<Build> &known = *build;
      known && known->outcome == Outcome::Success)
    return (*store)->loadPack(*known);
  return compile(flags, choice);
}
