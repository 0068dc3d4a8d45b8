//===- Windows.cpp - Copies of windows by TMA -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map in im2col mode goes through the pixels that are first in their
// windows. From the upper left one, which is in the padding before the image,
// they reach to the last one: as far as the padding behind it, less the reach
// of the filter.
//
//===----------------------------------------------------------------------===//

#include "Common/Windows.h"

using namespace mlir;
using namespace tcgemm;

std::optional<TensorMapWindow> tcgemm::findWindow(KernelOp kernel,
                                                  int64_t depth) {
  ConvolutionAttr attribute = kernel.getConvolution();
  if (!attribute)
    return std::nullopt;
  const Convolution &c = attribute.getValue();
  // An offset has 8 bits.
  constexpr int64_t mostOffset = 255;
  if (c.channels % depth)
    return std::nullopt;
  TensorMapWindow window;
  for (unsigned i : {0, 1}) {
    unsigned side = 1 - i; // W, then H.
    int64_t reach = c.dilations[side] * (c.filter[side] - 1);
    int64_t lower = -c.before[side], upper = c.after[side] - reach;
    if (reach > mostOffset || lower < kMinTensorMapCorner ||
        upper < kMinTensorMapCorner || upper > kMaxTensorMapCorner ||
        c.strides[side] > int64_t(kMaxTensorMapStep))
      return std::nullopt;
    window.lower[i] = static_cast<int>(lower);
    window.upper[i] = static_cast<int>(upper);
    window.steps[i] = static_cast<unsigned>(c.strides[side]);
  }
  return window;
}

WindowPlace tcgemm::locateWindow(ProgramBuilder &p, Value m) {
  const Convolution &c = p.getKernel().getConvolution().getValue();
  Value image = p.divU(m, c.getOutputPixels());
  Value pixel = p.sub(m, p.mul(image, c.getOutputPixels()));
  Value row = p.divU(pixel, c.getOutput(1));
  Value column = p.sub(pixel, p.mul(row, c.getOutput(1)));
  auto place = [&](Value window, unsigned side) {
    return p.sub(p.mul(window, c.strides[side]), p.i32(c.before[side]));
  };
  return {place(column, 1), place(row, 0), image};
}

WindowStep tcgemm::locateStep(ProgramBuilder &p, Value k) {
  const Convolution &c = p.getKernel().getConvolution().getValue();
  int64_t taps = c.filter[0] * c.filter[1];
  Value tap = p.minU(p.divU(k, c.channels), p.i32(taps - 1));
  Value row = p.divU(tap, c.filter[1]);
  Value column = p.sub(tap, p.mul(row, c.filter[1]));
  return {p.sub(k, p.mul(tap, c.channels)),
          {p.mul(column, c.dilations[1]), p.mul(row, c.dilations[0])}};
}
