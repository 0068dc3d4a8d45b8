//===- Numbers.cpp - Products of numbers with components ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "Failure.h"
#include "ProductTerms.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

/// The property of a product that numbers do not have; empty if there is none.
static StringRef findOtherProperty(const KernelSpec &kernel) {
  if (kernel.isDual())
    return "dual";
  if (!kernel.reductions.empty())
    return "reductions";
  if (kernel.hasBlockScales() || kernel.hasGroupScales())
    return "scales";
  for (EpiloguePart part : kernel.epilogue.parts)
    if (getPartOperand(part) == EpilogueOperand::AlongM ||
        getPartOperand(part) == EpilogueOperand::AlongN)
      return getPartName(part);
  return "";
}

static Error check(const tcgemmMatmulDesc &desc, const KernelSpec &kernel,
                   const BilinearAlgebra &algebra) {
  std::string start = "algebra " + algebra.str() + ": ";
  if (kernel.typeA != kernel.typeB ||
      !llvm::is_contained({TCGEMM_F16, TCGEMM_BF16, TCGEMM_F32, TCGEMM_F64},
                          desc.typeA))
    return fail(TCGEMM_NOT_SUPPORTED,
                start + "A and B are of " + kernel.getOperandTypeText() +
                    ", but numbers have components of f16, bf16, f32 or f64");
  if (StringRef property = findOtherProperty(kernel); !property.empty())
    return fail(TCGEMM_NOT_SUPPORTED,
                start + "numbers with components do not go with " + property);
  // Kernels count components with 32 bits.
  int64_t most = TCGEMM_MAX_SIZE / algebra.info->numComponents;
  for (auto [name, size, least] : {std::tuple("m", desc.m, int64_t(0)),
                                   std::tuple("n", desc.n, int64_t(0)),
                                   std::tuple("k", desc.k, int64_t(1))})
    if (tcgemmStatus status = tcgemmCheckRange(name, size, least, most))
      return takeFailure(status);
  return Error::success();
}

/// The layout of a matrix with these letters.
static ArgumentLayout layOut(StringRef letters, const tcgemmSlot &slot,
                             int64_t components, const tcgemmMatmulDesc &desc) {
  ArgumentLayout layout;
  for (char letter : letters.drop_back()) {
    auto [size, dim] = letter == 'm'   ? std::pair(desc.m, TCGEMM_DIM_M)
                       : letter == 'n' ? std::pair(desc.n, TCGEMM_DIM_N)
                       : letter == 'k'
                           ? std::pair(desc.k, TCGEMM_DIM_K)
                           : std::pair(desc.batch, TCGEMM_DIM_BATCH);
    layout.shape.sizes.push_back(size);
    layout.shape.strides.push_back(slot.strides[dim] * components);
  }
  layout.shape.sizes.push_back(components);
  layout.shape.strides.push_back(1);
  return layout;
}

/// Returns whether kernels do not take A or B as it is in memory: they read A's
/// numbers along k, and all products of B as one.
static bool isCopied(const tcgemmSlot &slot, const tcgemmMatmulDesc &desc) {
  if (slot.slot == TCGEMM_SLOT_A)
    return desc.transA == TCGEMM_T;
  int outer = desc.transB == TCGEMM_T ? TCGEMM_DIM_N : TCGEMM_DIM_K;
  int64_t rows = outer == TCGEMM_DIM_N ? desc.n : desc.k;
  return desc.batch > 1 &&
         slot.strides[TCGEMM_DIM_BATCH] != rows * slot.strides[outer];
}

/// Has the operand copied to the workspace.
static Error copy(ArgumentLayout &layout) {
  Expected<StridedShape> dense =
      StridedShape::createRowMajor(layout.shape.sizes);
  if (!dense)
    return withStatus(TCGEMM_NOT_SUPPORTED, dense.takeError());
  layout.copy = OperandCopy{layout.shape, *dense};
  layout.shape = std::move(*dense);
  return Error::success();
}

Error library::readNumbers(const tcgemmMatmulDesc &desc, Description &result) {
  std::optional<BilinearAlgebra> algebra = BilinearAlgebra::parse(desc.algebra);
  if (!algebra)
    return Error::success();
  KernelSpec &kernel = result.problem.kernel;
  if (Error error = check(desc, kernel, *algebra))
    return error;
  kernel.aKContiguous = true;
  GenerateOptions options{{kernel, result.problem.sizes}, kernel.isBatched};
  Contraction contraction = describeProduct(options);
  for (auto &extent : contraction.extents)
    extent.second = -1; // One kernel serves all.
  Expected<ComponentLetters> letters =
      addComponents(contraction, *algebra, ComponentLayout::Interleaved);
  if (!letters)
    return withStatus(TCGEMM_NOT_SUPPORTED, letters.takeError());
  result.numbers = GeneratedBilinear{*algebra, *letters};
  int64_t components = algebra->info->numComponents;
  for (unsigned i = 0; i != result.slots.count; ++i) {
    const tcgemmSlot &slot = result.slots.slots[i];
    ArgumentLayout layout; // That of a number.
    bool isFactor = slot.slot == TCGEMM_SLOT_A || slot.slot == TCGEMM_SLOT_B;
    bool isResult = slot.slot == TCGEMM_SLOT_D || slot.slot == TCGEMM_SLOT_C ||
                    slot.strides[TCGEMM_DIM_N] != 0;
    if (isFactor)
      layout = layOut(contraction.operands[slot.slot].letters, slot, components,
                      desc);
    else if (isResult)
      layout = layOut(contraction.operands[2].letters, slot, components, desc);
    if (isFactor && isCopied(slot, desc))
      if (Error error = copy(layout))
        return error;
    result.layouts.push_back(std::move(layout));
  }
  result.contraction = std::move(contraction);
  result.problem.sizes.n *= components;
  result.problem.sizes.k *= components;
  return Error::success();
}
