//===- Signature.cpp - A function's arguments and results -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Signature.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tcgemm;

unsigned Signature::countScalarResults() const {
  return llvm::count_if(results,
                        [](const auto &type) { return !type.isTensor; });
}

namespace {
/// Classes of sizes that must be equal. A size is a dimension of a value, or a
/// loop of a linalg operation.
class SizeClasses {
public:
  void add(func::FuncOp function);
  /// Fixes a size; false if it is another one already.
  bool fix(Value value, unsigned dim, int64_t size) {
    return fixClass(find({value.getAsOpaquePointer(), dim}), size);
  }
  std::optional<int64_t> lookUp(Value value, unsigned dim);
  bool isConsistent() const { return consistent; }

private:
  using Key = std::pair<const void *, unsigned>;
  unsigned find(Key key);
  bool fixClass(unsigned index, int64_t size);
  void merge(Key a, Key b);
  void mergeValues(Value a, Value b);
  void addLinalg(linalg::LinalgOp op);
  void addEmpty(tensor::EmptyOp op);
  void addLoop(scf::ForOp op);

  std::map<Key, unsigned> indices;
  std::vector<unsigned> parents;
  std::vector<std::optional<int64_t>> sizes;
  bool consistent = true;
};
} // namespace

unsigned SizeClasses::find(Key key) {
  auto [known, isNew] = indices.try_emplace(key, parents.size());
  if (isNew) {
    parents.push_back(known->second);
    sizes.emplace_back();
  }
  unsigned index = known->second;
  while (parents[index] != index)
    index = parents[index];
  return index;
}

bool SizeClasses::fixClass(unsigned index, int64_t size) {
  if (sizes[index] && *sizes[index] != size)
    return consistent = false;
  sizes[index] = size;
  return true;
}

void SizeClasses::merge(Key a, Key b) {
  unsigned first = find(a), second = find(b);
  if (first == second)
    return;
  parents[second] = first;
  if (sizes[second])
    fixClass(first, *sizes[second]);
}

void SizeClasses::mergeValues(Value a, Value b) {
  auto type = dyn_cast<RankedTensorType>(a.getType());
  auto other = dyn_cast<RankedTensorType>(b.getType());
  if (type && other && type.getRank() == other.getRank())
    for (unsigned i = 0; i != type.getRank(); ++i)
      merge({a.getAsOpaquePointer(), i}, {b.getAsOpaquePointer(), i});
}

void SizeClasses::addLinalg(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        merge({operand.get().getAsOpaquePointer(), unsigned(i)},
              {op.getOperation(), loop.getPosition()});
  }
  for (auto [init, result] : llvm::zip(op.getDpsInits(), op->getResults()))
    mergeValues(init, result);
}

void SizeClasses::addEmpty(tensor::EmptyOp op) {
  for (auto [i, size] : llvm::enumerate(op.getMixedSizes())) {
    auto value = dyn_cast<Value>(size);
    auto dim = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    if (!dim)
      continue;
    if (std::optional<int64_t> index = dim.getConstantIndex())
      merge({op.getResult().getAsOpaquePointer(), unsigned(i)},
            {dim.getSource().getAsOpaquePointer(), unsigned(*index)});
  }
}

void SizeClasses::addLoop(scf::ForOp op) {
  for (auto [init, argument, yielded, result] :
       llvm::zip(op.getInitArgs(), op.getRegionIterArgs(),
                 op.getYieldedValues(), op.getResults())) {
    mergeValues(init, argument);
    mergeValues(init, yielded);
    mergeValues(init, result);
  }
}

void SizeClasses::add(func::FuncOp function) {
  auto addStatic = [&](Value value) {
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      for (auto [i, size] : llvm::enumerate(type.getShape()))
        if (ShapedType::isStatic(size))
          fix(value, i, size);
  };
  llvm::for_each(function.getArguments(), addStatic);
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), addStatic);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](linalg::LinalgOp linalg) { addLinalg(linalg); })
        .Case([&](tensor::EmptyOp empty) { addEmpty(empty); })
        .Case([&](tensor::CastOp cast) {
          mergeValues(cast.getSource(), cast.getResult());
        })
        .Case([&](tensor::InsertSliceOp insert) {
          mergeValues(insert.getDest(), insert.getResult());
        })
        .Case([&](scf::ForOp loop) { addLoop(loop); });
  });
}

std::optional<int64_t> SizeClasses::lookUp(Value value, unsigned dim) {
  return sizes[find({value.getAsOpaquePointer(), dim})];
}

static llvm::Expected<ValueType> readType(Type type, const Twine &what) {
  ValueType result;
  llvm::raw_string_ostream(result.text) << type;
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    result.isTensor = true;
    result.sizes.assign(tensor.getShape().begin(), tensor.getShape().end());
  }
  std::string name;
  llvm::raw_string_ostream(name) << element;
  std::optional<ScalarType> scalar = parseScalarType(name);
  if (!scalar)
    return llvm::createStringError(what + " has type " + result.text +
                                   ", but only ranked tensors and scalars of "
                                   "float and integer types can be checked");
  result.element = *scalar;
  return result;
}

/// Adds the shape in the options to the known sizes.
static llvm::Error fixShape(SizeClasses &classes, Value argument,
                            ArrayRef<int64_t> given, StringRef name) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || type.getRank() != int64_t(given.size()))
    return llvm::createStringError(
        "--size: " + name + " is not a tensor of rank " + Twine(given.size()));
  for (auto [i, size] : llvm::enumerate(given))
    if (!classes.fix(argument, i, size))
      return llvm::createStringError(
          "--size: dimension " + Twine(i) + " of " + name + " is " +
          Twine(*classes.lookUp(argument, i)) + ", not " + Twine(size));
  return llvm::Error::success();
}

llvm::Expected<Signature> tcgemm::readSignature(func::FuncOp function,
                                                const SizeOptions &options) {
  Signature signature;
  SizeClasses classes;
  classes.add(function);
  if (!classes.isConsistent())
    return llvm::createStringError(
        "sizes of its operations contradict each other");
  for (auto [i, argument] : llvm::enumerate(function.getArguments())) {
    std::string name = "arg" + std::to_string(i);
    auto type = readType(argument.getType(), "argument " + Twine(i));
    if (!type)
      return type.takeError();
    if (auto given = options.shapes.find(name); given != options.shapes.end())
      if (llvm::Error error = fixShape(classes, argument, given->second, name))
        return std::move(error);
    signature.arguments.push_back(std::move(*type));
  }
  for (auto [type, argument] :
       llvm::zip(signature.arguments, function.getArguments()))
    for (auto [i, size] : llvm::enumerate(type.sizes))
      size = classes.lookUp(argument, i).value_or(options.defaultSize);
  for (auto [i, result] : llvm::enumerate(function.getResultTypes())) {
    auto type = readType(result, "result " + Twine(i));
    if (!type)
      return type.takeError();
    signature.results.push_back(std::move(*type));
  }
  return signature;
}
