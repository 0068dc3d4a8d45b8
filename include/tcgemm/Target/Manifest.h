//===- Manifest.h - The contract of a kernel pack ---------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain structs that mirror docs/reference/manifest.md, which describes every
// field. Sizes and strides count elements; `base` is an address in bytes;
// shared memory, stacks, spills and workspaces are bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_MANIFEST_H
#define TCGEMM_TARGET_MANIFEST_H

#include "tcgemm/Target/Algebra.h"
#include "tcgemm/Target/Argument.h"
#include "tcgemm/Target/Band.h"
#include "tcgemm/Target/BlockScales.h"
#include "tcgemm/Target/Convolution.h"
#include "tcgemm/Target/Dims.h"
#include "tcgemm/Target/Expr.h"
#include "tcgemm/Target/GroupKind.h"
#include "tcgemm/Target/Reduction.h"
#include "tcgemm/Target/Representation.h"
#include "tcgemm/Target/ScalarType.h"
#include "tcgemm/Target/TensorMap.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <map>
#include <variant>

namespace tcgemm {

/// The version that this library writes, and the only one that it reads.
inline constexpr int64_t kManifestVersion = 1;

enum class OperandUse {
  A,
  B,
  Input,
  Scalar,
  Output,
  ScaleA,
  ScaleB,
  ZeroA,
  ZeroB,
  Offsets,
  B2,
  Counts
};
inline constexpr unsigned kNumOperandUses = 12;
llvm::StringRef getRoleName(OperandUse role);

/// One compiled module. File names are plain names in the pack's directory.
struct ModuleInfo {
  std::string name;
  std::string chip; ///< `sm_90`.
  std::string ptx;
  std::string cubin;       ///< Empty if ptxas did not run.
  std::string cubinSHA256; ///< Lower-case hexadecimal; with `cubin` only.
  std::string log;         ///< The output of ptxas.
};

/// An operand of a kernel, in the order of the launch's operands.
struct OperandInfo {
  std::string name;
  OperandUse role = OperandUse::Input;
  ScalarType type = ScalarType::F32;
  std::vector<Dim> dims; ///< Outermost first.
  /// Elements along k of a group of 4-bit elements that has one scale or zero
  /// point; 0 for scales of FP8 and all other operands.
  int64_t group = 0;
  /// For an output: how the values of all elements along the dimensions that it
  /// does not have are combined. Without it, each element is stored.
  std::optional<ReductionInfo> reduction{};
  /// For A: it is what the filter of a convolution sees. Its memory is that of
  /// the images, a row for each pixel (m) and a column for each channel (k).
  std::optional<Convolution> convolution{};
  /// For A or B: the band outside which it is zero.
  std::optional<Band> band{};
  /// For B: it is the representation of the numbers in memory. Rows and columns
  /// of the blocks are its two innermost dimensions, and the memory has a row
  /// for each row of numbers.
  std::optional<Representation> representation{};

  /// Returns the kind of scales or zero points that the operand holds; null for
  /// others.
  const BlockScales *getScales() const;
  /// The elements along `dim` that have one scale, or one row of numbers in
  /// memory; 1 for other operands.
  int64_t getBlock(Dim dim) const;
  /// The operand's extent along `dim`, where the contraction has `size`: the
  /// number of blocks for scales, of pixels or channels for images, and of rows
  /// of numbers for representations.
  int64_t getExtent(Dim dim, int64_t size) const;
  /// Returns whether the epilogue has an argument for the operand: its element,
  /// or the sum of A's products with the second B.
  bool isEpilogueArgument() const {
    return role == OperandUse::Input || role == OperandUse::Scalar ||
           role == OperandUse::B2;
  }
  /// Returns whether the operand's extents are the contraction's sizes.
  bool hasSizes() const {
    return !getScales() && !convolution && !representation;
  }
  /// Returns whether the operand is an output with all elements.
  bool isStored() const { return role == OperandUse::Output && !reduction; }
};

/// One operation of an epilogue: `argument`, `tcgemm.index`, or a scalar
/// operation of the dialects arith and math. Its value is numbered by its
/// place in the program.
struct EpilogueOpInfo {
  using Constant = ScalarConstant;

  std::string op;
  ScalarType type = ScalarType::F32; ///< Type of the result.
  std::vector<unsigned> operands{};
  std::string predicate{};  ///< arith.cmpf, arith.cmpi: `ogt`, `slt`.
  Constant value{};         ///< For arith.constant only.
  std::optional<Dim> dim{}; ///< tcgemm.index: Batch, M or N.
};

/// A straight-line program; `yields` has one value per output operand, and one
/// in a program of A's or B's elements.
struct EpilogueProgram {
  std::vector<EpilogueOpInfo> ops;
  std::vector<unsigned> yields;
};

/// The keys of KernelInfo::transforms.
inline constexpr llvm::StringLiteral kTransformKeys[] = {"transform_a",
                                                         "transform_b"};

/// A TensorMapDescription whose values depend on the problem.
struct TensorMapInfo {
  std::string name; ///< For messages; unique in the step.
  ScalarType type = ScalarType::F16;
  Argument base;          ///< A pointer, or an offset into the workspace.
  std::vector<Expr> dims; ///< Innermost first, like all lists.
  std::vector<Expr> strides;
  std::vector<unsigned> box;
  unsigned swizzle = 0;
  unsigned l2Promotion = 0;
  std::optional<TensorMapWindow> window{};
};

/// The condition that a variant's guard must contain, so that the map can be
/// encoded: the conjunction of getTensorMapConditions.
Expr getTensorMapGuard(const TensorMapInfo &map);

/// One launch of a device function.
struct Step {
  std::string module;
  std::string symbol;
  std::array<Expr, 3> grid{Expr(1), Expr(1), Expr(1)};
  std::array<unsigned, 3> block{1, 1, 1};
  std::array<unsigned, 3> cluster{1, 1, 1};
  int64_t sharedMemory = 0; ///< Dynamic shared memory of a block.
  bool dependent = false; ///< May start before the preceding launch has ended.
  std::vector<Argument> arguments;
  std::vector<TensorMapInfo> tensorMaps;
  std::optional<Expr> when; ///< The step is skipped if this is 0.
  /// The report of ptxas; absent if it did not run.
  std::optional<int64_t> registers;
  std::optional<int64_t> spillBytes;
  std::optional<int64_t> stackBytes;
  std::optional<int64_t> staticSharedMemory;
  std::vector<std::string> remarks;
};

struct Variant {
  std::string name;
  Expr guard = 1;
  std::string config;
  Expr workspace = 0;
  std::vector<Step> steps;
};

struct KernelInfo {
  std::string name;
  /// By Dim: the fixed size, or nothing if the size is free.
  std::array<std::optional<int64_t>, kNumDims> sizes;
  std::vector<OperandInfo> operands;
  EpilogueProgram epilogue;
  /// The functions of an element of A and of B that are multiplied. The
  /// arguments of the epilogue follow the element. Without operations
  /// the element is multiplied as it is.
  std::array<EpilogueProgram, 2> transforms;
  /// What the product computes in place of multiplication and addition.
  Algebra algebra;
  /// The result is symmetric: each variant computes the half of it and stores
  /// both. M and N are equal.
  bool isSymmetric = false;
  std::vector<Variant> variants;

  const OperandInfo *findOperand(llvm::StringRef name) const;
  /// The convolution whose images A is; null if there is none.
  const Convolution *findConvolution() const;
  /// The operand with the ends of groups, or with their numbers of rows; null
  /// if there is none.
  const OperandInfo *findGroupSizes() const;
  bool isGrouped() const { return findGroupSizes() != nullptr; }
  /// How the groups divide the operands; none without groups.
  std::optional<GroupKind> findGroupKind() const;
  /// True if each row or each term of the sums is of one group.
  bool hasDividedGroups() const;
  /// The second B, if the kernel computes a dual product; null if it has one B.
  /// The second argument of the epilogue is then the sum of A's products with
  /// it.
  const OperandInfo *findSecond() const;
  /// Returns whether an operand has the dimension.
  bool hasDim(Dim dim) const;
  /// The outer dimension that is summed over, besides k, if there is one: the
  /// last of several, which A and B have and no other operand.
  std::optional<Dim> findSummedDim() const;
};

/// A tensor whose elements are part of the pack, row-major. Either all of them
/// have the value `splat`, or they are in a file, little-endian.
struct PackConstant {
  std::string name;
  ScalarType type = ScalarType::F32;
  std::vector<int64_t> shape; ///< Outermost first.
  ScalarConstant splat{};
  std::string file;   ///< A plain name in the pack's directory; else empty.
  std::string sha256; ///< Lower-case hexadecimal; with `file` only.

  /// Bytes of all elements; nothing if they exceed 2^63 - 1.
  std::optional<int64_t> getNumBytes() const;
};

enum class AccessKind { Read, Write, ReadWrite, Scalar };
llvm::StringRef getAccessName(AccessKind access);

struct FunctionArgument {
  ScalarType type = ScalarType::F32;
  std::vector<std::optional<int64_t>> shape; ///< Outermost first.
  AccessKind access = AccessKind::Read;
};

/// A buffer that the caller provides for the length of a call.
struct Temporary {
  ScalarType type = ScalarType::F32;
  std::vector<Expr> shape; ///< Expressions of `arg<i>.dim<j>`.
};

/// A part of a buffer. All expressions count elements and use `arg<i>.dim<j>`.
struct ViewInfo {
  std::string buffer; ///< `arg<i>`, `tmp<i>` or `const<i>`.
  Expr offset;        ///< Distance from the buffer's element 0 to the view's.
  std::vector<Expr> sizes; ///< Outermost first, like the strides.
  std::vector<Expr> strides;
};

/// In the three structs below, a string names a buffer or a view: `arg<i>`,
/// `tmp<i>`, `const<i>` or `view<i>`.
struct LaunchInfo {
  std::string kernel;
  std::vector<std::string> operands; ///< One per operand of the kernel.
};

/// Writes one value to every element of `target`, which has the type `type`.
struct FillInfo {
  std::string target;
  ScalarType type = ScalarType::F32;
  ScalarConstant value{};
};

/// Writes every element of `source` to `target`, which has the same type and
/// shape.
struct CopyInfo {
  std::string source;
  std::string target;
  /// A launch that does it, if the pack has one, for buffers without gaps. Its
  /// pointers are `from` and `to`, its expressions those of the function.
  std::optional<Step> step{};
};

using FunctionLaunch = std::variant<LaunchInfo, FillInfo, CopyInfo>;

struct FunctionInfo {
  std::string name;
  std::vector<FunctionArgument> arguments;
  std::vector<Temporary> temporaries;
  std::vector<ViewInfo> views;
  std::vector<FunctionLaunch> launches; ///< In the order in which they run.
};

/// A function of the module that is missing in the pack.
struct LeftOutFunction {
  std::string name;
  std::string reason; ///< Names the operation that packs do not support.
};

struct Manifest {
  std::map<std::string, std::string> producer;
  std::vector<ModuleInfo> modules;
  std::vector<KernelInfo> kernels;
  std::vector<PackConstant> constants;
  std::vector<FunctionInfo> functions;
  std::vector<LeftOutFunction> leftOut;

  const ModuleInfo *findModule(llvm::StringRef name) const;
  const KernelInfo *findKernel(llvm::StringRef name) const;
  const FunctionInfo *findFunction(llvm::StringRef name) const;
};

enum class BufferKind { Argument, Temporary, Constant, View };
inline constexpr unsigned kNumBufferKinds = 4;
/// The prefix of the names of a kind: `arg`, `tmp`, `const`, `view`.
llvm::StringRef getBufferPrefix(BufferKind kind);

/// A buffer's or a view's name: (Temporary, 3) for `tmp3`.
struct BufferRef {
  BufferKind kind = BufferKind::Argument;
  unsigned index = 0;
};
std::optional<BufferRef> parseBufferRef(llvm::StringRef text);

/// The dimension that the symbol `arg<i>.dim<j>` denotes; nothing if `function`
/// has no such argument or dimension.
struct ArgumentDim {
  unsigned argument = 0;
  unsigned dim = 0;
};
std::optional<ArgumentDim> parseArgumentDim(const FunctionInfo &function,
                                            llvm::StringRef symbol);

llvm::json::Value toJSON(const Manifest &manifest);

/// Reads a manifest's text. Every error names the place in the document
/// (`kernels[0].variants[1].guard`) and the broken rule. The result
/// satisfies verifyManifest.
llvm::Expected<Manifest> parseManifest(llvm::StringRef text);

/// Checks the rules that the types do not ensure: names are unique, references
/// have a target, expressions use known symbols, epilogues are in order.
llvm::Error verifyManifest(const Manifest &manifest);

} // namespace tcgemm

#endif // TCGEMM_TARGET_MANIFEST_H
