//===- GenerateGrouped.h - The MLIR of products of groups -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H
#define TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H

#include "TensorTypes.h"
#include "tcgemm/Pipelines/GenerateMatmul.h"

#include <array>
#include <string>

namespace tcgemm {

/// The types of a grouped product, as text.
struct GroupedTypes {
  std::string a, b, offsets, result;
};

/// The tcgemm.grouped_matmul that computes `%acc` of `%A`, `%B` and `%offsets`,
/// and overwrites `%init`, for the layouts and groups of the problem. With
/// scales, the operands are those of writeScaledFactors. `attributes` are
/// empty, or begin with a blank.
std::string writeGroupedProduct(const GenerateOptions &options,
                                const GroupedTypes &types,
                                const std::string &attributes);

/// The operations that convert `%A` and `%B` to f32, as `%A_scaled` and
/// `%B_scaled`, subtract zero points and multiply by scales; empty without
/// scales. `letters` are those of the operands.
std::string writeScaledFactors(const TensorTypes &tensors,
                               const MatmulProblem &problem,
                               const std::array<std::string, 2> &letters);

/// The types of an operand with a tensor for each group, and of the rows that
/// repeat it, as text.
struct GroupBroadcastTypes {
  std::string values, offsets, rows;
};

/// The tcgemm.group_broadcast that computes `%NAME_rows` of `%NAME` and
/// `%offsets`. `sizes` are those of the rows that are known at run time only.
std::string writeGroupBroadcast(const std::string &name,
                                const std::string &sizes,
                                const GroupBroadcastTypes &types);

} // namespace tcgemm

#endif // TCGEMM_LIB_PIPELINES_GENERATEGROUPED_H
