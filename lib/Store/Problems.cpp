//===- Problems.cpp - Problems of the tuner -------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "tcgemm/Problem/Groups.h"
#include "tcgemm/Target/FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <utility>

using namespace llvm;

namespace tcgemm {
namespace {

struct Flag {
  StringLiteral name;
  bool KernelSpec::*member;
};
constexpr Flag kFlags[] = {{"alpha", &KernelSpec::hasAlpha},
                           {"beta", &KernelSpec::hasBeta},
                           {"batched", &KernelSpec::isBatched},
                           {"static", &KernelSpec::isStatic},
                           {"approx", &KernelSpec::isApproximate},
                           {"scales_a", &KernelSpec::hasScalesA},
                           {"scales_b", &KernelSpec::hasScalesB},
                           {"grouped", &KernelSpec::isGrouped}};
/// The start of the word for scales of groups: `group_scales=128xf16`.
constexpr StringLiteral kGroupScales = "group_scales=";
/// The start of the word for groups that are not contiguous: `groups=padded`.
constexpr StringLiteral kGroups = "groups=";
constexpr StringLiteral kAlgebra = "algebra=";
/// The start of the word for a dual product: `dual=silu-mul`.
constexpr StringLiteral kDual = "dual=";
/// The starts of the words for functions of elements.
constexpr StringLiteral kTransforms[] = {"transform_a=", "transform_b="};
/// The starts of the words for bands, and the word for a symmetric result.
constexpr StringLiteral kBands[] = {"band_a=", "band_b="};
constexpr StringLiteral kSymmetric = "symmetric";
/// The start of the word for reductions: `reduce=row-max`.
constexpr StringLiteral kReduce = "reduce=";

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string KernelSpec::str() const {
  std::string text = MatmulKind::str();
  // The kind's text has the first two.
  for (const Flag &flag : drop_begin(kFlags, 2)) {
    // There is a product for each group, also for a single one.
    bool isImplied = isGrouped && flag.member == &KernelSpec::isBatched;
    if (this->*flag.member && !isImplied)
      text += " " + flag.name.str();
  }
  if (isGrouped && groupKind != GroupKind::Contiguous)
    text += " " + (kGroups + getGroupKindInfo(groupKind).name).str();
  if (transforms(0))
    text += " " + kTransforms[0].str() + transformA.str();
  if (transforms(1))
    text += " " + kTransforms[1].str() + transformB.str();
  if (hasGroupScales())
    text += " " + (kGroupScales + groups.str()).str();
  if (!algebra.isDefault())
    text += " " + (kAlgebra + algebra.str()).str();
  if (isDual())
    text += " " + (kDual + getDualName(dual)).str();
  for (unsigned operand : {0, 1})
    if (bands[operand] && !(operand && isSymmetric))
      text += " " + kBands[operand].str() + bands[operand]->str();
  if (isSymmetric)
    text += " " + kSymmetric.str();
  if (!reductions.empty())
    text += " " + (kReduce + reductions.str()).str();
  return text;
}

/// The error of a word that no kernel's text has.
static Error refuseWord(StringRef text, StringRef word) {
  return formatError(
      "kernel '{0}': '{1}' is none of alpha, beta, batched, "
      "static, approx, scales_a, scales_b, grouped, "
      "groups=, group_scales=, transform_a=, transform_b=, algebra=, dual=, "
      "band_a=, band_b=, symmetric, reduce=",
      text, word);
}

/// Makes it a product of groups of the kind with this name, if it has one. By
/// default groups are contiguous. The epilogue may need groups, and so this
/// comes before all other words. The rest of the product is checked at the end.
static Error setGroups(KernelSpec &kernel, StringRef name) {
  if (name.empty())
    return Error::success();
  Expected<GroupKind> kind = parseGroupKind(name);
  if (!kind)
    return kind.takeError();
  kernel.isGrouped = true;
  kernel.groupKind = *kind;
  return Error::success();
}

/// Sets the bands, and whether the result is symmetric.
static Error setStructure(KernelSpec &kernel, StringRef bandA, StringRef bandB,
                          bool isSymmetric) {
  if (Error error = kernel.setBands(bandA, bandB))
    return error;
  return isSymmetric ? kernel.setSymmetric() : Error::success();
}

Expected<KernelSpec> KernelSpec::parse(StringRef text) {
  SmallVector<StringRef> words;
  SplitString(text, words);
  if (words.size() < 4)
    return formatError("kernel '{0}': expected type, layout, result type and "
                       "epilogue, but it has {1} words",
                       text, words.size());
  KernelSpec kernel;
  std::string plain = Algebra().str();
  StringRef kind, groups = "none", transformA = "none", transformB = "none",
                  bandA = "none", bandB = "none", reductions = "none",
                  dual = "none", algebra = plain;
  bool isSymmetric = false;
  std::pair<StringRef, StringRef *> values[] = {{kGroups, &kind},
                                                {kGroupScales, &groups},
                                                {kAlgebra, &algebra},
                                                {kReduce, &reductions},
                                                {kDual, &dual},
                                                {kBands[0], &bandA},
                                                {kBands[1], &bandB},
                                                {kTransforms[0], &transformA},
                                                {kTransforms[1], &transformB}};
  for (StringRef word : drop_begin(words, 4)) {
    auto *value = find_if(
        values, [&](auto &known) { return word.consume_front(known.first); });
    if (value != std::end(values)) {
      *value->second = word;
      continue;
    }
    if (word == kSymmetric) {
      isSymmetric = true;
      continue;
    }
    const auto *flag =
        find_if(kFlags, [&](const Flag &flag) { return flag.name == word; });
    if (flag == std::end(kFlags))
      return refuseWord(text, word);
    kernel.*flag->member = true;
  }
  if (Error error = setGroups(kernel, kind))
    return std::move(error);
  if (Error error = kernel.read(words[0], words[1], words[2], words[3]))
    return std::move(error);
  if (Error error = kernel.setGroupScales(groups))
    return std::move(error);
  if (Error error = kernel.setTransforms(transformA, transformB))
    return std::move(error);
  if (Error error = kernel.setAlgebra(algebra))
    return std::move(error);
  if (Error error = kernel.setDual(dual))
    return std::move(error);
  if (Error error = kernel.setReductions(reductions))
    return std::move(error);
  if (Error error = setStructure(kernel, bandA, bandB, isSymmetric))
    return std::move(error);
  if (kernel.isGrouped)
    if (Error error = kernel.setGrouped(kernel.groupKind))
      return std::move(error);
  return kernel;
}

Error KernelSpec::setGrouped(GroupKind kind) {
  MatmulKind grouped = *this;
  grouped.groupKind = kind;
  if (Error error = checkGroups(grouped))
    return error;
  isGrouped = true;
  groupKind = kind;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static int64_t getMemoryBits(ScalarType type) {
  return getBitWidth(getBufferType(type));
}

ProblemInfo TuningProblem::getInfo() const {
  ProblemInfo info{{kernel, sizes}};
  info.leastOutputBytes = info.mostOutputBytes = getByteSize(kernel.output);
  info.tmaOutputs = isTmaOutput(kernel.output);
  // C, too: where beta is 0 it is neither copied nor read.
  int64_t matrices = kernel.epilogue.countMatrices() + (kernel.hasBeta ? 1 : 0);
  info.epilogueBytes = getByteSize(kernel.output) * (1 + matrices);
  info.plainEpilogue =
      kernel.epilogue.parts.empty() && !kernel.hasAlpha && !kernel.hasBeta;
  info.stageableInputs = info.hasNarrowOutputs() ? matrices : 0;
  info.readsInputs = kernel.getFeatures().has(Feature::EpilogueTensors);
  if (kernel.isDual())
    info.countBothProducts();
  return info;
}

double TuningProblem::getLeastBytes() const {
  ProblemInfo info = getInfo();
  int64_t m = info.m, n = info.n, k = info.k, batch = info.batch;
  // A matrix of all groups together is there once.
  auto count = [&](unsigned operand) {
    bool isShared = kernel.isGrouped && !kernel.hasMatrixOfGroup(operand);
    return static_cast<double>(isShared ? 1 : batch);
  };
  double inputs =
      static_cast<double>(k) *
      (static_cast<double>(getMemoryBits(kernel.typeA) * m) * count(0) +
       static_cast<double>(getMemoryBits(kernel.typeB) * n) * count(1)) /
      8;
  if (kernel.hasGroupScales()) {
    int64_t bytes =
        getByteSize(kernel.groups.type) + (kernel.groups.zeroPoints ? 1 : 0);
    inputs += static_cast<double>(bytes) *
              static_cast<double>(kernel.getGroupedOperand() ? n : m) *
              static_cast<double>(batch) *
              static_cast<double>(divideCeil(k, kernel.groups.depth));
  }
  double outputs =
      static_cast<double>(info.epilogueBytes * m) * static_cast<double>(n);
  return inputs + count(2) * outputs;
}

std::string TuningProblem::getSource() const {
  return generateMLIR({{kernel, sizes}, kernel.isBatched, kernel.isStatic});
}

bool isSameEpilogue(const ProblemInfo &a, const ProblemInfo &b) {
  return a.leastOutputBytes == b.leastOutputBytes &&
         a.mostOutputBytes == b.mostOutputBytes &&
         a.tmaOutputs == b.tmaOutputs && a.epilogueBytes == b.epilogueBytes &&
         a.plainEpilogue == b.plainEpilogue && a.reductions == b.reductions;
}

bool isProductOf(const TuningProblem &product, const ProblemInfo &kernel) {
  ProblemInfo info = product.getInfo();
  return info.m == kernel.m && info.n == kernel.n && info.k == kernel.k &&
         info.batch == kernel.batch && info.hasSameOperands(kernel) &&
         isSameEpilogue(info, kernel);
}

void mergeDuplicates(std::vector<TuningProblem> &problems) {
  StringSet<> seen;
  llvm::erase_if(problems, [&](const TuningProblem &problem) {
    return !seen.insert(problem.str()).second;
  });
}

} // namespace tcgemm
