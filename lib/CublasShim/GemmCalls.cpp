//===- GemmCalls.cpp - Products of cuBLAS ---------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exports.h"
#include "Plans.h"
#include "RealLibrary.h"
#include "UserWorkspaces.h"

using namespace tcgemm::shim;

namespace {

/// The settings of a cuBLAS handle.
struct HandleState {
  Stream stream = nullptr;
  PointerMode pointerMode = PointerHost;
  MathMode mathMode = MathDefault;
  int smCount = 0;
};

bool readHandle(Handle handle, HandleState &state) {
  const RealLibrary &real = RealLibrary::getBlas();
  if (!real.cublasGetStream_v2 || !real.cublasGetPointerMode_v2 ||
      !real.cublasGetMathMode)
    return false;
  // cuBLAS 11.4 and older have no number of SMs.
  return !real.cublasGetStream_v2(handle, &state.stream) &&
         !real.cublasGetPointerMode_v2(handle, &state.pointerMode) &&
         !real.cublasGetMathMode(handle, &state.mathMode) &&
         (!real.cublasGetSmCountTarget ||
          !real.cublasGetSmCountTarget(handle, &state.smCount));
}

/// Applies the math mode to the compute type. tcgemm never reduces in the type
/// of D, so that it always satisfies the flag against that.
Reason applyMathMode(MathMode mode, Product &product) {
  switch (mode & ~MathDisallowReducedPrecisionReduction) {
  case MathDefault:
  case MathTensorOp:
    return Reason::None;
  case MathTF32:
    if (product.compute == Compute32F && product.a.type == R32F)
      product.compute = Compute32FFastTF32;
    return Reason::None;
  default:
    return Reason::MathMode;
  }
}

void attempt(Handle handle, Product &product, GemmAlgorithm algorithm,
             Outcome &outcome) {
  outcome.reason = Reason::Off;
  if (getMode() == Mode::Off)
    return;
  outcome.reason = Reason::State;
  HandleState state;
  if (!readHandle(handle, state))
    return;
  outcome.reason = Reason::SmCount;
  if (state.smCount != 0)
    return;
  outcome.reason = Reason::Algorithm;
  if (algorithm != AlgorithmDefault && algorithm != AlgorithmDefaultTensorOp)
    return;
  outcome.reason = applyMathMode(state.mathMode, product);
  if (outcome.reason != Reason::None)
    return;
  product.pointerMode = state.pointerMode;
  product.scaleType = getScaleType(product.compute);
  product.d = product.c;
  Workspace workspace = getUserWorkspace(handle);
  workspace.mayAllocate = true;
  serve(product, workspace, state.stream, outcome);
}

ComputeType getComputeType(DataType type) {
  return type == R64F ? Compute64F : type == R16F ? Compute16F : Compute32F;
}

} // namespace

// The product of each family, in the names of its parameters.
#define TCGEMM_PRODUCT(typeA, strideA, typeB, strideB, typeC, strideC, batch,  \
                       compute)                                                \
  Product {                                                                    \
    transA, transB, m, n, k, batch, {a, typeA, lda, strideA, false},           \
        {b, typeB, ldb, strideB, false}, {c, typeC, ldc, strideC, false}, {},  \
        compute, R32F, PointerHost, alpha, beta                                \
  }
#define TCGEMM_PLAIN_PRODUCT(type)                                             \
  TCGEMM_PRODUCT(type, 0, type, 0, type, 0, 1, getComputeType(type))
#define TCGEMM_STRIDED_PRODUCT(type)                                           \
  TCGEMM_PRODUCT(type, strideA, type, strideB, type, strideC, batch,           \
                 getComputeType(type))
#define TCGEMM_TYPED_PRODUCT(type)                                             \
  TCGEMM_PRODUCT(typeA, 0, typeB, 0, typeC, 0, 1, getComputeType(type))
#define TCGEMM_EX_PRODUCT(type)                                                \
  TCGEMM_PRODUCT(typeA, 0, typeB, 0, typeC, 0, 1, compute)
#define TCGEMM_STRIDED_EX_PRODUCT(type)                                        \
  TCGEMM_PRODUCT(typeA, strideA, typeB, strideB, typeC, strideC, batch, compute)

#define TCGEMM_PLAIN_ALGORITHM AlgorithmDefault
#define TCGEMM_STRIDED_ALGORITHM AlgorithmDefault
#define TCGEMM_TYPED_ALGORITHM AlgorithmDefault
#define TCGEMM_EX_ALGORITHM algorithm
#define TCGEMM_STRIDED_EX_ALGORITHM algorithm

// The arguments of each family, for the replaced function.
#define TCGEMM_PLAIN_ARGUMENTS                                                 \
  handle, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc
#define TCGEMM_STRIDED_ARGUMENTS                                               \
  handle, transA, transB, m, n, k, alpha, a, lda, strideA, b, ldb, strideB,    \
      beta, c, ldc, strideC, batch
#define TCGEMM_TYPED_ARGUMENTS                                                 \
  handle, transA, transB, m, n, k, alpha, a, typeA, lda, b, typeB, ldb, beta,  \
      c, typeC, ldc
#define TCGEMM_EX_ARGUMENTS TCGEMM_TYPED_ARGUMENTS, compute, algorithm
#define TCGEMM_STRIDED_EX_ARGUMENTS                                            \
  handle, transA, transB, m, n, k, alpha, a, typeA, lda, strideA, b, typeB,    \
      ldb, strideB, beta, c, typeC, ldc, strideC, batch, compute, algorithm
#define TCGEMM_TABLES_ARGUMENTS                                                \
  handle, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch
#define TCGEMM_TABLES_EX_ARGUMENTS                                             \
  handle, transA, transB, m, n, k, alpha, a, typeA, lda, b, typeB, ldb, beta,  \
      c, typeC, ldc, batch, compute, algorithm

#define TCGEMM_DEFINE(name, family, Int, type)                                 \
  Status name TCGEMM_##family##_PARAMETERS(Int) {                              \
    return dispatch(                                                           \
        Function::name,                                                        \
        [&](Outcome &outcome) {                                                \
          Product product = TCGEMM_##family##_PRODUCT(type);                   \
          attempt(handle, product, TCGEMM_##family##_ALGORITHM, outcome);      \
        },                                                                     \
        [&] {                                                                  \
          return callReal(#name, RealLibrary::getBlas().name,                  \
                          TCGEMM_##family##_ARGUMENTS);                        \
        });                                                                    \
  }
TCGEMM_CUBLAS_PRODUCTS(TCGEMM_DEFINE)

#define TCGEMM_DEFINE_TABLE(name, family, Int)                                 \
  Status name TCGEMM_##family##_PARAMETERS(Int) {                              \
    return dispatch(                                                           \
        Function::name,                                                        \
        [](Outcome &outcome) {                                                 \
          outcome.reason =                                                     \
              getMode() == Mode::Off ? Reason::Off : Reason::Tables;           \
        },                                                                     \
        [&] {                                                                  \
          return callReal(#name, RealLibrary::getBlas().name,                  \
                          TCGEMM_##family##_ARGUMENTS);                        \
        });                                                                    \
  }
TCGEMM_CUBLAS_TABLE_PRODUCTS(TCGEMM_DEFINE_TABLE)
