//===- Protocol.h - Tensile's steps as a strategy ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search with steps from a file: the benchmark protocol of Tensile (Tanner,
// "Tensile: auto-tuning GEMM GPU assembly for all problem sizes", 2018) for
// each group of problem sizes. The file is YAML (docs/guide/spaces.md) and
// names a space, whose legality and restrictions apply.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_PROTOCOL_H
#define TCGEMM_TUNER_PROTOCOL_H

#include "tcgemm/Tuner/Space.h"

#include <map>

namespace tcgemm {

/// Problems that are tuned in the same way.
struct ProtocolGroup {
  std::string name;
  /// Condition over M, N, K and batch. A group without a condition has all
  /// problems.
  std::optional<Expr> condition;
  /// The sizes for steps 1 to 6; if empty, the sizes of each problem.
  std::vector<MatmulSizes> benchmark;
  std::vector<ParameterValue> initial;  ///< Step 1.
  std::vector<SpaceAxis> common;        ///< Step 2: one after another.
  std::vector<SpaceAxis> fork;          ///< Step 3: all combinations.
  std::vector<SpaceAxis> benchmarkFork; ///< Step 4: for each combination.
  std::vector<std::string> join;        ///< Step 5: the best for each value.
  std::vector<SpaceAxis> benchmarkJoin; ///< Step 6: for each remaining one.
  std::vector<MatmulSizes> exact;       ///< Step 7: remaining ones on these
  std::vector<MatmulSizes> ranges;      ///<         sizes and these.
};

class Protocol {
public:
  /// Errors name the place: an unknown parameter or value, a duplicate, a
  /// parameter to join that is not forked, invalid sizes or conditions, no
  /// group.
  static llvm::Expected<Protocol> parse(llvm::StringRef text,
                                        llvm::StringRef fileName);

  const std::string &getName() const { return name; }
  /// The space of the protocol's points: a file, or a shipped space.
  const std::string &getSpaceName() const { return space; }
  llvm::ArrayRef<ProtocolGroup> getGroups() const { return groups; }
  /// The first group whose condition the problem satisfies.
  const ProtocolGroup *findGroup(const MatmulSizes &sizes) const;

private:
  std::string name, space;
  std::vector<ProtocolGroup> groups;
};

/// A protocol from a file, or a shipped protocol by name: `tensile-wgmma`.
llvm::Expected<Protocol> readProtocol(llvm::StringRef name);

/// A protocol with the results of its groups so far, which the strategies of
/// all problems of a run share.
struct ProtocolRun {
  Protocol protocol;
  /// The configurations after step 6, by the name of the group.
  std::map<std::string, std::vector<KernelConfig>> solutions;
};

/// The problems of a run in order: first the benchmark sizes of the groups of
/// `problems`, then `problems` or, if there are none, all exact and range sizes
/// with `kernel`. Errors: a problem belongs to no group.
llvm::Expected<std::vector<TuningProblem>>
orderProblems(const Protocol &protocol, llvm::ArrayRef<TuningProblem> problems,
              const KernelSpec &kernel);

} // namespace tcgemm

#endif // TCGEMM_TUNER_PROTOCOL_H
