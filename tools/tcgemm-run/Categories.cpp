//===- Categories.cpp - The parts of the help -----------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Categories.h"

using namespace tcgemm;

std::string tcgemm::findGivenFlag(llvm::ArrayRef<const cl::Option *> options) {
  for (const cl::Option *option : options)
    if (option->getNumOccurrences())
      return ("--" + option->ArgStr).str();
  return "";
}
