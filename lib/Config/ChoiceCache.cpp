//===- ChoiceCache.cpp - Choices that were made before --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ChoiceCache.h"

#include <array>
#include <tuple>
#include <unordered_map>

using namespace llvm;

namespace tcgemm {
namespace {

using Sizes = std::array<int64_t, 4>;

Sizes getSizes(const MatmulSizes &sizes) {
  return {sizes.m, sizes.n, sizes.k, sizes.batch};
}

struct SizesHash {
  size_t operator()(const Sizes &sizes) const {
    uint64_t hash = 0;
    for (int64_t size : sizes)
      hash = (hash ^ static_cast<uint64_t>(size)) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  }
};

/// Everything of a problem but its sizes.
auto tieKind(const ProblemInfo &p) {
  return std::tie(
      p.typeA, p.typeB, p.accumulator, p.output, p.aKContiguous, p.bKContiguous,
      p.hasAlpha, p.hasBeta, p.hasScalesA, p.hasScalesB, p.groups, p.algebra,
      p.isGrouped, p.groupKind, p.dual, p.convolution, p.bands,
      p.representation, p.isSymmetric, p.tmaOutputs, p.leastOutputBytes,
      p.mostOutputBytes, p.stageableInputs, p.epilogueBytes, p.plainEpilogue,
      p.readsInputs, p.summedValues, p.coefficients, p.epilogue, p.reductions,
      p.transformA, p.transformB);
}

} // namespace

/// The choices of requests that differ in their sizes only.
struct ChoiceCache::Kind {
  const ChipInfo *chip;
  ProblemInfo problem;
  std::string overrides;
  std::unordered_map<Sizes, std::shared_ptr<const ChosenConfig>, SizesHash>
      choices;

  bool describes(const ConfigRequest &request) const {
    return chip == &request.chip &&
           tieKind(problem) == tieKind(request.problem) &&
           overrides == request.overrides;
  }
};

ChoiceCache::ChoiceCache() = default;
ChoiceCache::~ChoiceCache() = default;

/// The next question is often about the same kind, which comes first.
ChoiceCache::Kind *ChoiceCache::findKind(const ConfigRequest &request) {
  for (std::unique_ptr<Kind> &kind : kinds)
    if (kind->describes(request)) {
      std::swap(kind, kinds.front());
      return kinds.front().get();
    }
  return nullptr;
}

std::shared_ptr<const ChosenConfig>
ChoiceCache::find(const ConfigRequest &request) {
  std::lock_guard<std::mutex> lock(mutex);
  const Kind *kind = findKind(request);
  if (!kind)
    return nullptr;
  auto found = kind->choices.find(getSizes(request.problem));
  return found == kind->choices.end() ? nullptr : found->second;
}

/// The lock is not held while the providers are asked, so that a known choice
/// does not wait for another one.
Expected<std::shared_ptr<const ChosenConfig>>
ChoiceCache::choose(const ConfigProviders &providers,
                    const ConfigRequest &request) {
  if (std::shared_ptr<const ChosenConfig> known = find(request))
    return known;
  Expected<ChosenConfig> chosen = chooseConfig(providers, request);
  if (!chosen)
    return chosen.takeError();
  auto choice = std::make_shared<const ChosenConfig>(std::move(*chosen));
  std::lock_guard<std::mutex> lock(mutex);
  if (numChoices == kMostChoices) {
    kinds.clear();
    numChoices = 0;
  }
  Kind *kind = findKind(request);
  if (!kind) {
    kinds.push_back(std::make_unique<Kind>(
        Kind{&request.chip, request.problem, request.overrides, {}}));
    kind = kinds.back().get();
  }
  // Another thread may have kept a choice meanwhile: all threads get that one.
  auto [kept, isNew] =
      kind->choices.try_emplace(getSizes(request.problem), choice);
  numChoices += isNew;
  return kept->second;
}

void ChoiceCache::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  kinds.clear();
  numChoices = 0;
}

} // namespace tcgemm
