//===- NamedBilinear.cpp - Numbers of several components ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/NamedBilinear.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace tcgemm {

static constexpr StructureConstant kComplex[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, -1}};
static constexpr StructureConstant kSplitComplex[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}};
static constexpr StructureConstant kDualNumbers[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
// 1, i, j, k.
static constexpr StructureConstant kQuaternion[] = {
    {0, 0, 0, 1}, {0, 1, 1, 1},  {0, 2, 2, 1},  {0, 3, 3, 1},
    {1, 0, 1, 1}, {1, 1, 0, -1}, {1, 2, 3, 1},  {1, 3, 2, -1},
    {2, 0, 2, 1}, {2, 1, 3, -1}, {2, 2, 0, -1}, {2, 3, 1, 1},
    {3, 0, 3, 1}, {3, 1, 2, 1},  {3, 2, 1, -1}, {3, 3, 0, -1}};

static constexpr BilinearInfo kAlgebras[] = {
    {"complex", 2, kComplex},
    {"split-complex", 2, kSplitComplex},
    {"dual", 2, kDualNumbers},
    {"quaternion", 4, kQuaternion}};

/// The ends of names that say which elements are conjugated.
static constexpr struct {
  StringLiteral suffix;
  std::array<bool, 2> conjugates;
} kConjugates[] = {{"-conj-ab", {true, true}},
                   {"-conj-a", {true, false}},
                   {"-conj-b", {false, true}},
                   {"", {false, false}}};

ArrayRef<BilinearInfo> getBilinearInfos() { return kAlgebras; }

std::string BilinearAlgebra::str() const {
  for (const auto &row : kConjugates)
    if (row.conjugates == conjugates)
      return (info->name + row.suffix).str();
  return "";
}

std::optional<BilinearAlgebra> BilinearAlgebra::parse(StringRef text) {
  for (const BilinearInfo &info : kAlgebras)
    for (const auto &row : kConjugates)
      if (text == (info.name + row.suffix).str())
        return BilinearAlgebra{&info, row.conjugates};
  return std::nullopt;
}

int BilinearAlgebra::getConstant(unsigned q, unsigned r, unsigned p) const {
  for (const StructureConstant &constant : info->constants) {
    if (constant.q != q || constant.r != r || constant.p != p)
      continue;
    bool isNegated = (q && conjugates[0]) != (r && conjugates[1]);
    return isNegated ? -constant.sign : constant.sign;
  }
  return 0;
}

Expected<ComponentLetters> addComponents(Contraction &contraction,
                                         const BilinearAlgebra &algebra,
                                         ComponentLayout layout) {
  std::string unused;
  for (char letter : StringRef("qrpabcdefghijklmnostuvwxyz"))
    if (!contraction.extents.count(letter))
      unused += letter;
  if (unused.size() < kNumContracted)
    return createStringError("the components need three letters, but only " +
                             Twine(unused.size()) + " are not indices");
  ComponentLetters letters;
  for (unsigned operand = 0; operand != kNumContracted; ++operand) {
    char letter = letters[operand] = unused[operand];
    std::string &indices = contraction.operands[operand].letters;
    if (indices.size() == kMaxOperandIndices)
      return createStringError(
          getContractedName(operand) + " has " + Twine(kMaxOperandIndices) +
          " indices, and so none is left for the components");
    size_t place = layout == ComponentLayout::Planes ? 0
                   : layout == ComponentLayout::Interleaved
                       ? indices.size()
                       : indices.size() - 1;
    indices.insert(place, 1, letter);
    contraction.extents[letter] = algebra.info->numComponents;
  }
  return letters;
}

} // namespace tcgemm
