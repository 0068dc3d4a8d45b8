//===- CompileFlags.h - Flags of generated text and the compiler *- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_COMPILEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_COMPILEFLAGS_H

#include "../common/Keywords.h"
#include "../common/Numbers.h"
#include "Categories.h"
#include "SessionOptions.h"
#include "tcgemm/Target/Precision.h"

namespace tcgemm {

/// The function that is generated if there is no input.
struct GenerateFlags {
  explicit GenerateFlags(Categories &categories) : categories(categories) {}
  /// Fails if a text does not name a type, a layout or an epilogue.
  llvm::Error read(GenerateOptions &options) const;
  /// The values of alpha and beta, by the names of the arguments.
  void readScalars(const MatmulProblem &problem,
                   std::map<std::string, double> &scalars) const;

  Categories &categories;
  cl::opt<std::string> layout{
      "layout",
      cl::desc("Layouts of A and B, as BLAS names them (generated; "
               "default: tn)"),
      cl::init("tn"), cl::value_desc("tn|nn|nt|tt"),
      cl::cat(categories.inputs)};
  cl::opt<std::string> type{
      "type", cl::desc("Type of A and B (generated; default: bf16)"),
      cl::init("bf16"),
      cl::value_desc("bf16|f16|f32|tf32|f64|s8|u8|s32|e4m3|e5m2"),
      cl::cat(categories.inputs)};
  cl::opt<std::string> outType{
      "out-type", cl::desc("Type of D (generated; default: that of A)"),
      cl::value_desc("bf16|f16|f32|f64|s32|s8|e4m3|e5m2"),
      cl::cat(categories.inputs)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("none, or bias, rowbias, relu, gelu, gelutanh, silu, residual, "
               "gate, scale, rowscale, colscale, outbias, outrowbias, and with "
               "groups groupbias, groupscale, groupcolscale, joined by _ "
               "(generated; default: none)"),
      cl::init("none"), cl::value_desc("parts"), cl::cat(categories.inputs)};
  cl::opt<std::string> blockScales{
      "block-scales",
      cl::desc("Operands of FP8 that have scales of blocks (generated; "
               "default: none)"),
      cl::init("none"), cl::value_desc("none|a|b|ab"),
      cl::cat(categories.inputs)};
  cl::opt<std::string> transformA{
      "transform-a",
      cl::desc("Function of A's elements: none, or relu, add1, silu, exp, "
               "inverse joined by _ (generated; default: none)"),
      cl::init("none"), cl::value_desc("parts"), cl::cat(categories.inputs)};
  cl::opt<std::string> transformB{
      "transform-b",
      cl::desc("The same for B's elements (generated; default: none)"),
      cl::init("none"), cl::value_desc("parts"), cl::cat(categories.inputs)};
  cl::opt<std::string> transformC{
      "transform-c",
      cl::desc("The same for the elements of C, which --beta adds (generated; "
               "default: none)"),
      cl::init("none"), cl::value_desc("parts"), cl::cat(categories.inputs)};
  cl::opt<std::string> groupScales{
      "group-scales",
      cl::desc("Elements along k with one scale, of an operand of 4 bits, the "
               "type of the scales and that of zero points (generated; "
               "default: none)"),
      cl::init("none"), cl::value_desc("none|128|128xf16|128xf16xu8"),
      cl::cat(categories.inputs)};
  // cl::desc keeps a reference.
  const std::string algebraHelp =
      (kAlgebraHelp +
       "; or numbers with components: complex, split-complex, dual, "
       "quaternion, also with -conj-a, -conj-b or -conj-ab (generated; "
       "default: plus-times)")
          .str();
  cl::opt<std::string> algebra{
      "algebra", cl::desc(algebraHelp), cl::init("plus-times"),
      cl::value_desc("reduce-combine|numbers"), cl::cat(categories.inputs)};
  cl::opt<ComponentLayout, false, KeywordParser<ComponentLayout>> components{
      "components",
      cl::desc("Where the components of such numbers are (generated; default: "
               "interleaved)"),
      cl::values(
          clEnumValN(ComponentLayout::Interleaved, "interleaved", "Innermost"),
          clEnumValN(ComponentLayout::Rows, "rows",
                     "Outside the innermost index"),
          clEnumValN(ComponentLayout::Planes, "planes", "Outermost")),
      cl::init(ComponentLayout::Interleaved), cl::cat(categories.inputs)};
  const std::string dualHelp =
      ("Multiply A by a second B, too, and combine both products: none, or " +
       kDualHelp + " (generated; default: none; with --dual alone: silu-mul)")
          .str();
  cl::opt<std::string> dual{"dual",
                            cl::desc(dualHelp),
                            cl::init("none"),
                            cl::value_desc("function"),
                            cl::ValueOptional,
                            cl::cat(categories.inputs)};
  const std::string bandHelp = ("Where A may differ from zero: none, " +
                                kBandHelp + " (generated; default: none)")
                                   .str();
  cl::opt<std::string> bandA{"band-a", cl::desc(bandHelp), cl::init("none"),
                             cl::value_desc("band"),
                             cl::cat(categories.inputs)};
  cl::opt<std::string> bandB{
      "band-b", cl::desc("The same for B (generated; default: none)"),
      cl::init("none"), cl::value_desc("band"), cl::cat(categories.inputs)};
  cl::opt<bool> symmetric{
      "symmetric",
      cl::desc("Multiply A by its transpose, compute the tiles on and below "
               "the diagonal, and store both halves (generated)"),
      cl::cat(categories.inputs)};
  const std::string reduceHelp =
      (kReduceHelp + " (generated; default: none)").str();
  cl::opt<std::string> reduce{"reduce", cl::desc(reduceHelp), cl::init("none"),
                              cl::value_desc("amax|row-max|column-sum"),
                              cl::cat(categories.inputs)};
  NumberOption<double> alpha{"alpha",
                             cl::desc("Scale of A·B (generated; default: 1)"),
                             cl::init(1), cl::cat(categories.inputs)};
  NumberOption<double> beta{
      "beta", cl::desc("Scale of an added C (generated; default: 0)"),
      cl::init(0), cl::cat(categories.inputs)};
  cl::opt<bool> isStatic{"static", cl::desc("Fix the sizes (generated)"),
                         cl::cat(categories.inputs)};
};

/// The options of the compiler.
struct CompileFlags {
  explicit CompileFlags(Categories &categories) : categories(categories) {}
  /// Fails if the text does not name a precision.
  llvm::Error read(SessionOptions &options) const;

  Categories &categories;
  cl::opt<std::string> chip{
      "chip", cl::desc("Chip to compile for, or to emulate"),
      cl::value_desc("sm_90"), cl::cat(categories.inputs)};
  cl::opt<std::string> config{"config", cl::desc("A #tcgemm.config to use"),
                              cl::value_desc("config"),
                              cl::cat(categories.inputs)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The ptxas to use"),
                             cl::value_desc("path"),
                             cl::cat(categories.inputs)};
  cl::opt<std::string> sizeHint{
      "size-hint", cl::desc("Sizes to choose a config for"),
      cl::value_desc("[Bx]MxNxK"), cl::cat(categories.inputs)};
  cl::opt<std::string> records{
      "records",
      cl::desc("Tuned records to choose configs by: a database or lines of "
               "JSON, before the shipped ones; shipped; or none"),
      cl::value_desc("file|shipped|none"), cl::cat(categories.inputs)};
  cl::opt<std::string> precision{"precision", cl::desc(kPrecisionHelp),
                                 cl::init("ieee"), cl::value_desc("precision"),
                                 cl::cat(categories.inputs)};
  cl::opt<bool> approximateMath{
      "approximate-math",
      cl::desc("Compile math to the GPU's approximate instructions"),
      cl::cat(categories.inputs)};
  cl::opt<bool> allowSpills{"allow-spills",
                            cl::desc("Accept kernels that spill registers"),
                            cl::cat(categories.inputs)};
  cl::opt<std::string> pipeline{
      "pipeline-options", cl::desc("More options of the compiler's pipeline"),
      cl::value_desc("text"), cl::cat(categories.inputs)};
  cl::opt<std::string> savePack{"save-pack", cl::desc("Keep what is compiled"),
                                cl::value_desc("directory"),
                                cl::cat(categories.actions)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_COMPILEFLAGS_H
