//===- GenerateTransform.h - MLIR for functions of elements ---- -*- C++
//-*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATETRANSFORM_H
#define TCGEMM_LIB_PIPELINES_GENERATETRANSFORM_H

#include "tcgemm/Problem/ElementTransform.h"

namespace tcgemm {

/// Appends a part of the function of the element `x` of type `type` to a body.
/// Returns the name of its value; `next` numbers the values.
std::string writeTransformPart(TransformPart part, llvm::StringRef x,
                               llvm::StringRef type, unsigned &next,
                               std::string &text);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATETRANSFORM_H
