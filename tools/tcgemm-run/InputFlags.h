//===- InputFlags.h - Flags that say what to run ----------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_INPUTFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_INPUTFLAGS_H

#include "../common/Numbers.h"
#include "Categories.h"
#include "SessionOptions.h"

namespace tcgemm {

/// The input and its problems.
struct InputFlags {
  explicit InputFlags(Categories &categories) : categories(categories) {}

  Categories &categories;
  cl::opt<std::string> input{cl::Positional, cl::cat(categories.inputs),
                             cl::desc("[pack directory, MLIR or PTX file]")};
  NumberOption<int64_t> m{"m", cl::desc("Rows of D"), cl::init(-1),
                          cl::cat(categories.inputs)};
  NumberOption<int64_t> n{"n", cl::desc("Columns of D"), cl::init(-1),
                          cl::cat(categories.inputs)};
  NumberOption<int64_t> k{"k", cl::desc("Depth of the product"), cl::init(-1),
                          cl::cat(categories.inputs)};
  NumberOption<int64_t> batch{"batch", cl::desc("Number of products"),
                              cl::init(-1), cl::cat(categories.inputs)};
  cl::opt<std::string> einsum{
      "einsum",
      cl::desc("Run a contraction: the indices of A, B and D, outermost first"),
      cl::value_desc("bqhd,bkhd->bhqk"), cl::cat(categories.inputs)};
  cl::opt<std::string> sizes{
      "sizes", cl::desc("The extent of each index of --einsum"),
      cl::value_desc("b=2,q=64,..."), cl::cat(categories.inputs)};
  cl::opt<std::string> groupSizes{
      "group-sizes",
      cl::desc("Compute a product for each of the groups with these sizes"),
      cl::value_desc("100,0,33"), cl::cat(categories.inputs)};
  cl::opt<std::string> groups{
      "groups",
      cl::desc("What the groups of --group-sizes are: rows of A, one group "
               "after the other; rows of one matrix each, behind which more "
               "are left over; or parts of K"),
      cl::value_desc("contiguous|padded|ragged-k"), cl::init("contiguous"),
      cl::cat(categories.inputs)};
  cl::opt<bool> checkOffsets{
      "check-offsets",
      cl::desc("Let the kernel check the sizes of the groups of --group-sizes "
               "on the device; an assertion fails where they are wrong"),
      cl::cat(categories.inputs)};
  cl::opt<std::string> problems{
      "problems", cl::desc("Run every problem of a file: tag M N K [batch]"),
      cl::value_desc("file"), cl::cat(categories.inputs)};
  cl::opt<std::string> cases{
      "cases", cl::desc("Check every case of a file of JSON lines"),
      cl::value_desc("file"), cl::cat(categories.inputs)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_INPUTFLAGS_H
