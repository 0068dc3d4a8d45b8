//===- InlineAssembly.h - PTX text in the program ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_INLINEASSEMBLY_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_INLINEASSEMBLY_H

#include "tcgemm/Support/IntegerBuilder.h"

namespace tcgemm {

/// Creates inline assembly with a result.
mlir::Value createAssembly(IntegerBuilder &b, llvm::StringRef text,
                           llvm::StringRef constraints, mlir::Type type,
                           mlir::ValueRange operands,
                           bool hasSideEffects = true);

/// Creates inline assembly with as many results as there are types.
llvm::SmallVector<mlir::Value>
createAssembly(IntegerBuilder &b, llvm::StringRef text,
               llvm::StringRef constraints, mlir::TypeRange types,
               mlir::ValueRange operands, bool hasSideEffects = true);

/// Returns the constraints that bind `count` f32 results and the first operands
/// to the same registers.
std::string tieRegisters(unsigned count, mlir::Type type);

/// Returns the constraint of a register that holds an f32, an f64 or an i32.
llvm::StringRef getRegisterClass(mlir::Type type);

/// Returns `value` through inline assembly, so that LLVM cannot move what is
/// computed from it to an earlier place.
mlir::Value makeOpaque(IntegerBuilder &b, mlir::Value value);
/// The same for several registers of one type, without an instruction.
llvm::SmallVector<mlir::Value> pinRegisters(IntegerBuilder &b,
                                            mlir::ValueRange values);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_INLINEASSEMBLY_H
