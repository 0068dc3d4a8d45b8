//===- ProgramToNVVM.h - Patterns from the NVGPU level to NVVM --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_PROGRAMTONVVM_H
#define TCGEMM_LIB_CONVERSION_PROGRAMTONVVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tcgemm {

/// Name of the only symbol for dynamic shared memory, and its alignment, which
/// suffices for every swizzle.
inline constexpr llvm::StringLiteral kSharedMemory = "tcgemm_smem";
inline constexpr int64_t kSharedAlignment = 1024;

/// Rank-1 memrefs become pointers in their memory space, tokens i32.
void addProgramTypeConversions(mlir::LLVMTypeConverter &converter);

/// The address of element `index` of `base`. Looks through the casts and
/// constant additions in `index`, so that the constant becomes the
/// instruction's offset and shared addresses remain 32 bits wide.
mlir::Value getElementAddress(mlir::ConversionPatternRewriter &rewriter,
                              mlir::Location loc, mlir::Value base,
                              mlir::Value index, mlir::Type elementType);

/// Program, thread indices, barrier, memory accesses.
void populateProgramPatterns(mlir::LLVMTypeConverter &converter,
                             mlir::RewritePatternSet &patterns);
/// cf.assert.
void populateAssertPatterns(mlir::LLVMTypeConverter &converter,
                            mlir::RewritePatternSet &patterns);
/// nvgpu operations.
void populateNVGPUPatterns(mlir::LLVMTypeConverter &converter,
                           mlir::RewritePatternSet &patterns);

/// The bytes of a scalar or a vector in memory.
int64_t getAccessBytes(mlir::Type type);

/// A load and a store of global memory by inline PTX with `.cs`: LLVM's NVPTX
/// backend ignores the attribute `nontemporal`.
mlir::Value createStreamedLoad(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Type type, mlir::Value address);
void createStreamedStore(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Value address);

/// gpu.subgroup_mma operations.
void populateSubgroupMmaPatterns(mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_PROGRAMTONVVM_H
