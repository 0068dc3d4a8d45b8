//===- BilinearBody.cpp - Bodies that multiply complex numbers ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each value of the body is a polynomial in the components of its arguments.
// Polynomials find every way to write a product: complex.mul and complex.conj,
// or real operations on the parts. Extensions leave values as they are.
//
//===----------------------------------------------------------------------===//

#include "Complex/BilinearBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::complex_to_real;

namespace {
/// A variable is a component of an argument: 2 times its number plus the
/// component. The factor 1 is kOne.
constexpr int kOne = -1;
using Monomial = std::pair<int, int>;

int getVariable(unsigned argument, unsigned component) {
  return static_cast<int>(kNumComponents * argument + component);
}

/// A sum of constants times products of up to two variables.
class Polynomial {
public:
  Polynomial() = default;
  Polynomial(Monomial monomial, double factor) { add(monomial, factor); }

  void add(Monomial monomial, double factor) {
    double &value = terms[monomial];
    value += factor;
    if (value == 0)
      terms.erase(monomial);
  }
  void addScaled(const Polynomial &other, double factor) {
    for (auto [monomial, value] : other.terms)
      add(monomial, value * factor);
  }
  /// None if a product has more than two variables.
  std::optional<Polynomial> multiply(const Polynomial &other) const {
    Polynomial result;
    for (auto [x, xFactor] : terms)
      for (auto [y, yFactor] : other.terms) {
        SmallVector<int, 4> variables;
        for (int variable : {x.first, x.second, y.first, y.second})
          if (variable != kOne)
            variables.push_back(variable);
        if (variables.size() > 2)
          return std::nullopt;
        llvm::sort(variables);
        variables.insert(variables.begin(), 2 - variables.size(), kOne);
        result.add({variables[0], variables[1]}, xFactor * yFactor);
      }
    return result;
  }

  std::map<Monomial, double> terms;
};

/// The components of a value: two of a complex one, one of a real one.
using Components = SmallVector<Polynomial, 2>;

class Evaluator {
public:
  explicit Evaluator(Block *body) : body(body) {}
  std::optional<Components> evaluate(Value value);
  /// The operation that has no polynomial, if there is one.
  Operation *failed = nullptr;

private:
  std::optional<Components> compute(Value value);
  std::optional<Components> combine(Value x, Value y, double factor);
  std::optional<Components> multiply(Value x, Value y);

  Block *body;
  DenseMap<Value, std::optional<Components>> known;
};
} // namespace

bool complex_to_real::isComplexElement(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex && isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                        complex.getElementType());
}

/// x + factor y.
std::optional<Components> Evaluator::combine(Value x, Value y, double factor) {
  std::optional<Components> left = evaluate(x), right = evaluate(y);
  if (!left || !right)
    return std::nullopt;
  for (auto [to, from] : llvm::zip_equal(*left, *right))
    to.addScaled(from, factor);
  return left;
}

std::optional<Components> Evaluator::multiply(Value x, Value y) {
  std::optional<Components> left = evaluate(x), right = evaluate(y);
  if (!left || !right)
    return std::nullopt;
  bool isComplex = left->size() == kNumComponents;
  Components result(left->size());
  for (auto [q, factor] : llvm::enumerate(*left))
    for (auto [r, other] : llvm::enumerate(*right)) {
      std::optional<Polynomial> product = factor.multiply(other);
      if (!product)
        return std::nullopt;
      result[isComplex ? (q + r) % kNumComponents : 0].addScaled(
          *product, q + r == kNumComponents ? -1 : 1);
    }
  return result;
}

static std::optional<Components> getConstant(Operation *op) {
  auto getReal = [](Attribute value) {
    return Polynomial({kOne, kOne}, cast<FloatAttr>(value).getValueAsDouble());
  };
  if (auto constant = dyn_cast<complex::ConstantOp>(op))
    return Components{getReal(constant.getValue()[0]),
                      getReal(constant.getValue()[1])};
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (isa<FloatAttr>(constant.getValue()))
      return Components{getReal(constant.getValue())};
  return std::nullopt;
}

std::optional<Components> Evaluator::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != body)
      return std::nullopt;
    Components result;
    unsigned count = isa<ComplexType>(value.getType()) ? kNumComponents : 1;
    for (unsigned i = 0; i < count; ++i)
      result.push_back(
          Polynomial({kOne, getVariable(argument.getArgNumber(), i)}, 1));
    return result;
  }
  Operation *op = value.getDefiningOp();
  auto scale = [&](Value x, ArrayRef<double> factors) {
    std::optional<Components> values = evaluate(x);
    if (!values)
      return values;
    Components result(values->size());
    for (auto [to, from, factor] : llvm::zip_equal(result, *values, factors))
      to.addScaled(from, factor);
    return std::optional(result);
  };
  auto getPart = [&](Value x, unsigned part) -> std::optional<Components> {
    std::optional<Components> values = evaluate(x);
    if (!values)
      return std::nullopt;
    return Components{(*values)[part]};
  };
  return llvm::TypeSwitch<Operation *, std::optional<Components>>(op)
      .Case<complex::AddOp, arith::AddFOp>(
          [&](auto add) { return combine(add.getLhs(), add.getRhs(), 1); })
      .Case<complex::SubOp, arith::SubFOp>(
          [&](auto sub) { return combine(sub.getLhs(), sub.getRhs(), -1); })
      .Case<complex::MulOp, arith::MulFOp>(
          [&](auto mul) { return multiply(mul.getLhs(), mul.getRhs()); })
      .Case(
          [&](complex::NegOp neg) { return scale(neg.getComplex(), {-1, -1}); })
      .Case([&](complex::ConjOp conj) {
        return scale(conj.getComplex(), {1, -1});
      })
      .Case([&](arith::NegFOp neg) { return scale(neg.getOperand(), {-1}); })
      .Case(
          [&](arith::ExtFOp extension) { return evaluate(extension.getIn()); })
      .Case([&](complex::ReOp re) { return getPart(re.getComplex(), 0); })
      .Case([&](complex::ImOp im) { return getPart(im.getComplex(), 1); })
      .Case([&](complex::CreateOp create) -> std::optional<Components> {
        std::optional<Components> re = evaluate(create.getReal()),
                                  im = evaluate(create.getImaginary());
        if (!re || !im)
          return std::nullopt;
        return Components{re->front(), im->front()};
      })
      .Default([](Operation *other) { return getConstant(other); });
}

std::optional<Components> Evaluator::evaluate(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<Components> result = compute(value);
  if (!result && !failed)
    failed = value.getDefiningOp();
  known[value] = result;
  return result;
}

/// Takes the terms of one component of the result. Fails if they are not the
/// sum's component plus products of A's and B's elements.
static bool takeTerms(const Polynomial &value, unsigned p,
                      BilinearBody &result) {
  constexpr unsigned kSum = 2; // The argument behind A and B.
  bool hasSum = false;
  for (auto [monomial, factor] : value.terms) {
    auto [x, y] = monomial;
    if (x == kOne && y == getVariable(kSum, p) && factor == 1) {
      hasSum = true;
      continue;
    }
    bool isProduct = x >= getVariable(0, 0) && x < getVariable(1, 0) &&
                     y >= getVariable(1, 0) && y < getVariable(kSum, 0);
    if (!isProduct)
      return false;
    unsigned q = x, r = y - getVariable(1, 0);
    result.constants[(q * result.numComponents[1] + r) * kNumComponents + p] =
        factor;
  }
  return hasSum;
}

std::optional<BilinearBody>
complex_to_real::matchBilinearBody(linalg::LinalgOp op, std::string &reason) {
  Block *body = op.getBlock();
  BilinearBody result;
  for (unsigned operand : {0, 1})
    result.numComponents[operand] =
        isa<ComplexType>(body->getArgument(operand).getType()) ? kNumComponents
                                                               : 1;
  result.constants.assign(
      kNumComponents * result.numComponents[0] * result.numComponents[1], 0);
  Evaluator evaluator(body);
  std::optional<Components> values =
      evaluator.evaluate(body->getTerminator()->getOperand(0));
  if (!values) {
    reason = "its body computes other than sums and products of the elements";
    if (evaluator.failed)
      reason += ": '" + evaluator.failed->getName().getStringRef().str() + "'";
    return std::nullopt;
  }
  for (unsigned p = 0; p < kNumComponents; ++p)
    if (!takeTerms((*values)[p], p, result)) {
      reason = "its body does not add a product of one element of A and one of "
               "B to the sum; complex.mul of both, or of their complex.conj, "
               "with complex.add or complex.sub is taken";
      return std::nullopt;
    }
  return result;
}
