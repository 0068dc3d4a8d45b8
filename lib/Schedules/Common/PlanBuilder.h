//===- PlanBuilder.h - Tools to write a kernel's plan -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan lists the programs of a launch with their guards and arguments. The
// builder has the common parts of the schedules: guards, packing, steps and
// variants. Each schedule's Plan.cpp has its plan.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_SCHEDULES_COMMON_PLANBUILDER_H
#define TCGEMM_LIB_SCHEDULES_COMMON_PLANBUILDER_H

#include "Common/PlanExpressions.h"
#include "Common/ProgramBuilder.h"
#include "Common/Programs.h"
#include "Common/ReducedOutputs.h"
#include "tcgemm/Config/Sizes.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"

namespace tcgemm {

/// Replacements of a program's bindings.
class Bindings {
public:
  explicit Bindings(mlir::MLIRContext *context) : context(context) {}

  /// Replaces the program's binding `asked` by `bound`.
  void set(Argument asked, Argument bound) {
    map[get(std::move(asked))] = get(std::move(bound));
  }
  void erase(Argument asked) { map.erase(get(std::move(asked))); }
  /// The replacement of `asked`; null if there is none.
  BindingAttr find(BindingAttr asked) const { return map.lookup(asked); }
  BindingAttr find(Argument asked) const { return find(get(std::move(asked))); }

private:
  BindingAttr get(Argument argument) const {
    return BindingAttr::get(context, std::move(argument));
  }

  mlir::MLIRContext *context;
  llvm::DenseMap<BindingAttr, BindingAttr> map;
};

/// Conditions that must all hold, in the order of the guard.
using Conditions = llvm::SmallVector<Expr>;

/// A variant to which steps are added.
struct VariantDraft {
  std::string name;
  Conditions guard;
  KernelConfig config;
  Bindings
      bindings; ///< Bindings of the main program and of the sum of its slices.
  llvm::SmallVector<StepAttr> steps;
  Expr workspace = 0; ///< Bytes that the steps so far need.
};

/// Writes the plan of one kernel.
class PlanBuilder {
public:
  /// The names of the programs begin with `prefix`.
  PlanBuilder(KernelOp kernel, const KernelConfig &config,
              mlir::gpu::GPUModuleOp module, std::string prefix)
      : kernel(kernel), config(config), module(module),
        prefix(std::move(prefix)), context(kernel.getContext()),
        problem(getProblemInfo(kernel)) {}

  KernelOp getKernel() const { return kernel; }
  const KernelConfig &getConfig() const { return config; }
  mlir::gpu::GPUModuleOp getModule() const { return module; }
  const ProblemInfo &getProblem() const { return problem; }
  /// The name of a program.
  std::string getName(llvm::StringRef suffix) const {
    return (prefix + "_" + suffix).str();
  }

  //===--------------------------------------------------------------------===//
  // Guards
  //===--------------------------------------------------------------------===//

  /// Elements of the widest of the program's copies along k.
  int64_t getVector(const KernelConfig &c) const;
  /// Returns whether the kernel's static K is not a multiple of `vector`.
  bool isMisaligned(int64_t vector) const {
    int64_t k = KernelOp(kernel).getK();
    return !mlir::ShapedType::isDynamic(k) && k % vector;
  }
  /// The conditions for copies of an operand with a width of `bytes`.
  Conditions getAlignment(unsigned operand, int64_t bytes);
  /// The conditions that the rows of an operand with elements of 4 bits are
  /// whole bytes, or that they start and end between blocks of interleaved
  /// elements. Other operands have none.
  Conditions getWholeBytes(unsigned operand);
  /// The alignment of A and of B.
  Conditions getAlignments(int64_t bytesA, int64_t bytesB);

  //===--------------------------------------------------------------------===//
  // Variants
  //===--------------------------------------------------------------------===//

  /// Returns whether main programs can read A and B if those of `packed` are
  /// packed. Only some can copy the windows of a convolution.
  bool canRead(llvm::ArrayRef<unsigned> packed, bool windows = false);
  /// Starts a variant, with the step that checks the sizes of groups, if the
  /// kernel has that check, and the step that packs the operands of `packed`.
  VariantDraft start(llvm::StringRef name, Conditions guard,
                     const KernelConfig &c, llvm::ArrayRef<unsigned> packed);
  /// Ends a variant with the main program and the sum of its slices.
  void finish(VariantDraft draft, ProgramOp program, const Expr &grid);
  /// Adds a variant whose program has a block for each tile and slice, unless
  /// the program cannot read what is not packed.
  void addTiled(llvm::StringRef name, const Conditions &guard,
                ProgramOp program, const KernelConfig &c,
                llvm::ArrayRef<unsigned> packed);
  /// Adds the variant of the sum over nothing, the epilogue of zero. One thread
  /// computes an element there, and knows no groups.
  void addEmptyK();

  /// Sets the kernel's plan.
  void setPlan();

private:
  /// The position of the rows of a packed operand, and the number of blocks
  /// that pack them.
  struct PackedLayout {
    Expr rows, pitch, batch, blocks;
  };

  /// The bytes of what programs read of an operand.
  int64_t getElementBytes(unsigned operand) const {
    return problem.getBits(operand) * getPackedElements(kernel, operand) / 8;
  }
  Conditions getContiguity();
  PackedLayout getPackedLayout(unsigned operand, const Expr &paddedK);
  Expr getPackedStride(llvm::StringRef dims, char dim,
                       const PackedLayout &layout);
  void pack(llvm::ArrayRef<unsigned> operands, VariantDraft &draft);
  ProgramOp getPackProgram(std::optional<unsigned> only);
  TensorMapAttr rebase(TensorMapAttr map, const Bindings &bindings);
  StepAttr getStep(ProgramOp program, const Expr &grid,
                   const Bindings &bindings);
  ProgramOp getReduceProgram();
  StepAttr getReduceStep(const Bindings &bindings);
  void addReductions(VariantDraft &draft);
  void addVariant(llvm::StringRef name, llvm::ArrayRef<Expr> guard,
                  const KernelConfig &c, const Expr &workspace,
                  llvm::ArrayRef<StepAttr> steps);
  ExprAttr getAttr(const Expr &value) { return ExprAttr::get(context, value); }

  KernelOp kernel;
  KernelConfig config;
  mlir::gpu::GPUModuleOp module;
  std::string prefix;
  mlir::MLIRContext *context;
  ProblemInfo problem;
  /// Programs that exist already. The first one that packs is for A, or for
  /// both operands.
  ProgramOp reduceProgram, packPrograms[3];
  llvm::DenseMap<unsigned, ProgramOp> combinePrograms; ///< By operand.
  llvm::SmallVector<mlir::Attribute> variants;
};

/// Returns whether the kernel's sums may have no terms.
bool mayHaveEmptyK(KernelOp kernel);

} // namespace tcgemm

#endif // TCGEMM_LIB_SCHEDULES_COMMON_PLANBUILDER_H
