//===- EpilogueOps.h - Operations of the interpreter ------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Name, class and host implementation of every arith and math operation of an
// epilogue.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_RUNTIME_EPILOGUEOPS_H
#define TCGEMM_LIB_RUNTIME_EPILOGUEOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tcgemm {

/// The signature of an operation. `Float*` have float operands and results;
/// `Int*` have sign-extended integers.
enum class OpShape {
  FloatUnary,
  FloatBinary,
  FloatTernary,
  IntUnary,
  IntBinary,
  FloatTest, ///< Float to i1.
  CompareFloat,
  CompareInt,
  Select,
  Constant,
  Index,
  FloatCast,
  SignedToFloat,
  UnsignedToFloat,
  FloatToSigned,
  FloatToUnsigned,
  SignExtend,
  ZeroExtend,
  Truncate,
  Bitcast,
};

/// The expected accuracy of a device.
enum class OpAccuracy {
  Exact,    ///< No rounding at all: negf, select, floor.
  Rounding, ///< One correct rounding: addf, truncf.
  Math,     ///< An approximation: exp, divf (which may be approximate).
};

struct OpInfo {
  llvm::StringRef name;
  OpShape shape;
  unsigned numOperands;
  OpAccuracy accuracy = OpAccuracy::Exact;
  double (*unary)(double) = nullptr;
  double (*binary)(double, double) = nullptr;
  double (*ternary)(double, double, double) = nullptr;
  int64_t (*integer)(int64_t, int64_t, unsigned bits) = nullptr;
};

/// The number of known operations, and one of them.
unsigned getNumOps();
const OpInfo &getOpInfo(unsigned code);
/// The code of an operation; getNumOps() if it is unknown.
unsigned findOp(llvm::StringRef name);

/// The number of a comparison predicate in MLIR's order; -1 if unknown.
int findFloatPredicate(llvm::StringRef name);
int findIntPredicate(llvm::StringRef name);
bool compareFloats(unsigned predicate, double a, double b);
bool compareInts(unsigned predicate, int64_t a, int64_t b, unsigned bits);

/// The low `bits` of `value`, without or with sign extension.
uint64_t zeroExtend(int64_t value, unsigned bits);
int64_t signExtend(int64_t value, unsigned bits);

} // namespace tcgemm

#endif // TCGEMM_LIB_RUNTIME_EPILOGUEOPS_H
