//===- FiniteProblem.h - Choices and what they decide, in Z3 ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A problem of Z3 with variables of few values, one Boolean for each value, and
// real numbers that linear inequalities bind to them.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_MODEL_SOLVER_FINITEPROBLEM_H
#define TCGEMM_LIB_MODEL_SOLVER_FINITEPROBLEM_H

#include "Solver/Z3Library.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace tcgemm {

/// A variable: its values and, for each, the Boolean that chooses it.
struct Choice {
  std::vector<int64_t> values;
  std::vector<Z3_ast> selectors;
};

/// A term of a sum of real numbers.
struct LinearTerm {
  int64_t factor;
  Z3_ast number;
};

class FiniteProblem {
public:
  using Values = llvm::ArrayRef<int64_t>;
  using Function = llvm::function_ref<int64_t(Values)>;
  using Predicate = llvm::function_ref<bool(Values)>;
  using Choices = llvm::ArrayRef<const Choice *>;

  explicit FiniteProblem(const Z3Library &z3);
  ~FiniteProblem();
  FiniteProblem(const FiniteProblem &) = delete;
  FiniteProblem &operator=(const FiniteProblem &) = delete;

  /// A variable that has one of `values`.
  Choice addChoice(llvm::ArrayRef<int64_t> values);
  /// A variable with the values of `function` of others.
  Choice derive(Choices parents, Function function);
  /// Excludes the values of `choices` for which `isAllowed` is false.
  void restrict(Choices choices, Predicate isAllowed);
  /// Excludes one combination.
  void exclude(Choices choices, Values values);

  Z3_ast addNumber();
  /// A real number that is `function` of choices.
  Z3_ast define(Choices choices, Function function);
  /// Requires terms + offset <= 0, if all `conditions` hold.
  void requireAtMostZero(llvm::ArrayRef<Z3_ast> conditions,
                         llvm::ArrayRef<LinearTerm> terms, int64_t offset);

  enum class Answer { Satisfiable, Unsatisfiable, Unknown };
  /// Unknown after `timeLimit`, or if Z3 gives up.
  llvm::Expected<Answer> check(std::chrono::milliseconds timeLimit);
  /// The value of `choice` in the last satisfiable answer.
  int64_t getValue(const Choice &choice) const;

private:
  void setParameter(const char *name, unsigned value);
  void assertClause(llvm::ArrayRef<Z3_ast> literals);
  Z3_ast negate(Z3_ast literal);
  Z3_ast getNumeral(int64_t value);
  void forEach(Choices choices,
               llvm::function_ref<void(Values, llvm::ArrayRef<Z3_ast>)> visit);
  void dropModel();

  const Z3Library &z3;
  Z3_context context;
  Z3_solver solver;
  Z3_model model = nullptr;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_MODEL_SOLVER_FINITEPROBLEM_H
