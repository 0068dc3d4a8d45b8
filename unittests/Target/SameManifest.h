//===- SameManifest.h - Equality of manifests -------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares manifests field by field. A comparison of their texts would not
// detect a field that is never written.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_TARGET_SAMEMANIFEST_H
#define TCGEMM_UNITTESTS_TARGET_SAMEMANIFEST_H

#include "tcgemm/Target/Manifest.h"

#include <tuple>

namespace tcgemm {

inline bool isSame(const Expr &a, const Expr &b) { return a.isSame(b); }
inline bool isSame(const Argument &a, const Argument &b) { return a.isSame(b); }

/// Equality of lists whose items are compared with `isSame`.
template <typename List> bool areSame(const List &a, const List &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto &x, const auto &y) { return isSame(x, y); });
}

inline bool isSame(const ModuleInfo &a, const ModuleInfo &b) {
  return std::tie(a.name, a.chip, a.ptx, a.cubin, a.cubinSHA256, a.log) ==
         std::tie(b.name, b.chip, b.ptx, b.cubin, b.cubinSHA256, b.log);
}

inline bool isSame(const OperandInfo &a, const OperandInfo &b) {
  return std::tie(a.name, a.role, a.type, a.dims, a.convolution, a.band,
                  a.representation) == std::tie(b.name, b.role, b.type, b.dims,
                                                b.convolution, b.band,
                                                b.representation);
}

inline bool isSame(const EpilogueOpInfo &a, const EpilogueOpInfo &b) {
  return std::tie(a.op, a.type, a.operands, a.predicate, a.value, a.dim) ==
         std::tie(b.op, b.type, b.operands, b.predicate, b.value, b.dim);
}

inline bool isSame(const TensorMapInfo &a, const TensorMapInfo &b) {
  return std::tie(a.name, a.type, a.box, a.swizzle, a.l2Promotion, a.window) ==
             std::tie(b.name, b.type, b.box, b.swizzle, b.l2Promotion,
                      b.window) &&
         isSame(a.base, b.base) && areSame(a.dims, b.dims) &&
         areSame(a.strides, b.strides);
}

inline bool isSame(const Step &a, const Step &b) {
  auto getRest = [](const Step &step) {
    return std::tie(step.module, step.symbol, step.block, step.cluster,
                    step.sharedMemory, step.dependent, step.registers,
                    step.spillBytes, step.stackBytes, step.staticSharedMemory,
                    step.remarks);
  };
  return getRest(a) == getRest(b) && areSame(a.grid, b.grid) &&
         areSame(a.arguments, b.arguments) &&
         areSame(a.tensorMaps, b.tensorMaps) &&
         a.when.has_value() == b.when.has_value() &&
         (!a.when || isSame(*a.when, *b.when));
}

inline bool isSame(const Variant &a, const Variant &b) {
  return a.name == b.name && a.config == b.config && isSame(a.guard, b.guard) &&
         isSame(a.workspace, b.workspace) && areSame(a.steps, b.steps);
}

inline bool isSame(const KernelInfo &a, const KernelInfo &b) {
  return a.name == b.name && a.sizes == b.sizes && a.algebra == b.algebra &&
         a.isSymmetric == b.isSymmetric && areSame(a.operands, b.operands) &&
         areSame(a.epilogue.ops, b.epilogue.ops) &&
         a.epilogue.yields == b.epilogue.yields &&
         std::equal(a.transforms.begin(), a.transforms.end(),
                    b.transforms.begin(),
                    [](const EpilogueProgram &x, const EpilogueProgram &y) {
                      return areSame(x.ops, y.ops) && x.yields == y.yields;
                    }) &&
         areSame(a.variants, b.variants);
}

inline bool isSame(const FunctionArgument &a, const FunctionArgument &b) {
  return std::tie(a.type, a.shape, a.access) ==
         std::tie(b.type, b.shape, b.access);
}

inline bool isSame(const Temporary &a, const Temporary &b) {
  return a.type == b.type && areSame(a.shape, b.shape);
}

inline bool isSame(const LaunchInfo &a, const LaunchInfo &b) {
  return a.kernel == b.kernel && a.operands == b.operands;
}

inline bool isSame(const FillInfo &a, const FillInfo &b) {
  return std::tie(a.target, a.type, a.value) ==
         std::tie(b.target, b.type, b.value);
}

inline bool isSame(const CopyInfo &a, const CopyInfo &b) {
  return a.source == b.source && a.target == b.target &&
         a.step.has_value() == b.step.has_value() &&
         (!a.step || isSame(*a.step, *b.step));
}

inline bool isSame(const FunctionLaunch &a, const FunctionLaunch &b) {
  return std::visit(
      [](const auto &x, const auto &y) {
        if constexpr (std::is_same_v<decltype(x), decltype(y)>)
          return isSame(x, y);
        else
          return false;
      },
      a, b);
}

inline bool isSame(const ViewInfo &a, const ViewInfo &b) {
  return a.buffer == b.buffer && isSame(a.offset, b.offset) &&
         areSame(a.sizes, b.sizes) && areSame(a.strides, b.strides);
}

inline bool isSame(const PackConstant &a, const PackConstant &b) {
  return std::tie(a.name, a.type, a.shape, a.splat, a.file, a.sha256) ==
         std::tie(b.name, b.type, b.shape, b.splat, b.file, b.sha256);
}

inline bool isSame(const FunctionInfo &a, const FunctionInfo &b) {
  return a.name == b.name && areSame(a.arguments, b.arguments) &&
         areSame(a.temporaries, b.temporaries) && areSame(a.views, b.views) &&
         areSame(a.launches, b.launches);
}

inline bool isSame(const LeftOutFunction &a, const LeftOutFunction &b) {
  return a.name == b.name && a.reason == b.reason;
}

inline bool isSame(const Manifest &a, const Manifest &b) {
  return a.producer == b.producer && areSame(a.modules, b.modules) &&
         areSame(a.kernels, b.kernels) && areSame(a.constants, b.constants) &&
         areSame(a.functions, b.functions) && areSame(a.leftOut, b.leftOut);
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_TARGET_SAMEMANIFEST_H
