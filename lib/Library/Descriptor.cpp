//===- Descriptor.cpp - A checked description of a product ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "Failure.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct TypeName {
  tcgemmType type;
  llvm::StringLiteral name;
};
constexpr TypeName kTypes[] = {
    {TCGEMM_F16, "f16"}, {TCGEMM_BF16, "bf16"}, {TCGEMM_F32, "f32"},
    {TCGEMM_F64, "f64"}, {TCGEMM_E4M3, "e4m3"}, {TCGEMM_E5M2, "e5m2"},
    {TCGEMM_S8, "s8"},   {TCGEMM_U8, "u8"},     {TCGEMM_S32, "s32"},
};

/// Elements between rows or matrices. With 2^31 rows and matrices, every offset
/// in bytes is less than 2^63.
constexpr int64_t kMaxLeadingDimension = int64_t(1) << 28;
constexpr int64_t kMaxStride = int64_t(1) << 56;
constexpr unsigned kMaxAlignment = 256;

Error checkRange(StringRef name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most)
    return Error::success();
  return fail(TCGEMM_INVALID_VALUE, name + " is " + Twine(value) +
                                        ", but it must be " + Twine(least) +
                                        " to " + Twine(most));
}

class Reader {
public:
  explicit Reader(const tcgemmMatmulDesc &desc) : desc(desc) {}
  Expected<Description> read();

private:
  Expected<StringRef> readType(StringRef field, tcgemmType type) const;
  Error readTypes();
  Error readSizes();
  Error readScaling();
  Error readWords();
  Error addMatrix(unsigned slot, StringRef letter, int64_t ld, int64_t stride,
                  std::array<Dim, 2> dims, int64_t rows, int64_t columns);
  Error addMatrices();
  Error addEpilogue();
  Error readAlignment();

  KernelSpec &kernel() { return result.problem.kernel; }
  /// The type in which epilogues compute.
  ScalarType getSumType() {
    ScalarType type = kernel().accumulator;
    return isFloatType(type) ? type : ScalarType::F32;
  }

  const tcgemmMatmulDesc &desc;
  Description result;
};

} // namespace

std::string library::getSlotName(unsigned slot) {
  constexpr const char *names[] = {"A", "B", "C", "D"};
  if (slot < SlotEpilogue)
    return names[slot];
  if (slot < SlotAlpha)
    return "epilogue[" + std::to_string(slot - SlotEpilogue) + "]";
  return slot == SlotAlpha ? "alpha" : "beta";
}

std::optional<StringRef> library::findTypeName(tcgemmType type) {
  for (const TypeName &each : kTypes)
    if (each.type == type)
      return each.name;
  return std::nullopt;
}

Expected<StringRef> Reader::readType(StringRef field, tcgemmType type) const {
  if (std::optional<StringRef> name = findTypeName(type))
    return *name;
  return fail(TCGEMM_INVALID_VALUE, field + " is " +
                                        Twine(static_cast<int>(type)) +
                                        ", which is no tcgemmType");
}

Error Reader::readTypes() {
  Expected<StringRef> a = readType("typeA", desc.typeA);
  Expected<StringRef> b = readType("typeB", desc.typeB);
  Expected<StringRef> d = readType("typeD", desc.typeD);
  if (!a || !b || !d)
    return joinErrors(a.takeError(), joinErrors(b.takeError(), d.takeError()));
  std::string operands = (*a == *b ? Twine(*a) : *a + "x" + *b).str();
  if (Error error = kernel().setOperandTypes(operands))
    return withStatus(TCGEMM_NOT_SUPPORTED, std::move(error));
  if (Error error = kernel().setPrecision(desc.precision))
    return withStatus(TCGEMM_INVALID_VALUE, std::move(error));
  return withStatus(TCGEMM_NOT_SUPPORTED, kernel().setOutputType(*d));
}

Error Reader::readSizes() {
  for (auto [name, size] :
       {std::pair("m", desc.m), std::pair("n", desc.n), std::pair("k", desc.k),
        std::pair("batch", desc.batch)})
    if (Error error = checkRange(name, size, 0, kMaxProblemSize))
      return error;
  result.problem.sizes = {desc.m, desc.n, desc.k, desc.batch};
  kernel().isBatched = desc.batch != 1;
  return Error::success();
}

Error Reader::readScaling() {
  if (Error error = checkRange("scaling", desc.scaling, TCGEMM_UNSCALED,
                               TCGEMM_ALPHA_BETA))
    return error;
  kernel().hasAlpha = desc.scaling != TCGEMM_UNSCALED;
  kernel().hasBeta = desc.scaling == TCGEMM_ALPHA_BETA;
  if (Error error = checkRange("pointerMode", desc.pointerMode,
                               TCGEMM_POINTER_HOST, TCGEMM_POINTER_DEVICE))
    return error;
  result.scalarsInMemory = desc.pointerMode == TCGEMM_POINTER_DEVICE;
  if (result.scalarsInMemory && !kernel().hasAlpha)
    return fail(TCGEMM_INVALID_VALUE, "pointerMode is TCGEMM_POINTER_DEVICE, "
                                      "but scaling is TCGEMM_UNSCALED");
  if (result.scalarsInMemory && (desc.alpha != 1 || desc.beta != 0))
    return fail(TCGEMM_INVALID_VALUE,
                "pointerMode is TCGEMM_POINTER_DEVICE, so that alpha must be 1 "
                "and beta 0: tcgemmOperands has their addresses");
  if (!kernel().hasAlpha && desc.alpha != 1)
    return fail(TCGEMM_INVALID_VALUE,
                "alpha is not 1, but scaling is TCGEMM_UNSCALED");
  if (!kernel().hasBeta && desc.beta != 0)
    return fail(TCGEMM_INVALID_VALUE,
                "beta is not 0, but scaling is not TCGEMM_ALPHA_BETA");
  result.alpha = desc.alpha;
  result.beta = desc.beta;
  return Error::success();
}

Error Reader::readWords() {
  if (Error error = checkRange("transA", desc.transA, TCGEMM_N, TCGEMM_T))
    return error;
  if (Error error = checkRange("transB", desc.transB, TCGEMM_N, TCGEMM_T))
    return error;
  kernel().aKContiguous = desc.transA == TCGEMM_N;
  kernel().bKContiguous = desc.transB == TCGEMM_T;
  Expected<NamedEpilogue> epilogue =
      NamedEpilogue::parse(desc.epilogue ? desc.epilogue : "none");
  if (!epilogue)
    return withStatus(TCGEMM_INVALID_VALUE, epilogue.takeError());
  kernel().epilogue = std::move(*epilogue);
  result.config = desc.config ? desc.config : "";
  return Error::success();
}

Error Reader::addMatrix(unsigned slot, StringRef letter, int64_t ld,
                        int64_t stride, std::array<Dim, 2> dims, int64_t rows,
                        int64_t columns) {
  if (ld == TCGEMM_DENSE)
    ld = std::max<int64_t>(columns, 1);
  else if (Error error = checkRange(("ld" + letter.lower()), ld,
                                    std::max<int64_t>(columns, 1),
                                    std::max(columns, kMaxLeadingDimension)))
    return error;
  if (stride == TCGEMM_DENSE)
    stride = rows * ld;
  bool isWritten = slot == SlotC || slot == SlotD;
  int64_t least = isWritten && desc.batch > 1 ? rows * ld : 0;
  if (Error error = checkRange(("stride" + letter).str(), stride,
                               std::min(least, kMaxStride), kMaxStride))
    return error;
  SlotLayout &layout = result.slots.emplace_back();
  layout.slot = slot;
  layout.type = slot == SlotA   ? kernel().typeA
                : slot == SlotB ? kernel().typeB
                                : kernel().output;
  layout.strides[static_cast<unsigned>(dims[0])] = ld;
  layout.strides[static_cast<unsigned>(dims[1])] = 1;
  layout.strides[static_cast<unsigned>(Dim::Batch)] = stride;
  return Error::success();
}

/// In the order of the function that generateMLIR writes.
Error Reader::addMatrices() {
  std::array a = {Dim::M, Dim::K}, b = {Dim::K, Dim::N}, c = {Dim::M, Dim::N};
  std::array sizesA = {desc.m, desc.k}, sizesB = {desc.k, desc.n};
  if (desc.transA == TCGEMM_T) {
    std::swap(a[0], a[1]);
    std::swap(sizesA[0], sizesA[1]);
  }
  if (desc.transB == TCGEMM_T) {
    std::swap(b[0], b[1]);
    std::swap(sizesB[0], sizesB[1]);
  }
  if (Error error = addMatrix(SlotA, "A", desc.lda, desc.strideA, a, sizesA[0],
                              sizesA[1]))
    return error;
  if (Error error = addMatrix(SlotB, "B", desc.ldb, desc.strideB, b, sizesB[0],
                              sizesB[1]))
    return error;
  if (kernel().hasBeta)
    if (Error error =
            addMatrix(SlotC, "C", desc.ldc, desc.strideC, c, desc.m, desc.n))
      return error;
  if (Error error = addEpilogue())
    return error;
  for (auto [has, slot] : {std::pair(kernel().hasAlpha, SlotAlpha),
                           std::pair(kernel().hasBeta, SlotBeta)}) {
    if (!has)
      continue;
    SlotLayout &layout = result.slots.emplace_back();
    layout.slot = slot;
    layout.type = getSumType();
  }
  return addMatrix(SlotD, "D", desc.ldd, desc.strideD, c, desc.m, desc.n);
}

Error Reader::addEpilogue() {
  unsigned slot = SlotEpilogue;
  std::array c = {Dim::M, Dim::N};
  for (EpiloguePart part : kernel().epilogue.parts) {
    if (!readsOperand(part))
      continue;
    if (slot == SlotAlpha)
      return fail(TCGEMM_INVALID_VALUE,
                  "the epilogue reads more than " +
                      Twine(TCGEMM_MAX_EPILOGUE_OPERANDS) + " operands");
    EpilogueOperand shape = getPartOperand(part);
    if (shape == EpilogueOperand::Matrix) {
      if (Error error =
              addMatrix(slot++, "D", desc.ldd, desc.strideD, c, desc.m, desc.n))
        return error;
      continue;
    }
    SlotLayout &layout = result.slots.emplace_back();
    layout.slot = slot++;
    layout.type = getSumType();
    if (shape != EpilogueOperand::Number)
      layout.strides[static_cast<unsigned>(
          shape == EpilogueOperand::AlongN ? Dim::N : Dim::M)] = 1;
  }
  return Error::success();
}

Error Reader::readAlignment() {
  if (!llvm::isPowerOf2_32(desc.alignment) || desc.alignment > kMaxAlignment)
    return fail(TCGEMM_INVALID_VALUE,
                "alignment is " + Twine(desc.alignment) +
                    ", but it must be a power of two from 1 to " +
                    Twine(kMaxAlignment));
  // Alpha and beta may be anywhere.
  for (SlotLayout &layout : result.slots)
    layout.alignment =
        std::max(layout.slot < SlotAlpha ? desc.alignment : 1,
                 static_cast<uint32_t>(getByteSize(layout.type)));
  return Error::success();
}

Expected<Description> Reader::read() {
  for (Error (Reader::*step)() :
       {&Reader::readTypes, &Reader::readSizes, &Reader::readScaling,
        &Reader::readWords, &Reader::addMatrices, &Reader::readAlignment})
    if (Error error = (this->*step)())
      return std::move(error);
  return std::move(result);
}

std::string Description::getSource() const {
  const KernelSpec &kernel = problem.kernel;
  GenerateOptions options{
      {kernel, problem.sizes}, kernel.isBatched, kernel.isStatic};
  options.scalarsInMemory = scalarsInMemory;
  return generateMLIR(options);
}

Expected<Description> library::readDescriptor(const tcgemmMatmulDesc &desc) {
  return Reader(desc).read();
}
