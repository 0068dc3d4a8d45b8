//===- Legality.h - The rules of legal configurations -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides whether a configuration is legal for a chip and a problem. No other
// code does. Each rule has a name. Each violation has the value, the rule and
// the limit.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_CONFIG_LEGALITY_H
#define TCGEMM_CONFIG_LEGALITY_H

#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Config/ProblemInfo.h"
#include "tcgemm/Target/Chip.h"
#include "llvm/ADT/SmallVector.h"

namespace tcgemm {

/// One broken rule.
struct Violation {
  /// Name of the rule, e.g. `shared-memory`.
  llvm::StringRef rule;
  /// The value, the requirement and the limit.
  std::string message;
};

/// The detail in which broken rules are reported. Messages take much longer to
/// write than rules take to check.
enum class ViolationDetail { Messages, Rules };

/// Returns whether all counts of `config` are at least 1 and small enough for
/// the functions above and for the models of its time, which divide by them.
/// Code that computes with a configuration from outside asks this first. It is
/// cheaper than `findViolations`, which reports what is wrong.
bool isComputable(const KernelConfig &config);

/// All rules that `config` breaks; none if it is legal.
llvm::SmallVector<Violation> findViolations(const KernelConfig &config,
                                            const ChipInfo &chip,
                                            const ProblemInfo &problem);

/// Returns whether `config` breaks no rule. It writes no messages, so that a
/// search can ask it about each candidate.
bool isLegal(const KernelConfig &config, const ChipInfo &chip,
             const ProblemInfo &problem);

/// Success, or one error with the message and name of every broken rule.
llvm::Error checkConfig(const KernelConfig &config, const ChipInfo &chip,
                        const ProblemInfo &problem);

/// The names of all rules.
llvm::ArrayRef<llvm::StringLiteral> getRuleNames();

} // namespace tcgemm

#endif // TCGEMM_CONFIG_LEGALITY_H
