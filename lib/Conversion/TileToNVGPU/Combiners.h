//===- Combiners.h - Combinations of values of a reduction ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction's values become states, states one state, and the last state the
// result: see tcgemm/Target/Reduction.h. Each kind of state has a class.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_CONVERSION_TILETONVGPU_COMBINERS_H
#define TCGEMM_LIB_CONVERSION_TILETONVGPU_COMBINERS_H

#include "tcgemm/Support/IntegerBuilder.h"
#include "tcgemm/Target/Reduction.h"

#include <memory>

namespace tcgemm {

/// Builds the states of one combiner.
class States {
public:
  States(IntegerBuilder &b, Combiner combiner, mlir::Type value)
      : b(b), combiner(combiner), value(value) {}
  virtual ~States() = default;

  /// The state that changes no other one.
  virtual mlir::Value createNeutral() = 0;
  /// The state of one value. `coordinate` is its place along the dimension that
  /// is reduced (i32), or among all elements, row by row (i64).
  virtual mlir::Value createState(mlir::Value element,
                                  mlir::Value coordinate) = 0;
  virtual mlir::Value combine(mlir::Value x, mlir::Value y) = 0;
  /// Combines at least one state: a balanced tree, if there is nothing better.
  virtual mlir::Value combine(llvm::SmallVector<mlir::Value> states);
  /// Returns whether many states should be combined while they are created. One
  /// that takes more registers than its value should not wait for the last one.
  virtual bool combinesEarly() const { return false; }
  /// The result of all values, of which `total` is the state, and `initial`.
  virtual mlir::Value createResult(mlir::Value total, mlir::Value initial) = 0;
  /// The state of the lane whose number differs by `distance`.
  mlir::Value exchange(mlir::Value state, int32_t distance);
  /// The combination of the states of the lanes whose numbers differ in the
  /// bits `lanes`, for each of these lanes.
  mlir::Value combineLanes(mlir::Value state, unsigned lanes);

protected:
  IntegerBuilder &b;
  Combiner combiner;
  mlir::Type value;
};

/// States that are combined to one.
class StateList {
public:
  explicit StateList(States &states) : states(&states) {}

  void add(mlir::Value state);
  /// The combination of all states; null if there are none.
  mlir::Value take();

private:
  States *states;
  /// Those that wait. If they are combined early, each is the combination of
  /// `counts` states, half as many as the one before it at the most.
  llvm::SmallVector<mlir::Value> waiting;
  llvm::SmallVector<size_t> counts;
};

/// The builder of states of the type `state` of values of the type `value`,
/// which is not asked for by combinations of indices.
std::unique_ptr<States> createStates(IntegerBuilder &b, Combiner combiner,
                                     mlir::Type value, mlir::Type state);

} // namespace tcgemm

#endif // TCGEMM_LIB_CONVERSION_TILETONVGPU_COMBINERS_H
