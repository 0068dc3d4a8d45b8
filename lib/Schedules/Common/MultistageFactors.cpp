//===- MultistageFactors.cpp - Fragments as they are multiplied -----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Common/MultistageFactors.h"
#include "Common/ElementFunctions.h"
#include "tcgemm/Dialect/ElementTypes.h"

using namespace mlir;
using namespace tcgemm;

Value MultistageFactors::get(unsigned operand, Value fragment, Value tile,
                             int64_t step, bool mayHaveResidue) {
  Value transformed = transform(operand, fragment, tile, step, mayHaveResidue);
  return mayHaveResidue && needsPadding(operand)
             ? padFragment(p, transformed, getValid(transformed, tile, step))
             : transformed;
}

/// The function of the fragment's elements, if there is one. It is computed
/// just before the product, since the loop's fragments may be of the next tile.
Value MultistageFactors::transform(unsigned operand, Value fragment, Value tile,
                                   int64_t step, bool mayHaveResidue) {
  KernelOp kernel = p.getKernel();
  if (!mapsInRegisters(kernel, c, operand))
    return fragment;
  Value valid;
  if (mayHaveResidue && needsZeros(kernel, c, operand))
    valid = getValid(fragment, tile, step);
  return mapFragment(p, operand, fragment, valid);
}

/// The elements of A that are left from k-step `step` on; those of the whole
/// tile are `copies.getValid`.
Value MultistageFactors::getValid(Value fragment, Value tile, int64_t step) {
  int64_t depth = cast<FragmentType>(fragment.getType()).getDepth();
  Value valid = p.sub(copies.getValid(tile), p.i32(step * depth));
  if (int64_t parts = worker.getPartsOfK(); parts > 1)
    valid = p.sub(valid, p.mul(worker.getPartOfK(), p.i32(c.cta[2] / parts)));
  return valid;
}

/// Copies fill elements beyond K with zeros. Another algebra may need other
/// values there.
bool MultistageFactors::needsPadding(unsigned operand) const {
  ScalarType sums = *getScalarType(worker.getAccType().getElementType());
  ScalarConstant padding =
      p.getKernel().getProductAlgebra().getPadding(sums, operand);
  return padding != ScalarConstant(0.0) &&
         padding != ScalarConstant(int64_t(0));
}

bool MultistageFactors::replacesResidue() const {
  int64_t k = p.getKernel().getK();
  if (!ShapedType::isDynamic(k) && k % c.cta[2] == 0)
    return false;
  return llvm::any_of(ArrayRef<unsigned>{0, 1}, [&](unsigned operand) {
    return needsPadding(operand) ||
           (mapsInRegisters(p.getKernel(), c, operand) &&
            needsZeros(p.getKernel(), c, operand));
  });
}
