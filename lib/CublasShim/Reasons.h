//===- Reasons.h - Why calls are forwarded -------------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CUBLASSHIM_REASONS_H
#define TCGEMM_LIB_CUBLASSHIM_REASONS_H

/// X(reason, text): what the log and the summary say. docs/guide/cublas.md
/// explains them.
#define TCGEMM_SHIM_REASONS(X)                                                 \
  X(Off, "TCGEMM_CUBLAS is off")                                               \
  X(NoLibrary, "libtcgemm.so cannot be loaded")                                \
  X(NoDriver, "the CUDA driver cannot be loaded")                              \
  X(NoContext, "no current CUDA context, or a device without kernels")         \
  X(State, "cuBLAS refuses the handle or the descriptors")                     \
  X(Tables, "the addresses of the matrices are in tables")                     \
  X(Empty, "the product is empty")                                             \
  X(Operation, "the operation is none of N, T and C")                          \
  X(Algorithm, "the call names an algorithm")                                  \
  X(Types, "the types, or the compute type")                                   \
  X(ScaleType, "the type of alpha and beta")                                   \
  X(PointerMode, "the pointer mode")                                           \
  X(MathMode, "the math mode")                                                 \
  X(SmCount, "the handle limits the number of SMs")                            \
  X(Scalars, "the values of alpha and beta")                                   \
  X(Order, "the order of the elements of a matrix")                            \
  X(Shapes, "the layouts do not fit each other")                               \
  X(Batch, "the layouts have different numbers of matrices")                   \
  X(Distances, "a leading dimension or a stride is negative or 0")             \
  X(Epilogue, "the epilogue")                                                  \
  X(Bias, "the bias, which is missing, or has neither the type of D nor of "   \
          "the sums")                                                          \
  X(Attribute, "an attribute of a descriptor or a layout")                     \
  X(Address, "an address is null")                                             \
  X(Capture, "the stream is captured, and there is no plan yet")               \
  X(Compiling, "the kernel is not ready yet")                                  \
  X(Workspace, "the kernel needs a larger workspace")                          \
  X(Plan, "tcgemm has no kernel")                                              \
  X(Run, "tcgemm refuses the arguments")

namespace tcgemm::shim {

enum class Reason : unsigned {
  None, ///< The call is served.
#define TCGEMM_ENUMERATOR(name, text) name,
  TCGEMM_SHIM_REASONS(TCGEMM_ENUMERATOR)
#undef TCGEMM_ENUMERATOR
      Count
};

} // namespace tcgemm::shim

#endif // TCGEMM_LIB_CUBLASSHIM_REASONS_H
