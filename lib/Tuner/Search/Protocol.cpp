//===- Protocol.cpp - Declarations of Tensile's steps ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Protocol.h"
#include "Space/SpaceDocument.h"
#include "Space/SpaceSymbols.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Target/YAMLDocument.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// Sizes along each dimension, each as parseSizeRange reads it.
struct RangesDocument {
  std::string m, n, k, batch = "1";
};
struct FinalDocument {
  std::vector<std::string> exact;
  std::vector<RangesDocument> ranges;
};
struct GroupDocument {
  std::string name, when;
  std::vector<std::string> benchmark;
  std::vector<ParameterValue> initial;
  std::vector<SpaceAxis> common, fork, benchmarkFork, benchmarkJoin;
  std::vector<std::string> join;
  FinalDocument final;
};
struct ProtocolDocument {
  std::string name, space;
  std::vector<GroupDocument> groups;
};

} // namespace
} // namespace tcgemm

LLVM_YAML_IS_SEQUENCE_VECTOR(tcgemm::RangesDocument)
LLVM_YAML_IS_SEQUENCE_VECTOR(tcgemm::GroupDocument)

namespace llvm::yaml {
template <> struct MappingTraits<tcgemm::RangesDocument> {
  static void mapping(IO &io, tcgemm::RangesDocument &range) {
    tcgemm::mapRequired(io, "m", range.m, "n", range.n, "k", range.k);
    tcgemm::mapOptional(io, "batch", range.batch);
  }
};
template <> struct MappingTraits<tcgemm::FinalDocument> {
  static void mapping(IO &io, tcgemm::FinalDocument &final) {
    tcgemm::mapOptional(io, "exact", final.exact, "ranges", final.ranges);
  }
};
template <> struct MappingTraits<tcgemm::GroupDocument> {
  static void mapping(IO &io, tcgemm::GroupDocument &group) {
    tcgemm::mapRequired(io, "name", group.name);
    tcgemm::mapOptional(io, "when", group.when, "benchmark", group.benchmark,
                        "initial", group.initial, "common", group.common);
    tcgemm::mapRequired(io, "fork", group.fork);
    tcgemm::mapOptional(io, "benchmark_fork", group.benchmarkFork, "join",
                        group.join, "benchmark_join", group.benchmarkJoin,
                        "final", group.final);
  }
};
template <> struct MappingTraits<tcgemm::ProtocolDocument> {
  static void mapping(IO &io, tcgemm::ProtocolDocument &document) {
    tcgemm::mapRequired(io, "name", document.name, "space", document.space,
                        "groups", document.groups);
  }
};
} // namespace llvm::yaml

namespace tcgemm {
namespace {

Error fail(const Twine &message) { return createStringError(message); }

Error checkValue(StringRef name, StringRef value) {
  Expected<ParameterName> parameter = requireParameterName(name);
  if (!parameter)
    return parameter.takeError();
  KernelConfig config;
  return setParameter(config, *parameter, value);
}

/// Checks that a step's parameters are known, unique and have values.
Error checkStep(StringRef step, ArrayRef<SpaceAxis> parameters) {
  for (auto [i, axis] : enumerate(parameters)) {
    if (axis.values.empty())
      return fail(step + ": parameter '" + axis.name + "' has no values");
    for (StringRef value : axis.values)
      if (Error error = checkValue(axis.name, value))
        return fail(step + ": " + toString(std::move(error)));
    for (const SpaceAxis &other : parameters.take_front(i))
      if (other.name == axis.name)
        return fail(step + ": parameter '" + axis.name + "' is declared twice");
  }
  return Error::success();
}

Expected<std::vector<MatmulSizes>> parseSizes(ArrayRef<std::string> texts) {
  std::vector<MatmulSizes> all;
  for (const std::string &text : texts) {
    Expected<MatmulSizes> sizes = MatmulSizes::parse(text);
    if (!sizes)
      return sizes.takeError();
    all.push_back(*sizes);
  }
  return all;
}

Error checkSteps(const ProtocolGroup &group) {
  for (const ParameterValue &initial : group.initial)
    if (Error error = checkValue(initial.name, initial.value))
      return fail("initial: " + toString(std::move(error)));
  for (auto [step, parameters] : {std::pair("common", &group.common),
                                  {"fork", &group.fork},
                                  {"benchmark_fork", &group.benchmarkFork},
                                  {"benchmark_join", &group.benchmarkJoin}})
    if (Error error = checkStep(step, *parameters))
      return error;
  for (const std::string &name : group.join)
    if (none_of(group.fork,
                [&](const SpaceAxis &axis) { return axis.name == name; }))
      return fail("join: parameter '" + name + "' is not one of the fork");
  return Error::success();
}

Expected<ProtocolGroup> makeGroup(GroupDocument &document) {
  ProtocolGroup group;
  group.name = document.name;
  if (!document.when.empty()) {
    Expected<Expr> condition = Expr::parse(document.when);
    if (!condition)
      return fail("when: " + toString(condition.takeError()));
    for (const std::string &symbol : collectSymbols(*condition))
      if (!is_contained({"M", "N", "K", "batch"}, symbol))
        return fail("when: unknown name '" + symbol +
                    "'; known are M, N, K, batch");
    group.condition = std::move(*condition);
  }
  Expected<std::vector<MatmulSizes>> benchmark = parseSizes(document.benchmark);
  if (!benchmark)
    return benchmark.takeError();
  group.benchmark = std::move(*benchmark);
  Expected<std::vector<MatmulSizes>> exact = parseSizes(document.final.exact);
  if (!exact)
    return exact.takeError();
  group.exact = std::move(*exact);
  for (const auto &[m, n, k, batch] : document.final.ranges) {
    // A range that is empty is an error.
    for (StringRef text : {m, n, k, batch})
      if (text.empty())
        return parseSizeRange(text).takeError();
    Expected<MatmulRanges> ranges = MatmulRanges::parse(m, n, k, batch);
    if (!ranges)
      return ranges.takeError();
    append_range(group.ranges, ranges->expand());
  }
  group.initial = std::move(document.initial);
  group.common = std::move(document.common);
  group.fork = std::move(document.fork);
  group.benchmarkFork = std::move(document.benchmarkFork);
  group.join = std::move(document.join);
  group.benchmarkJoin = std::move(document.benchmarkJoin);
  if (Error error = checkSteps(group))
    return std::move(error);
  return group;
}

} // namespace

Expected<Protocol> Protocol::parse(StringRef text, StringRef fileName) {
  ProtocolDocument document;
  if (Error error = readYAML(text, fileName, document))
    return std::move(error);
  Protocol protocol;
  protocol.name = document.name;
  protocol.space = document.space;
  if (document.groups.empty())
    return fail(fileName + ": there is no group");
  for (GroupDocument &declared : document.groups) {
    Expected<ProtocolGroup> group = makeGroup(declared);
    if (!group)
      return fail(fileName + ": group '" + declared.name +
                  "': " + toString(group.takeError()));
    if (any_of(protocol.groups, [&](const ProtocolGroup &other) {
          return other.name == group->name;
        }))
      return fail(fileName + ": group '" + group->name + "' is declared twice");
    protocol.groups.push_back(std::move(*group));
  }
  return protocol;
}

const ProtocolGroup *Protocol::findGroup(const MatmulSizes &sizes) const {
  auto lookup = [&](StringRef name) -> std::optional<int64_t> {
    return name == "M"   ? sizes.m
           : name == "N" ? sizes.n
           : name == "K" ? sizes.k
                         : sizes.batch;
  };
  for (const ProtocolGroup &group : groups) {
    if (!group.condition)
      return &group;
    Expected<int64_t> value = group.condition->evaluate(lookup);
    if (value && *value != 0)
      return &group;
    // A condition that cannot be evaluated does not hold.
    if (!value)
      consumeError(value.takeError());
  }
  return nullptr;
}

Expected<Protocol> readProtocol(StringRef name) {
  Expected<std::string> text = readFileOrShipped(name, ".strategy.yaml");
  if (!text)
    return text.takeError();
  return Protocol::parse(*text, name);
}

Expected<std::vector<TuningProblem>>
orderProblems(const Protocol &protocol, ArrayRef<TuningProblem> problems,
              const KernelSpec &kernel) {
  std::vector<TuningProblem> wanted = problems.vec();
  auto addAll = [&](const ProtocolGroup &group, ArrayRef<MatmulSizes> all) {
    for (const MatmulSizes &sizes : all) {
      TuningProblem problem{kernel, sizes, group.name};
      problem.kernel.isBatched = sizes.batch != 1;
      wanted.push_back(std::move(problem));
    }
  };
  if (problems.empty())
    for (const ProtocolGroup &group : protocol.getGroups()) {
      addAll(group, group.exact);
      addAll(group, group.ranges);
    }
  std::vector<TuningProblem> ordered;
  auto add = [&](const TuningProblem &problem) {
    if (none_of(ordered, [&](const TuningProblem &other) {
          return other.str() == problem.str();
        }))
      ordered.push_back(problem);
  };
  for (const TuningProblem &problem : wanted) {
    const ProtocolGroup *group = protocol.findGroup(problem.sizes);
    if (!group)
      return fail("no group of protocol '" + protocol.getName() + "' takes " +
                  problem.sizes.str());
    for (const MatmulSizes &sizes : group->benchmark) {
      TuningProblem benchmark{problem.kernel, sizes, group->name};
      benchmark.kernel.isBatched = sizes.batch != 1;
      add(benchmark);
    }
  }
  for (const TuningProblem &problem : wanted)
    add(problem);
  return ordered;
}

} // namespace tcgemm
