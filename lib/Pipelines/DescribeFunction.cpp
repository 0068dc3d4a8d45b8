//===- DescribeFunction.cpp - Functions made of launches -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Expr.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace json = llvm::json;

namespace tcgemm {
namespace {

class FunctionDescriber {
public:
  explicit FunctionDescriber(func::FuncOp func) : func(func) {}
  FailureOr<json::Value> run();

private:
  /// A buffer by its manifest name, with its shape.
  struct Buffer {
    std::string name;
    SmallVector<Expr> shape;
  };

  LogicalResult addArguments();
  LogicalResult visitBody(func::FuncOp function);
  LogicalResult visit(Operation &op);
  LogicalResult visitAlloc(memref::AllocOp op);
  LogicalResult visitDim(memref::DimOp op);
  LogicalResult visitLaunch(LaunchOp op);
  LogicalResult visitCall(func::CallOp op);
  LogicalResult copyKnown(Operation &op, Value from, Value to);
  std::optional<Expr> evaluate(Operation &op);
  LogicalResult refuse(Operation &op, const Twine &why);
  json::Array describeArguments();

  func::FuncOp func;
  /// The functions whose calls are being described, innermost last.
  SmallVector<func::FuncOp> callees;
  static constexpr unsigned kMaxCalls = 10000;
  unsigned numCalls = 0;
  llvm::DenseMap<Value, Buffer> buffers;
  llvm::DenseMap<Value, Expr> integers;
  llvm::DenseSet<Value> read, written;
  json::Array temporaries, launches;
};

LogicalResult FunctionDescriber::refuse(Operation &op, const Twine &why) {
  return emitError(op.getLoc()) << "function '" << func.getName() << "': '"
                                << op.getName() << "' " << why;
}

LogicalResult FunctionDescriber::addArguments() {
  for (BlockArgument argument : func.getArguments()) {
    Buffer buffer{"arg" + std::to_string(argument.getArgNumber()), {}};
    if (auto type = dyn_cast<MemRefType>(argument.getType())) {
      if (!type.getLayout().isIdentity())
        return emitError(func.getLoc())
               << "function '" << func.getName() << "': argument "
               << argument.getArgNumber() << " has type " << type
               << ", but a manifest has contiguous buffers only";
      for (auto [i, size] : llvm::enumerate(type.getShape()))
        buffer.shape.push_back(
            ShapedType::isDynamic(size)
                ? Expr::symbol(buffer.name + ".dim" + std::to_string(i))
                : Expr(size));
    } else if (!argument.getType().isIntOrIndexOrFloat()) {
      return emitError(func.getLoc())
             << "function '" << func.getName() << "': argument "
             << argument.getArgNumber() << " has type " << argument.getType()
             << ", but a manifest has buffers and scalars only";
    }
    buffers[argument] = std::move(buffer);
  }
  return success();
}

/// What sizes of temporaries are computed with.
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
      .Case([&](arith::AddIOp) { return operands[0] + operands[1]; })
      .Case([&](arith::SubIOp) { return operands[0] - operands[1]; })
      .Case([&](arith::MulIOp) { return operands[0] * operands[1]; })
      .Case<arith::FloorDivSIOp, arith::DivUIOp>(
          [&](auto) { return operands[0] / operands[1]; })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return ceilDiv(operands[0], operands[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return max(operands[0], operands[1]); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return min(operands[0], operands[1]); })
      .Default(std::optional<Expr>());
}

LogicalResult FunctionDescriber::visitAlloc(memref::AllocOp op) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity())
    return refuse(*op, "makes a buffer that is not contiguous");
  Buffer buffer{"tmp" + std::to_string(temporaries.size()), {}};
  auto dynamic = op.getDynamicSizes().begin();
  json::Array shape;
  for (int64_t size : type.getShape()) {
    Expr extent = size;
    if (ShapedType::isDynamic(size)) {
      auto known = integers.find(*dynamic++);
      if (known == integers.end())
        return refuse(*op, "has a size that is not made of arguments' sizes");
      extent = known->second;
    }
    shape.push_back(extent.str());
    buffer.shape.push_back(extent);
  }
  temporaries.push_back(
      json::Object{{"type", getTypeText(type.getElementType())},
                   {"shape", std::move(shape)}});
  buffers[op.getMemref()] = std::move(buffer);
  return success();
}

LogicalResult FunctionDescriber::visitDim(memref::DimOp op) {
  auto buffer = buffers.find(op.getSource());
  std::optional<int64_t> index = getConstantIntValue(op.getIndex());
  if (buffer == buffers.end() || !index || *index < 0 ||
      *index >= int64_t(buffer->second.shape.size()))
    return refuse(*op, "is not a size of an argument");
  integers[op.getResult()] = buffer->second.shape[*index];
  return success();
}

LogicalResult FunctionDescriber::visitLaunch(LaunchOp op) {
  if (op.getWorkspace() || op.getStream())
    return refuse(*op, "has a workspace or a stream of its own, which the "
                       "caller of a pack provides");
  json::Array operands;
  for (Value value : op->getOperands()) {
    auto buffer = buffers.find(value);
    if (buffer == buffers.end()) {
      Operation *source = value.getDefiningOp();
      return refuse(*op, "takes a value of '" +
                             (source ? source->getName().getStringRef()
                                     : StringRef("a block argument")) +
                             "', but operands must be arguments or buffers");
    }
    operands.push_back(buffer->second.name);
  }
  // Casts alias: what counts is the buffer's name.
  auto mark = [&](ValueRange values, llvm::DenseSet<Value> &set) {
    for (Value value : values)
      for (BlockArgument argument : func.getArguments())
        if (buffers[argument].name == buffers[value].name)
          set.insert(argument);
  };
  mark(op.getInputs(), read);
  mark(op.getOutputs(), written);
  launches.push_back(json::Object{{"kernel", op.getKernel()},
                                  {"operands", std::move(operands)}});
  return success();
}

/// What is known of a value of the caller or the callee is known of the
/// other's.
LogicalResult FunctionDescriber::copyKnown(Operation &op, Value from,
                                           Value to) {
  if (auto buffer = buffers.find(from); buffer != buffers.end()) {
    Buffer copy = buffer->second;
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

/// A pack knows no calls: the callee's launches are the caller's.
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
  // A chain of functions that each call the next twice has as many launches as
  // no pack can hold.
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
      .Case([&](memref::ExpandShapeOp) {
        return refuse(op, "makes a matrix of a vector, but a pack passes "
                          "buffers as they are; make it a matrix with one row");
      })
      .Case([&](memref::GetGlobalOp global) {
        return refuse(op, "takes the constant '@" + global.getName() +
                              "', which lies in the host's memory; make it an "
                              "argument");
      })
      .Case([&](memref::CastOp cast) -> LogicalResult {
        auto buffer = buffers.find(cast.getSource());
        if (buffer == buffers.end() || !isa<MemRefType>(cast.getType()))
          return refuse(op, "is not a cast of an argument or a buffer");
        Buffer copy = buffer->second;
        buffers[cast.getResult()] = std::move(copy);
        return success();
      })
      .Case<memref::DeallocOp, arith::ConstantOp>(
          [](auto) { return success(); })
      .Case([&](func::ReturnOp ret) -> LogicalResult {
        return ret.getNumOperands() && callees.empty()
                   ? refuse(op, "gives results")
                   : success();
      })
      .Default([&](Operation *) {
        return refuse(op, "is not a launch of a kernel, and a pack has "
                          "nothing else");
      });
}

json::Array FunctionDescriber::describeArguments() {
  json::Array list;
  for (BlockArgument argument : func.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      list.push_back(json::Object{{"type", getTypeText(argument.getType())},
                                  {"access", "scalar"}});
      continue;
    }
    json::Array shape;
    for (int64_t size : type.getShape())
      shape.push_back(ShapedType::isDynamic(size) ? json::Value(nullptr)
                                                  : json::Value(size));
    bool writes = written.contains(argument), reads = read.contains(argument);
    list.push_back(json::Object{{"type", getTypeText(type.getElementType())},
                                {"shape", std::move(shape)},
                                {"access", !writes ? "read"
                                           : reads ? "readwrite"
                                                   : "write"}});
  }
  return list;
}

FailureOr<json::Value> FunctionDescriber::run() {
  if (failed(addArguments()) || failed(visitBody(func)))
    return failure();
  return json::Value(json::Object{{"name", func.getName()},
                                  {"arguments", describeArguments()},
                                  {"temporaries", std::move(temporaries)},
                                  {"launches", std::move(launches)}});
}

} // namespace

std::string getTypeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

FailureOr<json::Value> describeFunction(func::FuncOp func) {
  return FunctionDescriber(func).run();
}

} // namespace tcgemm
