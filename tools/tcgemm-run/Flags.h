//===- Flags.h - The command line -------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every flag, and how they become SessionOptions.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_FLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_FLAGS_H

#include "ActionFlags.h"
#include "CompileFlags.h"
#include "ConvolutionFlags.h"
#include "DataFlags.h"
#include "DeviceFlags.h"
#include "InputFlags.h"
#include "NumericsFlags.h"
#include "PtxFlags.h"
#include "Trace/TraceFlags.h"

namespace tcgemm {

/// All flags, made in main: the tool has no global state either (but one, see
/// Progress.cpp).
struct Flags {
  Categories categories;
  InputFlags input{categories};
  ConvolutionFlags convolution{categories};
  GenerateFlags generate{categories};
  CompileFlags compile{categories};
  DataFlags data{categories};
  ActionFlags actions{categories};
  NumericsFlags numerics{categories};
  TraceFlags trace{categories};
  PtxFlags ptx{categories};
  DeviceFlags device{categories};
};

/// Checks them all. Errors are bad input.
llvm::Error readFlags(const Flags &flags, SessionOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_FLAGS_H
