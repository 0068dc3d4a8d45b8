//===- Reductions.cpp - Reductions and algebras of a product --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "Failure.h"
#include "ProductTerms.h"
#include "tcgemm/Problem/NamedBilinear.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

/// The names of numbers, without those of conjugates.
static std::string getNumberNames() {
  std::string names;
  for (const BilinearInfo &info : getBilinearInfos())
    names += (names.empty() ? "" : ", ") + info.name.str();
  return names;
}

Error library::readAlgebra(const tcgemmMatmulDesc &desc, KernelSpec &kernel) {
  if (BilinearAlgebra::parse(desc.algebra))
    return Error::success();
  if (Error error = Algebra::parse(desc.algebra).takeError())
    return withStatus(TCGEMM_INVALID_VALUE,
                      llvm::createStringError(
                          llvm::toString(std::move(error)) +
                          "; or numbers with components: " + getNumberNames()));
  return withStatus(TCGEMM_NOT_SUPPORTED, kernel.setAlgebra(desc.algebra));
}

Error library::readReductions(const tcgemmMatmulDesc &desc,
                              KernelSpec &kernel) {
  Expected<NamedReductions> parsed = NamedReductions::parse(desc.reductions);
  if (!parsed)
    return withStatus(TCGEMM_INVALID_VALUE, parsed.takeError());
  if (parsed->list.empty())
    return Error::success();
  if (parsed->list.size() > TCGEMM_MAX_REDUCTIONS)
    return fail(TCGEMM_INVALID_VALUE,
                "reductions: '" + Twine(desc.reductions) + "' are " +
                    Twine(parsed->list.size()) + ", but there may be " +
                    Twine(TCGEMM_MAX_REDUCTIONS) + " at most");
  if (tcgemmIsEmpty(&desc))
    return fail(TCGEMM_INVALID_VALUE,
                "reductions: D is " + Twine(desc.m) + "x" + Twine(desc.n) +
                    " with batch " + Twine(desc.batch) +
                    ", but it must have elements that are reduced");
  return withStatus(TCGEMM_NOT_SUPPORTED,
                    kernel.setReductions(desc.reductions));
}

/// The bytes of a result.
static uint32_t getResultBytes(const NamedReduction &reduction,
                               const KernelSpec &kernel) {
  if (reduction.kind == ReductionKind::ArgMax)
    return reduction.axis == ReductionAxis::All ? sizeof(int64_t)
                                                : sizeof(int32_t);
  return tcgemmGetTypeBytes(getSumType(kernel));
}

void library::addReductions(const tcgemmMatmulDesc &desc,
                            const KernelSpec &kernel, tcgemmSlots &slots) {
  unsigned next = TCGEMM_SLOT_REDUCTION;
  for (const NamedReduction &reduction : kernel.reductions.list) {
    // The type is that of vectors; indices have no number in the C API.
    tcgemmSlot slot{
        next++, getSumType(kernel), {}, getResultBytes(reduction, kernel)};
    switch (reduction.axis) {
    case ReductionAxis::All:
      slot.strides[TCGEMM_DIM_BATCH] = 1;
      break;
    case ReductionAxis::Row:
      slot.strides[TCGEMM_DIM_M] = 1;
      slot.strides[TCGEMM_DIM_BATCH] = desc.m;
      break;
    case ReductionAxis::Column:
      slot.strides[TCGEMM_DIM_N] = 1;
      slot.strides[TCGEMM_DIM_BATCH] = desc.n;
      break;
    }
    slots.slots[slots.count++] = slot;
  }
}
