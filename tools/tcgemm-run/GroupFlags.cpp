//===- GroupFlags.cpp - Flags of generated grouped products ---------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupFlags.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

/// The sizes of the groups, and their sum.
struct GroupSizes {
  std::vector<int64_t> sizes;
  int64_t all = 0;
};

static llvm::Expected<GroupSizes> readGroupSizes(StringRef list) {
  llvm::SmallVector<StringRef> texts;
  list.split(texts, ',');
  GroupSizes groups;
  for (StringRef text : texts) {
    int64_t size = 0;
    if (text.getAsInteger(10, size) || size < 0 || size > kMaxProblemSize)
      return llvm::createStringError("--group-sizes: '" + text +
                                     "' is not an integer from 0 to " +
                                     llvm::Twine(kMaxProblemSize));
    if (groups.all + size > kMaxProblemSize)
      return llvm::createStringError(
          "--group-sizes: the sizes up to '" + text + "' add up to " +
          llvm::Twine(groups.all + size) + ", but they must be at most " +
          llvm::Twine(kMaxProblemSize));
    groups.all += size;
    groups.sizes.push_back(size);
  }
  return groups;
}

/// Reads the rows of padded groups: by default those of the largest one.
static llvm::Expected<int64_t> readPaddedRows(const InputFlags &flags,
                                              const GroupSizes &groups) {
  int64_t most = *llvm::max_element(groups.sizes);
  if (flags.m.getNumOccurrences() == 0)
    return most;
  if (flags.m < most || flags.m > kMaxProblemSize)
    return llvm::createStringError(
        llvm::formatv("--m is {0}, but must be from {1}, the rows of the "
                      "largest group, to {2}",
                      int64_t(flags.m), most, kMaxProblemSize));
  return int64_t(flags.m);
}

/// The size along a dimension of groups of the kind `kind`.
static llvm::Expected<int64_t> readSize(const InputFlags &flags,
                                        const GroupKindInfo &kind,
                                        const GroupSizes &groups, char dim) {
  if (kind.hasCounts && dim == 'm')
    return readPaddedRows(flags, groups);
  const NumberOption<int64_t> &flag = dim == 'm'   ? flags.m
                                      : dim == 'n' ? flags.n
                                                   : flags.k;
  bool isGiven = flag.getNumOccurrences() > 0;
  if (kind.divided == dim && isGiven)
    return llvm::createStringError("--group-sizes does not go with --" +
                                   flag.ArgStr + ", which it sets");
  if (kind.divided == dim)
    return groups.all;
  if (!isGiven || flag < 0 || flag > kMaxProblemSize)
    return llvm::createStringError(
        llvm::formatv("--group-sizes needs --{0}, from 0 to {1}, with {2} "
                      "groups",
                      flag.ArgStr, kMaxProblemSize, kind.name));
  return int64_t(flag);
}

Error tcgemm::readGroups(const InputFlags &flags, SessionOptions &options) {
  llvm::Expected<GroupKind> kind = parseGroupKind(flags.groups);
  if (!kind)
    return kind.takeError();
  llvm::Expected<GroupSizes> groups = readGroupSizes(flags.groupSizes);
  if (!groups)
    return groups.takeError();
  const GroupKindInfo &info = getGroupKindInfo(*kind);
  NamedProblem &problem = options.problems.emplace_back();
  for (auto [dim, letter] : {std::pair(Dim::M, 'm'), std::pair(Dim::N, 'n'),
                             std::pair(Dim::K, 'k')}) {
    llvm::Expected<int64_t> size = readSize(flags, info, *groups, letter);
    if (!size)
      return size.takeError();
    problem.sizes[unsigned(dim)] = *size;
  }
  problem.sizes[unsigned(Dim::Batch)] =
      static_cast<int64_t>(groups->sizes.size());
  options.problem.sizes = problem.sizes;
  FillOptions fill;
  fill.kind = FillOptions::Values;
  int64_t end = 0;
  for (int64_t size : groups->sizes) {
    end += size;
    fill.values.push_back(info.hasCounts ? size : end);
  }
  options.problem.fills.try_emplace("arg2", fill);
  options.generate.problem.isGrouped = true;
  options.generate.problem.groupKind = *kind;
  options.generate.checksOffsets = flags.checkOffsets;
  return Error::success();
}
