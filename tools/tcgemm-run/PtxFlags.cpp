//===- PtxFlags.cpp - Flags of a kernel in a .ptx file --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxFlags.h"

using namespace tcgemm;
using llvm::Error;

std::string PtxFlags::findGiven() const {
  // (A list's address is that of its vector.)
  return findGivenFlag({&kernel, &grid, &block, &cluster, &shared,
                        std::addressof<const cl::Option>(args)});
}

Error PtxFlags::read(PtxOptions &options, const OutputFiles &outputs) const {
  PtxLaunch &launch = options.launch;
  launch.kernel = kernel;
  launch.config.sharedMemory = shared;
  if (Error error = readExtent("grid", grid, launch.config.grid))
    return error;
  if (Error error = readExtent("block", block, launch.config.block))
    return error;
  if (Error error = readExtent("cluster", cluster, launch.config.cluster))
    return error;
  return readArguments(args, outputs, options);
}
