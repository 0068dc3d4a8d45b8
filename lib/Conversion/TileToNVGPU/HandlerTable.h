//===- HandlerTable.h - Which code lowers which operation -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A family of operations registers itself by a function populate...Handlers,
// as sets of rewrite patterns do. The operations of a program are lowered in
// their order (see docs/rationale/structure.md).
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_HANDLERTABLE_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_HANDLERTABLE_H

#include "mlir/IR/Operation.h"

namespace tcgemm {

class LoweringContext;

class HandlerTable {
public:
  using Handler =
      std::function<mlir::LogicalResult(LoweringContext &, mlir::Operation *)>;

  /// Lowers each of `Ops` by `Family(context).lower(op)`, which returns void or
  /// a LogicalResult.
  template <typename Family, typename... Ops> void add() {
    (addOne<Family, Ops>(), ...);
  }

  /// The handler of the operation, or null.
  const Handler *lookup(mlir::Operation *op) const {
    auto found = handlers.find(op->getName().getTypeID());
    return found == handlers.end() ? nullptr : &found->second;
  }

private:
  template <typename Family, typename Op> void addOne() {
    handlers[mlir::TypeID::get<Op>()] = [](LoweringContext &context,
                                           mlir::Operation *op) {
      Family family(context);
      if constexpr (std::is_void_v<decltype(family.lower(mlir::cast<Op>(op)))>)
        return family.lower(mlir::cast<Op>(op)), mlir::success();
      else
        return family.lower(mlir::cast<Op>(op));
    };
  }

  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_HANDLERTABLE_H
