//===- CublasTypes.h - Types and numbers of cuBLAS ------------ -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The used part of cublas_api.h, cublasLt.h and library_types.h, so that
// building needs no CUDA toolkit. Enumerations are integers, because programs
// may pass numbers of newer versions.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_GPURUNTIME_CUBLASTYPES_H
#define TCGEMM_LIB_GPURUNTIME_CUBLASTYPES_H

#include <cstddef>
#include <cstdint>

struct CUstream_st;

namespace tcgemm::cublas {

using Handle = struct HandleTag *;     ///< cublasHandle_t
using LtHandle = struct LtHandleTag *; ///< cublasLtHandle_t
using MatmulDesc = struct MatmulDescTag *;
using MatrixLayout = struct MatrixLayoutTag *;
using Preference = struct PreferenceTag *;
using Stream = ::CUstream_st *;

using Status = int;
enum : Status {
  StatusSuccess = 0,
  StatusNotInitialized = 1,
  StatusInvalidValue = 7,
  StatusExecutionFailed = 13,
  StatusNotSupported = 15,
};

using Operation = int;
enum : Operation { OperationN = 0, OperationT = 1, OperationC = 2 };

using PointerMode = int;
enum : PointerMode { PointerHost = 0, PointerDevice = 1 };

using MathMode = int;
enum : MathMode {
  MathDefault = 0,
  MathTensorOp = 1,
  MathTF32 = 3,
  MathDisallowReducedPrecisionReduction = 16,
};

using DataType = int; ///< cudaDataType
enum : DataType {
  R32F = 0,
  R64F = 1,
  R16F = 2,
  R8I = 3,
  R32I = 10,
  R16BF = 14,
  R8FE4M3 = 28,
  R8FE5M2 = 29,
};

using ComputeType = int;
enum : ComputeType {
  Compute16F = 64,
  Compute32F = 68,
  Compute64F = 70,
  Compute32I = 72,
  Compute32FFast16F = 74,
  Compute32FFast16BF = 75,
  Compute32FFastTF32 = 77,
};

using GemmAlgorithm = int;
enum : GemmAlgorithm {
  AlgorithmDefault = -1,
  AlgorithmDefaultTensorOp = 99,
};

/// cublasLtMatmulDescAttributes_t
enum MatmulAttribute : int {
  MatmulComputeType = 0,
  MatmulScaleType = 1,
  MatmulPointerMode = 2,
  MatmulTransA = 3,
  MatmulTransB = 4,
  MatmulEpilogue = 7,
  MatmulBiasPointer = 8,
  MatmulScaleA = 17,
  MatmulScaleB = 18,
  MatmulFastAccumulation = 25,
  MatmulBiasDataType = 26,
};

/// cublasLtMatrixLayoutAttribute_t
enum LayoutAttribute : int {
  LayoutType = 0,
  LayoutOrder = 1,
  LayoutRows = 2,
  LayoutColumns = 3,
  LayoutLeadingDimension = 4,
  LayoutBatchCount = 5,
  LayoutBatchStride = 6,
};

/// cublasLtMatmulPreferenceAttributes_t
enum PreferenceAttribute : int {
  PreferenceMaxWorkspaceBytes = 1,
  PreferenceMinAlignmentA = 5, ///< Those of B, C and D follow.
};

/// cublasLtOrder_t
enum Order : int { OrderColumn = 0, OrderRow = 1 };

/// cublasLtEpilogue_t. GELU is the approximation by tanh.
enum Epilogue : int {
  EpilogueDefault = 1,
  EpilogueRelu = 2,
  EpilogueBias = 4,
  EpilogueReluBias = 6,
  EpilogueGelu = 32,
  EpilogueGeluBias = 36,
};

/// cublasLtMatmulAlgo_t
struct Algorithm {
  uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceSize;
  Status state;
  float wavesCount;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96, "cuBLASLt's layout");

} // namespace tcgemm::cublas

#endif // TCGEMM_LIB_GPURUNTIME_CUBLASTYPES_H
