//===- TcgemmDialect.h - The dialect's C++ interface ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMDIALECT_H
#define TCGEMM_DIALECT_TCGEMMDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tcgemm/Config/KernelConfig.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Algebra.h"
#include "tcgemm/Target/Argument.h"
#include "tcgemm/Target/Band.h"
#include "tcgemm/Target/BlockScales.h"
#include "tcgemm/Target/Convolution.h"
#include "tcgemm/Target/Dims.h"
#include "tcgemm/Target/GroupKind.h"
#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Reduction.h"
#include "tcgemm/Target/Representation.h"
#include "tcgemm/Target/TensorMap.h"

#include "tcgemm/Dialect/TcgemmDialect.h.inc"
#include "tcgemm/Dialect/TcgemmEnums.h.inc"

namespace tcgemm {
/// Attributes that users set on linalg operations: the kernel's
/// `#tcgemm.config`; a mark for `tcgemm-raise=only-marked`; the exclusion from
/// raise; how products are computed; the expected extent of each loop.
inline constexpr llvm::StringLiteral kConfigAttrName = "tcgemm.config";
inline constexpr llvm::StringLiteral kTakeAttrName = "tcgemm.take";
inline constexpr llvm::StringLiteral kSkipAttrName = "tcgemm.skip";
inline constexpr llvm::StringLiteral kPrecisionAttrName = "tcgemm.precision";
inline constexpr llvm::StringLiteral kSizeHintAttrName = "tcgemm.size_hint";
inline constexpr llvm::StringLiteral kSymmetricAttrName = "tcgemm.symmetric";

/// The attribute of each argument of a program: the #tcgemm.binding or the
/// #tcgemm.tensor_map of the value that a launch passes.
inline constexpr llvm::StringLiteral kBindingAttrName = "tcgemm.binding";

/// The maximum size of a dimension (programs use i32), and the maximum width of
/// an epilogue's scalars in bits.
inline constexpr int64_t kMaxSize = 0x7fffffff;
inline constexpr unsigned kMaxScalarBits = 64;

/// Rows, columns and depth of the instruction of a wmma layout. None for other
/// layouts.
struct WmmaShape {
  int64_t m, n, k;
};
std::optional<WmmaShape> getWmmaShape(AccLayout layout);
/// The layout of a shape, which must be a shape of wmma.
AccLayout getWmmaLayout(WmmaShape shape);

/// The type of a combiner's states of values of type `value`: see
/// Target/Reduction.h. `dim` is that of PartialAttr. The three moments of
/// `meanf` take four numbers of memory.
mlir::Type getStateType(Combiner combiner, mlir::Type value,
                        llvm::StringRef dim);
/// The bytes of a state in memory.
int64_t getStateBytes(mlir::Type state);
/// Reads the name of a combiner.
mlir::FailureOr<Combiner> parseCombiner(mlir::AsmParser &parser);
} // namespace tcgemm

#define GET_ATTRDEF_CLASSES
#include "tcgemm/Dialect/TcgemmAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tcgemm/Dialect/TcgemmTypes.h.inc"

namespace tcgemm {
/// A tile with rows of at most 128 bytes and the swizzle with which TMA copies
/// it without bank conflicts.
TileType getStoreTile(mlir::Type element, int64_t rows, int64_t columns);
/// The box in which a warpgroup's accumulator is stored through shared memory:
/// 64 rows of the instruction. Its width is that of the widest swizzle that
/// fits, or half of it if inputs need registers too.
TileType getStoreBox(AccType acc, mlir::Type element, bool transposed,
                     bool hasInputs);

/// The reduction by `combiner` that starts with a float or an integer; none for
/// other attributes.
std::optional<ReductionInfo> getReductionInfo(Combiner combiner,
                                              mlir::TypedAttr initial);

/// The part of an output whose reductions one accumulator computes.
struct PartialTile {
  /// Rows and columns from one accumulator's corner to the next one's.
  int64_t rows, columns;
  /// How many warps or threads along the rows and the columns each combine a
  /// part of it.
  int64_t rowParts, columnParts;
};
PartialTile getPartialTile(AccType acc, bool transposed);
} // namespace tcgemm

#define GET_OP_CLASSES
#include "tcgemm/Dialect/TcgemmOps.h.inc"

#endif // TCGEMM_DIALECT_TCGEMMDIALECT_H
