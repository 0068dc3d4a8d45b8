//===- GenerateAlgebra.h - Bodies that do not multiply and add --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEALGEBRA_H
#define TCGEMM_LIB_PIPELINES_GENERATEALGEBRA_H

#include "tcgemm/Target/Algebra.h"

#include <string>
#include <vector>

namespace tcgemm {

/// The end of a product's body: combines both factors, reduces the result with
/// `%sum` and yields it. `type` is that of all of them.
std::string writeAlgebraBody(const Algebra &algebra,
                             const std::vector<std::string> &factors,
                             ScalarType type);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEALGEBRA_H
