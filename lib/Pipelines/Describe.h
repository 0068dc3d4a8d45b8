//===- Describe.h - A compiled module as a manifest -------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These functions fill the structs of Manifest.h, which writes them as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_DESCRIBE_H
#define TCGEMM_LIB_PIPELINES_DESCRIBE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "tcgemm/Dialect/ElementTypes.h"
#include "tcgemm/Target/Manifest.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

/// A scalar's number; nothing for what a manifest has no scalars of.
std::optional<ScalarConstant> describeScalar(mlir::Attribute value);

/// The constants of a module that its functions use.
class ConstantPool {
public:
  /// Sets `index` to the position of `global` in the manifest's list. Returns
  /// the reason if packs do not support it, or else an empty text.
  std::string add(mlir::memref::GlobalOp global, unsigned &index);

  std::vector<PackConstant> list; ///< In the format of the manifest.
  /// The elements of each constant, little-endian; empty for constants with one
  /// value.
  std::vector<std::string> contents;

private:
  llvm::StringMap<unsigned> numbers;
};

/// The gpu.module of the kernels that copy.
inline constexpr llvm::StringLiteral kCopyModuleName = "tcgemm_copies";
/// The bytes of an element of `type`, a buffer or a scalar, if there is a
/// kernel that copies such elements.
std::optional<unsigned> getCopiedBytes(mlir::Type type);

/// Describes a function that consists of launches, views, fills and copies; any
/// other operation is an error that names it. Adds its constants to
/// `constants`.
mlir::FailureOr<FunctionInfo> describeFunction(mlir::func::FuncOp func,
                                               ConstantPool &constants);

/// Describes the straight-line program of a kernel's epilogue or of an element
/// region; an operation that manifests do not support is an error that names
/// it. Manifests must support the arguments' types.
mlir::FailureOr<EpilogueProgram> describeProgram(mlir::Block &body);

/// The code of one gpu.binary.
struct CodeImage {
  std::string ptx, cubin;
};

/// The manifest of a module that tcgemm-emit has finished, the code of its
/// binaries in the order of the manifest's modules, and the elements of its
/// constants. The manifest is not verified yet.
struct ModuleDescription {
  Manifest manifest;
  std::vector<CodeImage> images;
  std::vector<std::string> constants;
};
mlir::FailureOr<ModuleDescription> describeModule(mlir::ModuleOp module);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_DESCRIBE_H
