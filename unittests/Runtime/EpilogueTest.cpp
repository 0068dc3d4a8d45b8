//===- EpilogueTest.cpp - Tests of the epilogue interpreter ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single operations by value, rounding, and programs that are refused.
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"

#include "tcgemm/Runtime/Epilogue.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tcgemm;

namespace {

/// A kernel with `numInputs` f32 inputs after A and B, and this program after
/// its arguments.
KernelInfo makeKernel(unsigned numInputs,
                      const std::vector<EpilogueOpInfo> &ops) {
  KernelInfo kernel = makeTestPack().manifest.kernels[0];
  kernel.epilogue.ops.assign(1 + numInputs, {"argument", ScalarType::F32});
  for (unsigned i = 0; i != numInputs; ++i)
    kernel.operands.push_back({"in" + std::to_string(i),
                               OperandUse::Input,
                               ScalarType::F32,
                               {Dim::N}});
  for (const EpilogueOpInfo &op : ops)
    kernel.epilogue.ops.push_back(op);
  kernel.epilogue.yields = {
      static_cast<unsigned>(kernel.epilogue.ops.size() - 1)};
  return kernel;
}

double run(unsigned numInputs, std::vector<EpilogueOpInfo> ops,
           const std::vector<double> &values, bool *inexact = nullptr) {
  llvm::Expected<EpilogueInterpreter> interpreter =
      EpilogueInterpreter::create(makeKernel(numInputs, std::move(ops)));
  if (!interpreter) {
    ADD_FAILURE() << llvm::toString(interpreter.takeError());
    return 0;
  }
  EpilogueRun run;
  int64_t n = 7;
  run.count = 1;
  run.b = 3;
  run.m = 5;
  run.n = n;
  for (const double &value : values)
    run.arguments.push_back(&value);
  std::vector<std::vector<double>> results;
  std::vector<uint8_t> flags;
  interpreter->evaluate(run, nullptr, results, &flags);
  if (inexact)
    *inexact = flags[0];
  return results[0][0];
}

double unary(const char *op, double value) {
  return run(0, {{op, ScalarType::F32, {0}}}, {value});
}

double binary(const char *op, double a, double b) {
  return run(1, {{op, ScalarType::F32, {0, 1}}}, {a, b});
}

std::string getError(unsigned numInputs, std::vector<EpilogueOpInfo> ops) {
  llvm::Expected<EpilogueInterpreter> interpreter =
      EpilogueInterpreter::create(makeKernel(numInputs, std::move(ops)));
  return interpreter ? "" : llvm::toString(interpreter.takeError());
}

TEST(Epilogue, Arithmetic) {
  EXPECT_EQ(binary("arith.addf", 2, 3), 5);
  EXPECT_EQ(binary("arith.subf", 2, 3), -1);
  EXPECT_EQ(binary("arith.mulf", 2, 3), 6);
  EXPECT_EQ(binary("arith.divf", 1, 3), double(1.0F / 3.0F));
  EXPECT_EQ(binary("arith.addf", 1, 0x1p-30), 1); // Rounded to f32.
  EXPECT_EQ(unary("arith.negf", 2), -2);
  EXPECT_EQ(unary("math.roundeven", 2.5), 2);
  EXPECT_EQ(unary("math.round", 2.5), 3);
  EXPECT_EQ(unary("math.trunc", -2.5), -2);
  EXPECT_EQ(unary("math.floor", -2.5), -3);
  EXPECT_EQ(unary("math.erf", 0.5), double(float(std::erf(0.5))));
  EXPECT_EQ(unary("math.rsqrt", 4), 0.5);
  EXPECT_EQ(binary("math.copysign", 3, -0.0), -3);
  EXPECT_EQ(binary("math.powf", 2, 10), 1024);
}

TEST(Epilogue, MinimaAndMaximaDifferInNaN) {
  EXPECT_TRUE(std::isnan(binary("arith.maximumf", NAN, 1)));
  EXPECT_TRUE(std::isnan(binary("arith.minimumf", 1, NAN)));
  EXPECT_EQ(binary("arith.maxnumf", NAN, 1), 1);
  EXPECT_EQ(binary("arith.minnumf", 1, NAN), 1);
  EXPECT_FALSE(std::signbit(binary("arith.maximumf", -0.0, 0.0)));
  EXPECT_TRUE(std::signbit(binary("arith.minimumf", 0.0, -0.0)));
  EXPECT_EQ(binary("arith.maximumf", -3, 2), 2);
  EXPECT_EQ(binary("arith.minimumf", -3, 2), -3);
}

TEST(Epilogue, ComparesAndSelects) {
  auto select = [](const char *predicate, double a, double b) {
    EpilogueOpInfo compare{"arith.cmpf", ScalarType::I1, {0, 1}};
    compare.predicate = predicate;
    return run(1, {compare, {"arith.select", ScalarType::F32, {2, 0, 1}}},
               {a, b});
  };
  EXPECT_EQ(select("ogt", 1, 2), 2);
  EXPECT_EQ(select("olt", 1, 2), 1);
  EXPECT_EQ(select("one", 1, 2), 1);
  EXPECT_EQ(select("ueq", 1, 2), 2);
  EXPECT_EQ(select("ogt", NAN, 2), 2);
  EXPECT_TRUE(std::isnan(select("ugt", NAN, 2)));
  EXPECT_TRUE(std::isnan(select("uno", NAN, 2)));
  EXPECT_EQ(select("ord", NAN, 2), 2);
  EXPECT_EQ(select("true", 1, 2), 1);
  EXPECT_EQ(select("false", 1, 2), 2);
}

TEST(Epilogue, CastsAndIntegers) {
  EXPECT_EQ(run(0, {{"arith.truncf", ScalarType::BF16, {0}}}, {1 + 0x1p-8}), 1);
  EXPECT_EQ(run(0,
                {{"arith.fptosi", ScalarType::I32, {0}},
                 {"arith.trunci", ScalarType::I8, {1}},
                 {"arith.sitofp", ScalarType::F32, {2}}},
                {200.7}),
            -56);
  EXPECT_EQ(run(0,
                {{"arith.fptosi", ScalarType::I8, {0}},
                 {"arith.uitofp", ScalarType::F32, {1}}},
                {-1}),
            255);
  EXPECT_EQ(run(0,
                {{"arith.bitcast", ScalarType::I32, {0}},
                 {"arith.addi", ScalarType::I32, {1, 1}},
                 {"arith.bitcast", ScalarType::F32, {2}}},
                {0}),
            0);
  EpilogueOpInfo constant{"arith.constant", ScalarType::I32};
  constant.value = int64_t(3);
  EXPECT_EQ(run(0,
                {{"arith.fptosi", ScalarType::I32, {0}},
                 constant,
                 {"arith.shli", ScalarType::I32, {1, 2}},
                 {"arith.floordivsi", ScalarType::I32, {1, 2}},
                 {"arith.addi", ScalarType::I32, {3, 4}},
                 {"arith.sitofp", ScalarType::F32, {5}}},
                {-7}),
            -56 - 3);
}

/// As PTX does it: a device's kernel is compared with the result.
TEST(Epilogue, IntegersOutOfRange) {
  auto convert = [](const char *name, ScalarType type, double value) {
    const char *back =
        llvm::StringRef(name).ends_with("si") ? "arith.sitofp" : "arith.uitofp";
    return run(0, {{name, type, {0}}, {back, ScalarType::F32, {1}}}, {value});
  };
  EXPECT_EQ(convert("arith.fptosi", ScalarType::I32, 3e9), 0x1p31);
  EXPECT_EQ(convert("arith.fptosi", ScalarType::I32, -3e9), -0x1p31);
  EXPECT_EQ(convert("arith.fptosi", ScalarType::I32, HUGE_VAL), 0x1p31);
  EXPECT_EQ(convert("arith.fptosi", ScalarType::I32, NAN), 0);
  EXPECT_EQ(convert("arith.fptoui", ScalarType::I32, 3e9), 3e9F);
  EXPECT_EQ(convert("arith.fptoui", ScalarType::I32, 5e9), 0x1p32);
  EXPECT_EQ(convert("arith.fptoui", ScalarType::I32, -5), 0);
  EXPECT_EQ(convert("arith.fptosi", ScalarType::I64, 1e30), 0x1p63);
  EXPECT_EQ(convert("arith.fptosi", ScalarType::I64, -1e30), -0x1p63);
  EXPECT_EQ(convert("arith.fptoui", ScalarType::I64, 1e19), 1e19F);
}

TEST(Epilogue, Indices) {
  for (auto [dim, expected] :
       {std::pair(Dim::Batch, 3), std::pair(Dim::M, 5), std::pair(Dim::N, 7)}) {
    EpilogueOpInfo index{"tcgemm.index", ScalarType::Index};
    index.dim = dim;
    EXPECT_EQ(run(0,
                  {index,
                   {"arith.index_cast", ScalarType::I32, {1}},
                   {"arith.sitofp", ScalarType::F32, {2}}},
                  {0}),
              expected);
  }
}

// Roundings of f64 cannot be seen in a double: only integers count as exact.
TEST(Epilogue, DoubleIsExactForIntegersOnly) {
  std::vector<EpilogueOpInfo> ops = {{"arith.extf", ScalarType::F64, {0}},
                                     {"arith.mulf", ScalarType::F64, {1, 1}},
                                     {"arith.addf", ScalarType::F64, {2, 1}}};
  bool inexact = true;
  EXPECT_EQ(run(0, ops, {3}, &inexact), 12);
  EXPECT_FALSE(inexact);
  EXPECT_EQ(run(0, ops, {0.75}, &inexact), 1.3125);
  EXPECT_TRUE(inexact);
  EXPECT_EQ(run(0, ops, {0x1p27}, &inexact), 0x1p54 + 0x1p27);
  EXPECT_TRUE(inexact);
}

TEST(Epilogue, NotesRounding) {
  bool inexact = true;
  run(1,
      {{"arith.mulf", ScalarType::F32, {0, 1}},
       {"arith.addf", ScalarType::F32, {2, 1}},
       {"arith.truncf", ScalarType::BF16, {3}}},
      {1001, 3}, &inexact);
  EXPECT_FALSE(inexact); // Only the last operation rounds.
  run(1,
      {{"arith.mulf", ScalarType::F32, {0, 1}},
       {"arith.addf", ScalarType::F32, {2, 1}}},
      {1 + 0x1p-20, 1 + 0x1p-20}, &inexact);
  EXPECT_TRUE(inexact);
  run(0, {{"math.exp", ScalarType::F32, {0}}}, {0}, &inexact);
  EXPECT_TRUE(inexact);
}

TEST(Epilogue, PerturbationMovesResults) {
  llvm::Expected<EpilogueInterpreter> interpreter = EpilogueInterpreter::create(
      makeKernel(0, {{"math.exp", ScalarType::F32, {0}}}));
  ASSERT_TRUE(bool(interpreter));
  double value = 1;
  int64_t n = 0;
  EpilogueRun run;
  run.count = 1;
  run.n = n;
  run.arguments = {&value};
  std::vector<std::vector<double>> exact, moved;
  interpreter->evaluate(run, nullptr, exact, nullptr);
  Perturbation perturbation;
  perturbation.math = 0x1p-10;
  interpreter->evaluate(run, &perturbation, moved, nullptr);
  double change = std::fabs(moved[0][0] / exact[0][0] - 1);
  EXPECT_NEAR(change, 0x1p-10, 0x1p-20);
}

TEST(Epilogue, BetaRule) {
  KernelInfo kernel = makeKernel(1, {{"arith.mulf", ScalarType::F32, {1, 2}},
                                     {"arith.addf", ScalarType::F32, {0, 3}}});
  kernel.operands.push_back({"beta", OperandUse::Scalar, ScalarType::F32, {}});
  auto &ops = kernel.epilogue.ops;
  ops.insert(ops.begin(), {"argument", ScalarType::F32});
  kernel.epilogue.yields = {4};
  llvm::Expected<EpilogueInterpreter> interpreter =
      EpilogueInterpreter::create(kernel);
  ASSERT_TRUE(bool(interpreter)) << llvm::toString(interpreter.takeError());
  EXPECT_EQ(interpreter->getZeroScalar(1), 2U);
  EXPECT_EQ(interpreter->getZeroScalar(0), std::nullopt);
  // With a second use the input is read in any case.
  ops.push_back({"arith.addf", ScalarType::F32, {4, 1}});
  kernel.epilogue.yields = {5};
  interpreter = EpilogueInterpreter::create(kernel);
  ASSERT_TRUE(bool(interpreter));
  EXPECT_EQ(interpreter->getZeroScalar(1), std::nullopt);
}

TEST(Epilogue, Refuses) {
  EXPECT_NE(getError(0, {{"math.bessel", ScalarType::F32, {0}}})
                .find("('math.bessel'): the host interpreter does not know"),
            std::string::npos);
  EXPECT_NE(getError(0, {{"arith.addf", ScalarType::F32, {0}}})
                .find("takes 2 operands, has 1"),
            std::string::npos);
  EXPECT_NE(getError(0, {{"arith.addi", ScalarType::I32, {0, 0}}})
                .find("cannot take f32 to i32"),
            std::string::npos);
  EpilogueOpInfo compare{"arith.cmpf", ScalarType::I1, {0, 0}};
  compare.predicate = "slt";
  EXPECT_NE(getError(0, {compare}).find("unknown predicate 'slt'"),
            std::string::npos);
  EXPECT_NE(
      getError(0, {{"arith.constant", ScalarType::F32}}).find("needs a value"),
      std::string::npos);
}

} // namespace
