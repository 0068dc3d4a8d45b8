//===- Z3Library.h - Z3's C API, loaded at run time -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_MODEL_SOLVER_Z3LIBRARY_H
#define TCGEMM_LIB_MODEL_SOLVER_Z3LIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <z3.h>

namespace tcgemm {

/// The functions of Z3 that the solver calls. Linking with Z3 would make every
/// tool need it.
struct Z3Library {
#define TCGEMM_Z3_FUNCTION(name) decltype(&::Z3_##name) name = nullptr;
#include "Solver/Z3Functions.def"

  /// Loads the library at `path`, or the installed one if it is empty. It stays
  /// loaded. Errors: there is none, or it lacks a function.
  static llvm::Expected<Z3Library> load(llvm::StringRef path);
};

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_SOLVER_Z3LIBRARY_H
