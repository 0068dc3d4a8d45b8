//===- Contraction.cpp - Products with any number of indices --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Problem/IndexLetters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tcgemm {

template <typename... Ts>
static Error fail(const char *format, Ts &&...values) {
  return createStringError(formatv(format, std::forward<Ts>(values)...).str());
}

StringRef getKindName(IndexKind kind) {
  constexpr StringRef names[] = {"batch", "m", "n", "k"};
  return names[static_cast<unsigned>(kind)];
}

StringRef getContractedName(unsigned operand) {
  constexpr StringRef names[] = {"A", "B", "D"};
  return names[operand];
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// Reads `b=16,q=2048`.
static Error readExtents(StringRef text, std::map<char, int64_t> &extents) {
  SmallVector<StringRef> items;
  SplitString(text, items, ", ");
  for (StringRef item : items) {
    auto [letter, size] = item.split('=');
    int64_t extent = 0;
    if (letter.size() != 1 || !isAlpha(letter.front()) ||
        !parseSize(size, extent))
      return fail("size '{0}': expected a letter, '=' and an extent from 1 to "
                  "{1}",
                  item, kMaxProblemSize);
    if (!extents.emplace(letter.front(), extent).second)
      return fail("size '{0}': index '{1}' has a size already", item, letter);
  }
  return Error::success();
}

/// Compares the letters of the sizes with those of the operands.
static Error checkExtents(const Contraction &contraction) {
  for (const IndexedOperand &operand : contraction.operands)
    for (char letter : operand.letters)
      if (!contraction.extents.count(letter))
        return fail("'{0}': index '{1}' has no size", contraction.str(),
                    letter);
  for (auto [letter, extent] : contraction.extents)
    if (none_of(contraction.operands, [&, name = letter](const auto &operand) {
          return operand.has(name);
        }))
      return fail("'{0}': size {1}={2} is of an index that no operand has",
                  contraction.str(), letter, extent);
  return Error::success();
}

Expected<Contraction> Contraction::parseIndices(StringRef indices) {
  // Blanks have no meaning, as in NumPy.
  std::string letters = indices.str();
  erase_if(letters, isSpace);
  bool hasArrow = StringRef(letters).contains("->");
  auto [inputs, output] = StringRef(letters).split("->");
  auto [left, right] = inputs.split(',');
  const std::array<StringRef, kNumContracted> texts{left, right, output};
  Contraction result;
  for (auto [operand, text] : zip_equal(result.operands, texts)) {
    operand.letters = text.str();
    // D may be a number.
    bool mayBeEmpty = hasArrow && &operand == &result.operands[2];
    if ((operand.letters.empty() && !mayBeEmpty) ||
        !all_of(operand.letters, isAlpha))
      return fail("index string '{0}': expected the letters of A, B and D, as "
                  "in 'mk,kn->mn'",
                  indices);
  }
  if (Error error = result.verify())
    return std::move(error);
  return result;
}

Expected<Contraction> Contraction::parse(StringRef indices, StringRef sizes) {
  Expected<Contraction> result = parseIndices(indices);
  if (!result)
    return result;
  if (Error error = readExtents(sizes, result->extents))
    return std::move(error);
  if (Error error = checkExtents(*result))
    return std::move(error);
  return result;
}

std::string Contraction::str() const {
  return operands[0].letters + "," + operands[1].letters + "->" +
         operands[2].letters;
}

/// Fails if an index of `operand` has no kind.
static Error verifyOperand(const Contraction &contraction, unsigned operand) {
  StringRef letters = contraction.operands[operand].letters;
  // D may be a number.
  size_t least = operand == 2 ? 0 : 1;
  if (letters.size() < least || letters.size() > kMaxOperandIndices)
    return fail("'{0}': {1} has {2} indices, but must have from {3} to {4}",
                contraction.str(), getContractedName(operand), letters.size(),
                least, kMaxOperandIndices);
  for (char letter : letters) {
    if (letters.count(letter) > 1)
      return fail("'{0}': index '{1}' is repeated in {2}; diagonals are not "
                  "supported",
                  contraction.str(), letter, getContractedName(operand));
    auto count = count_if(contraction.operands,
                          [&](const auto &other) { return other.has(letter); });
    if (count == 1 && operand == 2)
      return fail("'{0}': index '{1}' of D is neither in A nor in B",
                  contraction.str(), letter);
    if (count == 1)
      return fail("'{0}': index '{1}' is only in {2}; sums of one operand are "
                  "not supported",
                  contraction.str(), letter, getContractedName(operand));
  }
  return Error::success();
}

Error Contraction::verify() const {
  for (unsigned operand = 0; operand < kNumContracted; ++operand)
    if (Error error = verifyOperand(*this, operand))
      return error;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

IndexKind Contraction::getKind(char letter) const {
  if (!operands[2].has(letter))
    return IndexKind::K;
  if (operands[0].has(letter))
    return operands[1].has(letter) ? IndexKind::Batch : IndexKind::M;
  return IndexKind::N;
}

std::vector<int64_t> Contraction::getShape(unsigned operand) const {
  std::vector<int64_t> shape;
  for (char letter : operands[operand].letters)
    shape.push_back(extents.at(letter));
  return shape;
}

std::optional<int64_t> Contraction::getStride(unsigned operand,
                                              char letter) const {
  const IndexedOperand &of = operands[operand];
  size_t position = of.letters.find(letter);
  if (position == std::string::npos)
    return 0;
  if (!of.strides.empty())
    return of.strides[position] < 0
               ? std::nullopt
               : std::optional<int64_t>(of.strides[position]);
  int64_t stride = 1;
  for (char inner : StringRef(of.letters).drop_front(position + 1)) {
    int64_t extent = extents.at(inner);
    if (extent < 0)
      return std::nullopt;
    stride *= extent;
  }
  return stride;
}

double Contraction::getFlops() const {
  double flops = 2;
  for (auto [letter, extent] : extents)
    flops *= static_cast<double>(extent);
  return flops;
}

std::string getResultIndices(const Contraction &contraction, IndexKind kind) {
  std::string letters;
  for (char letter : contraction.operands[2].letters)
    if (contraction.getKind(letter) == kind)
      letters += letter;
  return letters;
}

} // namespace tcgemm
