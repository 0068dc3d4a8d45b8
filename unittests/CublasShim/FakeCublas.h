//===- FakeCublas.h - A cuBLAS that records calls ------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shared library with the functions of cuBLAS and cuBLASLt that products
// need. Handles and descriptors keep what is set. Products are recorded and
// compute nothing. Attributes and their default values are those that cuBLASLt
// 13.0 returns.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_CUBLASSHIM_FAKECUBLAS_H
#define TCGEMM_UNITTESTS_CUBLASSHIM_FAKECUBLAS_H

#include "../../lib/CublasShim/Exports.h"

extern "C" {

/// The name of the product that was called last; empty if there was none since
/// the last call of this function.
const char *fakeCublasTakeCall();
/// Sets whether products of cuBLAS call cublasLtMatmul, as some of NVIDIA's do.
void fakeCublasSetNested(int isNested);
/// The workspace that the heuristic's algorithms ask for.
void fakeCublasSetHeuristicWorkspace(size_t bytes);

Status cublasCreate_v2(Handle *handle);
Status cublasSetPointerMode_v2(Handle handle, PointerMode mode);
Status cublasSetMathMode(Handle handle, MathMode mode);
Status cublasSetSmCountTarget(Handle handle, int count);
#define TCGEMM_DECLARE(name, parameters) Status name parameters;
TCGEMM_CUBLAS_GETTERS(TCGEMM_DECLARE)
#undef TCGEMM_DECLARE
Status cublasLtCreate(LtHandle *handle);
Status cublasLtDestroy(LtHandle handle);
Status cublasLtMatmulDescSetAttribute(MatmulDesc desc, int attribute,
                                      const void *value, size_t bytes);
Status cublasLtMatrixLayoutSetAttribute(MatrixLayout layout, int attribute,
                                        const void *value, size_t bytes);
Status cublasLtMatmulPreferenceCreate(Preference *preference);
Status cublasLtMatmulPreferenceDestroy(Preference preference);
Status cublasLtMatmulPreferenceSetAttribute(Preference preference,
                                            int attribute, const void *value,
                                            size_t bytes);
}

#endif // TCGEMM_UNITTESTS_CUBLASSHIM_FAKECUBLAS_H
