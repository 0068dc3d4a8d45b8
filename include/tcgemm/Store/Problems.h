//===- Problems.h - What is tuned -------------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem is a kernel without its sizes, and sizes. The first is what is
// compiled: unless sizes are compiled in, its code serves all problems that
// share it, so that a suite is tuned with one compilation a configuration.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_PROBLEMS_H
#define TCGEMM_STORE_PROBLEMS_H

#include "tcgemm/Config/Legality.h"

namespace tcgemm {

/// The code that is compiled for a product: unless its sizes are compiled in,
/// one kernel serves all of them.
struct KernelSpec : MatmulKind {
  bool isBatched = false;
  /// True if the sizes are compiled in.
  bool isStatic = false;
  /// True if math is by the GPU's approximate instructions
  /// (docs/reference/math.md).
  bool isApproximate = false;

  /// Its name in records: `bf16 tn bf16 none`, then any of `alpha`, `beta`,
  /// `batched`, `static`, `approx`, `scales_a`, `scales_b`, `grouped`,
  /// `transform_a=` and `transform_b=` with a function's name. `parse` reads it
  /// back.
  std::string str() const;
  static llvm::Expected<KernelSpec> parse(llvm::StringRef text);
  /// Makes it a product for each of several groups, as many as the batch.
  /// Fails, with the property, if there are no kernels for the rest of the
  /// product.
  llvm::Error setGrouped(GroupKind kind);
  bool operator==(const KernelSpec &other) const {
    return str() == other.str();
  }
};

struct TuningProblem {
  KernelSpec kernel;
  MatmulSizes sizes;
  /// The suite's name for a group of problems; no part of the identity.
  std::string tag;

  /// The kernel's text and the sizes: `bf16 tn bf16 none 512x512x512`.
  std::string str() const { return kernel.str() + " " + sizes.str(); }
  /// The properties that legality asks for.
  ProblemInfo getInfo() const;
  /// 2·M·N·K·batch for each product; without the batch if it counts groups that
  /// have a part of M or K each.
  double getFlops() const {
    MatmulSizes all = sizes;
    if (kernel.isGrouped && getGroupKindInfo(kernel.groupKind).divided)
      all.batch = 1;
    return all.getFlops() * (kernel.isDual() ? 2 : 1);
  }
  /// Bytes that must be read or written at least once: A, B, and what the
  /// epilogue reads and writes for each element.
  double getLeastBytes() const;
  /// The function to compile, as MLIR.
  std::string getSource() const;
};

/// Returns whether two products have the same kind of epilogue: what it reads,
/// writes and reduces.
bool isSameEpilogue(const ProblemInfo &a, const ProblemInfo &b);

/// Returns whether a kernel computes `product`: with the same operands, sizes
/// and kind of epilogue. Sizes that are not known are not the same.
bool isProductOf(const TuningProblem &product, const ProblemInfo &kernel);

/// Leaves one of each kernel and sizes: the first, with its tag.
void mergeDuplicates(std::vector<TuningProblem> &problems);

/// The problems of a file, in one of three forms; what a problem does not say
/// of its kernel is as in `kernel`. Errors name the line, or the entry.
///
/// * Lines `tag M N K [batch] [layout] [type] [groups=G]`; `#` starts a
///   comment.
/// * CSV whose first line names its columns, in either case and any order. It
///   has M, N and K, and may have batch, tag, layout or the transpositions of A
///   and B, epilogue, dual, groups, and types: by these names, or those of
///   cuBLASLt (`transa`, `Batch_Count`, `Atype`) and the CUTLASS profiler (`A`
///   as `f16:row`). Others are not read.
/// * JSON as nvMatmulHeuristics has it for CUTLASS: a list of objects with `m`,
///   `n`, `k`, and, if they are there, `batch_count`, `layout`, `dtype_a`,
///   `dtype_b`, `dtype_acc`, `dtype_d`, `alpha` and `beta`.
///
/// `groups` is the number of groups of rows (KernelSpec::setGrouped), which
/// takes the place of the batch; `none` is a product without.
///
/// A layout may have a third letter, D's. tcgemm's D is row-major (`t`); a
/// column-major one is the transposed product's: M and N change places then.
llvm::Expected<std::vector<TuningProblem>>
parseTuningProblems(llvm::StringRef text, llvm::StringRef fileName,
                    const KernelSpec &kernel);

} // namespace tcgemm

#endif // TCGEMM_STORE_PROBLEMS_H
