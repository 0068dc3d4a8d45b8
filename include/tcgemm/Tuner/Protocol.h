//===- Protocol.h - Tensile's steps as a strategy ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search that is written down: the benchmark protocol of Tensile (Tanner,
// "Tensile: auto-tuning GEMM GPU assembly for all problem sizes", 2018), step
// by step, for each group of problem sizes. A file of it is YAML
// (docs/guide/spaces.md) and names a space, whose legality and restrictions
// hold.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_PROTOCOL_H
#define TCGEMM_TUNER_PROTOCOL_H

#include "tcgemm/Tuner/Space.h"

#include <map>

namespace tcgemm {

/// Sizes along each dimension, each as parseSizeRange reads it.
struct SizeRange {
  std::string m, n, k, batch = "1";
};

/// Problems that are tuned in the same way.
struct ProtocolGroup {
  std::string name;
  /// Over M, N, K and batch; without one, all problems are of the group.
  std::optional<Expr> condition;
  /// What steps 1 to 6 are measured on; if empty, each problem itself.
  std::vector<MatmulSizes> benchmark;
  std::vector<ParameterValue> initial;  ///< Step 1.
  std::vector<SpaceAxis> common;        ///< 2: one after another.
  std::vector<SpaceAxis> fork;          ///< 3: all combinations.
  std::vector<SpaceAxis> benchmarkFork; ///< 4: for each of them.
  std::vector<std::string> join;        ///< 5: the best for each of these.
  std::vector<SpaceAxis> benchmarkJoin; ///< 6: for each that is left.
  std::vector<MatmulSizes> exact;       ///< 7: what is left, on all of these
  std::vector<MatmulSizes> ranges;      ///<    and these.
};

class Protocol {
public:
  /// Errors name the place: an unknown parameter or value, one that is declared
  /// twice, a parameter to join that is not forked, sizes or a condition that
  /// do not parse, no group.
  static llvm::Expected<Protocol> parse(llvm::StringRef text,
                                        llvm::StringRef fileName);

  const std::string &getName() const { return name; }
  /// The space whose points it goes through: a file, or a shipped one.
  const std::string &getSpaceName() const { return space; }
  llvm::ArrayRef<ProtocolGroup> getGroups() const { return groups; }
  /// The first group that takes the problem.
  const ProtocolGroup *findGroup(const MatmulSizes &sizes) const;

private:
  std::string name, space;
  std::vector<ProtocolGroup> groups;
};

/// A protocol from a file, or a shipped one by name: `tensile-wgmma`.
llvm::Expected<Protocol> readProtocol(llvm::StringRef name);

/// A protocol with what its groups came to so far, which the strategies of a
/// run's problems share.
struct ProtocolRun {
  Protocol protocol;
  /// By the groups' names, the configurations left after step 6.
  std::map<std::string, std::vector<KernelConfig>> solutions;
};

/// The problems of a run in order: the sizes that the groups of `problems` are
/// measured on first, then `problems`, or, if there are none, all exact and
/// range sizes with `kernel`. An error: a problem of no group.
llvm::Expected<std::vector<TuningProblem>>
orderProblems(const Protocol &protocol, llvm::ArrayRef<TuningProblem> problems,
              const KernelSpec &kernel);

} // namespace tcgemm

#endif // TCGEMM_TUNER_PROTOCOL_H
