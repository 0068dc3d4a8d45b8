//===- Reader.cpp - Products by index string ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library knows the strides of all operands, which the compiler does not.
// So it joins the indices that are one in memory, and chooses the operands to
// copy. The kernel is that of the folded contraction, with run-time sizes and
// strides: it serves all contractions with the same folded indices.
//
//===----------------------------------------------------------------------===//

#include "Contraction/Fields.h"
#include "Contraction/Vectors.h"
#include "Failure.h"
#include "ProductTerms.h"
#include "tcgemm/Problem/IndexLetters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// The indices of the kernel's contraction. Neighbours of one kind in D are no
/// neighbours in A and B, so that the compiler, to which tensors are dense,
/// does not join them.
struct KernelIndices {
  std::vector<FoldedIndex> list; ///< Outer ones, m, n, k.
  std::array<std::string, kNumContracted> letters;

  const FoldedIndex &get(char letter) const;
};

using OperandPair = std::array<unsigned, 2>;

class ContractionReader {
public:
  explicit ContractionReader(const tcgemmContractionDesc &desc) : desc(desc) {}
  Expected<Description> read();

private:
  void leaveOutUnits();
  void addMissing(IndexKind kind, OperandPair operands, char letter);
  bool needsCopy(IndexedOperand &operand) const;
  Error foldIndices();
  Expected<Description> describe();
  Error setSizes(Description &result) const;
  void orderIndices();
  std::string expand(StringRef places) const;
  StringRef getPlaces(unsigned operand) const;
  bool fits(StringRef places, const LetteredTensor &tensor) const;
  ArgumentLayout layOut(StringRef places, const LetteredTensor &tensor,
                        bool copied) const;
  ArgumentLayout layOutVector(IndexKind kind) const;
  ArgumentLayout layOutPart(EpilogueOperand operand) const;
  LetteredTensor getTensor(unsigned operand) const {
    return {fields.given.operands[operand].letters, fields.shapes[operand]};
  }
  void setLayouts(Description &result) const;

  const tcgemmContractionDesc &desc;
  ContractionFields fields;
  /// The folded contraction: without the letters of extent 1, and with an m, n
  /// and k. An extent of 0 is 1 here.
  Contraction used;
  std::array<bool, kNumContracted> isCopied{};
  TransposedContraction folded;
  KernelIndices indices;
  bool isSwapped = false; ///< True if the kernel's A is the caller's B.
  NamedEpilogue epilogue; ///< As the caller names its parts.
};

} // namespace

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// Letters of extent 1 have no place in memory.
void ContractionReader::leaveOutUnits() {
  for (unsigned operand = 0; operand != kNumContracted; ++operand) {
    const IndexedOperand &from = fields.given.operands[operand];
    IndexedOperand &to = used.operands[operand];
    for (auto [letter, stride] :
         llvm::zip_equal(from.letters, fields.shapes[operand].strides)) {
      int64_t extent = fields.given.extents.at(letter);
      if (extent == 1)
        continue;
      used.extents[letter] = std::max<int64_t>(extent, 1);
      to.letters += letter;
      to.strides.push_back(stride);
    }
  }
}

/// Adds an index of extent 1 to two operands, if no index is of the kind of
/// those that they have.
void ContractionReader::addMissing(IndexKind kind, OperandPair operands,
                                   char letter) {
  for (auto [name, extent] : used.extents)
    if (used.getKind(name) == kind)
      return;
  used.extents[letter] = 1;
  for (unsigned operand : operands) {
    IndexedOperand &to = used.operands[operand];
    to.letters.insert(to.letters.begin(), letter);
    to.strides.insert(to.strides.begin(), 0);
  }
}

/// Returns whether an operand is copied because no two of its elements are
/// neighbours, and then removes its strides. If a kernel can tile a letter of
/// extent 1, this becomes the innermost one instead.
bool ContractionReader::needsCopy(IndexedOperand &operand) const {
  bool hasUnit = llvm::is_contained(operand.strides, 1);
  char single = 0;
  for (auto [letter, stride] :
       llvm::zip_equal(operand.letters, operand.strides)) {
    if (used.getKind(letter) == IndexKind::Batch)
      continue;
    if (stride == 1)
      return false;
    if (used.extents.at(letter) == 1)
      single = letter;
  }
  if (single)
    operand.strides[operand.letters.find(single)] = 1;
  else if (!hasUnit)
    operand.strides.clear();
  return !single && !hasUnit;
}

Error ContractionReader::foldIndices() {
  leaveOutUnits();
  // No letter: the caller's ones are letters.
  addMissing(IndexKind::M, {0, kD}, '0');
  addMissing(IndexKind::N, {1, kD}, '1');
  addMissing(IndexKind::K, {0, 1}, '2');
  for (unsigned operand = 0; operand != kNumContracted; ++operand)
    isCopied[operand] = needsCopy(used.operands[operand]);
  Expected<TransposedContraction> result = foldTransposed(used);
  if (!result)
    return withStatus(TCGEMM_NOT_SUPPORTED, result.takeError());
  folded = std::move(*result);
  for (unsigned operand = 0; operand != kNumContracted; ++operand)
    isCopied[operand] |= folded.isTransposed[operand];
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The kernel's contraction
//===----------------------------------------------------------------------===//

const FoldedIndex &KernelIndices::get(char letter) const {
  // The order of the list is that of orderIndices.
  size_t outer = list.size() - 3;
  size_t place = letter == 'm'   ? outer
                 : letter == 'n' ? outer + 1
                 : letter == 'k' ? outer + 2
                                 : letter - 'b';
  return list[place];
}

void ContractionReader::orderIndices() {
  const FoldedContraction &f = folded.folded;
  // A kernel's n is innermost in D.
  isSwapped = !f.n->isUnit(kD, folded.contraction);
  indices.list = f.outer;
  indices.list.push_back(isSwapped ? *f.n : *f.m);
  indices.list.push_back(isSwapped ? *f.m : *f.n);
  indices.list.push_back(f.k);
  std::string &d = indices.letters[kD];
  for (size_t i = 0; i != f.outer.size(); ++i)
    d += static_cast<char>('b' + i);
  for (unsigned operand : {0, 1}) {
    unsigned memory = isSwapped ? 1 - operand : operand;
    std::string outer;
    for (char letter : llvm::reverse(d))
      if (indices.get(letter).kind == IndexKind::Batch ||
          folded.contraction.operands[memory].has(
              indices.get(letter).letters.front()))
        outer += letter;
    char row = operand ? 'n' : 'm';
    bool isAlongK = f.k.isUnit(memory, folded.contraction);
    indices.letters[operand] = isAlongK ? row + outer + "k" : outer + "k" + row;
  }
  d += "mn";
}

/// The caller's letters that are these indices of the kernel, in their order.
std::string ContractionReader::expand(StringRef places) const {
  std::string letters;
  for (char place : places)
    letters += indices.get(place).letters;
  return letters;
}

/// The indices of the kernel's argument that is operand `operand` of the
/// caller.
StringRef ContractionReader::getPlaces(unsigned operand) const {
  return indices.letters[isSwapped && operand != kD ? 1 - operand : operand];
}

/// Returns whether joined indices are one in a tensor of the caller, and the
/// kernel's innermost one is innermost, too.
bool ContractionReader::fits(StringRef places,
                             const LetteredTensor &tensor) const {
  StridedShape shape = tensor.select(expand(places));
  if (shape.strides.back() != 1 && shape.sizes.back() > 1)
    return false;
  size_t begin = 0;
  for (char place : places) {
    size_t end = begin + indices.get(place).letters.size();
    for (size_t i = begin + 1; i != end; ++i)
      if (shape.strides[i - 1] != shape.sizes[i] * shape.strides[i])
        return false;
    begin = end;
  }
  return true;
}

/// The layout of the kernel's argument with the indices `places`, which is the
/// caller's tensor or a copy of it.
ArgumentLayout ContractionReader::layOut(StringRef places,
                                         const LetteredTensor &tensor,
                                         bool copied) const {
  ArgumentLayout layout;
  StridedShape selected = tensor.select(expand(places));
  if (copied) {
    layout.copy = OperandCopy{selected, StridedShape::rowMajor(selected.sizes)};
    selected = layout.copy->workspace;
  }
  size_t next = 0;
  for (char letter : places) {
    int64_t size = 1;
    for (size_t end = next + indices.get(letter).letters.size(); next != end;
         ++next)
      size *= selected.sizes[next];
    layout.shape.sizes.push_back(size);
    layout.shape.strides.push_back(selected.strides[next - 1]);
  }
  // The distance along one element is of no importance, but kernels want
  // neighbours in the innermost dimension.
  if (layout.shape.sizes.back() <= 1)
    layout.shape.strides.back() = 1;
  return layout;
}

/// The layout of a vector of the epilogue: dense, with the caller's indices of
/// that kind in the order of D.
ArgumentLayout ContractionReader::layOutVector(IndexKind kind) const {
  std::vector<int64_t> sizes;
  std::string letters = getResultIndices(fields.given, kind), places;
  for (char letter : letters)
    sizes.push_back(fields.given.extents.at(letter));
  for (char place : indices.letters[kD])
    if (indices.get(place).kind == kind)
      places += place;
  LetteredTensor tensor{letters, StridedShape::rowMajor(sizes)};
  return layOut(places, tensor, !fits(places, tensor));
}

/// Fails if the joined indices are beyond the limits of a product.
Error ContractionReader::setSizes(Description &result) const {
  MatmulSizes &sizes = result.problem.sizes;
  auto getExtent = [&](const FoldedIndex &index) {
    int64_t extent = 1;
    for (char letter : index.letters)
      if (auto found = fields.given.extents.find(letter);
          found != fields.given.extents.end())
        extent *= found->second;
    return extent;
  };
  sizes = {getExtent(indices.get('m')), getExtent(indices.get('n')),
           getExtent(indices.get('k')), 1};
  for (const FoldedIndex &index : folded.folded.outer)
    sizes.batch *= getExtent(index);
  for (auto [name, size] :
       {std::pair("m", sizes.m), std::pair("n", sizes.n),
        std::pair("k", sizes.k), std::pair("batch", sizes.batch)})
    if (size > TCGEMM_MAX_SIZE)
      return fail(TCGEMM_NOT_SUPPORTED,
                  "'" + fields.given.str() + "' is a product with " + name +
                      " = " + Twine(size) + ", but the limit is " +
                      Twine(TCGEMM_MAX_SIZE));
  return Error::success();
}

/// The layout of an operand of the epilogue, as the caller names its shape.
ArgumentLayout ContractionReader::layOutPart(EpilogueOperand operand) const {
  switch (operand) {
  case EpilogueOperand::None:
  case EpilogueOperand::Number:
    return {};
  case EpilogueOperand::AlongN:
    return layOutVector(IndexKind::N);
  case EpilogueOperand::AlongM:
    return layOutVector(IndexKind::M);
  case EpilogueOperand::Matrix:
    return layOut(getPlaces(kD), getTensor(kD), isCopied[kD]);
  }
  llvm_unreachable("covered switch");
}

void ContractionReader::setLayouts(Description &result) const {
  std::vector<EpilogueOperand> parts;
  for (EpiloguePart part : epilogue.parts)
    if (readsOperand(part))
      parts.push_back(getPartOperand(part));
  for (unsigned i = 0; i != result.slots.count; ++i) {
    unsigned slot = result.slots.slots[i].slot;
    ArgumentLayout layout; // That of a number.
    if (slot == TCGEMM_SLOT_A || slot == TCGEMM_SLOT_B ||
        slot == TCGEMM_SLOT_D) {
      unsigned operand = slot == TCGEMM_SLOT_D ? kD : slot == TCGEMM_SLOT_B;
      layout =
          layOut(getPlaces(operand), getTensor(operand), isCopied[operand]);
    } else if (slot == TCGEMM_SLOT_C) {
      LetteredTensor c{fields.given.operands[kD].letters, fields.shapeOfC};
      layout =
          layOut(getPlaces(kD), c, isCopied[kD] || !fits(getPlaces(kD), c));
    } else if (slot >= TCGEMM_SLOT_EPILOGUE && slot < TCGEMM_SLOT_OFFSETS) {
      layout = layOutPart(parts[slot - TCGEMM_SLOT_EPILOGUE]);
    }
    result.layouts.push_back(std::move(layout));
  }
}

//===----------------------------------------------------------------------===//
// The description
//===----------------------------------------------------------------------===//

/// The same as getCommonFields, with the algebra.
static tcgemmMatmulDesc getFields(const tcgemmContractionDesc &from) {
  tcgemmMatmulDesc desc = getCommonFields(from);
  desc.algebra = from.algebra;
  return desc;
}

Expected<Description> ContractionReader::describe() {
  tcgemmMatmulDesc common = getFields(desc);
  std::string exchanged = exchangeVectors(epilogue).str(), body;
  if (isSwapped) {
    std::swap(common.typeA, common.typeB);
    common.epilogue = exchanged.c_str();
    if (common.epilogueBody) {
      body = exchangeVectorNames(common.epilogueBody);
      common.epilogueBody = body.c_str();
    }
  }
  Expected<Description> result = readDescriptor(common);
  if (!result)
    return result;
  if (isSwapped)
    std::swap(result->slots.slots[0].slot, result->slots.slots[1].slot);
  if (Error error = setSizes(*result))
    return std::move(error);
  KernelSpec &kernel = result->problem.kernel;
  kernel.isBatched = result->problem.sizes.batch != 1;
  kernel.aKContiguous = indices.letters[0].back() == 'k';
  kernel.bKContiguous = indices.letters[1].back() == 'k';
  Contraction &contraction = result->contraction.emplace();
  for (unsigned operand = 0; operand != kNumContracted; ++operand)
    for (char letter : indices.letters[operand]) {
      contraction.operands[operand].letters += letter;
      contraction.extents[letter] = -1;
    }
  setLayouts(*result);
  return result;
}

/// Fails if elements of A or B share bytes.
static Error checkWholeBytes(tcgemmType a, tcgemmType b) {
  for (tcgemmType type : {a, b})
    if (tcgemmGetPackedElements(type) > 1)
      return fail(
          TCGEMM_NOT_SUPPORTED,
          "types of A and B: only tcgemmPlan and tcgemmPlanGrouped have "
          "operands of 4 bits, but one is " +
              library::getTypeName(type));
  return Error::success();
}

Expected<Description> ContractionReader::read() {
  if (Error error = checkWholeBytes(desc.typeA, desc.typeB))
    return std::move(error);
  if (BilinearAlgebra::parse(desc.algebra))
    return fail(TCGEMM_NOT_SUPPORTED,
                "algebra " + Twine(desc.algebra) +
                    ": only tcgemmPlan has numbers with components");
  // The types in the caller's order are checked first.
  Expected<Description> common = readDescriptor(getFields(desc));
  if (!common)
    return common;
  epilogue = common->problem.kernel.epilogue;
  if (Error error = fields.read(desc))
    return std::move(error);
  if (Error error = foldIndices())
    return std::move(error);
  orderIndices();
  return describe();
}

Expected<Description>
library::readContraction(const tcgemmContractionDesc &descriptor) {
  return ContractionReader(descriptor).read();
}
