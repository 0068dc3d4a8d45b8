//===- Planner.h - Which programs a launch runs, and how -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TRANSFORMS_PLANNER_H
#define TCGEMM_LIB_TRANSFORMS_PLANNER_H

#include "ProgramBuilder.h"
#include "Schedules.h"
#include "tcgemm/Config/Legality.h"
#include "tcgemm/Config/Sizes.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

namespace tcgemm {

/// What a launch binds arguments to, other than what the program asks for: by
/// the binding that it asks for.
using Bindings = llvm::StringMap<std::string>;

/// How A and B (0 and 1) come to a wgmma program: those that are neither packed
/// before nor copied by its threads, by TMA as they lie.
struct WgmmaWay {
  llvm::StringRef name, program; // of the variants; behind "main"
  llvm::SmallVector<unsigned, 2> packed, copied;
};

/// Writes the programs of one kernel and its plan: which of them a launch runs,
/// under which guard, with which arguments. Expressions are docs/manifest.md's.
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
  std::string alignment(unsigned operand, int64_t bytes);
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
  static std::string roundedUp(llvm::StringRef size, int64_t multiple) {
    return llvm::formatv("ceildiv({0}, {1}) * {1}", size, multiple);
  }
  /// Whether TMA can copy what the program's maps name, but for what lies in
  /// the workspace.
  std::string tmaGuard(ProgramOp program, const Bindings &bindings);
  // Steps.
  TensorMapAttr rebase(TensorMapAttr map, const Bindings &bindings);
  StepAttr step(ProgramOp program, llvm::Twine grid, const Bindings &bindings);
  /// Adds the step that packs `operands`, if there are any, and makes `main`
  /// read them in the workspace. Returns where in it they end.
  std::string pack(llvm::ArrayRef<unsigned> operands,
                   llvm::SmallVectorImpl<StepAttr> &steps, Bindings &main);
  /// What all variants need: rows of inputs and outputs without gaps between
  /// elements.
  std::string contiguity();
  void addVariant(llvm::StringRef name, llvm::StringRef guard,
                  const KernelConfig &c, llvm::StringRef workspace,
                  llvm::ArrayRef<StepAttr> steps);
  void addMainVariant(llvm::StringRef name, llvm::StringRef guard,
                      ProgramOp program, const KernelConfig &c,
                      llvm::ArrayRef<unsigned> packed);
  /// The main program's step and what follows it; `workspace` is what comes
  /// before its partial results.
  void addSteps(llvm::StringRef name, llvm::StringRef guard, ProgramOp program,
                llvm::StringRef grid, const KernelConfig &c,
                std::string workspace, Bindings &bindings,
                llvm::SmallVectorImpl<StepAttr> &steps);
  void addEmptyK();
  void addUnaligned();
  /// The variants of a program whose threads copy A and B to shared memory, of
  /// mma_sync, simt and wmma.
  void addStaged(ProgramOp main, const KernelConfig &c);
  ProgramOp buildMultistage(const KernelConfig &c, llvm::StringRef suffix);
  /// What makes fragments of wmma loadable straight from an operand.
  std::string fetchGuard(unsigned operand);
  void addWmma();
  void addWgmma();
  void addGemv();
  void addGemvVariant(llvm::StringRef name, llvm::StringRef guard,
                      ProgramOp program, const KernelConfig &c,
                      llvm::ArrayRef<unsigned> packed);
  void addWgmmaVariant(const llvm::Twine &name, ProgramOp program,
                       const KernelConfig &c, const WgmmaWay &way);
  std::string wgmmaGrid(const KernelConfig &c);
  std::string reduceGrid() {
    return llvm::formatv("batch * M * ceildiv(N, {0})", kReduceThreads);
  }

  ProgramOp getReduce();
  ProgramOp getPack();
  std::string name(llvm::StringRef suffix) {
    return (prefix + "_" + suffix).str();
  }
  mlir::StringAttr text(const llvm::Twine &value) {
    return mlir::StringAttr::get(context, value);
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
