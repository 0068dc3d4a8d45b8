//===- Convolution.cpp - The windows of a convolution ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Convolution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace tcgemm;
using llvm::Twine;

ImagePlace Convolution::locate(int64_t m, int64_t k) const {
  // The numbers obey the rules; no division is by 0 in any case.
  auto atLeastOne = [](int64_t number) { return std::max<int64_t>(number, 1); };
  int64_t columns = atLeastOne(getOutput(1)), depth = atLeastOne(channels);
  int64_t pixels = atLeastOne(getOutputPixels()), taps = atLeastOne(filter[1]);
  int64_t pixel = m % pixels, tap = k / depth;
  auto place = [&](unsigned side, int64_t window, int64_t inWindow) {
    return window * strides[side] - before[side] + inWindow * dilations[side];
  };
  return {m / pixels, place(0, pixel / columns, tap / taps),
          place(1, pixel % columns, tap % taps), k % depth};
}

llvm::ArrayRef<ConvolutionField> tcgemm::getConvolutionFields() {
  using List = llvm::MutableArrayRef<int64_t>;
  static constexpr ConvolutionField fields[] = {
      {"image", true, [](Convolution &c) { return List(c.image); }},
      {"channels", true, [](Convolution &c) { return List(c.channels); }},
      {"filter", true, [](Convolution &c) { return List(c.filter); }},
      {"strides", false, [](Convolution &c) { return List(c.strides); }},
      {"dilations", false, [](Convolution &c) { return List(c.dilations); }},
      {"before", false, [](Convolution &c) { return List(c.before); }},
      {"after", false, [](Convolution &c) { return List(c.after); }}};
  return fields;
}

bool tcgemm::isWritten(const ConvolutionField &field,
                       const Convolution &convolution) {
  Convolution own = convolution, standard;
  return field.isAlwaysWritten || field.get(own) != field.get(standard);
}

std::optional<std::string>
tcgemm::findViolation(const Convolution &convolution) {
  Convolution own = convolution;
  for (const ConvolutionField &field : getConvolutionFields()) {
    bool isPadding = field.name == "before" || field.name == "after";
    int64_t least = isPadding ? 0 : 1;
    for (int64_t value : field.get(own))
      if (value < least || value > kMaxConvolutionNumber)
        return (field.name + " has " + Twine(value) + ", must be " +
                Twine(least) + " to " + Twine(kMaxConvolutionNumber))
            .str();
  }
  for (unsigned side : {0, 1})
    if (own.getOutput(side) == 0)
      return ("the filter reaches over " +
              Twine(own.dilations[side] * (own.filter[side] - 1) + 1) +
              (side ? " columns" : " rows") +
              ", but the image and its padding have only " +
              Twine(own.image[side] + own.before[side] + own.after[side]))
          .str();
  constexpr int64_t limit = int64_t(1) << 31;
  if (own.filter[0] * own.filter[1] >= limit / own.channels)
    return ("the filter has " + Twine(own.filter[0]) + "x" +
            Twine(own.filter[1]) + "x" + Twine(own.channels) +
            " elements, must have less than " + Twine(limit))
        .str();
  for (int64_t pixels : {own.getImagePixels(), own.getOutputPixels()})
    if (pixels >= limit)
      return (Twine(pixels) + " pixels, must be less than " + Twine(limit))
          .str();
  return std::nullopt;
}
