//===- DataFlags.h - Flags of the data of a problem -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_DATAFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_DATAFLAGS_H

#include "../common/Numbers.h"
#include "Categories.h"

#include "tcgemm/Runtime/Problem.h"

namespace tcgemm {

/// The arguments of a function and what they hold.
struct DataFlags {
  explicit DataFlags(Categories &categories) : categories(categories) {}
  llvm::Error read(ProblemOptions &problem) const;

  Categories &categories;
  cl::opt<std::string> function{
      "function", cl::desc("The function (default: the first)"),
      cl::value_desc("name"), cl::cat(categories.data)};
  cl::opt<std::string> variant{"variant", cl::desc("Force this variant"),
                               cl::value_desc("name"),
                               cl::cat(categories.data)};
  cl::list<std::string> fills{
      "fill",
      cl::desc(
          "normal, uniform, int, special (with NaN, infinities and "
          "subnormal numbers), constant:VALUE, values:INTEGER,... or a .npy "
          "file, for all inputs or one"),
      cl::value_desc("[name=]fill"), cl::cat(categories.data)};
  cl::list<std::string> scalars{"scalar", cl::desc("Value of a scalar"),
                                cl::value_desc("name=value"),
                                cl::cat(categories.data)};
  cl::list<std::string> shapes{"shape", cl::desc("Shape of an argument"),
                               cl::value_desc("name=AxB"),
                               cl::cat(categories.data)};
  cl::list<std::string> strides{
      "array-strides",
      cl::desc("Elements from one index of an argument to the next, for each "
               "dimension"),
      cl::value_desc("name=AxB"), cl::cat(categories.data)};
  cl::list<std::string> paddings{
      "ld-pad", cl::desc("Elements after each row, for all operands or one"),
      cl::value_desc("[name=]count"), cl::cat(categories.data)};
  cl::list<std::string> offsets{
      "offset", cl::desc("Elements before the first one, for all or one"),
      cl::value_desc("[name=]count"), cl::cat(categories.data)};
  cl::list<std::string> outputs{
      "output", cl::desc("Write an array that was written"),
      cl::value_desc("name=file.npy"), cl::cat(categories.data)};
  NumberOption<uint64_t> seed{
      "seed", cl::desc("Seed of everything random (default: 1)"), cl::init(1),
      cl::cat(categories.data)};
  NumberOption<unsigned> repeat{
      "repeat",
      cl::desc("Launches of a check, all of which must give the same "
               "(default: 1)"),
      cl::init(1), cl::cat(categories.actions)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_DATAFLAGS_H
