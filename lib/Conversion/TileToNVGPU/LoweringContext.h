//===- LoweringContext.h - State of the lowering of a program ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile-level value stands for several values of a thread (an accumulator is a
// list of registers) or for none (a token of a stage). The context maps each to
// those; it walks a program in order and writes a new body.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_LOWERINGCONTEXT_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_LOWERINGCONTEXT_H

#include "HandlerTable.h"
#include "LoaderState.h"
#include "ProgramAnalysis.h"
#include "mlir/Transforms/DialectConversion.h"
#include "tcgemm/Support/IntegerBuilder.h"

namespace tcgemm {

using Values = llvm::SmallVector<mlir::Value>;

class LoweringContext {
public:
  LoweringContext(const ProgramAnalysis &analysis,
                  const HandlerTable &handlers);

  /// Replaces the program's body. Fails after a diagnostic.
  mlir::LogicalResult run();
  /// Lowers the operations of a block in their order.
  mlir::LogicalResult lower(mlir::Block &block);

  // What values and types became.
  llvm::ArrayRef<mlir::Value> all(mlir::Value value) const {
    return values.find(value)->second;
  }
  mlir::Value one(mlir::Value value) const { return all(value).front(); }
  Values flatten(mlir::ValueRange list) const;
  void set(mlir::Value from, mlir::ValueRange to) {
    values[from].assign(to.begin(), to.end());
  }
  /// Gives each of `from` its share of `flat`, by type.
  void distribute(mlir::ValueRange from, mlir::ValueRange flat);
  llvm::SmallVector<mlir::Type> expand(mlir::TypeRange types) const;

  // Who runs. All are i32.
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

  // What families of operations hand on from one operation to another.
  /// By the result of loader.create.
  llvm::DenseMap<mlir::Value, LoaderState> loaders;
  /// By role: i1, whether the thread issues the role's TMA copies. Null in a
  /// role that only that thread runs.
  llvm::DenseMap<mlir::Operation *, mlir::Value> leaders;
  /// By epilogue with early inputs: for each slice and each input its values.
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<llvm::SmallVector<Values>>>
      earlyInputs;
  /// i1, whether the thread initialised the barriers, of the first warp.
  mlir::Value barrierThread;

private:
  void addTypeConversions();
  mlir::LogicalResult lower(mlir::Operation *op);
  void clone(mlir::Operation *op);

  const HandlerTable &handlers;
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

  LoweringContext &c;
  IntegerBuilder &b;
  const ProgramAnalysis &analysis;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_LOWERINGCONTEXT_H
