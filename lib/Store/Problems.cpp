//===- Problems.cpp - What is tuned --------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Problems.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr size_t kMaxRange = 100000;

template <typename... Ts> Error fail(const char *format, Ts &&...values) {
  return createStringError(formatv(format, std::forward<Ts>(values)...).str());
}

GenerateOptions getGenerateOptions(const TuningProblem &problem) {
  const KernelSpec &kernel = problem.kernel;
  GenerateOptions options;
  options.layout = kernel.layout;
  options.type = kernel.type;
  options.outType = kernel.outType;
  options.epilogue = kernel.epilogue;
  options.hasAlpha = kernel.hasAlpha;
  options.hasBeta = kernel.hasBeta;
  options.isBatched = kernel.isBatched;
  options.isStatic = kernel.isStatic;
  options.m = problem.sizes.m;
  options.n = problem.sizes.n;
  options.k = problem.sizes.k;
  options.batch = problem.sizes.batch;
  return options;
}

struct Flag {
  StringLiteral name;
  bool KernelSpec::*member;
};
constexpr Flag kFlags[] = {{"alpha", &KernelSpec::hasAlpha},
                           {"beta", &KernelSpec::hasBeta},
                           {"batched", &KernelSpec::isBatched},
                           {"static", &KernelSpec::isStatic},
                           {"approx", &KernelSpec::isApproximate}};

} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string KernelSpec::str() const {
  std::string text = type + " " + layout + " " + outType + " " + epilogue;
  for (const Flag &flag : kFlags)
    if (this->*flag.member)
      text += " " + flag.name.str();
  return text;
}

Expected<KernelSpec> KernelSpec::parse(StringRef text) {
  SmallVector<StringRef> words;
  SplitString(text, words);
  if (words.size() < 4)
    return fail("kernel '{0}': expected type, layout, result type and "
                "epilogue, but it has {1} words",
                text, words.size());
  KernelSpec kernel;
  kernel.type = words[0].str();
  kernel.layout = words[1].str();
  kernel.outType = words[2].str();
  kernel.epilogue = words[3].str();
  for (StringRef word : drop_begin(words, 4)) {
    const auto *flag =
        find_if(kFlags, [&](const Flag &flag) { return flag.name == word; });
    if (flag == std::end(kFlags))
      return fail("kernel '{0}': '{1}' is none of alpha, beta, batched, "
                  "static, approx",
                  text, word);
    kernel.*flag->member = true;
  }
  // The generator knows what the words may be.
  GenerateOptions options = getGenerateOptions({kernel, {1, 1, 1, 1}, ""});
  Expected<std::string> source = generateMLIR(options);
  if (!source)
    return source.takeError();
  return kernel;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

bool parseSize(StringRef text, int64_t &size) {
  return !text.trim().getAsInteger(10, size) && size >= 1 &&
         size <= kMaxProblemSize;
}

std::string MatmulSizes::str() const {
  std::string text = formatv("{0}x{1}x{2}", m, n, k);
  return batch == 1 ? text : std::to_string(batch) + "x" + text;
}

Expected<MatmulSizes> MatmulSizes::parse(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  SmallVector<int64_t> sizes(parts.size());
  bool valid = parts.size() == 3 || parts.size() == 4;
  for (auto [part, size] : zip_equal(parts, sizes))
    valid &= parseSize(part, size);
  if (!valid)
    return fail("shape '{0}': expected MxNxK or BxMxNxK with sizes from 1 to "
                "{1}",
                text, kMaxProblemSize);
  MatmulSizes result;
  if (sizes.size() == 4) {
    result.batch = sizes.front();
    sizes.erase(sizes.begin());
  }
  result.m = sizes[0];
  result.n = sizes[1];
  result.k = sizes[2];
  return result;
}

double MatmulSizes::getFlops() const {
  return 2.0 * static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(k) * static_cast<double>(batch);
}

Expected<std::vector<int64_t>> parseSizeRange(StringRef text) {
  std::vector<int64_t> sizes;
  SmallVector<StringRef> items;
  text.split(items, ',');
  for (StringRef item : items) {
    SmallVector<StringRef, 3> parts;
    item.split(parts, ':');
    int64_t low = 0, high = 0, step = 1;
    bool valid = parts.size() <= 3 && parseSize(parts[0], low);
    high = low;
    if (parts.size() > 1)
      valid &= parseSize(parts[1], high) && high >= low;
    if (parts.size() > 2)
      valid &= parseSize(parts[2], step);
    if (!valid)
      return fail("sizes '{0}': expected sizes from 1 to {1}, or low:high:step "
                  "with low at most high, separated by commas",
                  text, kMaxProblemSize);
    for (int64_t size = low; size <= high; size += step) {
      if (sizes.size() == kMaxRange)
        return fail("sizes '{0}' are more than {1}", text, kMaxRange);
      sizes.push_back(size);
    }
  }
  return sizes;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

ProblemInfo TuningProblem::getInfo() const {
  ProblemInfo info;
  info.typeA = info.typeB =
      parseScalarType(kernel.type).value_or(ScalarType::BF16);
  info.output = parseScalarType(kernel.outType).value_or(ScalarType::BF16);
  info.aKContiguous = StringRef(kernel.layout).starts_with("t");
  info.bKContiguous = StringRef(kernel.layout).ends_with("n");
  info.batch = sizes.batch;
  info.m = sizes.m;
  info.n = sizes.n;
  info.k = sizes.k;
  info.narrowOutputs = kernel.outType != "f32";
  int64_t outBytes = info.narrowOutputs ? 2 : 4;
  SmallVector<StringRef> parts;
  StringRef(kernel.epilogue).split(parts, '_');
  int64_t inputs = llvm::count(parts, "residual") + llvm::count(parts, "gate");
  info.epilogueBytes = outBytes * (1 + (kernel.hasBeta ? 1 : 0) + inputs);
  info.plainEpilogue =
      kernel.epilogue == "none" && !kernel.hasAlpha && !kernel.hasBeta;
  // C is not: where beta is 0 it is not read.
  info.stageableInputs = info.narrowOutputs ? inputs : 0;
  return info;
}

double TuningProblem::getLeastBytes() const {
  auto [m, n, k, batch] = sizes;
  int64_t inputBytes = StringRef(kernel.type).ends_with("32") ? 4 : 2;
  double inputs =
      static_cast<double>(inputBytes * k) * static_cast<double>(m + n);
  double outputs =
      static_cast<double>(getInfo().epilogueBytes * m) * static_cast<double>(n);
  return static_cast<double>(batch) * (inputs + outputs);
}

Expected<std::string> TuningProblem::getSource() const {
  return generateMLIR(getGenerateOptions(*this));
}

void mergeDuplicates(std::vector<TuningProblem> &problems) {
  StringSet<> seen;
  llvm::erase_if(problems, [&](const TuningProblem &problem) {
    return !seen.insert(problem.str()).second;
  });
}

} // namespace tcgemm
