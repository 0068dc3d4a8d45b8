//===- OperandRounding.cpp - Operands with less precision -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores ignore the lower bits of f32 operands, which is to round toward
// zero and makes sums too small. Operands are therefore rounded first.
//
//===----------------------------------------------------------------------===//

#include "OperandRounding.h"
#include "InlineAssembly.h"
#include "tcgemm/Target/Chip.h"

using namespace mlir;
using namespace tcgemm;

/// Rounds by integer arithmetic; the tensor cores ignore the lower bits. The
/// carry of a NaN might leave its exponent: NaNs become the canonical one.
static constexpr llvm::StringLiteral kRoundByIntegers =
    "{\n"
    ".reg .pred isNaN;\n"
    ".reg .b32 bits, odd;\n"
    "mov.b32 bits, $1;\n"
    "bfe.u32 odd, bits, 13, 1;\n"
    "add.u32 odd, odd, 0xFFF;\n"
    "add.u32 bits, bits, odd;\n"
    "setp.nan.f32 isNaN, $1, $1;\n"
    "selp.b32 bits, 0x7FFFFFFF, bits, isNaN;\n"
    "mov.b32 $0, bits;\n"
    "}";

Value tcgemm::roundOperand(IntegerBuilder &b, Operation *op, ScalarType type,
                           Value value) {
  assert(type == ScalarType::TF32 && "no other type is rounded");
  (void)type;
  StringRef chip = op->getParentOfType<ProgramOp>().getChip();
  // sm_80 has cvt.rna only, which rounds ties away from zero.
  bool hasInstruction = llvm::cantFail(lookupChip(chip)).capability >= 90;
  return createAssembly(
      b, hasInstruction ? "cvt.rn.tf32.f32 $0, $1;" : kRoundByIntegers, "=f,f",
      value.getType(), value, /*hasSideEffects=*/false);
}
