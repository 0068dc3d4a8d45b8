//===- fuzz-problems.cpp - Fuzzes files of problems -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte selects the format: lines, CSV or JSON.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "tcgemm/Store/Problems.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;

static void checkProblem(const TuningProblem &problem) {
  KernelSpec spec =
      acceptAgain(KernelSpec::parse(problem.kernel.str()), "a kernel's text");
  require(spec == problem.kernel, "a kernel changes: " + problem.kernel.str());
  MatmulSizes sizes =
      acceptAgain(MatmulSizes::parse(problem.sizes.str()), "sizes");
  require(sizes == problem.sizes, "sizes change: " + problem.sizes.str());
  problem.getInfo();
  require(problem.getLeastBytes() > 0 && problem.sizes.getFlops() > 0,
          "a problem without work: " + problem.str());
  require(!problem.getSource().empty(), "no source");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  constexpr llvm::StringLiteral names[] = {"p.txt", "p.csv", "p.json"};
  auto problems = accept(parseTuningProblems(getText(data + 1, size - 1),
                                             names[data[0] % 3], KernelSpec()));
  if (!problems)
    return 0;
  mergeDuplicates(*problems);
  for (const TuningProblem &problem : llvm::ArrayRef(*problems).take_front(32))
    checkProblem(problem);
  return 0;
}
