//===- NumericsFlags.h - Flags of the report of errors ----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSFLAGS_H

#include "../common/Numbers.h"
#include "Categories.h"
#include "NumericsOptions.h"

#include "llvm/Support/Error.h"

namespace tcgemm {

struct NumericsFlags {
  explicit NumericsFlags(Categories &categories) : categories(categories) {}
  /// Errors: a depth, a kind of data or a file's name is wrong, or one of the
  /// other flags is given without --numerics.
  llvm::Error read(NumericsOptions &options) const;

  Categories &categories;
  cl::opt<bool> numerics{
      "numerics",
      cl::desc("Report the errors of generated products against float64, by K"),
      cl::cat(categories.actions)};
  NumberList<int64_t> depths{
      "numerics-k", cl::desc("Values of K (default: 16,64,256,1024,4096)"),
      cl::CommaSeparated, cl::value_desc("K,..."), cl::cat(categories.actions)};
  cl::list<std::string> data{
      "numerics-data",
      cl::desc("Any of normal, wide, cancelling (default: all)"),
      cl::CommaSeparated, cl::value_desc("data,..."),
      cl::cat(categories.actions)};
  cl::list<std::string> modes{
      "numerics-modes",
      cl::desc("Precisions and modes of sums, as the report names them "
               "(default: all of --type)"),
      cl::CommaSeparated, cl::value_desc("mode,..."),
      cl::cat(categories.actions)};
  cl::opt<std::string> plot{
      "numerics-plot", cl::desc("Write a chart of the errors"),
      cl::value_desc("file.svg"), cl::cat(categories.actions)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_NUMERICSFLAGS_H
