//===- Combiners.cpp - Combinations of values of a reduction --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "DotElements.h"
#include "ReducedStates.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace tcgemm;

namespace {
/// States that are values.
class ValueStates : public States {
public:
  using States::States;

  Value createNeutral() override {
    ScalarConstant neutral = getNeutral(combiner, *getScalarType(value));
    if (auto *integer = std::get_if<int64_t>(&neutral))
      return b.create<arith::ConstantOp>(b.getIntegerAttr(value, *integer));
    return b.create<arith::ConstantOp>(
        b.getFloatAttr(value, std::get<double>(neutral)));
  }
  Value createState(Value element, Value) override { return element; }
  using States::combine;
  Value combine(Value x, Value y) override {
    // A combiner has the name of its operation.
    OperationState state(b.getLoc(),
                         ("arith." + getCombinerName(combiner)).str());
    state.addOperands({x, y});
    state.addTypes(x.getType());
    return b.OpBuilder::create(state)->getResult(0);
  }
  Value createResult(Value total, Value initial) override {
    return combine(initial, total);
  }
};
} // namespace

Value States::combine(SmallVector<Value> states) {
  while (states.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < states.size(); i += 2)
      next.push_back(combine(states[i], states[i + 1]));
    if (states.size() % 2)
      next.push_back(states.back());
    states = std::move(next);
  }
  return states.front();
}

void StateList::add(Value state) {
  size_t count = 1;
  while (states->combinesEarly() && !counts.empty() && counts.back() == count) {
    state = states->combine(waiting.pop_back_val(), state);
    count += counts.pop_back_val();
  }
  waiting.push_back(state);
  counts.push_back(count);
}

Value StateList::take() {
  if (waiting.empty())
    return {};
  if (!states->combinesEarly())
    return states->combine(std::move(waiting));
  Value total = waiting.pop_back_val();
  while (!waiting.empty())
    total = states->combine(waiting.pop_back_val(), total);
  return total;
}

Value States::exchange(Value state, int32_t distance) {
  int64_t bytes = getStateBytes(state.getType());
  if (state.getType().isFloat() || bytes <= 4)
    return exchangeSums(b, state, distance);
  auto type = VectorType::get({bytes / 4}, b.getI32Type());
  Value words = b.create<LLVM::BitcastOp>(type, state);
  SmallVector<Value> exchanged;
  for (int64_t i = 0; i < bytes / 4; ++i)
    exchanged.push_back(
        exchangeSums(b, b.create<vector::ExtractOp>(words, i), distance));
  return b.create<LLVM::BitcastOp>(
      state.getType(),
      b.create<vector::FromElementsOp>(type, exchanged).getResult());
}

Value States::combineLanes(Value state, unsigned lanes) {
  for (int32_t bit = 1; bit < 32; bit *= 2)
    if (lanes & bit)
      state = combine(state, exchange(state, bit));
  return state;
}

std::unique_ptr<States> tcgemm::createStates(IntegerBuilder &b,
                                             Combiner combiner, Type value,
                                             Type state) {
  switch (getStateKind(combiner)) {
  case StateKind::Value:
    return std::make_unique<ValueStates>(b, combiner, value);
  case StateKind::Index:
    if (isa<VectorType>(state))
      return std::make_unique<WideIndexStates>(b, combiner, value);
    return std::make_unique<IndexStates>(b, combiner, value);
  case StateKind::SumExp:
    return std::make_unique<SumExpStates>(b, combiner, value);
  case StateKind::Moments:
    return std::make_unique<MomentStates>(b, combiner, value);
  }
  llvm_unreachable("covered switch");
}
