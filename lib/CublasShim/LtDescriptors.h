//===- LtDescriptors.h - Descriptors of cuBLASLt -------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_LTDESCRIPTORS_H
#define TCGEMM_LIB_CUBLASSHIM_LTDESCRIPTORS_H

#include "Product.h"
#include "RealLibrary.h"

namespace tcgemm::shim {

/// The layouts of a product.
struct LtLayouts {
  cublas::MatrixLayout a, b, c, d;
};

/// Reads a product from cuBLASLt's descriptors, which only cuBLASLt's own
/// functions can read. Leaves the addresses, alpha and beta alone. Returns
/// Reason::None or why the product is not served. An attribute that this
/// library does not know, of a newer cuBLASLt, must have its default value.
Reason readProduct(const RealLibrary &real, cublas::MatmulDesc desc,
                   const LtLayouts &layouts, Product &product);

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_LTDESCRIPTORS_H
