//===- LaunchTensorMaps.cpp - Tensor maps in the host module ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the driver can encode a tensor map, and the host module is independent
// of the driver. Therefore the module calls one function with a C interface.
// Its codes are those of cuTensorMapEncodeTiled, so that it need not translate
// them.
//
//===----------------------------------------------------------------------===//

#include "LaunchTensorMaps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tcgemm/Target/TensorMap.h"

using namespace mlir;
using namespace tcgemm;

static constexpr StringLiteral kFunctionName = "tcgemm_encode_tensor_map";
/// The same for maps with a window.
static constexpr StringLiteral kWindowFunctionName = "tcgemm_encode_window_map";

/// The fields of the scratch memory after the map, which is the first field.
enum ScratchField { DimsField = 1, StridesField, BoxField, WindowField };
/// The numbers of a window: lower and upper corner and steps, of W and H.
static constexpr unsigned kWindowNumbers = 6;

static Type getMapType(MLIRContext *context) {
  return LLVM::LLVMArrayType::get(IntegerType::get(context, 64),
                                  sizeof(TensorMapImage) / 8);
}

static LLVM::LLVMStructType getScratchType(MLIRContext *context) {
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(
      context,
      {getMapType(context), LLVM::LLVMArrayType::get(i64, kMaxTensorMapRank),
       LLVM::LLVMArrayType::get(i64, kMaxTensorMapRank - 1),
       LLVM::LLVMArrayType::get(i32, kMaxTensorMapRank),
       LLVM::LLVMArrayType::get(i32, kWindowNumbers)});
}

/// The declaration in the module of `op`; created if there is none.
static FailureOr<LLVM::LLVMFuncOp> getFunction(Operation *op, bool hasWindow) {
  if (!op->getParentOfType<FunctionOpInterface>())
    return op->emitOpError() << "needs tensor maps, but is in no function";
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  StringRef name = hasWindow ? kWindowFunctionName : kFunctionName;
  if (Operation *known = SymbolTable::lookupSymbolIn(table, name)) {
    if (auto function = dyn_cast<LLVM::LLVMFuncOp>(known))
      return function;
    return op->emitOpError()
           << "needs the function '" << name
           << "', but the module has another symbol of that name";
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&table->getRegion(0).front());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type i32 = builder.getI32Type();
  // Rank, base, dims, strides and box; or base, dims, strides, box and window.
  SmallVector<Type> parameters{pointer, i32};
  if (!hasWindow)
    parameters.push_back(i32);
  parameters.append(hasWindow ? 5 : 4, pointer);
  parameters.append(2, i32);
  return LLVM::LLVMFuncOp::create(builder, op->getLoc(), name,
                                  LLVM::LLVMFunctionType::get(i32, parameters));
}

Value LaunchTensorMaps::getScratch() {
  if (scratch)
    return scratch;
  auto function = launch->getParentOfType<FunctionOpInterface>();
  OpBuilder builder(launch);
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  Location loc = launch->getLoc();
  Value one =
      arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  return scratch = LLVM::AllocaOp::create(
             builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
             getScratchType(builder.getContext()), one, /*alignment=*/64);
}

/// The numbers of a window in the order of the scratch memory; none if `window`
/// is null.
static SmallVector<int> getNumbers(WindowAttr window) {
  SmallVector<int> numbers;
  if (!window)
    return numbers;
  llvm::append_range(numbers, window.getValue().lower);
  llvm::append_range(numbers, window.getValue().upper);
  llvm::append_range(numbers, window.getValue().steps);
  return numbers;
}

FailureOr<Value> LaunchTensorMaps::emit(OpBuilder &builder, TensorMapAttr map,
                                        Value base) {
  Location loc = launch->getLoc();
  FailureOr<LLVM::LLVMFuncOp> function =
      getFunction(launch, bool(map.getWindow()));
  if (failed(function))
    return failure();
  MLIRContext *context = builder.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  };
  auto getField = [&](ScratchField field, unsigned index = 0) -> Value {
    return LLVM::GEPOp::create(
        builder, loc, pointer, getScratchType(context), getScratch(),
        ArrayRef<LLVM::GEPArg>{0, int32_t(field), int32_t(index)});
  };
  auto store = [&](ArrayRef<ExprAttr> list,
                   ScratchField field) -> LogicalResult {
    for (auto [i, expr] : llvm::enumerate(list)) {
      FailureOr<Value> value = expressions.emit(builder, expr.getValue());
      if (failed(value))
        return failure();
      LLVM::StoreOp::create(builder, loc, *value, getField(field, i));
    }
    return success();
  };
  if (failed(store(map.getDims(), DimsField)) ||
      failed(store(map.getStrides(), StridesField)))
    return failure();
  for (auto [i, size] : llvm::enumerate(map.getBox()))
    LLVM::StoreOp::create(builder, loc, constant(size), getField(BoxField, i));
  for (auto [i, number] : llvm::enumerate(getNumbers(map.getWindow())))
    LLVM::StoreOp::create(builder, loc, constant(number),
                          getField(WindowField, i));
  // The attribute's verifier has checked that there is such a type.
  ScalarType type = *getScalarType(map.getElementType());
  SmallVector<Value> arguments{getScratch(),
                               constant(getTensorMapTypeCode(type))};
  if (!map.getWindow())
    arguments.push_back(constant(map.getDims().size()));
  arguments.append(
      {base, getField(DimsField), getField(StridesField), getField(BoxField)});
  if (map.getWindow())
    arguments.push_back(getField(WindowField));
  arguments.append({constant(getTensorMapSwizzleCode(map.getSwizzle())),
                    constant(getTensorMapPromotionCode(map.getL2Promotion()))});
  Value result =
      LLVM::CallOp::create(builder, loc, *function, arguments).getResult();
  Value succeeded = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::eq, result, constant(0));
  cf::AssertOp::create(builder, loc, succeeded,
                       ("tensor map '" + map.getName().getValue() +
                        "' of kernel '" + kernel.getName() +
                        "' cannot be encoded")
                           .str());
  return Value(LLVM::LoadOp::create(builder, loc, getMapType(context),
                                    getScratch(), /*alignment=*/64));
}
