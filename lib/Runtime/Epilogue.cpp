//===- Epilogue.cpp - Interpreter of epilogue programs --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks up a program's operations in the table, and evaluates them one at a
// time over a run of elements.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Runtime/Epilogue.h"

#include "EpilogueOps.h"

#include "tcgemm/Runtime/HostTensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>
#include <cstring>

using namespace tcgemm;
using llvm::Twine;

namespace {
/// A value of one element; the type determines the valid member.
union Slot {
  double f;
  int64_t i;
};
constexpr unsigned kArgument = ~0U;
} // namespace

/// Returns whether an operation of this shape supports these types.
static bool fits(OpShape shape, ScalarType input, ScalarType result) {
  bool floatIn = isFloatType(input), floatOut = isFloatType(result);
  switch (shape) {
  case OpShape::FloatUnary:
  case OpShape::FloatBinary:
  case OpShape::FloatTernary:
    return floatOut && input == result;
  case OpShape::IntUnary:
  case OpShape::IntBinary:
    return !floatOut && input == result;
  case OpShape::FloatTest:
  case OpShape::CompareFloat:
    return floatIn && result == ScalarType::I1;
  case OpShape::CompareInt:
    return !floatIn && result == ScalarType::I1;
  case OpShape::Select:
    return input == ScalarType::I1;
  case OpShape::Constant:
    return true;
  case OpShape::Index:
    return result == ScalarType::Index;
  case OpShape::FloatCast:
    return floatIn && floatOut;
  case OpShape::SignedToFloat:
  case OpShape::UnsignedToFloat:
    return !floatIn && floatOut;
  case OpShape::FloatToSigned:
  case OpShape::FloatToUnsigned:
    return floatIn && !floatOut;
  case OpShape::SignExtend:
  case OpShape::ZeroExtend:
  case OpShape::Truncate:
    return !floatIn && !floatOut;
  case OpShape::Bitcast:
    return getBitWidth(input) == getBitWidth(result);
  }
  return false;
}

static llvm::Error prepareOp(const EpilogueOpInfo &source, size_t index,
                             llvm::ArrayRef<EpilogueInterpreter::Op> earlier,
                             EpilogueInterpreter::Op &op) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError("epilogue operation " + Twine(index) +
                                   " ('" + source.op + "'): " + what);
  };
  op.type = source.type;
  op.operands = source.operands;
  if (source.op == "argument") {
    op.code = kArgument;
    return llvm::Error::success();
  }
  op.code = findOp(source.op);
  if (op.code == getNumOps())
    return fail("the host interpreter does not know this operation");
  const OpInfo &info = getOpInfo(op.code);
  if (op.operands.size() != info.numOperands)
    return fail("takes " + Twine(info.numOperands) + " operands, has " +
                Twine(op.operands.size()));
  for (unsigned operand : op.operands)
    if (operand >= earlier.size())
      return fail(Twine(operand) + " is not an earlier value");
  op.inputType = op.operands.empty() ? op.type : earlier[op.operands[0]].type;
  if (!fits(info.shape, op.inputType, op.type))
    return fail("cannot take " + getTypeName(op.inputType) + " to " +
                getTypeName(op.type));
  // The first operand of a select is its condition.
  bool isSelect = info.shape == OpShape::Select;
  for (unsigned operand :
       llvm::drop_begin(op.operands, op.operands.empty() ? 0 : 1))
    if (earlier[operand].type != (isSelect ? op.type : op.inputType))
      return fail("its operands differ in type");
  if (info.shape == OpShape::CompareFloat ||
      info.shape == OpShape::CompareInt) {
    int predicate = info.shape == OpShape::CompareFloat
                        ? findFloatPredicate(source.predicate)
                        : findIntPredicate(source.predicate);
    if (predicate < 0)
      return fail("unknown predicate '" + source.predicate + "'");
    op.predicate = predicate;
  }
  if (info.shape == OpShape::Index) {
    if (!source.dim || *source.dim == Dim::K)
      return fail("needs the dimension b, m or n");
    op.dim = *source.dim;
  }
  if (info.shape == OpShape::Constant) {
    const auto *asInt = std::get_if<int64_t>(&source.value);
    const auto *asDouble = std::get_if<double>(&source.value);
    if (!asInt && !asDouble)
      return fail("needs a value");
    double number = asInt ? static_cast<double>(*asInt) : *asDouble;
    op.floatConstant = roundToType(op.type, number);
    op.intConstant = signExtend(asInt ? *asInt : static_cast<int64_t>(number),
                                getBitWidth(op.type));
  }
  return llvm::Error::success();
}

/// The argument that equals `value`, directly or through one arith.extf.
static std::optional<unsigned>
findArgument(llvm::ArrayRef<EpilogueInterpreter::Op> ops, unsigned value) {
  if (ops[value].code != kArgument && ops[value].operands.size() == 1 &&
      getOpInfo(ops[value].code).name == "arith.extf")
    value = ops[value].operands[0];
  if (ops[value].code == kArgument)
    return value;
  return std::nullopt;
}

llvm::Error EpilogueInterpreter::prepare(const EpilogueProgram &program) {
  for (auto [i, source] : llvm::enumerate(program.ops)) {
    Op op;
    if (llvm::Error error = prepareOp(source, i, ops, op))
      return error;
    numArguments += op.code == kArgument;
    ops.push_back(std::move(op));
  }
  yields = program.yields;
  numUses.assign(ops.size(), 0);
  for (const Op &op : ops)
    for (unsigned operand : op.operands)
      ++numUses[operand];
  for (unsigned yield : yields) {
    if (yield >= ops.size())
      return llvm::createStringError("epilogue yields " + Twine(yield) +
                                     ", which is not a value");
    ops[yield].isYieldedOnly = numUses[yield] == 0;
    ++numUses[yield];
  }
  zeroScalars.resize(numArguments);
  return llvm::Error::success();
}

llvm::Expected<EpilogueInterpreter>
EpilogueInterpreter::createTransform(const KernelInfo &kernel,
                                     unsigned operand) {
  EpilogueInterpreter result;
  if (llvm::Error error = result.prepare(kernel.transforms[operand]))
    return std::move(error);
  return result;
}

llvm::Expected<EpilogueInterpreter>
EpilogueInterpreter::create(const KernelInfo &kernel) {
  EpilogueInterpreter result;
  if (llvm::Error error = result.prepare(kernel.epilogue))
    return std::move(error);
  // BLAS's rule for beta: the inputs that are not read if a scalar is 0.
  std::vector<bool> isScalar = {false};
  for (const OperandInfo &operand : kernel.operands)
    if (operand.isEpilogueArgument())
      isScalar.push_back(operand.role == OperandUse::Scalar);
  for (const Op &op : result.ops) {
    if (op.code == kArgument || getOpInfo(op.code).name != "arith.mulf")
      continue;
    for (unsigned side : {0U, 1U}) {
      std::optional<unsigned> input =
          findArgument(result.ops, op.operands[side]);
      std::optional<unsigned> scalar =
          findArgument(result.ops, op.operands[1 - side]);
      if (input && scalar && *input != 0 && *input < isScalar.size() &&
          *scalar < isScalar.size() && !isScalar[*input] && isScalar[*scalar] &&
          result.numUses[*input] == 1 && result.numUses[op.operands[side]] == 1)
        result.zeroScalars[*input] = scalar;
    }
  }
  return result;
}

std::optional<unsigned>
EpilogueInterpreter::getZeroScalar(unsigned index) const {
  return index < zeroScalars.size() ? zeroScalars[index] : std::nullopt;
}

bool EpilogueInterpreter::isPlainAccumulator(unsigned index) const {
  unsigned value = yields[index];
  if (ops[value].code != kArgument &&
      getOpInfo(ops[value].code).name == "arith.truncf")
    value = ops[value].operands[0];
  return value == 0;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Rounds a float result, adds its deliberate error and records inexactness.
namespace {
struct Rounder {
  const EpilogueInterpreter::Op &op;
  OpAccuracy accuracy;
  double scale = 1;
  uint8_t *inexact = nullptr;
  /// The deliberate error of subnormal results, whose roundings are absolute
  /// rather than relative, and the limit below which results are subnormal.
  double step = 0, limit = 0;

  double operator()(double value, int64_t i) const {
    double moved = value * scale;
    if (std::fabs(value) < limit && value != 0)
      moved += step;
    double rounded = roundToType(op.type, moved);
    if (inexact && accuracy != OpAccuracy::Exact &&
        (accuracy == OpAccuracy::Math ||
         ((rounded != value || mayHaveRounded(value)) && !op.isYieldedOnly)))
      inexact[i] = 1;
    return rounded;
  }
  /// Results in f64 are computed in that type: only integers, and their sums
  /// and products, are known to be exact.
  bool mayHaveRounded(double value) const {
    return op.type == ScalarType::F64 &&
           (value != std::nearbyint(value) || std::fabs(value) >= 0x1p53);
  }
};
} // namespace

static Slot bitcast(const EpilogueInterpreter::Op &op, Slot value) {
  uint64_t bits = 0;
  Slot result{};
  if (isFloatType(op.inputType))
    storeElement(op.inputType, value.f, &bits);
  else
    bits = zeroExtend(value.i, getBitWidth(op.inputType));
  if (isFloatType(op.type))
    result.f = loadElement(op.type, &bits);
  else
    result.i = signExtend(static_cast<int64_t>(bits), getBitWidth(op.type));
  return result;
}

/// Converts as PTX does, to 32 or 64 bits: a value out of range becomes the
/// nearest integer. In arith its result is undefined.
static int64_t toInteger(double value, unsigned bits, bool isUnsigned) {
  llvm::APSInt result(bits, isUnsigned);
  bool isExact = false;
  (void)llvm::APFloat(value).convertToInteger(
      result, llvm::APFloat::rmTowardZero, &isExact);
  return result.getSExtValue();
}

/// Evaluates a conversion of `a` for element `i`.
static Slot convertElement(const EpilogueInterpreter::Op &op,
                           const OpInfo &info, const Rounder &round, int64_t i,
                           Slot a) {
  Slot r{};
  unsigned bits = getBitWidth(op.type), inputBits = getBitWidth(op.inputType);
  switch (info.shape) {
  case OpShape::FloatCast:
    r.f = round(a.f, i);
    break;
  case OpShape::SignedToFloat:
    r.f = round(static_cast<double>(a.i), i);
    break;
  case OpShape::UnsignedToFloat:
    r.f = round(static_cast<double>(zeroExtend(a.i, inputBits)), i);
    break;
  case OpShape::FloatToSigned:
    r.i = toInteger(a.f, bits, /*isUnsigned=*/false);
    break;
  case OpShape::FloatToUnsigned:
    r.i = toInteger(a.f, bits, /*isUnsigned=*/true);
    break;
  case OpShape::SignExtend:
  case OpShape::Truncate:
    r.i = signExtend(a.i, bits);
    break;
  case OpShape::ZeroExtend:
    r.i = signExtend(static_cast<int64_t>(zeroExtend(a.i, inputBits)), bits);
    break;
  case OpShape::Bitcast:
    return bitcast(op, a);
  default:
    llvm_unreachable("the operation is no conversion");
  }
  return r;
}

/// Evaluates one operation for element `i`; `a`, `b`, `c` are its operands.
static Slot evaluateElement(const EpilogueInterpreter::Op &op,
                            const OpInfo &info, const Rounder &round,
                            const EpilogueRun &run, int64_t i, Slot a, Slot b,
                            Slot c) {
  Slot r{};
  unsigned bits = getBitWidth(op.type), inputBits = getBitWidth(op.inputType);
  switch (info.shape) {
  case OpShape::FloatUnary:
    r.f = round(info.unary(a.f), i);
    break;
  case OpShape::FloatBinary:
    r.f = round(info.binary(a.f, b.f), i);
    break;
  case OpShape::FloatTernary:
    r.f = round(info.ternary(a.f, b.f, c.f), i);
    break;
  case OpShape::IntUnary:
  case OpShape::IntBinary:
    r.i = signExtend(info.integer(a.i, b.i, bits), bits);
    break;
  case OpShape::FloatTest:
    r.i = info.unary(a.f) != 0 ? -1 : 0;
    break;
  case OpShape::CompareFloat:
    r.i = compareFloats(op.predicate, a.f, b.f) ? -1 : 0;
    break;
  case OpShape::CompareInt:
    r.i = compareInts(op.predicate, a.i, b.i, inputBits) ? -1 : 0;
    break;
  case OpShape::Select:
    return a.i != 0 ? b : c;
  case OpShape::Constant:
    if (isFloatType(op.type))
      r.f = op.floatConstant;
    else
      r.i = op.intConstant;
    break;
  case OpShape::Index:
    r.i = op.dim == Dim::Batch ? run.b : op.dim == Dim::M ? run.m : run.n[i];
    break;
  case OpShape::FloatCast:
  case OpShape::SignedToFloat:
  case OpShape::UnsignedToFloat:
  case OpShape::FloatToSigned:
  case OpShape::FloatToUnsigned:
  case OpShape::SignExtend:
  case OpShape::Truncate:
  case OpShape::ZeroExtend:
  case OpShape::Bitcast:
    return convertElement(op, info, round, i, a);
  }
  return r;
}

void EpilogueInterpreter::evaluate(const EpilogueRun &run,
                                   const Perturbation *perturbation,
                                   std::vector<std::vector<double>> &results,
                                   std::vector<uint8_t> *inexact) const {
  if (inexact)
    inexact->assign(run.count, 0);
  std::vector<std::vector<Slot>> values(ops.size());
  unsigned nextArgument = 0;
  for (auto [index, op] : llvm::enumerate(ops)) {
    std::vector<Slot> &target = values[index];
    target.resize(run.count);
    if (op.code == kArgument) {
      const double *source = run.arguments[nextArgument++];
      for (int64_t i = 0; i != run.count; ++i)
        if (isFloatType(op.type))
          target[i].f = source[i];
        else
          target[i].i =
              signExtend(static_cast<int64_t>(source[i]), getBitWidth(op.type));
      continue;
    }
    const OpInfo &info = getOpInfo(op.code);
    Rounder round{op, info.accuracy, 1, inexact ? inexact->data() : nullptr};
    if (perturbation && info.accuracy != OpAccuracy::Exact) {
      double error = info.accuracy == OpAccuracy::Math ? perturbation->math
                     : op.type == ScalarType::F64
                         ? perturbation->arithmetic * 0x1p-29
                         : perturbation->arithmetic;
      bool up = mixSeed(perturbation->pattern, index) & 1;
      round.scale = up ? 1 + error : 1 - error;
      if (isFloatType(op.type)) {
        round.step = up ? getUlp(op.type, 0) : -getUlp(op.type, 0);
        round.limit = getSmallestNormal(op.type);
      }
    }
    const Slot *operands[3] = {target.data(), target.data(), target.data()};
    for (auto [j, operand] : llvm::enumerate(op.operands))
      operands[j] = values[operand].data();
    for (int64_t i = 0; i != run.count; ++i)
      target[i] = evaluateElement(op, info, round, run, i, operands[0][i],
                                  operands[1][i], operands[2][i]);
  }
  results.resize(yields.size());
  for (auto [index, yield] : llvm::enumerate(yields)) {
    results[index].resize(run.count);
    for (int64_t i = 0; i != run.count; ++i)
      results[index][i] = isFloatType(ops[yield].type)
                              ? values[yield][i].f
                              : static_cast<double>(values[yield][i].i);
  }
}
