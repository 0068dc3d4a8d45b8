//===- WmmaMatrices.cpp - Matrices of wmma in registers -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WmmaMatrices.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

std::optional<NVVM::MMATypes> tcgemm::getWmmaElements(gpu::MMAMatrixType type) {
  Type element = type.getElementType();
  if (element.isF16())
    return NVVM::MMATypes::f16;
  if (element.isF32())
    return type.getOperand() == "COp" ? NVVM::MMATypes::f32
                                      : NVVM::MMATypes::tf32;
  if (element.isSignedInteger(8))
    return NVVM::MMATypes::s8;
  if (element.isUnsignedInteger(8))
    return NVVM::MMATypes::u8;
  if (element.isSignlessInteger(32))
    return NVVM::MMATypes::s32;
  return std::nullopt;
}

/// Loads a matrix of one register by inline PTX. LLVM's intrinsic returns the
/// register, but nvvm.wmma.load a struct, and the translation to LLVM fails.
static Value loadRegister(OpBuilder &builder, Location loc,
                          LLVM::LLVMStructType type, const std::string &text,
                          StringRef constraints, Value address, Value pitch) {
  Type element = type.getBody().front();
  auto dialect =
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT);
  Value loaded =
      LLVM::InlineAsmOp::create(
          builder, loc, element, ValueRange{address, pitch}, text, constraints,
          /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
          /*operand_attrs=*/ArrayAttr())
          .getRes();
  Value empty = LLVM::UndefOp::create(builder, loc, type);
  return LLVM::InsertValueOp::create(builder, loc, empty, loaded,
                                     ArrayRef<int64_t>{0});
}

Value tcgemm::createWmmaLoad(OpBuilder &builder, Location loc,
                             gpu::MMAMatrixType type, WmmaShape shape,
                             NVVM::MMALayout layout, Value address,
                             Value pitch) {
  std::optional<NVVM::MMATypes> elements = getWmmaElements(type);
  bool isA = type.getOperand() == "AOp";
  auto frag = isA ? NVVM::MMAFrag::a : NVVM::MMAFrag::b;
  auto m = static_cast<int>(shape.m), n = static_cast<int>(shape.n),
       k = static_cast<int>(shape.k);
  if (!elements ||
      !NVVM::WMMALoadOp::getIntrinsicID(m, n, k, layout, *elements, frag))
    return nullptr;
  auto registers = cast<LLVM::LLVMStructType>(convertMMAToLLVMType(type));
  if (registers.getBody().size() > 1)
    return NVVM::WMMALoadOp::create(builder, loc, registers, address, pitch, m,
                                    n, k, layout, *elements, frag);
  // Pointers to shared memory have 32 bits.
  bool isShared =
      cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace() == 3;
  std::string text = llvm::formatv(
      "wmma.load.{0}.sync.aligned.{1}.m{2}n{3}k{4}.{5}.{6} "
      "{{$0}, [$1], $2;",
      isA ? "a" : "b", NVVM::stringifyMMALayout(layout), m, n, k,
      isShared ? "shared" : "global", NVVM::stringifyMMATypes(*elements));
  return loadRegister(builder, loc, registers, text,
                      isShared ? "=r,r,r,~{memory}" : "=r,l,r,~{memory}",
                      address, pitch);
}
