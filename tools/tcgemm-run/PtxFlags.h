//===- PtxFlags.h - Flags of a kernel in a .ptx file ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_PTXFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_PTXFLAGS_H

#include "Categories.h"
#include "PtxOptions.h"

namespace tcgemm {

/// How a kernel that comes without a manifest is launched.
struct PtxFlags {
  explicit PtxFlags(Categories &categories) : categories(categories) {}
  llvm::Error read(PtxOptions &options, const OutputFiles &outputs) const;
  /// The first of these flags that was given, as `--name`; else nothing.
  std::string findGiven() const;

  Categories &categories;
  cl::opt<std::string> kernel{"kernel",
                              cl::desc("Which one (default: the only one)"),
                              cl::value_desc("name"), cl::cat(categories.ptx)};
  cl::opt<std::string> grid{"grid", cl::desc("Blocks (default: 1)"),
                            cl::init("1"), cl::value_desc("XxYxZ"),
                            cl::cat(categories.ptx)};
  cl::opt<std::string> block{
      "block", cl::desc("Threads of a block (default: 1)"), cl::init("1"),
      cl::value_desc("XxYxZ"), cl::cat(categories.ptx)};
  cl::opt<std::string> cluster{
      "cluster", cl::desc("Blocks of a cluster (default: 1)"), cl::init("1"),
      cl::value_desc("XxYxZ"), cl::cat(categories.ptx)};
  cl::opt<uint32_t> shared{
      "shared", cl::desc("Dynamic shared memory of a block (default: 0)"),
      cl::init(0), cl::value_desc("bytes"), cl::cat(categories.ptx)};
  cl::list<std::string> args{
      "arg",
      cl::desc("The next argument: i32:5, f32:1.5, in:f16[8x4]:normal, "
               "in:f32[64]:x.npy, out:f32[8x4] or inout:..., bytes:00ff, "
               "struct:i32:5,in:f32[4] or, for a tensor map with a box, "
               "map:4x8:swizzle=32:in:f16[8x64]; [name=] before it"),
      cl::value_desc("argument"), cl::cat(categories.ptx)};
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_PTXFLAGS_H
