//===- Product.h - A product that a program asks for ---------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_PRODUCT_H
#define TCGEMM_LIB_CUBLASSHIM_PRODUCT_H

#include "../GpuRuntime/CublasTypes.h"
#include "Reasons.h"
#include "tcgemm.h"

#include <cstdint>
#include <string>

namespace tcgemm::shim {

/// A matrix in memory. `ld` and `stride` are in elements.
struct Matrix {
  const void *address = nullptr;
  cublas::DataType type = cublas::R32F;
  int64_t ld = 0, stride = 0;
  bool isRowMajor = false;
};

/// D = epilogue(alpha * op(A) * op(B) + beta * C) in the terms of cuBLAS: op(A)
/// is m x k, op(B) is k x n.
struct Product {
  cublas::Operation transA = cublas::OperationN, transB = cublas::OperationN;
  int64_t m = 0, n = 0, k = 0, batch = 1;
  Matrix a, b, c, d;
  cublas::ComputeType compute = cublas::Compute32F;
  cublas::DataType scaleType = cublas::R32F;
  cublas::PointerMode pointerMode = cublas::PointerHost;
  const void *alpha = nullptr, *beta = nullptr;
  int epilogue = cublas::EpilogueDefault;
  const void *bias = nullptr; ///< m elements.
  cublas::DataType biasType = cublas::R32F;
};

/// The same product in the terms of tcgemm.h. The strings of `desc` are
/// literals.
struct Request {
  tcgemmMatmulDesc desc;
  tcgemmOperands operands;
};

/// The name of a type that products are served for, or else its number.
std::string getTypeName(cublas::DataType type);

/// The data type of alpha and beta that cuBLAS takes by default.
cublas::DataType getScaleType(cublas::ComputeType compute);

/// Describes the product for tcgemm. Returns Reason::None, or why tcgemm does
/// not compute it. Reads alpha and beta if they are in host memory.
Reason translate(const Product &product, Request &request);

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_PRODUCT_H
