//===- KernelSource.h - Compiled kernels as C++ -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel pack as one C++17 file: its code as arrays, and what its manifest
// says (docs/reference/manifest.md) as functions: guards, workspaces, grids,
// arguments and tensor maps. Needs cuda.h and the driver, nothing of tcgemm.
// The parts that are always the same are in lib/Tuner/Exchange/program/.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_KERNELSOURCE_H
#define TCGEMM_TUNER_KERNELSOURCE_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// A kernel, and what its text says of it.
struct ExportedKernel {
  const KernelPack &pack;
  /// Its configuration and chip; its time, if it is this kernel's.
  const Record &record;
  std::string problem; ///< What it computes, in words.
  std::string name;    ///< The namespace.
};

/// Writes a header with a class that loads and launches the pack's kernel.
/// Errors: `name` is no identifier; the pack has not one kernel that a single
/// launch of its function runs; a scalar of a type that the header has no C++
/// type for.
llvm::Error writeKernelHeader(const ExportedKernel &exported,
                              llvm::raw_ostream &os);

/// The header and a program that runs the kernel on the record's sizes or given
/// ones, checks its result on the host and times it. Errors besides: operands
/// or operations of an epilogue that the program cannot check.
llvm::Error writeKernelProgram(const ExportedKernel &exported,
                               llvm::raw_ostream &os);

} // namespace tcgemm

#endif // TCGEMM_TUNER_KERNELSOURCE_H
