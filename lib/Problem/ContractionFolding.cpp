//===- ContractionFolding.cpp - Indices that are one, and tiled ones
//-------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/Contraction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {

template <typename... Ts>
static Error fail(const char *format, Ts &&...values) {
  return createStringError(formatv(format, std::forward<Ts>(values)...).str());
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

bool FoldedIndex::isUnit(unsigned operand, const Contraction &of) const {
  const IndexedOperand &memory = of.operands[operand];
  char last = letters.back();
  if (!memory.has(last))
    return false;
  bool isKnown = is_contained(memory.strides, 1);
  return isKnown ? of.getStride(operand, last) == 1
                 : memory.letters.back() == last;
}

/// Operands of any order, because they are transposed.
using OperandSet = std::array<bool, kNumContracted>;

/// Returns whether `outer` and `inner`, two indices of one kind, are one index
/// of the operand.
static bool composes(const Contraction &contraction, unsigned operand,
                     char outer, char inner) {
  const IndexedOperand &of = contraction.operands[operand];
  if (!of.has(outer))
    return true;
  if (of.strides.empty())
    return of.letters.find(inner) == of.letters.find(outer) + 1;
  int64_t extent = contraction.extents.at(inner);
  std::optional<int64_t> outerStride = contraction.getStride(operand, outer),
                         innerStride = contraction.getStride(operand, inner);
  return extent >= 0 && outerStride && innerStride &&
         *outerStride == extent * *innerStride;
}

/// The indices of one kind, in the order of an operand that has them.
static std::string getLetters(const Contraction &contraction, IndexKind kind) {
  std::string letters =
      contraction.operands[kind == IndexKind::K ? 0 : 2].letters;
  erase_if(letters,
           [&](char letter) { return contraction.getKind(letter) != kind; });
  return letters;
}

/// Returns whether they are one index in all operands but the `free` ones.
/// Those take any order, so that of getLetters.
static bool composes(const Contraction &contraction, const OperandSet &free,
                     char outer, char inner) {
  if (outer == inner ||
      contraction.getKind(outer) != contraction.getKind(inner))
    return false;
  bool isFree = true;
  for (unsigned operand = 0; operand < kNumContracted; ++operand) {
    if (free[operand] || !contraction.operands[operand].has(outer))
      continue;
    isFree = false;
    if (!composes(contraction, operand, outer, inner))
      return false;
  }
  std::string letters = getLetters(contraction, contraction.getKind(outer));
  return !isFree || letters.find(inner) == letters.find(outer) + 1;
}

static FoldedIndex makeFolded(const Contraction &contraction,
                              std::string letters) {
  FoldedIndex index;
  index.kind = contraction.getKind(letters.front());
  for (char letter : letters) {
    int64_t extent = contraction.extents.at(letter);
    index.extent = extent < 0 || index.extent < 0 ? -1 : index.extent * extent;
  }
  for (unsigned operand = 0; operand < kNumContracted; ++operand)
    index.strides[operand] = contraction.getStride(operand, letters.back());
  index.letters = std::move(letters);
  return index;
}

/// The folded indices of one kind.
static std::vector<FoldedIndex> foldKind(const Contraction &contraction,
                                         const OperandSet &free,
                                         IndexKind kind) {
  const std::string letters = getLetters(contraction, kind);
  SmallVector<std::string> runs;
  std::string used;
  auto findNext = [&](char outer) {
    return find_if(letters, [&](char inner) {
      return !StringRef(used).contains(inner) &&
             composes(contraction, free, outer, inner);
    });
  };
  auto isFirst = [&](char letter) {
    return none_of(letters, [&](char outer) {
      return composes(contraction, free, outer, letter);
    });
  };
  auto addRun = [&](char letter) {
    std::string run(1, letter);
    used += letter;
    for (auto next = findNext(letter); next != letters.end();
         next = findNext(run.back())) {
      run += *next;
      used += *next;
    }
    runs.push_back(run);
  };
  for (char letter : letters)
    if (isFirst(letter))
      addRun(letter);
  // Strides of 0 and extents of 1 compose in several orders: no letter needs to
  // be first, and a run can pass a letter by.
  for (char letter : letters)
    if (!StringRef(used).contains(letter))
      addRun(letter);
  std::vector<FoldedIndex> folded;
  for (std::string &run : runs)
    folded.push_back(makeFolded(contraction, std::move(run)));
  return folded;
}

namespace {
/// A choice of the tiled m, n and k: positions in the lists, none if a list is
/// empty.
struct Choice {
  std::optional<size_t> m, n;
  size_t k = 0;
  /// True if the innermost indices of A, B and D are tiled.
  std::array<bool, kNumContracted> isDirect{};
  int64_t tile = 0;  ///< Elements of the largest tile that it fills.
  int64_t depth = 0; ///< The same along k.

  bool isAllDirect() const {
    return all_of(isDirect, [](bool direct) { return direct; });
  }
};

/// The folded indices by kind.
struct FoldedKinds {
  std::vector<FoldedIndex> batch, m, n, k;
};
} // namespace

/// Elements along k of a tile of 128 bytes, of 16 bits each.
static constexpr int64_t kDepthOfTile = 64;

static int64_t getTileExtent(const FoldedIndex *index, int64_t most) {
  if (!index)
    return 1;
  return index->extent < 0 ? most : std::min(index->extent, most);
}

static Choice evaluate(const Contraction &contraction, const OperandSet &free,
                       const FoldedKinds &kinds, std::optional<size_t> m,
                       std::optional<size_t> n, size_t k) {
  Choice choice;
  choice.m = m;
  choice.n = n;
  choice.k = k;
  const FoldedIndex *tiledM = m ? &kinds.m[*m] : nullptr,
                    *tiledN = n ? &kinds.n[*n] : nullptr;
  for (unsigned operand = 0; operand < kNumContracted; ++operand)
    choice.isDirect[operand] =
        free[operand] || (operand == 2 && !tiledM && !tiledN) ||
        any_of(ArrayRef<const FoldedIndex *>{tiledM, tiledN, &kinds.k[k]},
               [&](const FoldedIndex *index) {
                 return index && index->isUnit(operand, contraction);
               });
  choice.tile = getTileExtent(tiledM, 128) * getTileExtent(tiledN, 256);
  choice.depth = getTileExtent(&kinds.k[k], kDepthOfTile);
  return choice;
}

/// The best choice: as many operands as possible are direct, first of all D. Of
/// equal ones the last, whose indices are further inside in D.
static Choice choose(const Contraction &contraction, const OperandSet &free,
                     const FoldedKinds &kinds) {
  auto getPositions = [](const std::vector<FoldedIndex> &list) {
    SmallVector<std::optional<size_t>> positions;
    for (size_t i = 0; i < list.size(); ++i)
      positions.push_back(i);
    if (positions.empty())
      positions.push_back(std::nullopt);
    return positions;
  };
  auto rank = [](const Choice &choice) {
    return std::tuple(choice.isDirect[2],
                      choice.isDirect[0] + choice.isDirect[1], choice.tile,
                      choice.depth);
  };
  std::optional<Choice> best;
  for (std::optional<size_t> m : getPositions(kinds.m))
    for (std::optional<size_t> n : getPositions(kinds.n))
      for (size_t k = 0; k < kinds.k.size(); ++k)
        if (Choice choice = evaluate(contraction, free, kinds, m, n, k);
            !best || rank(choice) >= rank(*best))
          best = choice;
  return *best;
}

/// Fails if no kernel has these indices.
static Error checkKinds(const Contraction &contraction,
                        const FoldedKinds &kinds) {
  if (kinds.k.empty())
    return fail("'{0}': no index is summed over (in A and B, not in D)",
                contraction.str());
  if (kinds.k.size() > (contraction.mayHaveSummed ? 2 : 1))
    return fail("'{0}': the k indices '{1}' and '{2}' are not one index in "
                "memory; transpose an operand so that they are neighbours in "
                "the same order",
                contraction.str(), kinds.k[0].letters, kinds.k[1].letters);
  return Error::success();
}

/// Fails if an operand with a second k is known to have a stride that TMA does
/// not take: it would be packed, which takes as long as a transposition.
static Error checkSummed(const Contraction &contraction,
                         const OperandSet &free) {
  constexpr int64_t unit = 8; // elements of 16 bits
  for (unsigned operand : {0, 1})
    for (char letter : contraction.operands[operand].letters)
      if (std::optional<int64_t> stride =
              contraction.getStride(operand, letter);
          !free[operand] && stride && *stride != 1 && *stride % unit)
        return fail("'{0}': there are two k indices that are not one index in "
                    "memory, and so the stride {1} of '{2}' in {3} must be a "
                    "multiple of {4}; transpose {3}",
                    contraction.str(), *stride, letter,
                    getContractedName(operand), unit);
  return Error::success();
}

/// Folds a contraction whose `free` operands may have any order.
static Expected<FoldedContraction> fold(const Contraction &contraction,
                                        const OperandSet &free) {
  FoldedKinds kinds{foldKind(contraction, free, IndexKind::Batch),
                    foldKind(contraction, free, IndexKind::M),
                    foldKind(contraction, free, IndexKind::N),
                    foldKind(contraction, free, IndexKind::K)};
  if (Error error = checkKinds(contraction, kinds))
    return std::move(error);
  Choice choice = choose(contraction, free, kinds);
  for (unsigned operand = 0; operand < kNumContracted; ++operand)
    if (!choice.isDirect[operand])
      return fail("'{0}': the innermost index '{1}' of {2} is not one that a "
                  "kernel tiles; transpose {2}",
                  contraction.str(),
                  contraction.operands[operand].letters.back(),
                  getContractedName(operand));
  FoldedContraction result;
  result.k = kinds.k[choice.k];
  if (kinds.k.size() > 1) {
    if (Error error = checkSummed(contraction, free))
      return std::move(error);
    result.summed = kinds.k[1 - choice.k];
  }
  result.outer = kinds.batch;
  for (auto [list, tiled, position] :
       {std::tuple(&kinds.m, &result.m, choice.m),
        std::tuple(&kinds.n, &result.n, choice.n)})
    for (auto [i, index] : enumerate(*list)) {
      if (i == position)
        *tiled = index;
      else
        result.outer.push_back(index);
    }
  StringRef order = contraction.operands[2].letters;
  sort(result.outer, [&](const FoldedIndex &left, const FoldedIndex &right) {
    return order.find(left.letters.front()) < order.find(right.letters.front());
  });
  // The letter of the batch is never that of a k.
  size_t used = result.summed ? std::max<size_t>(1, result.outer.size()) + 1
                              : result.outer.size();
  if (used > kMaxOuterIndices)
    return fail("'{0}': {1} indices are left besides a tiled m, n and k, but "
                "at most {2} are supported",
                contraction.str(), used, kMaxOuterIndices);
  return result;
}

Expected<FoldedContraction> fold(const Contraction &contraction) {
  return fold(contraction, OperandSet());
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// The order of the indices of a transposed operand.
static std::string getOrder(const IndexedOperand &operand,
                            const FoldedContraction &folded) {
  std::string letters;
  for (const FoldedIndex &index : folded.outer)
    letters += index.letters;
  for (const std::optional<FoldedIndex> &index : {folded.m, folded.n})
    if (index)
      letters += index->letters;
  if (folded.summed)
    letters += folded.summed->letters;
  letters += folded.k.letters;
  erase_if(letters, [&](char letter) { return !operand.has(letter); });
  return letters;
}

/// The estimated time in seconds: that of copies, and that of the product with
/// the tiles that fill the tiled indices. The figures are those of an H200 with
/// elements of 16 bits; what counts is their relation.
static double estimateTime(const Contraction &contraction,
                           const OperandSet &transposed,
                           const FoldedContraction &folded) {
  constexpr double launch = 3e-6, elementRate = 6e11, mostFlops = 7e14,
                   flopsPerIntensity = 8e12;
  double time = 0;
  for (unsigned operand = 0; operand < kNumContracted; ++operand) {
    double elements = 1;
    for (int64_t extent : contraction.getShape(operand))
      elements *= static_cast<double>(extent);
    time += transposed[operand] ? launch + elements / elementRate : 0;
  }
  auto m =
      static_cast<double>(getTileExtent(folded.m ? &*folded.m : nullptr, 128));
  auto n =
      static_cast<double>(getTileExtent(folded.n ? &*folded.n : nullptr, 256));
  double rate = std::min(mostFlops, flopsPerIntensity * m * n / (m + n));
  auto k = static_cast<double>(folded.k.extent);
  // Each k begins with a tile of its own.
  double rounded =
      folded.summed ? std::ceil(k / kDepthOfTile) * kDepthOfTile : k;
  return time + contraction.getFlops() / rate * (rounded / k);
}

/// The order of preference; less is better.
static double getCost(const Contraction &contraction,
                      const OperandSet &transposed,
                      const FoldedContraction &folded) {
  bool isKnown = all_of(contraction.extents,
                        [](const auto &extent) { return extent.second >= 0; });
  if (isKnown)
    return estimateTime(contraction, transposed, folded);
  // A second k is slow if the tiled one is short, and so it is the last resort.
  return static_cast<double>(count(transposed, true)) +
         (folded.summed ? kNumContracted + 1 : 0);
}

static Contraction transpose(const Contraction &contraction,
                             const OperandSet &transposed,
                             const FoldedContraction &folded) {
  Contraction result = contraction;
  for (unsigned operand = 0; operand < kNumContracted; ++operand)
    if (transposed[operand])
      result.operands[operand] = {
          getOrder(contraction.operands[operand], folded), {}};
  return result;
}

Expected<TransposedContraction> foldTransposed(const Contraction &contraction) {
  std::optional<TransposedContraction> best;
  double least = 0;
  std::string reason;
  for (unsigned mask = 0; mask < 1u << kNumContracted; ++mask) {
    OperandSet set{};
    for (unsigned operand = 0; operand < kNumContracted; ++operand)
      set[operand] = mask >> operand & 1;
    Expected<FoldedContraction> folded = fold(contraction, set);
    if (!folded) {
      std::string text = toString(folded.takeError());
      if (mask == 0)
        reason = text;
      continue;
    }
    double cost = getCost(contraction, set, *folded);
    if (best && cost >= least)
      continue;
    // With the strides of the transposed operands, which may not be those that
    // a second k needs.
    Contraction transposed = transpose(contraction, set, *folded);
    Expected<FoldedContraction> whole = fold(transposed);
    if (!whole) {
      consumeError(whole.takeError());
      continue;
    }
    least = cost;
    best = TransposedContraction{set, std::move(transposed), std::move(*whole)};
  }
  if (best)
    return std::move(*best);
  if (!contraction.mayHaveSummed)
    return createStringError(reason);
  Contraction single = contraction;
  single.mayHaveSummed = false;
  return foldTransposed(single);
}

MatmulSizes FoldedContraction::getSizes() const {
  MatmulSizes sizes;
  sizes.m = m ? m->extent : 1;
  sizes.n = n ? n->extent : 1;
  sizes.k = k.extent * (summed ? summed->extent : 1);
  for (const FoldedIndex &index : outer)
    sizes.batch *= index.extent;
  if (!n || (m && m->strides[2].value_or(0) < n->strides[2].value_or(0)))
    std::swap(sizes.m, sizes.n);
  return sizes;
}

std::string FoldedContraction::str() const {
  auto write = [](StringRef name, const FoldedIndex &index) {
    std::string text = formatv("{0}{1}", name, index.extent);
    for (const std::optional<int64_t> &stride : index.strides)
      text += formatv(":{0}", stride.value_or(-1));
    return text;
  };
  std::string text = (m ? write("m", *m) : "m1") + " " +
                     (n ? write("n", *n) : "n1") + " " + write("k", k);
  if (summed)
    text += " " + write("s", *summed);
  for (const FoldedIndex &index : outer)
    text += " " + write("b", index);
  return text;
}

} // namespace tcgemm
