//===- CopyKernel.h - A kernel that copies between strides ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that copies an array to one with other strides, and transposes on
// the way if the two have their contiguous elements along different
// dimensions. One kernel for each size of an element serves all shapes: sizes
// and strides are its parameters.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TARGET_COPYKERNEL_H
#define TCGEMM_TARGET_COPYKERNEL_H

#include "tcgemm/Target/Argument.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tcgemm {

/// A dimension of a copy: its extent, and the strides of both arrays in
/// elements.
struct CopiedDim {
  Expr size, from, to;
};

/// A launch of the kernel. The pointers are those of the operands
/// `kCopySource` and `kCopyTarget`.
struct CopyLaunch {
  Expr grid; ///< Blocks.
  std::vector<Argument> arguments;
};

inline constexpr unsigned kCopyThreads = 128;
/// The most dimensions after neighbours are joined.
inline constexpr size_t kMaxCopiedDims = 6;
inline constexpr const char *kCopySource = "from";
inline constexpr const char *kCopyTarget = "to";

/// The elements of 1, 2, 4 or 8 bytes that the kernels copy.
inline constexpr unsigned kCopiedBytes[] = {1, 2, 4, 8};
/// The name of the kernel for elements of `bytes` bytes.
std::string getCopyKernelName(unsigned bytes);

/// The dimensions without those of size 1. Neighbours in the list are joined if
/// they are neighbours in both arrays.
llvm::SmallVector<CopiedDim> joinDims(llvm::ArrayRef<CopiedDim> dims);

/// Plans a copy of at most kMaxCopiedDims dimensions. `read` is the index of
/// the dimension along which the source is read, and `write` that of the
/// target. They are none for arrays of one element, and equal if the copy does
/// not transpose. Extents must be less than 2^32, strides in bytes less than
/// 2^63.
CopyLaunch planCopyLaunch(llvm::ArrayRef<CopiedDim> dims,
                          std::optional<size_t> read,
                          std::optional<size_t> write, unsigned bytes);

/// The PTX of the kernels for elements of these sizes in bytes, with those of
/// pairs if they are asked for.
std::string writeCopyPtx(llvm::ArrayRef<unsigned> bytes,
                         bool withPairs = false);

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// The name of the kernel that splits or joins pairs of elements.
std::string getPairsKernelName(unsigned bytes);

/// Plans a copy from pairs of neighbouring elements to two rows, or back; none
/// for other copies. The arguments are like those of planCopyLaunch.
std::optional<CopyLaunch> planPairsLaunch(llvm::ArrayRef<CopiedDim> dims,
                                          size_t read, size_t write,
                                          unsigned bytes);

/// The PTX of that kernel, without the lines at the head of a file.
std::string writePairsKernel(unsigned bytes);

} // namespace tcgemm

#endif // TCGEMM_TARGET_COPYKERNEL_H
