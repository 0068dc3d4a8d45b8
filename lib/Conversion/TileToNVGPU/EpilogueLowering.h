//===- EpilogueLowering.h - Epilogues and what they read early --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUELOWERING_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUELOWERING_H

#include "LoweringContext.h"

namespace tcgemm {

/// Reads the inputs of an epilogue ahead of it.
void loadEarlyInputs(LoweringContext &c, EpilogueOp op);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_EPILOGUELOWERING_H
