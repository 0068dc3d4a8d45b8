//===- FiniteProblem.cpp - Choices and what they decide, in Z3 ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Solver/FiniteProblem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

FiniteProblem::FiniteProblem(const Z3Library &z3) : z3(z3) {
  Z3_config config = z3.mk_config();
  context = z3.mk_context(config);
  z3.del_config(config);
  // Without a handler Z3 remembers an error, and check() asks for it.
  z3.set_error_handler(context, [](Z3_context, Z3_error_code) {});
  solver = z3.mk_simple_solver(context);
  z3.solver_inc_ref(context, solver);
  // Z3's older simplex, without propagation of bounds, takes 1.7 s instead of
  // 4.1 s for 4096x4096x4096 with tiles to 256.
  setParameter("arith.solver", 2);
  setParameter("arith.propagation_mode", 0);
}

FiniteProblem::~FiniteProblem() {
  dropModel();
  z3.solver_dec_ref(context, solver);
  z3.del_context(context);
}

void FiniteProblem::dropModel() {
  if (model)
    z3.model_dec_ref(context, model);
  model = nullptr;
}

void FiniteProblem::setParameter(const char *name, unsigned value) {
  Z3_params params = z3.mk_params(context);
  z3.params_inc_ref(context, params);
  z3.params_set_uint(context, params, z3.mk_string_symbol(context, name),
                     value);
  z3.solver_set_params(context, solver, params);
  z3.params_dec_ref(context, params);
}

void FiniteProblem::assertClause(ArrayRef<Z3_ast> literals) {
  z3.solver_assert(context, solver,
                   literals.size() == 1
                       ? literals[0]
                       : z3.mk_or(context, literals.size(), literals.data()));
}

Z3_ast FiniteProblem::negate(Z3_ast literal) {
  return z3.mk_not(context, literal);
}

Z3_ast FiniteProblem::getNumeral(int64_t value) {
  return z3.mk_numeral(context, std::to_string(value).c_str(),
                       z3.mk_real_sort(context));
}

Choice FiniteProblem::addChoice(ArrayRef<int64_t> values) {
  Choice choice;
  choice.values = values.vec();
  for (size_t i = 0; i < values.size(); ++i)
    choice.selectors.push_back(
        z3.mk_fresh_const(context, "is", z3.mk_bool_sort(context)));
  assertClause(choice.selectors);
  if (values.size() > 1)
    z3.solver_assert(context, solver,
                     z3.mk_atmost(context, choice.selectors.size(),
                                  choice.selectors.data(), 1));
  return choice;
}

void FiniteProblem::forEach(
    Choices choices, function_ref<void(Values, ArrayRef<Z3_ast>)> visit) {
  SmallVector<size_t> positions(choices.size());
  SmallVector<int64_t> values(choices.size());
  SmallVector<Z3_ast> selectors(choices.size());
  while (true) {
    for (auto [i, choice] : enumerate(choices)) {
      values[i] = choice->values[positions[i]];
      selectors[i] = choice->selectors[positions[i]];
    }
    visit(values, selectors);
    size_t i = 0;
    while (i < choices.size() && ++positions[i] == choices[i]->values.size())
      positions[i++] = 0;
    if (i == choices.size())
      return;
  }
}

Choice FiniteProblem::derive(Choices parents, Function function) {
  std::vector<int64_t> values;
  forEach(parents, [&](Values ofParents, ArrayRef<Z3_ast>) {
    values.push_back(function(ofParents));
  });
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  Choice choice = addChoice(values);
  forEach(parents, [&](Values ofParents, ArrayRef<Z3_ast> selectors) {
    SmallVector<Z3_ast> clause;
    for (Z3_ast selector : selectors)
      clause.push_back(negate(selector));
    clause.push_back(
        choice.selectors[llvm::lower_bound(values, function(ofParents)) -
                         values.begin()]);
    assertClause(clause);
  });
  return choice;
}

void FiniteProblem::restrict(Choices choices, Predicate isAllowed) {
  forEach(choices, [&](Values values, ArrayRef<Z3_ast> selectors) {
    if (isAllowed(values))
      return;
    SmallVector<Z3_ast> clause;
    for (Z3_ast selector : selectors)
      clause.push_back(negate(selector));
    assertClause(clause);
  });
}

void FiniteProblem::exclude(Choices choices, Values values) {
  SmallVector<Z3_ast> clause;
  for (auto [choice, value] : zip_equal(choices, values))
    clause.push_back(
        negate(choice->selectors[llvm::find(choice->values, value) -
                                 choice->values.begin()]));
  assertClause(clause);
}

Z3_ast FiniteProblem::addNumber() {
  return z3.mk_fresh_const(context, "t", z3.mk_real_sort(context));
}

Z3_ast FiniteProblem::define(Choices choices, Function function) {
  Z3_ast number = addNumber();
  int64_t least = INT64_MAX, most = INT64_MIN;
  forEach(choices, [&](Values values, ArrayRef<Z3_ast> selectors) {
    int64_t value = function(values);
    least = std::min(least, value);
    most = std::max(most, value);
    requireAtMostZero(selectors, {{1, number}}, -value);
    requireAtMostZero(selectors, {{-1, number}}, value);
  });
  // They follow, and let Z3 refute more before all choices are made.
  requireAtMostZero({}, {{1, number}}, -most);
  requireAtMostZero({}, {{-1, number}}, least);
  return number;
}

void FiniteProblem::requireAtMostZero(ArrayRef<Z3_ast> conditions,
                                      ArrayRef<LinearTerm> terms,
                                      int64_t offset) {
  SmallVector<Z3_ast> summands, clause;
  for (LinearTerm term : terms) {
    Z3_ast product[] = {getNumeral(term.factor), term.number};
    summands.push_back(term.factor == 1 ? term.number
                                        : z3.mk_mul(context, 2, product));
  }
  Z3_ast sum = summands.size() == 1
                   ? summands[0]
                   : z3.mk_add(context, summands.size(), summands.data());
  for (Z3_ast condition : conditions)
    clause.push_back(negate(condition));
  clause.push_back(z3.mk_le(context, sum, getNumeral(-offset)));
  assertClause(clause);
}

Expected<FiniteProblem::Answer>
FiniteProblem::check(std::chrono::milliseconds timeLimit) {
  dropModel();
  setParameter("timeout",
               unsigned(std::clamp<int64_t>(timeLimit.count(), 1, INT32_MAX)));
  Z3_lbool answer = z3.solver_check(context, solver);
  if (Z3_error_code code = z3.get_error_code(context))
    return createStringError(Twine("Z3 failed: ") +
                             z3.get_error_msg(context, code));
  if (answer == Z3_L_TRUE) {
    model = z3.solver_get_model(context, solver);
    z3.model_inc_ref(context, model);
    return Answer::Satisfiable;
  }
  return answer == Z3_L_FALSE ? Answer::Unsatisfiable : Answer::Unknown;
}

int64_t FiniteProblem::getValue(const Choice &choice) const {
  for (auto [value, selector] : zip_equal(choice.values, choice.selectors)) {
    Z3_ast result = nullptr;
    if (z3.model_eval(context, model, selector, true, &result) &&
        z3.get_bool_value(context, result) == Z3_L_TRUE)
      return value;
  }
  llvm_unreachable("a model chooses a value of every choice");
}

} // namespace tcgemm
