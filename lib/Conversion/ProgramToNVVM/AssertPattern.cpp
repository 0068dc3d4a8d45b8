//===- AssertPattern.cpp - Assertions to calls of the CUDA runtime --------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver resolves __assertfail, which prints its arguments and ends the
// launch. Upstream has a pattern for this call, but populates it together with
// calls of libdevice, which the emission does not link.
//
//===----------------------------------------------------------------------===//

#include "ProgramToNVVM.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tcgemm/Target/EmitPTX.h"

using namespace mlir;
using namespace tcgemm;

/// The address space of global memory.
static constexpr unsigned kGlobalSpace = 1;

namespace {

/// Branches around a call of __assertfail(message, file, line, function, bytes
/// of a character).
struct AssertPattern : ConvertOpToLLVMPattern<cf::AssertOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;

private:
  static LogicalResult declare(ConversionPatternRewriter &rewriter,
                               gpu::GPUModuleOp module);
  static Value createText(ConversionPatternRewriter &rewriter,
                          cf::AssertOp assertion, StringRef text);
  static void createCall(ConversionPatternRewriter &rewriter,
                         cf::AssertOp assertion);
};

} // namespace

/// Declares __assertfail, unless the module does. Fails if the module has
/// another symbol of this name.
LogicalResult AssertPattern::declare(ConversionPatternRewriter &rewriter,
                                     gpu::GPUModuleOp module) {
  auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(rewriter.getContext()),
      {pointer, pointer, rewriter.getI32Type(), pointer,
       rewriter.getI64Type()});
  if (Operation *found = module.lookupSymbol(kAssertFailFunction)) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(found);
    return success(function && function.getFunctionType() == type);
  }
  OpBuilder::InsertionGuard scope(rewriter);
  rewriter.setInsertionPointToStart(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(rewriter, module.getLoc(),
                                           kAssertFailFunction, type);
  function.setPassthroughAttr(rewriter.getStrArrayAttr({"noreturn"}));
  return success();
}

/// Adds a text, which ends with a zero, to the module. Returns its generic
/// address.
Value AssertPattern::createText(ConversionPatternRewriter &rewriter,
                                cf::AssertOp assertion, StringRef text) {
  auto module = assertion->getParentOfType<gpu::GPUModuleOp>();
  Location location = assertion.getLoc();
  std::string bytes = text.str() + '\0';
  LLVM::GlobalOp variable;
  {
    OpBuilder::InsertionGuard scope(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    std::string name;
    for (unsigned i = 0; name.empty() || module.lookupSymbol(name); ++i)
      name = "assertion_text_" + std::to_string(i);
    variable = LLVM::GlobalOp::create(
        rewriter, location,
        LLVM::LLVMArrayType::get(rewriter.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name,
        rewriter.getStringAttr(bytes), /*alignment=*/1, kGlobalSpace);
  }
  Value address = LLVM::AddressOfOp::create(rewriter, location, variable);
  return LLVM::AddrSpaceCastOp::create(
      rewriter, location, LLVM::LLVMPointerType::get(rewriter.getContext()),
      address);
}

void AssertPattern::createCall(ConversionPatternRewriter &rewriter,
                               cf::AssertOp assertion) {
  Location location = assertion.getLoc();
  auto function = assertion->getParentOfType<LLVM::LLVMFuncOp>();
  std::string file = "unknown";
  unsigned line = 0;
  if (auto place = location->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    line = place.getLine();
  }
  auto getText = [&](StringRef text) {
    return createText(rewriter, assertion, text);
  };
  Value message = getText(assertion.getMsg()), name = getText(file),
        symbol = getText(function.getSymName());
  Value number = LLVM::ConstantOp::create(
      rewriter, location, rewriter.getI32IntegerAttr(int32_t(line)));
  Value bytes = LLVM::ConstantOp::create(rewriter, location,
                                         rewriter.getI64IntegerAttr(1));
  LLVM::CallOp::create(rewriter, location, TypeRange(), kAssertFailFunction,
                       ValueRange{message, name, number, symbol, bytes});
}

LogicalResult
AssertPattern::matchAndRewrite(cf::AssertOp op, OpAdaptor adaptor,
                               ConversionPatternRewriter &rewriter) const {
  // Other patterns make branches of this control flow first.
  if (!isa<LLVM::LLVMFuncOp>(op->getParentOp()))
    return rewriter.notifyMatchFailure(op, "is in structured control flow");
  if (failed(declare(rewriter, op->getParentOfType<gpu::GPUModuleOp>())))
    return rewriter.notifyMatchFailure(op, "another __assertfail is there");
  Location location = op.getLoc();
  Block *before = op->getBlock();
  Block *after = rewriter.splitBlock(before, op->getIterator());
  Block *failed = rewriter.createBlock(after);
  createCall(rewriter, op);
  LLVM::UnreachableOp::create(rewriter, location);
  rewriter.setInsertionPointToEnd(before);
  LLVM::CondBrOp::create(rewriter, location, adaptor.getArg(), after, failed);
  rewriter.eraseOp(op);
  return success();
}

void tcgemm::populateAssertPatterns(LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AssertPattern>(converter);
}
