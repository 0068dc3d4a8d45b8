//===- KernelSource.h - Compiled kernels as C++ -----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel pack as one C++17 file: its code as arrays, and its manifest
// (docs/reference/manifest.md) as functions: guards, workspaces, grids,
// arguments and tensor maps. The file needs cuda.h and the driver, but nothing
// of tcgemm. The constant parts are in lib/Tuner/Exchange/program/.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_KERNELSOURCE_H
#define TCGEMM_TUNER_KERNELSOURCE_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Target/KernelPack.h"

namespace tcgemm {

/// A kernel and its description in the exported text.
struct ExportedKernel {
  const KernelPack &pack;
  /// Its configuration and chip, and its time if the record is of this kernel.
  const Record &record;
  std::string problem; ///< Description of the computation.
  std::string name;    ///< The namespace.
};

/// Writes a header with a class that loads and launches the pack's kernel.
/// Errors: `name` is not an identifier; the pack does not consist of one kernel
/// and one launch of it; a scalar has a type without a C++ type in the header.
llvm::Error writeKernelHeader(const ExportedKernel &exported,
                              llvm::raw_ostream &os);

/// Writes the header and a program that runs the kernel on the record's sizes
/// or on given sizes, checks its result on the host and measures its time.
/// Further errors: the program cannot check an operand or an operation of the
/// epilogue.
llvm::Error writeKernelProgram(const ExportedKernel &exported,
                               llvm::raw_ostream &os);

} // namespace tcgemm

#endif // TCGEMM_TUNER_KERNELSOURCE_H
