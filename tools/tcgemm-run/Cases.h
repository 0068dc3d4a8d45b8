//===- Cases.h - Files of problems and of test cases ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--problems`: lines `tag M N K [batch]`, `#` starts a comment. `--cases`: one
// JSON object a line:
//
//   {"id": "7", "pack": "packs/a", "function": "main",
//    "sizes": {"M": 17, "N": 33, "K": 5, "batch": 1},
//    "shapes": {"arg0": [17, 5]},
//    "fill": "int", "fills": {"A": "normal"}, "scalars": {"alpha": 2},
//    "ld_pad": 3, "ld_pads": {"A": 1}, "offset": 1, "offsets": {"out0": 2},
//    "variant": "general", "seed": 12, "repeat": 100}
//
// Scalars are numbers, or "inf", "-inf" and "nan". Only `pack` is required; a
// relative path is relative to the file's folder.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_CASES_H
#define TCGEMM_TOOLS_TCGEMM_RUN_CASES_H

#include "tcgemm/Problem/MatmulSizes.h"
#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

struct NamedProblem {
  std::string tag;
  std::array<std::optional<int64_t>, kNumDims> sizes;

  /// The sizes of a product; a batch that is not given is 1.
  MatmulSizes getSizes() const;
};

llvm::Expected<std::vector<NamedProblem>> readProblems(llvm::StringRef path);

struct TestCase {
  std::string id;
  std::string pack;
  ProblemOptions options;
};

/// Errors name the line and the key.
llvm::Expected<std::vector<TestCase>> readCases(llvm::StringRef path);

/// The command line that runs only one case. `given` has options that say what
/// to run, as words of a shell.
std::string formatReproduction(llvm::StringRef pack, llvm::StringRef given,
                               const ProblemOptions &options);

/// The name of a fill, as parseFill reads it.
std::string formatFill(const FillOptions &fill);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_CASES_H
