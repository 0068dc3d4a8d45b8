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
#include "Failure.h"

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
  std::string getKernelOrder(unsigned operand) const;
  StridedShape select(StringRef letters, unsigned operand,
                      const StridedShape &all) const;
  bool fitsResult(const StridedShape &memory) const;
  ArgumentLayout layOut(unsigned operand, const StridedShape &memory,
                        bool copied) const;
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

/// The letters of an operand in the order of the kernel's argument.
std::string ContractionReader::getKernelOrder(unsigned operand) const {
  std::string letters;
  unsigned place = isSwapped && operand != kD ? 1 - operand : operand;
  for (char letter : indices.letters[place])
    letters += indices.get(letter).letters;
  return letters;
}

/// Returns whether joined indices are one in a tensor with D's letters, and D's
/// innermost one is innermost, too.
bool ContractionReader::fitsResult(const StridedShape &memory) const {
  std::string letters = getKernelOrder(kD);
  StridedShape shape = select(letters, kD, memory);
  if (shape.strides.back() != 1 && shape.sizes.back() > 1)
    return false;
  for (const FoldedIndex &index : indices.list) {
    size_t begin = letters.find(index.letters.front());
    if (begin == std::string::npos)
      continue; // k
    for (size_t i = begin + 1; i != begin + index.letters.size(); ++i)
      if (shape.strides[i - 1] != shape.sizes[i] * shape.strides[i])
        return false;
  }
  return true;
}

/// Sizes and strides of these letters of an operand.
StridedShape ContractionReader::select(StringRef letters, unsigned operand,
                                       const StridedShape &all) const {
  StridedShape result;
  for (char letter : letters) {
    size_t place = fields.given.operands[operand].letters.find(letter);
    bool isGiven = place != std::string::npos;
    result.sizes.push_back(isGiven ? all.sizes[place] : 1);
    result.strides.push_back(isGiven ? all.strides[place] : 0);
  }
  return result;
}

/// The layout of the kernel's argument that is operand `operand` of the caller,
/// or has the letters of D, in `memory`.
ArgumentLayout ContractionReader::layOut(unsigned operand,
                                         const StridedShape &memory,
                                         bool copied) const {
  ArgumentLayout layout;
  std::string letters = getKernelOrder(operand);
  StridedShape selected = select(letters, operand, memory);
  if (copied) {
    layout.copy = OperandCopy{selected, StridedShape::rowMajor(selected.sizes)};
    selected = layout.copy->workspace;
  }
  unsigned place = isSwapped && operand != kD ? 1 - operand : operand;
  size_t next = 0;
  for (char letter : indices.letters[place]) {
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

void ContractionReader::setLayouts(Description &result) const {
  for (unsigned i = 0; i != result.slots.count; ++i) {
    const tcgemmSlot &slot = result.slots.slots[i];
    ArgumentLayout layout; // That of a number.
    if (slot.slot == TCGEMM_SLOT_A || slot.slot == TCGEMM_SLOT_B) {
      unsigned operand = slot.slot == TCGEMM_SLOT_B;
      layout = layOut(operand, fields.shapes[operand], isCopied[operand]);
    } else if (slot.slot == TCGEMM_SLOT_C) {
      layout = layOut(kD, fields.shapeOfC,
                      isCopied[kD] || !fitsResult(fields.shapeOfC));
    } else if (slot.strides[TCGEMM_DIM_M] != 0) { // A matrix.
      layout = layOut(kD, fields.shapes[kD], isCopied[kD]);
    }
    result.layouts.push_back(std::move(layout));
  }
}

//===----------------------------------------------------------------------===//
// The description
//===----------------------------------------------------------------------===//

/// The fields that all products have, as those of a product of matrices. The
/// sizes are 0.
static tcgemmMatmulDesc getCommonFields(const tcgemmContractionDesc &from) {
  tcgemmMatmulDesc desc;
  tcgemmSetDescDefaults(&desc);
  desc.typeA = from.typeA, desc.typeB = from.typeB, desc.typeD = from.typeD;
  desc.scaling = from.scaling;
  desc.alpha = from.alpha, desc.beta = from.beta;
  desc.precision = from.precision;
  desc.epilogue = from.epilogue;
  desc.alignment = from.alignment;
  desc.config = from.config;
  desc.pointerMode = from.pointerMode;
  desc.epilogueBody = from.epilogueBody;
  return desc;
}

/// A vector would need a letter.
static Error checkEpilogue(const NamedEpilogue &epilogue) {
  for (EpiloguePart part : epilogue.parts)
    if (EpilogueOperand operand = getPartOperand(part);
        operand == EpilogueOperand::AlongM ||
        operand == EpilogueOperand::AlongN)
      return fail(TCGEMM_INVALID_VALUE,
                  "epilogue '" + epilogue.str() + "': '" + getPartName(part) +
                      "' reads a vector, but products by index string have "
                      "relu, gelu, gelutanh, silu, scale, residual and gate "
                      "only");
  return Error::success();
}

Expected<Description> ContractionReader::describe() {
  tcgemmMatmulDesc common = getCommonFields(desc);
  if (isSwapped)
    std::swap(common.typeA, common.typeB);
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

Expected<Description> ContractionReader::read() {
  // The types in the caller's order are checked first.
  Expected<Description> common = readDescriptor(getCommonFields(desc));
  if (!common)
    return common;
  if (Error error = checkEpilogue(common->problem.kernel.epilogue))
    return std::move(error);
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
