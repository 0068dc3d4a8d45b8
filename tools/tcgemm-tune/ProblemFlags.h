//===- ProblemFlags.h - Flags that say what to tune -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_PROBLEMFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_PROBLEMFLAGS_H

#include "Commands.h"

#include "tcgemm/Target/Precision.h"
#include "tcgemm/Tuner/ModuleProblems.h"

namespace tcgemm {

/// Kernels and their sizes.
struct ProblemFlags {
  explicit ProblemFlags(Commands &commands) : commands(commands) {}
  llvm::Expected<KernelSpec> readKernel() const;
  /// The contraction of --einsum, if it is given. Fails if another flag
  /// contradicts it.
  llvm::Expected<std::optional<Contraction>> readContraction() const;
  /// The ranges of M, N, K and batch.
  llvm::Expected<ModuleProblemOptions> readRanges() const;

  Commands &commands;
  cl::list<std::string> shapes{cl::Positional,
                               cl::desc("[BxMxNxK, MxNxK or FILE.mlir ...]"),
                               cl::cat(commands.problems),
                               cl::sub(commands.tuneCommands),
                               cl::sub(commands.bestCommand),
                               cl::sub(commands.exportCommand)};
  cl::opt<std::string> m{"m",
                         cl::desc("Rows of D: 4096, 512,1024 or "
                                  "1024:4096:256"),
                         cl::value_desc("sizes"), cl::cat(commands.problems),
                         cl::sub(commands.sizeCommands)};
  cl::opt<std::string> n{"n", cl::desc("Columns of D"), cl::value_desc("sizes"),
                         cl::cat(commands.problems),
                         cl::sub(commands.sizeCommands)};
  cl::opt<std::string> k{"k", cl::desc("Depth of the product"),
                         cl::value_desc("sizes"), cl::cat(commands.problems),
                         cl::sub(commands.sizeCommands)};
  cl::opt<std::string> batch{
      "batch", cl::desc("Number of products"), cl::value_desc("sizes"),
      cl::cat(commands.problems), cl::sub(commands.sizeCommands)};
  cl::opt<std::string> einsum{
      "einsum",
      cl::desc("Indices of A, B and D of a contraction, such as "
               "bqhd,bkhd->bhqk, in the place of a shape and of --layout"),
      cl::value_desc("indices"),
      cl::cat(commands.problems),
      cl::sub(commands.sizeCommands),
      cl::sub(commands.explainCommand)};
  cl::opt<std::string> extents{"sizes",
                               cl::desc("The extent of each index of --einsum"),
                               cl::value_desc("b=2,q=64,..."),
                               cl::cat(commands.problems),
                               cl::sub(commands.sizeCommands),
                               cl::sub(commands.explainCommand)};
  cl::opt<std::string> problemFile{
      "problems",
      cl::desc("Problems of a file (tag M N K, CSV, or nvMatmulHeuristics "
               "JSON), or of a shipped suite: suite, deepbench, llm"),
      cl::value_desc("file|suite"),
      cl::cat(commands.problems),
      cl::sub(commands.tuneCommands),
      cl::sub(commands.exportCommand),
      cl::sub(commands.bestCommand)};
  cl::opt<std::string> layout{
      "layout",
      cl::desc("Layouts of A and B, as BLAS names them (default: tn)"),
      cl::init("tn"),
      cl::value_desc("tn|nn|nt|tt"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  cl::opt<std::string> type{
      "dtype",
      cl::desc("Type of A and B (default: bf16)"),
      cl::init("bf16"),
      cl::value_desc("bf16|f16|f32|tf32|f64|s8|u8|s32|e4m3|e5m2"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  cl::opt<std::string> precision{"precision",
                                 cl::desc(kPrecisionHelp),
                                 cl::init("ieee"),
                                 cl::value_desc("precision"),
                                 cl::cat(commands.problems),
                                 cl::sub(commands.kernelCommands)};
  cl::opt<std::string> outType{
      "out-type", cl::desc("Type of D (default: that of A)"),
      cl::value_desc("bf16|f16|f32|f64|s32|s8|e4m3|e5m2"),
      cl::cat(commands.problems), cl::sub(commands.kernelCommands)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("none, or bias, rowbias, relu, gelu, gelutanh, silu, residual, "
               "gate, scale, rowscale, colscale, outbias, outrowbias, and with "
               "groups groupbias, groupscale, groupcolscale, joined by _ "
               "(default: none)"),
      cl::init("none"),
      cl::value_desc("parts"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  cl::opt<std::string> blockScales{
      "block-scales",
      cl::desc("Operands of FP8 that have scales of blocks (default: none)"),
      cl::init("none"),
      cl::value_desc("none|a|b|ab"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  cl::opt<std::string> transformA{
      "transform-a",
      cl::desc("Function of A's elements: none, or relu, add1, silu, exp, "
               "inverse joined by _ (default: none)"),
      cl::init("none"),
      cl::value_desc("parts"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  cl::opt<std::string> transformB{
      "transform-b",
      cl::desc("The same for B's elements (default: none)"),
      cl::init("none"),
      cl::value_desc("parts"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  cl::opt<std::string> groupScales{
      "group-scales",
      cl::desc("Elements along k with one scale, of an operand of 4 bits, the "
               "type of the scales and that of zero points (default: none)"),
      cl::init("none"),
      cl::value_desc("none|128|128xf16|128xf16xu8"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  // cl::desc keeps a reference.
  const std::string algebraHelp =
      (kAlgebraHelp + " (default: plus-times)").str();
  cl::opt<std::string> algebra{"algebra",
                               cl::desc(algebraHelp),
                               cl::init("plus-times"),
                               cl::value_desc("reduce-combine"),
                               cl::cat(commands.problems),
                               cl::sub(commands.kernelCommands)};
  const std::string dualHelp =
      ("Two products that share A, and how their sums are combined: none, or " +
       kDualHelp + " (default: none; with --dual alone: silu-mul)")
          .str();
  cl::opt<std::string> dual{"dual",
                            cl::ValueOptional,
                            cl::init("none"),
                            cl::desc(dualHelp),
                            cl::value_desc("function"),
                            cl::cat(commands.problems),
                            cl::sub(commands.kernelCommands)};
  const std::string bandHelp =
      ("Where A may differ from zero: none, " + kBandHelp + " (default: none)")
          .str();
  cl::opt<std::string> bandA{"band-a",
                             cl::desc(bandHelp),
                             cl::init("none"),
                             cl::value_desc("band"),
                             cl::cat(commands.problems),
                             cl::sub(commands.kernelCommands)};
  cl::opt<std::string> bandB{"band-b",
                             cl::desc("The same for B (default: none)"),
                             cl::init("none"),
                             cl::value_desc("band"),
                             cl::cat(commands.problems),
                             cl::sub(commands.kernelCommands)};
  cl::opt<bool> symmetric{
      "symmetric",
      cl::desc("Multiply A by its transpose, and compute half of the tiles"),
      cl::cat(commands.problems), cl::sub(commands.kernelCommands)};
  cl::opt<bool> grouped{
      "grouped",
      cl::desc("Divide M rows among the matrices B of a batch: B groups of "
               "nearly equal sizes, which only the device knows"),
      cl::cat(commands.problems), cl::sub(commands.kernelCommands)};
  cl::opt<std::string> groups{
      "groups",
      cl::desc("As --grouped, with what the groups are: parts of M (default), "
               "M rows of one matrix each, or parts of K"),
      cl::value_desc("contiguous|padded|ragged-k"),
      cl::init("contiguous"),
      cl::cat(commands.problems),
      cl::sub(commands.kernelCommands)};
  const std::string reduceHelp = (kReduceHelp + " (default: none)").str();
  cl::opt<std::string> reduce{"reduce",
                              cl::desc(reduceHelp),
                              cl::init("none"),
                              cl::value_desc("amax|row-max|column-sum"),
                              cl::cat(commands.problems),
                              cl::sub(commands.kernelCommands)};
  cl::opt<bool> isStatic{"static", cl::desc("Compile the sizes in"),
                         cl::cat(commands.problems),
                         cl::sub(commands.kernelCommands)};
  cl::opt<bool> isApproximate{
      "approximate-math",
      cl::desc("Take the GPU's approximate instructions for math"),
      cl::cat(commands.problems), cl::sub(commands.kernelCommands)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_PROBLEMFLAGS_H
