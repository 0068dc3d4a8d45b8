//===- Problems.h - Problems of the tuner -----------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem is a kernel without its sizes, and sizes. Only the kernel is
// compiled. Unless sizes are compiled in, its code serves all problems with
// this kernel, so that a suite needs one compilation for each configuration.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_PROBLEMS_H
#define TCGEMM_STORE_PROBLEMS_H

#include "tcgemm/Config/Legality.h"

namespace tcgemm {

/// A matrix product with an elementwise epilogue, without its sizes.
struct KernelSpec {
  /// As in BLAS: A then B; `t` for A and `n` for B: K is contiguous.
  std::string layout = "tn";
  /// Element type of A and B: bf16, f16, f32.
  std::string type = "bf16";
  /// Element type of D: bf16, f16, f32.
  std::string outType = "bf16";
  /// `none`, or parts joined by `_` (see GenerateMatmul.h).
  std::string epilogue = "none";
  bool hasAlpha = false, hasBeta = false;
  bool isBatched = false;
  /// Whether the sizes are compiled in.
  bool isStatic = false;
  /// Whether math uses the GPU's approximate instructions
  /// (docs/reference/math.md).
  bool isApproximate = false;

  /// The name in records: `bf16 tn bf16 none`, followed by any of `alpha`,
  /// `beta`, `batched`, `static`, `approx`. `parse` reads this text.
  std::string str() const;
  static llvm::Expected<KernelSpec> parse(llvm::StringRef text);
  bool operator==(const KernelSpec &other) const {
    return str() == other.str();
  }
};

/// The largest size along a dimension.
inline constexpr int64_t kMaxProblemSize = (int64_t(1) << 31) - 1;
/// Reads a size from 1 to kMaxProblemSize and ignores surrounding blanks.
bool parseSize(llvm::StringRef text, int64_t &size);

/// Elements along each dimension.
struct MatmulSizes {
  int64_t m = 0, n = 0, k = 0, batch = 1;

  /// `MxNxK`, or `BxMxNxK` where the batch is not 1.
  std::string str() const;
  /// Errors: not three or four sizes from 1 to 2^31 - 1.
  static llvm::Expected<MatmulSizes> parse(llvm::StringRef text);
  /// 2·M·N·K·batch.
  double getFlops() const;
  bool operator==(const MatmulSizes &other) const {
    return m == other.m && n == other.n && k == other.k && batch == other.batch;
  }
};

struct TuningProblem {
  KernelSpec kernel;
  MatmulSizes sizes;
  /// The suite's name for a group of problems; not a part of the identity.
  std::string tag;

  /// The kernel's text and the sizes: `bf16 tn bf16 none 512x512x512`.
  std::string str() const { return kernel.str() + " " + sizes.str(); }
  /// The properties that legality needs.
  ProblemInfo getInfo() const;
  /// Minimum traffic in bytes: A, B, and the data that the epilogue reads and
  /// writes for each element.
  double getLeastBytes() const;
  /// The function to compile, as MLIR.
  llvm::Expected<std::string> getSource() const;
};

/// Sizes along one dimension: `4096`, a list `512,1024`, or a range with both
/// ends `1024:4096:256` (the default of the step is 1).
llvm::Expected<std::vector<int64_t>> parseSizeRange(llvm::StringRef text);

/// Removes problems whose kernel and sizes equal those of an earlier problem.
void mergeDuplicates(std::vector<TuningProblem> &problems);

/// The problems of a file in one of three formats. Properties of the kernel
/// that a problem does not specify are those of `kernel`. Errors name the line
/// or the entry.
///
/// * Lines `tag M N K [batch] [layout] [type]`; `#` starts a comment.
/// * CSV whose first line names its columns, in either case and any order. It
///   has M, N and K, and may have batch, tag, layout or the transpositions of A
///   and B, and types: by these names, or those of cuBLASLt (`transa`,
///   `Batch_Count`, `Atype`) and the CUTLASS profiler (`A` as `f16:row`).
///   Other columns are ignored.
/// * JSON in the format of nvMatmulHeuristics for CUTLASS: a list of objects
///   with `m`, `n`, `k` and optionally `batch_count`, `layout`, `dtype_a`,
///   `dtype_b`, `dtype_acc`, `dtype_d`, `alpha` and `beta`.
///
/// A layout may have a third letter for D. tcgemm's D is row-major (`t`). A
/// column-major D is read as the transposed product: M and N are swapped.
llvm::Expected<std::vector<TuningProblem>>
parseTuningProblems(llvm::StringRef text, llvm::StringRef fileName,
                    const KernelSpec &kernel);

} // namespace tcgemm

#endif // TCGEMM_STORE_PROBLEMS_H
