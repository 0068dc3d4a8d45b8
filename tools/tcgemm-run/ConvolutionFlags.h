//===- ConvolutionFlags.h - Flags of generated convolutions -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_CONVOLUTIONFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_CONVOLUTIONFLAGS_H

#include "../common/Keywords.h"
#include "Categories.h"
#include "SessionOptions.h"

#include "llvm/Support/Error.h"

namespace tcgemm {

struct ConvolutionFlags {
  explicit ConvolutionFlags(Categories &categories) : categories(categories) {}

  bool isUsed() const { return conv.getNumOccurrences() > 0; }
  /// Sets the convolution and the shapes of its images and its filter. Errors:
  /// a text is wrong, or the numbers break a rule.
  llvm::Error read(SessionOptions &options) const;
  /// A flag that needs --conv, if it is given without it.
  std::string findGiven() const;
  /// Sets the shapes of the matrices that the epilogue reads and of the result.
  /// Fails if the epilogue reads what convolutions do not have.
  static llvm::Error readEpilogue(SessionOptions &options);

  Categories &categories;
  cl::opt<std::string> conv{
      "conv", cl::desc("Run a convolution: images, then filters"),
      cl::value_desc("NxHxWxC,FxHxW"), cl::cat(categories.inputs)};
  cl::opt<ConvolutionLayoutKind, false, KeywordParser<ConvolutionLayoutKind>>
      layout{"conv-layout", cl::desc("Memory of images, filters and result"),
             cl::values(clEnumValN(ConvolutionLayoutKind::NhwcFhwc, "nhwc_fhwc",
                                   "channels innermost"),
                        clEnumValN(ConvolutionLayoutKind::NhwcHwcf, "nhwc_hwcf",
                                   "filters innermost in the filter"),
                        clEnumValN(ConvolutionLayoutKind::NchwFchw, "nchw_fchw",
                                   "channels outside of the pixels")),
             cl::init(ConvolutionLayoutKind::NhwcFhwc),
             cl::cat(categories.inputs)};
  cl::opt<std::string> strides{
      "strides", cl::desc("Strides of --conv along H and W, or of both"),
      cl::value_desc("2,2"), cl::cat(categories.inputs)};
  cl::opt<std::string> dilations{
      "dilations", cl::desc("Dilations of --conv along H and W, or of both"),
      cl::value_desc("1,1"), cl::cat(categories.inputs)};
  cl::opt<std::string> padding{
      "padding",
      cl::desc("Zeros around the images of --conv: above, left, below, right; "
               "or along H and W; or everywhere"),
      cl::value_desc("1,1,1,1"), cl::cat(categories.inputs)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_CONVOLUTIONFLAGS_H
