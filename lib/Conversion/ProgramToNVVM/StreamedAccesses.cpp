//===- StreamedAccesses.cpp - Loads and stores with .cs -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramToNVVM.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

namespace {

/// A value is accessed as integers of 64 bits, or of fewer if its size is not a
/// multiple of 8 bytes. An instruction accesses one of them, or two of 64 bits.
class StreamedAccess {
public:
  StreamedAccess(OpBuilder &builder, Location loc, Type type, Value address);

  void store(Value value);
  Value load();

private:
  Type getInteger() { return b.getIntegerType(width * 8); }
  /// The type of all integers.
  Type getIntegers() {
    return count > 1 ? VectorType::get({count}, getInteger()) : getInteger();
  }
  /// The type of a register, which has at least 16 bits.
  Type getRegister() {
    return b.getIntegerType(std::max<int64_t>(2, width) * 8);
  }
  Value getAddress(int64_t first);
  Value getIndex(int64_t i) {
    return LLVM::ConstantOp::create(
        b, b.getI32IntegerAttr(static_cast<int32_t>(i)));
  }

  ImplicitLocOpBuilder b;
  Type type;
  Value address;
  int64_t count = 1;     ///< Integers.
  int64_t width = 0;     ///< Bytes of an integer.
  int64_t perAccess = 1; ///< Integers of an instruction.
};

} // namespace

StreamedAccess::StreamedAccess(OpBuilder &builder, Location loc, Type type,
                               Value address)
    : b(loc, builder), type(type), address(address) {
  int64_t bytes = getAccessBytes(type);
  width = std::min<int64_t>(8, bytes & -bytes);
  count = bytes / width;
  perAccess = width == 8 && count % 2 == 0 ? 2 : 1;
}

Value StreamedAccess::getAddress(int64_t first) {
  if (first == 0)
    return address;
  return LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address,
                             LLVM::GEPArg(static_cast<int32_t>(first * width)));
}

void StreamedAccess::store(Value value) {
  if (type.isInteger(1))
    value = LLVM::ZExtOp::create(b, b.getI8Type(), value);
  Value integers = LLVM::BitcastOp::create(b, getIntegers(), value);
  std::string text =
      perAccess == 2
          ? "st.global.cs.v2.b64 [$0], {$1, $2};"
          : llvm::formatv("st.global.cs.b{0} [$0], $1;", width * 8).str();
  for (int64_t first = 0; first < count; first += perAccess) {
    SmallVector<Value> operands{getAddress(first)};
    for (int64_t i = first; i < first + perAccess; ++i) {
      Value integer = integers;
      if (count > 1)
        integer = LLVM::ExtractElementOp::create(b, integers, getIndex(i));
      if (width == 1)
        integer = LLVM::ZExtOp::create(b, getRegister(), integer);
      operands.push_back(integer);
    }
    NVVM::InlinePtxOp::create(b, TypeRange(), operands, ValueRange(), text,
                              Value());
  }
}

Value StreamedAccess::load() {
  std::string text =
      perAccess == 2
          ? "ld.global.cs.v2.b64 {$0, $1}, [$2];"
          : llvm::formatv("ld.global.cs.b{0} $0, [$1];", width * 8).str();
  Value integers;
  if (count > 1)
    integers = LLVM::PoisonOp::create(b, getIntegers());
  for (int64_t first = 0; first < count; first += perAccess) {
    SmallVector<Type> registers(perAccess, getRegister());
    auto access = NVVM::InlinePtxOp::create(b, registers, getAddress(first),
                                            ValueRange(), text, Value());
    for (auto [i, loaded] : llvm::enumerate(access.getResults())) {
      Value integer = loaded;
      if (width == 1)
        integer = LLVM::TruncOp::create(b, getInteger(), integer);
      integers = count > 1 ? LLVM::InsertElementOp::create(b, integers, integer,
                                                           getIndex(first + i))
                           : integer;
    }
  }
  if (type.isInteger(1))
    return LLVM::TruncOp::create(b, type, integers);
  return LLVM::BitcastOp::create(b, type, integers);
}

Value tcgemm::createStreamedLoad(OpBuilder &builder, Location loc, Type type,
                                 Value address) {
  return StreamedAccess(builder, loc, type, address).load();
}

void tcgemm::createStreamedStore(OpBuilder &builder, Location loc, Value value,
                                 Value address) {
  StreamedAccess(builder, loc, value.getType(), address).store(value);
}
