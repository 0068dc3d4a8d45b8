//===- Planner.h - Which programs a launch runs, and how -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_PLANNER_H
#define TCGEMM_LIB_TRANSFORMS_PLANNER_H

#include "PlanExpressions.h"
#include "ProgramBuilder.h"
#include "Schedules.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Sizes.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"

namespace tcgemm {

/// Replacements of the bindings that a program asks for.
class Bindings {
public:
  explicit Bindings(mlir::MLIRContext *context) : context(context) {}

  /// Passes `bound` where the program asks for `asked`.
  void set(Argument asked, Argument bound) {
    map[get(std::move(asked))] = get(std::move(bound));
  }
  void erase(Argument asked) { map.erase(get(std::move(asked))); }
  /// What is passed for `asked`; null where it is `asked` itself.
  BindingAttr find(BindingAttr asked) const { return map.lookup(asked); }
  BindingAttr find(Argument asked) const { return find(get(std::move(asked))); }

private:
  BindingAttr get(Argument argument) const {
    return BindingAttr::get(context, std::move(argument));
  }

  mlir::MLIRContext *context;
  llvm::DenseMap<BindingAttr, BindingAttr> map;
};

/// Conditions that must all hold. A guard has them in this order.
using Conditions = llvm::SmallVector<Expr>;

/// How A and B (0 and 1) come to a wgmma program: those that are neither packed
/// before nor copied by its threads, by TMA as they lie.
struct WgmmaWay {
  llvm::StringRef name, program; // of the variants; behind "main"
  llvm::SmallVector<unsigned, 2> packed, copied;
};

/// Writes the programs of one kernel and its plan: which of them a launch runs,
/// under which guard, with which arguments.
class Planner {
public:
  /// The names of the programs begin with `prefix`.
  Planner(KernelOp kernel, const KernelConfig &config,
          mlir::gpu::GPUModuleOp module, std::string prefix)
      : kernel(kernel), config(config), module(module),
        prefix(std::move(prefix)), context(kernel.getContext()),
        problem(getProblemInfo(kernel)) {}

  void run();
  unsigned getNumPrograms() {
    return llvm::count_if(*module.getBody(), llvm::IsaPred<ProgramOp>);
  }

private:
  // Guards.
  Conditions alignment(unsigned operand, int64_t bytes);
  /// That of A and B.
  Conditions bothAligned(int64_t bytesA, int64_t bytesB);
  bool provablyMisaligned(int64_t vector) {
    int64_t k = kernel.getK();
    return !mlir::ShapedType::isDynamic(k) && k % vector;
  }
  int64_t getElementBytes() const { return problem.elementBits / 8; }
  /// Elements of the widest of the program's copies along k.
  int64_t getVector(const KernelConfig &c) const {
    int64_t bytes = getElementBytes();
    for (unsigned operand : {0, 1})
      if (operand ? problem.bKContiguous : problem.aKContiguous)
        bytes = std::max(bytes, getCopyBytes(c, problem, operand));
    return bytes / getElementBytes();
  }
  /// Whether TMA can copy what the program's maps name, but for what lies in
  /// the workspace.
  Conditions tmaGuard(ProgramOp program, const Bindings &bindings);
  // Steps.
  TensorMapAttr rebase(TensorMapAttr map, const Bindings &bindings);
  StepAttr step(ProgramOp program, const Expr &grid, const Bindings &bindings);
  /// Adds the step that packs `operands`, if there are any, and makes `main`
  /// read them in the workspace. Returns where in it they end.
  Expr pack(llvm::ArrayRef<unsigned> operands,
            llvm::SmallVectorImpl<StepAttr> &steps, Bindings &main);
  /// Where the rows of a packed operand lie, and who packs them.
  struct PackedLayout {
    Expr rows, pitch, batch, blocks;
  };
  PackedLayout getPackedLayout(unsigned operand, const Expr &paddedK);
  /// What all variants need: rows of inputs and outputs without gaps between
  /// elements.
  Conditions contiguity();
  void addVariant(llvm::StringRef name, Conditions guard, const KernelConfig &c,
                  const Expr &workspace, llvm::ArrayRef<StepAttr> steps);
  void addMainVariant(llvm::StringRef name, const Conditions &guard,
                      ProgramOp program, const KernelConfig &c,
                      llvm::ArrayRef<unsigned> packed);
  /// The main program's step and what follows it; `workspace` is what comes
  /// before its partial results.
  void addSteps(llvm::StringRef name, const Conditions &guard,
                ProgramOp program, const Expr &grid, const KernelConfig &c,
                Expr workspace, Bindings &bindings,
                llvm::SmallVectorImpl<StepAttr> &steps);
  void addEmptyK();
  void addUnaligned();
  /// The variants of a program whose threads copy A and B to shared memory, of
  /// mma_sync, simt and wmma.
  void addStaged(ProgramOp main, const KernelConfig &c);
  ProgramOp buildMultistage(const KernelConfig &c, llvm::StringRef suffix);
  /// What makes fragments of wmma loadable straight from an operand.
  Conditions fetchGuard(unsigned operand);
  void addWmma();
  void addWgmma();
  void addGemv();
  void addGemvVariant(llvm::StringRef name, const Conditions &guard,
                      ProgramOp program, const KernelConfig &c,
                      llvm::ArrayRef<unsigned> packed);
  void addWgmmaVariant(const llvm::Twine &name, ProgramOp program,
                       const KernelConfig &c, const WgmmaWay &way);
  Expr wgmmaGrid(const KernelConfig &c);
  static Expr reduceGrid() {
    return product({getSizeSymbol('b'), getSizeSymbol('m'),
                    countTiles(getSizeSymbol('n'), kReduceThreads)});
  }

  ProgramOp getReduce();
  ProgramOp getPack();
  std::string name(llvm::StringRef suffix) {
    return (prefix + "_" + suffix).str();
  }
  ExprAttr expression(const Expr &value) {
    return ExprAttr::get(context, value);
  }

  KernelOp kernel;
  KernelConfig config;
  mlir::gpu::GPUModuleOp module;
  std::string prefix;
  mlir::MLIRContext *context;
  ProblemInfo problem;
  ProgramOp reduceProgram, packProgram;
  llvm::SmallVector<mlir::Attribute> variants;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TRANSFORMS_PLANNER_H
