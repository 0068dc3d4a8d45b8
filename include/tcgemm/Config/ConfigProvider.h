//===- ConfigProvider.h - Sources of configurations -------------*- C++ -*-===//
//-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The configure pass asks providers in order: records of tuned kernels, a
// model, the defaults. They do not depend on MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_CONFIGPROVIDER_H
#define TCGEMM_CONFIG_CONFIGPROVIDER_H

#include "tcgemm/Config/Legality.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tcgemm {

/// One question: which configuration for this kernel on this chip?
struct ConfigRequest {
  const ChipInfo &chip;
  /// The kernel, with hinted sizes where it has none; -1 if nothing is known.
  ProblemInfo problem;
  /// The kernel's name, and parameters that the user fixes (`key=value` text):
  /// they will be applied to the answer.
  std::string kernel, overrides;
};

class ConfigProvider {
public:
  virtual ~ConfigProvider();
  /// Called before the first question; a failure is one of the compilation.
  virtual llvm::Error prepare() { return llvm::Error::success(); }
  /// The name that remarks show. After an answer it also names the source of
  /// the answer.
  virtual llvm::StringRef getName() const = 0;
  /// Returns the notes for users since the last call, for instance about
  /// records that cannot be used.
  virtual std::vector<std::string> takeNotes() { return {}; }
  /// A legal configuration, or none, so that the next provider is asked.
  virtual std::optional<KernelConfig> lookup(const ConfigRequest &request) = 0;
};

using ConfigProviders = std::vector<std::shared_ptr<ConfigProvider>>;

/// Creates the providers for the option `records` of passes and tools: records
/// and a model. `records` is a file that is read before the shipped records,
/// empty for the shipped records only, or `none`.
using ConfigProviderFactory =
    std::function<ConfigProviders(llvm::StringRef records)>;

/// Sets the factory. The pipelines do not depend on the database of records, so
/// a program that links both sets the factory before a pass runs;
/// registerDialects of InitAll.h does so. Without a factory, tcgemm-configure
/// reports an error for a path. For the empty path it emits a remark and uses
/// no records.
void setConfigProviderFactory(ConfigProviderFactory factory);
/// The factory that was set, or an empty one.
const ConfigProviderFactory &getConfigProviderFactory();

/// The last resort: asks each schedule for a configuration without tuning, in
/// the order of preference (see ScheduleFamily::proposeDefault).
class DefaultConfigProvider : public ConfigProvider {
public:
  llvm::StringRef getName() const override { return "default model"; }
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override;
};

/// The estimate of the default model in microseconds for `problem`, whose sizes
/// must be known.
double estimateTime(const KernelConfig &config, const ChipInfo &chip,
                    const ProblemInfo &problem);

} // namespace tcgemm

#endif // TCGEMM_CONFIG_CONFIGPROVIDER_H
