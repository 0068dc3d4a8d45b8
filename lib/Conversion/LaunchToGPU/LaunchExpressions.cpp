//===- LaunchExpressions.cpp - The plan's expressions in arith --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchExpressions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Expr.h"

using namespace mlir;
using namespace tcgemm;

namespace {
struct Emitter : public ExprVisitor<Emitter, Value> {
  Emitter(OpBuilder &builder, Location loc,
          const llvm::StringMap<Value> &symbols)
      : builder(builder), loc(loc), symbols(symbols) {}

  Value visitLiteral(int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  }
  Value visitSymbol(StringRef name) {
    Value value = symbols.lookup(name);
    if (value)
      return value;
    if (unknown.empty())
      unknown = name.str();
    return visitLiteral(0);
  }
  Value visitNode(ExprKind kind, ArrayRef<Value> operands);

  /// Creates an operation with folding, so that static values remain constants.
  template <typename Op> Value create(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  Value toInteger(Value condition) {
    return builder.createOrFold<arith::ExtUIOp>(loc, builder.getI64Type(),
                                                condition);
  }
  Value isTrue(Value value) {
    return compare(arith::CmpIPredicate::ne, value, visitLiteral(0));
  }
  /// `b`, or 1 if a division by `b` would be undefined.
  Value divisor(Value b) {
    if (matchPattern(b, m_Constant()))
      return b;
    return arith::SelectOp::create(builder, loc, isTrue(b), b, visitLiteral(1));
  }

  OpBuilder &builder;
  Location loc;
  const llvm::StringMap<Value> &symbols;
  /// The first symbol that does not exist.
  std::string unknown;
};
} // namespace

static std::optional<arith::CmpIPredicate> getPredicate(ExprKind kind) {
  switch (kind) {
  case ExprKind::Eq:
    return arith::CmpIPredicate::eq;
  case ExprKind::Ne:
    return arith::CmpIPredicate::ne;
  case ExprKind::Lt:
    return arith::CmpIPredicate::slt;
  case ExprKind::Le:
    return arith::CmpIPredicate::sle;
  case ExprKind::Gt:
    return arith::CmpIPredicate::sgt;
  case ExprKind::Ge:
    return arith::CmpIPredicate::sge;
  default:
    return std::nullopt;
  }
}

Value Emitter::visitNode(ExprKind kind, ArrayRef<Value> operands) {
  Value a = operands[0], b = operands.size() > 1 ? operands[1] : Value();
  if (std::optional<arith::CmpIPredicate> predicate = getPredicate(kind))
    return toInteger(compare(*predicate, a, b));
  switch (kind) {
  case ExprKind::Add:
    return create<arith::AddIOp>(a, b);
  case ExprKind::Sub:
    return create<arith::SubIOp>(a, b);
  case ExprKind::Mul:
    return create<arith::MulIOp>(a, b);
  case ExprKind::Div:
    return create<arith::FloorDivSIOp>(a, divisor(b));
  case ExprKind::Mod: {
    // Guards use such remainders: x % 16 is x & 15, also for negative x.
    APInt power;
    if (matchPattern(b, m_ConstantInt(&power)) && power.isPowerOf2())
      return create<arith::AndIOp>(a, visitLiteral(power.getSExtValue() - 1));
    Value quotient = create<arith::FloorDivSIOp>(a, divisor(b));
    return create<arith::SubIOp>(a, create<arith::MulIOp>(quotient, b));
  }
  case ExprKind::CeilDiv:
    return create<arith::CeilDivSIOp>(a, divisor(b));
  case ExprKind::Min:
    return create<arith::MinSIOp>(a, b);
  case ExprKind::Max:
    return create<arith::MaxSIOp>(a, b);
  case ExprKind::And:
    return toInteger(create<arith::AndIOp>(isTrue(a), isTrue(b)));
  case ExprKind::Or:
    return toInteger(create<arith::OrIOp>(isTrue(a), isTrue(b)));
  case ExprKind::Not:
    return toInteger(compare(arith::CmpIPredicate::eq, a, visitLiteral(0)));
  case ExprKind::Select:
    return builder.createOrFold<arith::SelectOp>(loc, isTrue(a), b,
                                                 operands[2]);
  default:
    llvm_unreachable("literals, symbols and comparisons are handled above");
  }
}

int LaunchExpressions::findOperand(StringRef name) {
  for (unsigned i = 0; i < kernel.getNumOperandInfos(); ++i)
    if (kernel.getOperandName(i) == name)
      return i;
  return -1;
}

void LaunchExpressions::prepare(OpBuilder &builder) {
  Location loc = launch->getLoc();
  Type i64 = builder.getI64Type();
  auto cast = [&](Value index) -> Value {
    return builder.createOrFold<arith::IndexCastOp>(loc, i64, index);
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI64IntegerAttr(value));
  };
  for (char letter : ("mnk" + kernel.getOuterDims()).str())
    if (int64_t size = kernel.getSize(letter); ShapedType::isStatic(size))
      symbols[getSizeName(*findDim(letter))] = constant(size);
  if (numSMs)
    symbols["sm_count"] = constant(numSMs);
  for (unsigned i = 0; i < kernel.getNumOperandInfos(); ++i) {
    Value value = operands[i];
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type)
      continue;
    std::string name = kernel.getOperandName(i);
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, value);
    Value base = cast(
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, value));
    int64_t bits =
        type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
    int64_t packed =
        getPackedElements(kernel.getOperandInfo(i).getElementType());
    Value first = cast(metadata.getOffset()), isInside;
    if (packed > 1) {
      isInside =
          builder.createOrFold<arith::AndIOp>(loc, first, constant(packed - 1));
      first =
          builder.createOrFold<arith::DivSIOp>(loc, first, constant(packed));
    }
    Value offset = builder.createOrFold<arith::MulIOp>(
        loc, first, constant((bits + 7) / 8));
    symbols[name + ".base"] =
        builder.createOrFold<arith::AddIOp>(loc, base, offset);
    for (auto [d, stride] : llvm::enumerate(metadata.getStrides()))
      symbols[name + ".stride" + std::to_string(d)] = cast(stride);
    // No variant takes an odd stride, and so none takes a view that begins
    // inside of a byte.
    if (isInside)
      symbols[name + ".stride0"] = builder.createOrFold<arith::OrIOp>(
          loc, symbols[name + ".stride0"], isInside);
    for (auto [d, letter] :
         llvm::enumerate(kernel.getOperandInfo(i).getDims())) {
      StringRef size = getSizeName(*findDim(letter));
      OperandAttr info = kernel.getOperandInfo(i);
      if (!symbols.contains(size) && !info.getScales() &&
          !info.getConvolution() && !info.getRepresentation())
        symbols[size] = cast(metadata.getSizes()[d]);
    }
  }
}

FailureOr<Value> LaunchExpressions::emit(OpBuilder &builder, const Expr &expr) {
  Emitter emitter(builder, launch->getLoc(), symbols);
  Value value = emitter.visit(expr);
  if (emitter.unknown == "sm_count")
    return launch->emitOpError()
           << "kernel '" << kernel.getName()
           << "' depends on sm_count: set the option sm-count";
  if (!emitter.unknown.empty())
    return kernel.emitOpError() << "plan: '" << expr.str() << "' names '"
                                << emitter.unknown << "', which is unknown";
  return value;
}

Value LaunchExpressions::isTrue(OpBuilder &builder, Value value) {
  return Emitter(builder, launch->getLoc(), symbols).isTrue(value);
}

void tcgemm::expandDivisions(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op))
      ops.push_back(op);
  });
  (void)applyOpPatternsGreedily(ops, std::move(patterns));
}
