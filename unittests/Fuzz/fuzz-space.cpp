//===- fuzz-space.cpp - Fuzzes search spaces ------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "tcgemm/Tuner/Space.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;

static void walk(const SearchSpace &space) {
  if (space.getRawSize() == 0)
    return;
  uint64_t step = space.getRawSize() / 16 + 1;
  for (uint64_t i = 0; i < space.getRawSize(); i += step) {
    SpacePoint point = space.getPoint(i);
    require(space.getIndex(point) == i, "a point with another index");
    KernelConfig config = space.getConfig(point);
    bool isLegal = space.isLegal(point);
    require(!isLegal || space.explain(config).empty(),
            "a legal point that is explained to be illegal: " + config.str());
    if (step == space.getRawSize() || step - 1 > UINT64_MAX / 32)
      break;
  }
  if (space.getRawSize() > 5000)
    return;
  unsigned left = 100;
  space.forEachLegal([&](const SpacePoint &point) {
    require(space.isLegal(point), "a walk over legal points visits another");
    return --left != 0;
  });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<Space> space =
      accept(Space::parse(getText(data, size), "input"));
  if (!space)
    return 0;
  TuningProblem problem;
  problem.sizes = {1000, 2048, 512, 1};
  for (llvm::StringRef name : {"sm_80", "sm_90a"}) {
    auto chip = lookupChip(name);
    if (auto search = accept(SearchSpace::create(
            *space, llvm::cantFail(std::move(chip)), problem)))
      walk(*search);
  }
  return 0;
}
