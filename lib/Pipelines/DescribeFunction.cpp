//===- DescribeFunction.cpp - Functions made of launches --------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Expr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tcgemm {
namespace {

class FunctionDescriber {
public:
  FunctionDescriber(func::FuncOp func, ConstantPool &constants)
      : func(func), constants(constants) {}
  FailureOr<FunctionInfo> run();

private:
  LogicalResult addArguments();
  LogicalResult visitBody(func::FuncOp function);
  LogicalResult visit(Operation &op);
  LogicalResult visitAlloc(memref::AllocOp op);
  LogicalResult visitDim(memref::DimOp op);
  LogicalResult visitGlobal(memref::GetGlobalOp op);
  template <typename Op> LogicalResult visitView(Op op, Value source);
  LogicalResult visitFill(linalg::FillOp op);
  LogicalResult visitCopy(memref::CopyOp op);
  LogicalResult visitTranspose(linalg::TransposeOp op);
  LogicalResult addCopy(Operation &op, Value from, Value to);
  LogicalResult visitLaunch(LaunchOp op);
  LogicalResult visitCall(func::CallOp op);
  LogicalResult copyKnown(Operation &op, Value from, Value to);
  std::optional<Expr> evaluate(Operation &op);
  std::optional<Expr> lookUp(OpFoldResult size) const;
  FailureOr<std::string> getName(Operation &op, Value value);
  FailureOr<std::string> getWrittenName(Operation &op, Value value);
  void mark(StringRef buffer, llvm::DenseSet<Value> &set);
  LogicalResult refuse(Operation &op, const Twine &why);
  std::vector<FunctionArgument> describeArguments();

  void addBuffer(Value value, StringRef name, ArrayRef<Expr> shape);
  std::vector<ViewInfo> describeViews() const;

  func::FuncOp func;
  /// The stack of functions whose calls are being described, innermost last.
  SmallVector<func::FuncOp> callees;
  static constexpr unsigned kMaxCalls = 10000;
  unsigned numCalls = 0;
  ConstantPool &constants;
  llvm::DenseMap<Value, BufferView> buffers;
  /// Each buffer by its name.
  llvm::StringMap<BufferView> whole;
  /// Parts that are not whole buffers, in the manifest's order.
  std::vector<BufferView> views;
  llvm::DenseMap<Value, Expr> integers;
  llvm::DenseSet<Value> read, written;
  /// Buffers of i1 whose bytes have eight elements.
  llvm::DenseSet<Value> packedBits;
  std::vector<Temporary> temporaries;
  std::vector<FunctionLaunch> launches;
};

LogicalResult FunctionDescriber::refuse(Operation &op, const Twine &why) {
  return emitError(op.getLoc()) << "function '" << func.getName() << "': '"
                                << op.getName() << "' " << why;
}

void FunctionDescriber::addBuffer(Value value, StringRef name,
                                  ArrayRef<Expr> shape) {
  BufferView view = BufferView::makeWhole(name, shape);
  whole[name] = view;
  buffers[value] = std::move(view);
}

LogicalResult FunctionDescriber::addArguments() {
  for (BlockArgument argument : func.getArguments()) {
    std::string name = "arg" + std::to_string(argument.getArgNumber());
    SmallVector<Expr> shape;
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      if (!type.getLayout().isIdentity())
        return emitError(func.getLoc())
               << "function '" << func.getName() << "': argument "
               << argument.getArgNumber() << " has type " << type
               << ", but a manifest has contiguous buffers only";
      for (auto [i, size] : llvm::enumerate(type.getShape()))
        shape.push_back(ShapedType::isDynamic(size)
                            ? Expr::symbol(name + ".dim" + std::to_string(i))
                            : Expr(size));
    } else if (!argument.getType().isIntOrIndexOrFloat()) {
      return emitError(func.getLoc())
             << "function '" << func.getName() << "': argument "
             << argument.getArgNumber() << " has type " << argument.getType()
             << ", but a manifest has buffers and scalars only";
    }
    if (!getScalarType(getElementTypeOrSelf(argument.getType())))
      return emitError(func.getLoc())
             << "function '" << func.getName() << "': argument "
             << argument.getArgNumber() << " has elements of type "
             << getElementTypeOrSelf(argument.getType())
             << ", which a manifest does not have";
    addBuffer(argument, name, shape);
  }
  return success();
}

/// The value of an operation that computes sizes and offsets.
std::optional<Expr> FunctionDescriber::evaluate(Operation &op) {
  IntegerAttr constant;
  if (matchPattern(&op, m_Constant(&constant)))
    return constant.getValue().getSignificantBits() <= 64
               ? std::optional<Expr>(constant.getValue().getSExtValue())
               : std::nullopt;
  SmallVector<Expr> operands;
  for (Value operand : op.getOperands()) {
    auto known = integers.find(operand);
    if (known == integers.end())
      return std::nullopt;
    operands.push_back(known->second);
  }
  return llvm::TypeSwitch<Operation *, std::optional<Expr>>(&op)
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto) { return operands[0]; })
      .Case([&](affine::AffineApplyOp apply) {
        return evaluateAffine(apply.getAffineMap().getResult(0),
                              apply.getAffineMap().getNumDims(), operands);
      })
      .Case([&](arith::AddIOp) { return operands[0] + operands[1]; })
      .Case([&](arith::SubIOp) { return operands[0] - operands[1]; })
      .Case([&](arith::MulIOp) { return operands[0] * operands[1]; })
      .Case<arith::FloorDivSIOp, arith::DivUIOp>(
          [&](auto) { return operands[0] / operands[1]; })
      .Case([&](arith::DivSIOp) { return divide(operands[0], operands[1]); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return ceilDiv(operands[0], operands[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return max(operands[0], operands[1]); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return min(operands[0], operands[1]); })
      .Default(std::optional<Expr>());
}

std::optional<Expr> FunctionDescriber::lookUp(OpFoldResult size) const {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return Expr(*constant);
  auto known = integers.find(dyn_cast<Value>(size));
  return known == integers.end() ? std::nullopt
                                 : std::optional<Expr>(known->second);
}

LogicalResult FunctionDescriber::visitAlloc(memref::AllocOp op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity())
    return refuse(*op, "makes a buffer that is not contiguous");
  Temporary temporary;
  std::optional<ScalarType> elementType = getScalarType(type.getElementType());
  if (!elementType)
    return refuse(*op, "makes a buffer of " +
                           getTypeText(type.getElementType()) +
                           ", which a manifest does not have");
  temporary.type = *elementType;
  for (OpFoldResult size : op.getMixedSizes()) {
    std::optional<Expr> extent = lookUp(size);
    if (!extent)
      return refuse(*op, "has a size that is not made of arguments' sizes");
    temporary.shape.push_back(*extent);
  }
  addBuffer(op.getMemref(), "tmp" + std::to_string(temporaries.size()),
            temporary.shape);
  temporaries.push_back(std::move(temporary));
  return success();
}

LogicalResult FunctionDescriber::visitDim(memref::DimOp op) {
  auto buffer = buffers.find(op.getSource());
  std::optional<int64_t> index = getConstantIntValue(op.getIndex());
  if (buffer == buffers.end() || !index || *index < 0 ||
      *index >= int64_t(buffer->second.sizes.size()))
    return refuse(*op, "is not a size of an argument");
  integers.insert_or_assign(op.getResult(), buffer->second.sizes[*index]);
  return success();
}

LogicalResult FunctionDescriber::visitGlobal(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  unsigned index = 0;
  std::string reason = constants.add(global, index);
  if (!reason.empty())
    return refuse(*op, "takes '@" + op.getName() + "', which " + reason +
                           "; make it an argument");
  SmallVector<Expr> shape(global.getType().getShape());
  addBuffer(op.getResult(), "const" + std::to_string(index), shape);
  return success();
}

template <typename Op>
LogicalResult FunctionDescriber::visitView(Op op, Value source) {
  auto buffer = buffers.find(source);
  if (buffer == buffers.end())
    return refuse(*op, "is not a view of an argument or a buffer");
  BufferView view;
  std::string reason = makeView(
      op, buffer->second, [&](OpFoldResult size) { return lookUp(size); },
      view);
  if (!reason.empty())
    return refuse(*op, reason);
  buffers[op->getResult(0)] = std::move(view);
  return success();
}

/// The name of a buffer or a view, which is added to the manifest.
FailureOr<std::string> FunctionDescriber::getName(Operation &op, Value value) {
  auto known = buffers.find(value);
  if (known == buffers.end()) {
    Operation *source = value.getDefiningOp();
    return refuse(op, "takes a value of '" +
                          (source ? source->getName().getStringRef()
                                  : StringRef("a block argument")) +
                          "', but operands must be arguments or buffers");
  }
  const BufferView &view = known->second;
  if (view.isSame(whole[view.buffer]))
    return view.buffer;
  auto same = llvm::find_if(
      views, [&](const BufferView &other) { return other.isSame(view); });
  std::string name = "view" + std::to_string(same - views.begin());
  if (same == views.end())
    views.push_back(view);
  return name;
}

FailureOr<std::string> FunctionDescriber::getWrittenName(Operation &op,
                                                         Value value) {
  FailureOr<std::string> name = getName(op, value);
  if (succeeded(name) && StringRef(buffers[value].buffer).starts_with("const"))
    return refuse(op, "writes to a constant");
  return name;
}

/// Views alias, so that the buffer's name is marked.
void FunctionDescriber::mark(StringRef buffer, llvm::DenseSet<Value> &set) {
  for (BlockArgument argument : func.getArguments())
    if (buffers[argument].buffer == buffer)
      set.insert(argument);
}

LogicalResult FunctionDescriber::visitLaunch(LaunchOp op) {
  if (op.getWorkspace() || op.getStream())
    return refuse(*op, "has a workspace or a stream of its own, which the "
                       "caller of a pack provides");
  LaunchInfo launch;
  launch.kernel = op.getKernel().str();
  auto kernel =
      SymbolTable::lookupNearestSymbolFrom<KernelOp>(op, op.getKernelAttr());
  auto add = [&](Value value, bool isOutput) -> LogicalResult {
    FailureOr<std::string> name =
        isOutput ? getWrittenName(*op, value) : getName(*op, value);
    if (failed(name))
      return failure();
    OperandAttr operand = kernel.getOperandInfo(launch.operands.size());
    if (getScalarType(operand.getElementType()) == ScalarType::U1)
      mark(buffers[value].buffer, packedBits);
    launch.operands.push_back(std::move(*name));
    mark(buffers[value].buffer, isOutput ? written : read);
    return success();
  };
  for (Value value : op.getInputs())
    if (failed(add(value, /*isOutput=*/false)))
      return failure();
  for (Value value : op.getOutputs())
    if (failed(add(value, /*isOutput=*/true)))
      return failure();
  launches.push_back(std::move(launch));
  return success();
}

LogicalResult FunctionDescriber::visitFill(linalg::FillOp op) {
  if (!op.hasPureBufferSemantics())
    return refuse(*op, "does not write to a buffer");
  Attribute constant;
  if (!matchPattern(op.value(), m_Constant(&constant)))
    return refuse(*op, "has a value that is not a constant");
  Type type = getElementTypeOrSelf(op.output());
  std::optional<ScalarConstant> value = describeScalar(constant);
  std::optional<ScalarType> scalar = getScalarType(type);
  if (!value || !scalar)
    return refuse(*op, "has a value that cannot be written to a manifest");
  if (getPackedElements(*scalar) > 1)
    return refuse(*op, "writes elements that share bytes");
  FailureOr<std::string> target = getWrittenName(*op, op.output());
  if (failed(target))
    return failure();
  mark(buffers[op.output()].buffer, written);
  launches.push_back(FillInfo{*target, *scalar, *value});
  return success();
}

LogicalResult FunctionDescriber::visitCopy(memref::CopyOp op) {
  return addCopy(*op, op.getSource(), op.getTarget());
}

LogicalResult FunctionDescriber::addCopy(Operation &op, Value from, Value to) {
  if (getPackedElements(getElementTypeOrSelf(from)) > 1)
    return refuse(op, "copies elements that share bytes");
  FailureOr<std::string> source = getName(op, from);
  if (failed(source))
    return failure();
  FailureOr<std::string> target = getWrittenName(op, to);
  if (failed(target))
    return failure();
  // Bufferization may create copies of a buffer to itself.
  if (*source == *target)
    return success();
  mark(buffers[from].buffer, read);
  mark(buffers[to].buffer, written);
  CopyInfo copy{*source, *target};
  std::optional<unsigned> bytes = getCopiedBytes(from.getType());
  if (bytes && func->getParentOfType<ModuleOp>().lookupSymbol(kCopyModuleName))
    copy.step = describeCopy(buffers[from], buffers[to], *bytes);
  launches.push_back(std::move(copy));
  return success();
}

/// A transposition is a copy of the source with its dimensions in the target's
/// order.
LogicalResult FunctionDescriber::visitTranspose(linalg::TransposeOp op) {
  auto known = buffers.find(op.getInput());
  if (!op.hasPureBufferSemantics() || known == buffers.end())
    return refuse(*op, "does not read a buffer of the pack");
  BufferView source = known->second;
  buffers[op.getInput()] = source.permute(op.getPermutation());
  LogicalResult result = addCopy(*op, op.getInput(), op.getInit());
  buffers[op.getInput()] = std::move(source);
  return result;
}

/// Copies the facts about a value of the caller to that of the callee, or back.
LogicalResult FunctionDescriber::copyKnown(Operation &op, Value from,
                                           Value to) {
  if (auto buffer = buffers.find(from); buffer != buffers.end()) {
    BufferView copy = buffer->second;
    buffers[to] = std::move(copy);
    return success();
  }
  if (auto integer = integers.find(from); integer != integers.end()) {
    Expr copy = integer->second;
    integers.insert_or_assign(to, copy);
    return success();
  }
  return refuse(op, "passes a value of type " + getTypeText(from.getType()) +
                        " that is neither a buffer nor made of arguments' "
                        "sizes");
}

/// Packs do not support calls: the callee's launches are added to the caller's.
LogicalResult FunctionDescriber::visitCall(func::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, op.getCalleeAttr());
  if (!callee || callee.isExternal())
    return refuse(*op, "calls '" + op.getCallee() +
                           "', which has no body in the module");
  if (callee == func || llvm::is_contained(callees, callee))
    return refuse(*op, "calls '" + op.getCallee() +
                           "', which calls itself; a pack has launches in a "
                           "fixed order only");
  for (auto [operand, argument] :
       llvm::zip_equal(op.getOperands(), callee.getArguments()))
    if (failed(copyKnown(*op, operand, argument)))
      return failure();
  // In a chain of functions that each call the next one twice, the number of
  // launches is exponential.
  if (++numCalls > kMaxCalls)
    return refuse(*op, "is one of more than " + Twine(kMaxCalls) +
                           " calls that a pack would have to spell out");
  callees.push_back(callee);
  if (failed(visitBody(callee)))
    return failure();
  callees.pop_back();
  Operation *results = callee.front().getTerminator();
  for (auto [value, result] :
       llvm::zip_equal(results->getOperands(), op.getResults()))
    if (failed(copyKnown(*results, value, result)))
      return failure();
  return success();
}

LogicalResult FunctionDescriber::visitBody(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return emitError(function.getLoc())
           << "function '" << function.getName()
           << "' branches, but a pack has launches in a fixed order only";
  for (Operation &op : function.front())
    if (failed(visit(op)))
      return failure();
  return success();
}

LogicalResult FunctionDescriber::visit(Operation &op) {
  if (std::optional<Expr> value = evaluate(op)) {
    integers[op.getResult(0)] = *value;
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](LaunchOp launch) { return visitLaunch(launch); })
      .Case([&](memref::AllocOp alloc) { return visitAlloc(alloc); })
      .Case([&](memref::DimOp dim) { return visitDim(dim); })
      .Case([&](func::CallOp call) { return visitCall(call); })
      .Case([&](memref::GetGlobalOp global) { return visitGlobal(global); })
      .Case<memref::CastOp, memref::SubViewOp>(
          [&](auto view) { return visitView(view, view.getSource()); })
      .Case<memref::ExpandShapeOp, memref::CollapseShapeOp>(
          [&](auto view) { return visitView(view, view.getSrc()); })
      .Case([&](memref::TransposeOp view) {
        return visitView(view, view.getIn());
      })
      .Case([&](linalg::FillOp fill) { return visitFill(fill); })
      .Case([&](memref::CopyOp copy) { return visitCopy(copy); })
      .Case([&](linalg::TransposeOp copy) { return visitTranspose(copy); })
      .Case<memref::DeallocOp, arith::ConstantOp>(
          [](auto) { return success(); })
      .Case([&](func::ReturnOp ret) -> LogicalResult {
        return ret.getNumOperands() && callees.empty()
                   ? refuse(op, "gives results")
                   : success();
      })
      .Default([&](Operation *) {
        return refuse(op, "is not a launch of a kernel, a view, a fill or a "
                          "copy, and a pack has nothing else");
      });
}

std::vector<FunctionArgument> FunctionDescriber::describeArguments() {
  std::vector<FunctionArgument> list;
  for (BlockArgument argument : func.getArguments()) {
    FunctionArgument info;
    // addArguments has checked that there is such a type.
    info.type = *getScalarType(getElementTypeOrSelf(argument.getType()));
    if (packedBits.contains(argument))
      info.type = ScalarType::U1;
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      info.access = AccessKind::Scalar;
      list.push_back(std::move(info));
      continue;
    }
    for (int64_t size : type.getShape())
      info.shape.push_back(ShapedType::isDynamic(size)
                               ? std::nullopt
                               : std::optional<int64_t>(size));
    bool writes = written.contains(argument), reads = read.contains(argument);
    info.access = !writes ? AccessKind::Read
                  : reads ? AccessKind::ReadWrite
                          : AccessKind::Write;
    list.push_back(std::move(info));
  }
  return list;
}

std::vector<ViewInfo> FunctionDescriber::describeViews() const {
  std::vector<ViewInfo> list;
  list.reserve(views.size());
  for (const BufferView &view : views)
    list.push_back({view.buffer,
                    view.offset,
                    {view.sizes.begin(), view.sizes.end()},
                    {view.strides.begin(), view.strides.end()}});
  return list;
}

FailureOr<FunctionInfo> FunctionDescriber::run() {
  if (failed(addArguments()) || failed(visitBody(func)))
    return failure();
  FunctionInfo info;
  info.name = func.getName().str();
  info.arguments = describeArguments();
  info.temporaries = std::move(temporaries);
  info.views = describeViews();
  info.launches = std::move(launches);
  return info;
}

} // namespace

FailureOr<FunctionInfo> describeFunction(func::FuncOp func,
                                         ConstantPool &constants) {
  return FunctionDescriber(func, constants).run();
}

} // namespace tcgemm
