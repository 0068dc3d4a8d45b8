//===- KernelPool.cpp - Unique kernels of a module --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Raise/KernelPool.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::raise;

/// All attributes except the name, which does not affect the code.
static DictionaryAttr getProperties(KernelOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(kernel.getSymNameAttrName());
  return attributes.getDictionary(kernel.getContext());
}

static llvm::hash_code hash(KernelOp kernel) {
  llvm::hash_code result = hash_value(Attribute(getProperties(kernel)));
  for (Region &region : kernel->getRegions())
    for (Operation &op : region.getOps())
      result = llvm::hash_combine(
          result, OperationEquivalence::computeHash(
                      &op, OperationEquivalence::ignoreHashValue,
                      OperationEquivalence::ignoreHashValue,
                      OperationEquivalence::IgnoreLocations));
  return result;
}

static bool areEqual(KernelOp left, KernelOp right) {
  return getProperties(left) == getProperties(right) &&
         llvm::all_of(llvm::zip_equal(left->getRegions(), right->getRegions()),
                      [](auto regions) {
                        return OperationEquivalence::isRegionEquivalentTo(
                            &std::get<0>(regions), &std::get<1>(regions),
                            OperationEquivalence::IgnoreLocations);
                      });
}

KernelOp KernelPool::unify(KernelOp kernel, StringRef name) {
  SmallVector<KernelOp, 1> &candidates = byHash[hash(kernel)];
  for (KernelOp candidate : candidates)
    if (areEqual(candidate, kernel)) {
      kernel.erase();
      return candidate;
    }
  kernel.setSymName(name);
  symbols.insert(kernel); // Makes the name unique.
  candidates.push_back(kernel);
  ++count;
  return kernel;
}
