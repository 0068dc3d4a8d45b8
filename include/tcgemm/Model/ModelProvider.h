//===- ModelProvider.h - Configurations from models -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a configuration without records: of the schedules' candidates, the
// one with the least time under the analytic model, or under the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_MODEL_MODELPROVIDER_H
#define TCGEMM_MODEL_MODELPROVIDER_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Model/Machine.h"
#include "llvm/ADT/StringMap.h"
#include <utility>

namespace tcgemm {

/// A legal configuration and its time under a model.
struct ModelChoice {
  KernelConfig config;
  double microseconds = 0;
};

/// The legal candidate of least estimated time. None if the model does not
/// describe products of the problem's kind, if a schedule has a measured
/// default for it, or if the request's overrides leave no candidate. `sized` is
/// the request's problem; all of its sizes are known.
std::optional<ModelChoice> chooseByModel(const ModelConstants &constants,
                                         const ConfigRequest &request,
                                         const ProblemInfo &sized);

/// The same by the simulator with the speeds of a machine, for products that
/// the constants do not describe: those of 8 bits and of tf32.
std::optional<ModelChoice> chooseBySimulator(const Machine &machine,
                                             const ConfigRequest &request,
                                             const ProblemInfo &sized);

class ModelProvider : public ConfigProvider {
public:
  static constexpr llvm::StringLiteral kName = "fitted model";

  /// Reads the constants of the chips, by name.
  using ConstantsReader =
      std::function<llvm::Expected<llvm::StringMap<ModelConstants>>()>;
  explicit ModelProvider(ConstantsReader read) : read(std::move(read)) {}

  llvm::Error prepare() override;
  llvm::StringRef getName() const override { return kName; }
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override;

private:
  ConstantsReader read;
  llvm::StringMap<ModelConstants> constants;
};

class SimulatorProvider : public ConfigProvider {
public:
  static constexpr llvm::StringLiteral kName = "simulator";

  /// Reads a machine of each chip, by the chip's name.
  using MachinesReader =
      std::function<llvm::Expected<llvm::StringMap<Machine>>()>;
  explicit SimulatorProvider(MachinesReader read) : read(std::move(read)) {}

  llvm::Error prepare() override;
  llvm::StringRef getName() const override { return kName; }
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override;

private:
  MachinesReader read;
  llvm::StringMap<Machine> machines;
};

} // namespace tcgemm

#endif // TCGEMM_MODEL_MODELPROVIDER_H
