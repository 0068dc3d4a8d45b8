//===- LoweringContext.h - State of the lowering of a program ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile-level value stands for several values of a thread (an accumulator is a
// list of registers) or for none (a token of a stage). Types are converted 1:N
// by MLIR's dialect conversion. The context maps values to what they were
// converted to and has a builder that notifies the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_LOWERINGCONTEXT_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_LOWERINGCONTEXT_H

#include "LoaderState.h"
#include "ProgramAnalysis.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tcgemm/Support/IntegerBuilder.h"
#include "tcgemm/Target/Trace.h"

namespace tcgemm {

using Values = llvm::SmallVector<mlir::Value>;

class LoweringContext {
public:
  explicit LoweringContext(const ProgramAnalysis &analysis);

  /// Creates, at the start of the program, what all of its operations need.
  void createPrologue();
  const mlir::TypeConverter &getTypeConverter() const { return types; }

  /// Prepares the lowering of an operation: maps its operands and sets the
  /// insertion point.
  void start(mlir::Operation *op, llvm::ArrayRef<mlir::ValueRange> operands,
             mlir::ConversionPatternRewriter &rewriter);
  /// Replaces the operation by the values that its results are mapped to.
  void finish(mlir::Operation *op, mlir::ConversionPatternRewriter &rewriter);
  /// Moves a block of the operation to the insertion point.
  void inlineBlock(mlir::Block &block) {
    rewriter->inlineBlockBefore(&block, b.getInsertionBlock(),
                                b.getInsertionPoint());
  }

  // The values that a value was converted to: all, or the only or first one.
  llvm::ArrayRef<mlir::Value> all(mlir::Value value) const {
    return values.find(value)->second;
  }
  mlir::Value one(mlir::Value value) const {
    auto found = values.find(value);
    return found == values.end() ? value : found->second.front();
  }
  Values flatten(mlir::ValueRange list) const;
  void set(mlir::Value from, mlir::ValueRange to) {
    values[from].assign(to.begin(), to.end());
  }

  // The running thread. All numbers are i32.
  mlir::Value threadId() const { return thread; }
  mlir::Value laneId() { return b.remU(thread, 32); }
  mlir::Value warpId() { return b.divU(thread, 32); }
  /// The same, in programs with roles: ptxas knows that it is uniform.
  mlir::Value uniformWarpId() const { return warp; }
  /// The uniform number of the warp in its warpgroup.
  mlir::Value warpInGroup() { return b.remU(warp, 4); }
  /// A pointer to the start of dynamic shared memory, in programs with roles.
  mlir::Value getSharedBase() const { return sharedBase; }

  IntegerBuilder b;
  const ProgramAnalysis &analysis;

  // Results of lowered operations that later ones need.
  /// By the result of loader.create.
  llvm::DenseMap<mlir::Value, LoaderState> loaders;
  /// By role: i1, whether the thread issues the role's TMA copies. Null in a
  /// role that only that thread runs.
  llvm::DenseMap<mlir::Operation *, mlir::Value> leaders;
  /// By epilogue with early inputs: for each slice and each input its values.
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<llvm::SmallVector<Values>>>
      earlyInputs;
  /// i1: in the first warp, whether the thread initialised the barriers.
  mlir::Value barrierThread;
  /// In programs that write a trace: a pointer to the thread's variable with
  /// the position of its next event, i32, and the layout of the buffer.
  mlir::Value tracePosition;
  TraceLayout traceLayout;

private:
  void addTypeConversions();

  mlir::ConversionPatternRewriter *rewriter = nullptr;
  mlir::TypeConverter types;
  llvm::DenseMap<mlir::Value, Values> values;
  mlir::Value thread, warp, sharedBase;
};

/// Base of the classes that lower a family of operations.
class Lowering {
public:
  explicit Lowering(LoweringContext &c) : c(c), b(c.b), analysis(c.analysis) {}

protected:
  llvm::ArrayRef<mlir::Value> all(mlir::Value value) const {
    return c.all(value);
  }
  mlir::Value one(mlir::Value value) const { return c.one(value); }
  void set(mlir::Value from, mlir::ValueRange to) { c.set(from, to); }
  /// The offset, in elements, of value `number` of the vector that an operation
  /// loads from. Numbers behind the vector stand for its last value.
  template <typename Op>
  mlir::Value getVectorOffset(Op op, mlir::Value number) {
    number = b.minU(number, b.sub(one(op.getEnd()), b.i32(1)));
    return b.add(one(op.getOffset()),
                 b.mul(b.ext(number), one(op.getStride())));
  }

  LoweringContext &c;
  IntegerBuilder &b;
  const ProgramAnalysis &analysis;
};

/// Lowers an operation by `Family(context).lower(op)`.
template <typename Family, typename Op>
class LoweringPattern : public mlir::OpConversionPattern<Op> {
public:
  using Adaptor = typename mlir::OpConversionPattern<Op>::OneToNOpAdaptor;
  LoweringPattern(LoweringContext &c)
      : mlir::OpConversionPattern<Op>(c.getTypeConverter(), c.b.getContext()),
        c(c) {}
  mlir::LogicalResult
  matchAndRewrite(Op op, Adaptor adaptor,
                  mlir::ConversionPatternRewriter &rewriter) const override {
    c.start(op, adaptor.getOperands(), rewriter);
    Family(c).lower(op);
    c.finish(op, rewriter);
    return mlir::success();
  }

private:
  LoweringContext &c;
};

/// Adds the patterns of a family of operations.
template <typename Family, typename... Ops>
void addFamily(LoweringContext &c, mlir::RewritePatternSet &patterns) {
  patterns.add<LoweringPattern<Family, Ops>...>(c);
}

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_LOWERINGCONTEXT_H
