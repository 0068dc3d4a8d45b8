//===- LaunchWriter.cpp - One launch as GPU operations --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes code of the host module that does the same as tcgemm-run with a
// manifest. Guards, grids and arguments are the plan's expressions in arith.
//
//===----------------------------------------------------------------------===//

#include "LaunchWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tcgemm;

/// The alignment of workspaces, in bytes, according to the manifest.
static constexpr int64_t kWorkspaceAlignment = 256;

static SmallVector<Value> concatenate(ValueRange a, ValueRange b) {
  SmallVector<Value> all(a);
  llvm::append_range(all, b);
  return all;
}

LaunchWriter::LaunchWriter(Operation *op, ValueRange inputs, ValueRange outputs,
                           KernelOp kernel, int64_t numSMs)
    : op(op), loc(op->getLoc()), kernel(kernel), builder(op),
      expressions(op, concatenate(inputs, outputs), kernel, numSMs),
      tensorMaps(op, kernel, expressions) {}

Value LaunchWriter::toIndex(Value value) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}

Value LaunchWriter::getConstant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

static std::optional<int64_t> getConstantValue(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getValue().getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Each body returns a value of `type`, or none if there is no type. A null
/// `elseBody` writes no else.
FailureOr<Value> LaunchWriter::writeIf(Value condition, Type type,
                                       Body thenBody, Body elseBody) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  if (type)
    types.push_back(type);
  auto branch =
      scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true,
                        /*addElseBlock=*/bool(elseBody));
  auto fill = [&](Block *block, Body body) -> LogicalResult {
    builder.setInsertionPointToEnd(block);
    FailureOr<Value> value = body();
    if (failed(value))
      return failure();
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc,
                         type ? ValueRange(*value) : ValueRange());
    return success();
  };
  if (failed(fill(branch.thenBlock(), thenBody)) ||
      (elseBody && failed(fill(branch.elseBlock(), elseBody))))
    return failure();
  return type ? branch.getResult(0) : Value();
}

/// Writes the body for the first variant whose guard holds; the other variants
/// are in its else. If no guard holds, an assertion fails, and the value is
/// `otherwise`.
FailureOr<Value> LaunchWriter::choose(ArrayRef<Attribute> variants,
                                      Value otherwise, VariantBody body) {
  if (variants.empty()) {
    cf::AssertOp::create(
        builder, loc, getConstant(builder.getI1Type(), 0),
        ("no variant of kernel '" + kernel.getName() + "' accepts the problem")
            .str());
    return otherwise;
  }
  auto variant = cast<VariantAttr>(variants.front());
  FailureOr<Value> accepts =
      expressions.emit(builder, variant.getGuard().getValue());
  if (failed(accepts))
    return failure();
  if (std::optional<int64_t> known = getConstantValue(*accepts))
    return *known ? body(variant)
                  : choose(variants.drop_front(), otherwise, body);
  return writeIf(
      expressions.isTrue(builder, *accepts),
      otherwise ? otherwise.getType() : Type(), [&] { return body(variant); },
      [&] { return choose(variants.drop_front(), otherwise, body); });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

FailureOr<Value> LaunchWriter::getScalar(BindingAttr binding) {
  int operand = expressions.findOperand(binding.getValue().operand);
  if (operand < 0 ||
      kernel.getOperandInfo(operand).getRole() != OperandRole::Scalar)
    return kernel.emitOpError()
           << "plan: argument " << binding << " names no scalar";
  return expressions.getOperand(operand);
}

FailureOr<Value> LaunchWriter::getArgument(StepAttr step, BindingAttr binding) {
  const Argument &argument = binding.getValue();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  switch (argument.kind) {
  case ArgumentKind::Scalar:
    return getScalar(binding);
  case ArgumentKind::TensorMap: {
    TensorMapAttr map = step.getTensorMaps()[argument.index];
    FailureOr<Value> base = getArgument(step, map.getBase());
    if (failed(base))
      return failure();
    return tensorMaps.emit(builder, map, *base);
  }
  case ArgumentKind::Pointer: {
    FailureOr<Value> address =
        expressions.emit(builder, Expr::symbol(argument.operand + ".base"));
    if (failed(address))
      return failure();
    return Value(LLVM::IntToPtrOp::create(builder, loc, pointer, *address));
  }
  case ArgumentKind::I32:
  case ArgumentKind::I64:
  case ArgumentKind::Workspace:
    break;
  }
  FailureOr<Value> value = expressions.emit(builder, argument.value);
  if (failed(value) || argument.kind == ArgumentKind::I64)
    return value;
  if (argument.kind == ArgumentKind::I32)
    return Value(
        arith::TruncIOp::create(builder, loc, builder.getI32Type(), *value));
  if (workspace)
    value = Value(arith::AddIOp::create(builder, loc, workspace, *value));
  return Value(LLVM::IntToPtrOp::create(builder, loc, pointer, *value));
}

FailureOr<Value> LaunchWriter::writeLaunchFunc(StepAttr step,
                                               ArrayRef<Value> grid,
                                               Value token) {
  SmallVector<Value> arguments;
  for (BindingAttr binding : step.getArguments()) {
    FailureOr<Value> argument = getArgument(step, binding);
    if (failed(argument))
      return failure();
    arguments.push_back(*argument);
  }
  auto getIndex = [&](int64_t value) {
    return getConstant(builder.getIndexType(), value);
  };
  gpu::KernelDim3 blocks{toIndex(grid[0]), toIndex(grid[1]), toIndex(grid[2])};
  Value one = getIndex(1);
  gpu::KernelDim3 threads{getIndex(step.getThreads()), one, one};
  Value sharedMemory =
      getConstant(builder.getI32Type(), step.getSharedMemory());
  std::optional<gpu::KernelDim3> cluster;
  if (ArrayRef<int64_t> sizes = step.getCluster(); !sizes.empty())
    cluster = gpu::KernelDim3{getIndex(sizes[0]), getIndex(sizes[1]),
                              getIndex(sizes[2])};
  auto launch = gpu::LaunchFuncOp::create(
      builder, loc, step.getProgram(), blocks, threads, sharedMemory, arguments,
      token ? token.getType() : Type(),
      token ? ValueRange(token) : ValueRange(), cluster);
  return token ? launch.getAsyncToken() : Value();
}

FailureOr<Value> LaunchWriter::writeStep(StepAttr step, Value token) {
  SmallVector<Value> grid;
  Value runs;
  auto require = [&](Value condition) {
    runs =
        runs ? arith::AndIOp::create(builder, loc, runs, condition).getResult()
             : condition;
  };
  if (step.getWhen()) {
    FailureOr<Value> when =
        expressions.emit(builder, step.getWhen().getValue());
    if (failed(when))
      return failure();
    require(expressions.isTrue(builder, *when));
  }
  for (ExprAttr expr : step.getGrid()) {
    FailureOr<Value> size = expressions.emit(builder, expr.getValue());
    if (failed(size))
      return failure();
    // An empty grid is not launched. Its tensor maps would be errors, too.
    std::optional<int64_t> known = getConstantValue(*size);
    if (known == 0)
      return token;
    if (!known)
      require(expressions.isTrue(builder, *size));
    grid.push_back(*size);
  }
  if (!runs)
    return writeLaunchFunc(step, grid, token);
  auto write = [&] { return writeLaunchFunc(step, grid, token); };
  auto skip = [&]() -> FailureOr<Value> { return token; };
  return writeIf(runs, token ? token.getType() : Type(), write,
                 token ? Body(skip) : Body());
}

//===----------------------------------------------------------------------===//
// The workspace
//===----------------------------------------------------------------------===//

void LaunchWriter::setWorkspace(Value buffer) {
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  workspace = arith::IndexCastOp::create(
      builder, loc, builder.getI64Type(),
      builder.createOrFold<arith::AddIOp>(loc, base, metadata.getOffset()));
}

/// Asserts the size and alignment of a caller's workspace.
void LaunchWriter::assertWorkspace(Value buffer, Value bytes) {
  auto check = [&](Value condition, const Twine &rule) {
    cf::AssertOp::create(
        builder, loc, condition,
        ("workspace of kernel '" + kernel.getName() + "' " + rule).str());
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  Type i64 = builder.getI64Type();
  Value size = arith::IndexCastOp::create(
      builder, loc, i64,
      memref::DimOp::create(builder, loc, buffer,
                            getConstant(builder.getIndexType(), 0)));
  check(compare(arith::CmpIPredicate::sge, size, bytes),
        "is smaller than its tcgemm.workspace_size");
  Value rest = arith::AndIOp::create(builder, loc, workspace,
                                     getConstant(i64, kWorkspaceAlignment - 1));
  check(compare(arith::CmpIPredicate::eq, rest, getConstant(i64, 0)),
        "is not aligned to 256 bytes");
}

FailureOr<Value> LaunchWriter::writeSteps(VariantAttr variant, Value given,
                                          Value token) {
  FailureOr<Value> bytes =
      expressions.emit(builder, variant.getWorkspace().getValue());
  if (failed(bytes))
    return failure();
  workspace = Value();
  Value allocated;
  SmallVector<Type> tokenTypes;
  if (token)
    tokenTypes.push_back(token.getType());
  if (getConstantValue(*bytes) == 0) {
    given = Value();
  } else if (given) {
    setWorkspace(given);
    assertWorkspace(given, *bytes);
  } else {
    SmallVector<Type> types = {
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type())};
    llvm::append_range(types, tokenTypes);
    auto alloc = gpu::AllocOp::create(
        builder, loc, types, token ? ValueRange(token) : ValueRange(),
        ValueRange{toIndex(*bytes)}, ValueRange());
    allocated = alloc.getMemref();
    token = alloc.getAsyncToken();
    setWorkspace(allocated);
  }
  for (StepAttr step : variant.getSteps()) {
    FailureOr<Value> next = writeStep(step, token);
    if (failed(next))
      return failure();
    token = *next;
  }
  if (allocated)
    token = gpu::DeallocOp::create(builder, loc, tokenTypes,
                                   token ? ValueRange{token, allocated}
                                         : ValueRange{allocated})
                .getAsyncToken();
  return token;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

LogicalResult LaunchWriter::checkPlan() {
  ArrayAttr plan = kernel.getPlanAttr();
  if (!plan || plan.empty())
    return op->emitOpError() << "kernel '" << kernel.getName()
                             << "' has no plan: run tcgemm-schedule first";
  expressions.prepare(builder);
  return success();
}

FailureOr<Value> LaunchWriter::writeLaunch(Value given, Value token) {
  if (failed(checkPlan()))
    return failure();
  return choose(
      kernel.getPlanAttr().getValue(), token,
      [&](VariantAttr variant) { return writeSteps(variant, given, token); });
}

FailureOr<Value> LaunchWriter::writeWorkspaceSize() {
  if (failed(checkPlan()))
    return failure();
  Value none = getConstant(builder.getIndexType(), 0);
  return choose(kernel.getPlanAttr().getValue(), none,
                [&](VariantAttr variant) -> FailureOr<Value> {
                  FailureOr<Value> bytes = expressions.emit(
                      builder, variant.getWorkspace().getValue());
                  if (failed(bytes))
                    return failure();
                  return toIndex(*bytes);
                });
}
