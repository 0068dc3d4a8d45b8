//===- TimeFormula.cpp - A configuration's time from sizes ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/TimeFormula.h"

using namespace llvm;

namespace tcgemm {

static double toReal(int64_t value) { return static_cast<double>(value); }

FormulaSizes::FormulaSizes(const MatmulSizes &sizes)
    : m(toReal(sizes.m)), n(toReal(sizes.n)), k(toReal(sizes.k)),
      batch(toReal(sizes.batch)) {
  constexpr double million = 1e6;
  double millions = batch / million;
  mk = millions * m * k;
  nk = millions * n * k;
  mn = millions * m * n;
}

FormulaShape FormulaShape::create(const KernelConfig &config, int64_t places) {
  FormulaShape shape;
  shape.slices = config.splitK * config.wgmma.cluster[2];
  shape.rows = config.cta[0];
  shape.columns = config.cta[1];
  shape.depth = config.cta[2] * shape.slices;
  shape.places = places;
  return shape;
}

TimeFormula::TimeFormula(unsigned config, const FormulaShape &shape,
                         const Weights &weights)
    : config(config), shape(shape), weights(weights),
      slices(toReal(shape.slices)), perRow(1 / toReal(shape.rows)),
      perColumn(1 / toReal(shape.columns)), perDepth(1 / toReal(shape.depth)),
      perPlace(1 / toReal(shape.places)) {}

} // namespace tcgemm
