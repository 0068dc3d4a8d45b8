//===- CublasFunctions.h - The replaced functions ------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of cuBLAS and cuBLASLt that the library exports, and those that
// it calls, under the names that the dynamic linker looks for. The parameters
// are those of NVIDIA's documentation, with untyped addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_CUBLASFUNCTIONS_H
#define TCGEMM_LIB_CUBLASSHIM_CUBLASFUNCTIONS_H

#include "../GpuRuntime/CublasTypes.h"

// Parameters of families of products. `Int` is the type of sizes.
#define TCGEMM_PLAIN_PARAMETERS(Int)                                           \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *a, Int lda, const void *b, Int ldb,          \
   const void *beta, void *c, Int ldc)
#define TCGEMM_STRIDED_PARAMETERS(Int)                                         \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *a, Int lda, long long strideA,               \
   const void *b, Int ldb, long long strideB, const void *beta, void *c,       \
   Int ldc, long long strideC, Int batch)
#define TCGEMM_TYPED_PARAMETERS(Int)                                           \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *a, DataType typeA, Int lda, const void *b,   \
   DataType typeB, Int ldb, const void *beta, void *c, DataType typeC,         \
   Int ldc)
#define TCGEMM_EX_PARAMETERS(Int)                                              \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *a, DataType typeA, Int lda, const void *b,   \
   DataType typeB, Int ldb, const void *beta, void *c, DataType typeC,         \
   Int ldc, ComputeType compute, GemmAlgorithm algorithm)
#define TCGEMM_STRIDED_EX_PARAMETERS(Int)                                      \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *a, DataType typeA, Int lda,                  \
   long long strideA, const void *b, DataType typeB, Int ldb,                  \
   long long strideB, const void *beta, void *c, DataType typeC, Int ldc,      \
   long long strideC, Int batch, ComputeType compute, GemmAlgorithm algorithm)
#define TCGEMM_TABLES_PARAMETERS(Int)                                          \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *const *a, Int lda, const void *const *b,     \
   Int ldb, const void *beta, void *const *c, Int ldc, Int batch)
#define TCGEMM_TABLES_EX_PARAMETERS(Int)                                       \
  (Handle handle, Operation transA, Operation transB, Int m, Int n, Int k,     \
   const void *alpha, const void *const *a, DataType typeA, Int lda,           \
   const void *const *b, DataType typeB, Int ldb, const void *beta,            \
   void *const *c, DataType typeC, Int ldc, Int batch, ComputeType compute,    \
   GemmAlgorithm algorithm)

/// X(name, family, type of sizes, type of elements): products of cuBLAS. Those
/// of the families TYPED, EX and STRIDED_EX have the types as arguments; then
/// the type here is that of the sums.
#define TCGEMM_CUBLAS_PRODUCTS(X)                                              \
  X(cublasSgemm_v2, PLAIN, int, R32F)                                          \
  X(cublasSgemm_v2_64, PLAIN, int64_t, R32F)                                   \
  X(cublasDgemm_v2, PLAIN, int, R64F)                                          \
  X(cublasDgemm_v2_64, PLAIN, int64_t, R64F)                                   \
  X(cublasHgemm, PLAIN, int, R16F)                                             \
  X(cublasHgemm_64, PLAIN, int64_t, R16F)                                      \
  X(cublasSgemmStridedBatched, STRIDED, int, R32F)                             \
  X(cublasSgemmStridedBatched_64, STRIDED, int64_t, R32F)                      \
  X(cublasDgemmStridedBatched, STRIDED, int, R64F)                             \
  X(cublasDgemmStridedBatched_64, STRIDED, int64_t, R64F)                      \
  X(cublasHgemmStridedBatched, STRIDED, int, R16F)                             \
  X(cublasHgemmStridedBatched_64, STRIDED, int64_t, R16F)                      \
  X(cublasSgemmEx, TYPED, int, R32F)                                           \
  X(cublasSgemmEx_64, TYPED, int64_t, R32F)                                    \
  X(cublasGemmEx, EX, int, R32F)                                               \
  X(cublasGemmEx_64, EX, int64_t, R32F)                                        \
  X(cublasGemmStridedBatchedEx, STRIDED_EX, int, R32F)                         \
  X(cublasGemmStridedBatchedEx_64, STRIDED_EX, int64_t, R32F)

/// X(name, family, type of sizes): products whose addresses are in tables in
/// device memory. They are counted, and never served.
#define TCGEMM_CUBLAS_TABLE_PRODUCTS(X)                                        \
  X(cublasSgemmBatched, TABLES, int)                                           \
  X(cublasSgemmBatched_64, TABLES, int64_t)                                    \
  X(cublasDgemmBatched, TABLES, int)                                           \
  X(cublasDgemmBatched_64, TABLES, int64_t)                                    \
  X(cublasHgemmBatched, TABLES, int)                                           \
  X(cublasHgemmBatched_64, TABLES, int64_t)                                    \
  X(cublasGemmBatchedEx, TABLES_EX, int)                                       \
  X(cublasGemmBatchedEx_64, TABLES_EX, int64_t)

/// X(name, parameters): functions of cuBLASLt.
#define TCGEMM_CUBLASLT_FUNCTIONS(X)                                           \
  X(cublasLtMatmul,                                                            \
    (LtHandle handle, MatmulDesc desc, const void *alpha, const void *a,       \
     MatrixLayout layoutA, const void *b, MatrixLayout layoutB,                \
     const void *beta, const void *c, MatrixLayout layoutC, void *d,           \
     MatrixLayout layoutD, const Algorithm *algorithm, void *workspace,        \
     size_t workspaceBytes, Stream stream))                                    \
  X(cublasLtMatmulAlgoGetHeuristic,                                            \
    (LtHandle handle, MatmulDesc desc, MatrixLayout layoutA,                   \
     MatrixLayout layoutB, MatrixLayout layoutC, MatrixLayout layoutD,         \
     Preference preference, int requested, HeuristicResult *results,           \
     int *found))

/// X(name, parameters): functions that change what a handle's products use.
#define TCGEMM_CUBLAS_SETTERS(X)                                               \
  X(cublasDestroy_v2, (Handle handle))                                         \
  X(cublasSetStream_v2, (Handle handle, Stream stream))                        \
  X(cublasSetWorkspace_v2, (Handle handle, void *workspace, size_t bytes))

/// X(name, parameters): functions that are called, and not replaced.
#define TCGEMM_CUBLAS_GETTERS(X)                                               \
  X(cublasGetStream_v2, (Handle, Stream *))                                    \
  X(cublasGetPointerMode_v2, (Handle, PointerMode *))                          \
  X(cublasGetMathMode, (Handle, MathMode *))                                   \
  X(cublasGetSmCountTarget, (Handle, int *))                                   \
  X(cublasLtMatmulDescCreate, (MatmulDesc *, ComputeType, DataType))           \
  X(cublasLtMatmulDescDestroy, (MatmulDesc))                                   \
  X(cublasLtMatmulDescGetAttribute,                                            \
    (MatmulDesc, int, void *, size_t, size_t *))                               \
  X(cublasLtMatrixLayoutCreate,                                                \
    (MatrixLayout *, DataType, uint64_t, uint64_t, int64_t))                   \
  X(cublasLtMatrixLayoutDestroy, (MatrixLayout))                               \
  X(cublasLtMatrixLayoutGetAttribute,                                          \
    (MatrixLayout, int, void *, size_t, size_t *))                             \
  X(cublasLtMatmulPreferenceGetAttribute,                                      \
    (Preference, int, void *, size_t, size_t *))

#endif // TCGEMM_LIB_CUBLASSHIM_CUBLASFUNCTIONS_H
