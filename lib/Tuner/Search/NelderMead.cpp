//===- NelderMead.cpp - Minimization without derivatives ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/NelderMead.h"
#include "llvm/ADT/STLExtras.h"

#include <utility>

using namespace llvm;

namespace tcgemm {

using Vertex = std::pair<double, std::vector<double>>;

/// The mean of the positions of `size` vertices, in `size` dimensions.
static std::vector<double> getCentre(ArrayRef<Vertex> vertices, size_t size) {
  std::vector<double> centre(size);
  for (const Vertex &vertex : vertices)
    for (size_t i = 0; i != size; ++i)
      centre[i] += vertex.second[i] / static_cast<double>(size);
  return centre;
}

std::vector<double> minimize(ArrayRef<double> start,
                             const NelderMeadOptions &options,
                             function_ref<double(ArrayRef<double>)> function) {
  size_t size = start.size();
  auto dimension = static_cast<double>(std::max<size_t>(2, size));
  const double expansion = 1 + 2 / dimension;
  const double contraction = 0.75 - 0.5 / dimension;
  const double shrinkage = 1 - 1 / dimension;
  unsigned evaluations = 0;
  auto evaluate = [&](std::vector<double> place) {
    ++evaluations;
    double value = function(place);
    return Vertex(value, std::move(place));
  };
  std::vector<Vertex> simplex{evaluate(start.vec())};
  for (size_t i = 0; i != size; ++i) {
    std::vector<double> place = start.vec();
    place[i] += options.step;
    simplex.push_back(evaluate(std::move(place)));
  }
  while (evaluations < options.evaluations) {
    llvm::sort(simplex);
    const Vertex &worst = simplex.back();
    if (worst.first - simplex.front().first < options.tolerance)
      break;
    std::vector<double> centre = getCentre(ArrayRef(simplex).drop_back(), size);
    // The position on the line from the worst vertex through the centre.
    auto evaluateAt = [&](double factor) {
      std::vector<double> place(size);
      for (size_t i = 0; i != size; ++i)
        place[i] = centre[i] + factor * (centre[i] - worst.second[i]);
      return evaluate(std::move(place));
    };
    Vertex reflected = evaluateAt(1);
    if (reflected.first < simplex.front().first) {
      Vertex expanded = evaluateAt(expansion);
      simplex.back() = std::min(expanded, reflected);
      continue;
    }
    if (reflected.first < simplex[size - 1].first) {
      simplex.back() = std::move(reflected);
      continue;
    }
    bool isOutside = reflected.first < worst.first;
    Vertex contracted = evaluateAt(isOutside ? contraction : -contraction);
    if (contracted.first < std::min(reflected.first, worst.first)) {
      simplex.back() = std::move(contracted);
      continue;
    }
    for (Vertex &vertex : drop_begin(simplex)) {
      std::vector<double> place = simplex.front().second;
      for (size_t i = 0; i != size; ++i)
        place[i] += shrinkage * (vertex.second[i] - place[i]);
      vertex = evaluate(std::move(place));
    }
  }
  return llvm::min_element(simplex)->second;
}

} // namespace tcgemm
