//===- Strategy.h - Interface of search strategies --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies propose points and receive their results. They are independent of
// the source of the times: a device, a model or a stored sweep.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_STRATEGY_H
#define TCGEMM_TUNER_STRATEGY_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Space.h"

#include <functional>
#include <memory>

namespace tcgemm {

/// The result of a proposed point.
struct Trial {
  SpacePoint point;
  Outcome outcome = Outcome::Success;
  double microseconds = 0; ///< Time of a success.
};

class Strategy {
public:
  virtual ~Strategy();
  virtual llvm::StringRef getName() const = 0;
  /// At most `count` legal points that were not proposed before. The strategy
  /// may return fewer points, or none, to wait for reports. No points while no
  /// report is outstanding end the search.
  virtual std::vector<SpacePoint> propose(size_t count) = 0;
  /// Reports the result of a point: in any order, once for each tried point.
  virtual void report(const Trial &trial) = 0;
};

/// Estimates the time of a configuration of a space in microseconds. Only the
/// order of the results matters.
using CostModel =
    std::function<double(const SearchSpace &space, const KernelConfig &config)>;

/// Properties of a configuration on which the error of a model depends
/// linearly. All configurations of a space have as many.
using ModelFeatures = std::function<std::vector<double>(
    const SearchSpace &space, const KernelConfig &config)>;

struct ProtocolRun;

struct StrategyOptions {
  uint64_t seed = 1; ///< Seed of all random decisions.
  /// The model by which some strategies rank points. Other strategies use it,
  /// if there is one, to choose their first points.
  CostModel model;
  /// The features of the model, for the strategy that corrects its constants;
  /// without them it corrects the model's times only.
  ModelFeatures features;
  /// If there is a protocol, it replaces the strategy of that name.
  std::shared_ptr<ProtocolRun> protocol;
};

/// A name that createStrategy accepts, with a line about it.
struct StrategyInfo {
  llvm::StringLiteral name, description;
  bool isRandom = true; ///< True if the strategy uses the seed.
};
std::vector<StrategyInfo> getStrategies();

/// Fails if there is no such strategy.
llvm::Error checkStrategy(llvm::StringRef name);
/// Fails also if the strategy needs a model that `options` lack.
llvm::Error checkStrategy(llvm::StringRef name, const StrategyOptions &options);
/// A strategy by name. The error lists the known strategies, or states that the
/// strategy needs a model. `space` must outlive the strategy.
llvm::Expected<std::unique_ptr<Strategy>>
createStrategy(llvm::StringRef name, const SearchSpace &space,
               const StrategyOptions &options);

/// Limits of a search; 0 means no limit.
struct Budget {
  double seconds = 0;
  uint64_t candidates = 0;
  double percent = 0; ///< Percentage of the legal configurations.

  /// Parses `30s`, `2m`, `1h`, `200`, `5%`, or several of these joined by
  /// commas; the first limit that is reached ends the search. Errors: a value
  /// that is not positive, more than 100 %, another format.
  static llvm::Expected<Budget> parse(llvm::StringRef text);
  std::string str() const;
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_STRATEGY_H
