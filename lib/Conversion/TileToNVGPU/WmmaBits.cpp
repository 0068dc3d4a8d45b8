//===- WmmaBits.cpp - Accumulators of wmma for bits -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WmmaBits.h"
#include "InlineAssembly.h"
#include "SharedMemory.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Target/Instructions.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

static constexpr int64_t kRegistersOfSums = 2;

/// The space of an address as PTX names it, and the class of its register.
static std::pair<StringRef, StringRef> getSpace(Value address) {
  bool isShared =
      cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 3;
  return isShared ? std::pair("shared", "r") : std::pair("global", "l");
}

Type WmmaBits::getSumsType(Type element) const {
  return VectorType::get({kRegistersOfSums}, element);
}

Type WmmaBits::getOperandType(FragmentType) const { return b.getI32Type(); }

Value WmmaBits::createZeros(Type element) {
  return b.zero(getSumsType(element));
}

/// Loads 8 rows of A or 8 columns of B, which run along k. `pitch` (i32) counts
/// bits.
Value WmmaBits::load(FragmentType fragment, Value address, Value pitch) {
  bool isA = fragment.getRole() == FragmentRole::A;
  auto [space, registerClass] = getSpace(address);
  std::string text = llvm::formatv(
      "wmma.load.{0}.sync.aligned.{1}.m{2}n{3}k{4}.{5}.{6} "
      "{{$0}, [$1], $2;",
      isA ? "a" : "b", isA ? "row" : "col", shape.m, shape.n, shape.k, space,
      getPtxTypeName(*getScalarType(fragment.getElementType())));
  std::string constraints = llvm::formatv("=r,{0},r,~{{memory}", registerClass);
  return createAssembly(b, text, constraints, b.getI32Type(),
                        ValueRange{address, pitch});
}

Value WmmaBits::loadShared(FragmentLoadOp op, Value index, int64_t constant,
                           int64_t pitch) {
  FragmentType type = op.getFragment().getType();
  // Tiles of bits count bytes.
  Value address = b.create<LLVM::GEPOp>(
      LLVM::LLVMPointerType::get(b.getContext(), 3), b.getI8Type(),
      createSharedBase(b), LLVM::GEPArg(b.add(index, constant)));
  return load(type, address,
              b.i32(pitch * getPackedElements(type.getElementType())));
}

Value WmmaBits::loadGlobal(FragmentFetchOp op, Value address, Value pitch) {
  FragmentType type = op.getFragment().getType();
  return load(type, address,
              b.mul(pitch, getPackedElements(type.getElementType())));
}

Value WmmaBits::multiply(MmaOp op, Value row, Value column, Value sums) {
  const MatrixInstruction &instruction = *op.getInstruction();
  std::string text = llvm::formatv(
      "wmma.mma{0}.sync.aligned.row.col.m{1}n{2}k{3}.{4}.{5}.{6}.{4} "
      "{{$0, $1}, {{$2}, {{$3}, {{$4, $5};",
      getPtxOperation(instruction), shape.m, shape.n, shape.k,
      getPtxTypeName(instruction.accumulator), getPtxTypeName(instruction.a),
      getPtxTypeName(instruction.b));
  Values operands{row, column};
  llvm::append_range(operands, getRegisters(sums));
  Values results = createAssembly(
      b, text, "=r,=r,r,r,r,r",
      SmallVector<Type>(kRegistersOfSums, b.getI32Type()), operands);
  return b.create<vector::FromElementsOp>(sums.getType(), results);
}

Values WmmaBits::getRegisters(Value sums) {
  Values registers;
  for (int64_t i = 0; i < kRegistersOfSums; ++i)
    registers.push_back(b.create<vector::ExtractOp>(sums, i));
  return registers;
}

void WmmaBits::storeRegisters(ValueRange registers, Value address,
                              Value pitch) {
  auto [space, registerClass] = getSpace(address);
  std::string text =
      llvm::formatv("wmma.store.d.sync.aligned.row.m{0}n{1}k{2}.{3}.s32 "
                    "[$0], {{$1, $2}, $3;",
                    shape.m, shape.n, shape.k, space);
  std::string constraints =
      llvm::formatv("{0},r,r,r,~{{memory}", registerClass);
  Values operands{address};
  llvm::append_range(operands, registers);
  operands.push_back(pitch);
  createAssembly(b, text, constraints, TypeRange(), operands);
}
