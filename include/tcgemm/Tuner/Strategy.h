//===- Strategy.h - Which configurations to try -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Strategies are asked for points and told what became of them. They do not
// know where times come from: a device, a model, or a stored sweep.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_STRATEGY_H
#define TCGEMM_TUNER_STRATEGY_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Space.h"

#include <functional>
#include <memory>

namespace tcgemm {

/// What became of a proposed point.
struct Trial {
  SpacePoint point;
  Outcome outcome = Outcome::Success;
  double microseconds = 0; ///< Of a success.
};

class Strategy {
public:
  virtual ~Strategy();
  virtual llvm::StringRef getName() const = 0;
  /// At most `count` legal points that were not proposed before. Fewer, or
  /// none, if it waits for reports; none while none is awaited ends the search.
  virtual std::vector<SpacePoint> propose(size_t count) = 0;
  /// In any order, once for each proposed point that was tried.
  virtual void report(const Trial &trial) = 0;
};

/// Estimates the microseconds of a configuration of a space. Only the order of
/// its results counts.
using CostModel =
    std::function<double(const SearchSpace &space, const KernelConfig &config)>;

struct ProtocolRun;

struct StrategyOptions {
  uint64_t seed = 1; ///< Decides everything random.
  /// Of the strategies that rank; others draw their first points by it, and do
  /// without if there is none.
  CostModel model;
  /// If there is one, it is followed, and the strategy's name means nothing.
  std::shared_ptr<ProtocolRun> protocol;
};

/// The names that createStrategy takes, with a line about each.
struct StrategyInfo {
  llvm::StringLiteral name, description;
  bool isRandom = true; ///< Whether the seed changes anything.
};
std::vector<StrategyInfo> getStrategies();

/// An error if there is no such strategy.
llvm::Error checkStrategy(llvm::StringRef name);
/// Also if it needs a model that `options` do not have.
llvm::Error checkStrategy(llvm::StringRef name, const StrategyOptions &options);
/// A strategy by name. The error lists the known ones, or says that it needs a
/// model. `space` must outlive it.
llvm::Expected<std::unique_ptr<Strategy>>
createStrategy(llvm::StringRef name, const SearchSpace &space,
               const StrategyOptions &options);

/// When to stop; what is 0 does not limit.
struct Budget {
  double seconds = 0;
  uint64_t candidates = 0;
  double percent = 0; ///< Of the legal configurations.

  /// `30s`, `2m`, `1h`, `200`, `5%`, or several joined by commas: whichever
  /// comes first. An error: not positive, over 100 %, or not one of these.
  static llvm::Expected<Budget> parse(llvm::StringRef text);
  std::string str() const;
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_STRATEGY_H
