//===- ElementwisePtxTest.cpp - Tests of epilogues as kernels -------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rest of an epilogue after a fused bias runs on the emulator, and its
// results are compared with those of libm.
//
//===----------------------------------------------------------------------===//

#include "ElementwisePtx.h"

#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Runtime/HostTensor.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tcgemm;

namespace {

constexpr ScalarType kF32 = ScalarType::F32;

EpilogueOpInfo constant(double value) {
  EpilogueOpInfo op{"arith.constant", kF32};
  op.value = value;
  return op;
}

/// D of `type` with an epilogue over a bias along n, a matrix of `type` and a
/// scalar, which are values 1 to 3; more operations follow.
KernelInfo makeKernel(ScalarType type, std::vector<EpilogueOpInfo> ops) {
  KernelInfo kernel;
  kernel.operands = {{"A", OperandUse::A, type, {Dim::M, Dim::K}},
                     {"B", OperandUse::B, type, {Dim::N, Dim::K}},
                     {"bias", OperandUse::Input, kF32, {Dim::N}},
                     {"matrix", OperandUse::Input, type, {Dim::M, Dim::N}},
                     {"scale", OperandUse::Scalar, kF32, {}},
                     {"out0", OperandUse::Output, type, {Dim::M, Dim::N}}};
  kernel.epilogue.ops = {{"argument", kF32},
                         {"argument", kF32},
                         {"argument", type},
                         {"argument", kF32}};
  for (EpilogueOpInfo &op : ops)
    kernel.epilogue.ops.push_back(std::move(op));
  kernel.epilogue.ops.push_back(
      {"arith.truncf", type, {unsigned(kernel.epilogue.ops.size()) - 1}});
  kernel.epilogue.yields = {unsigned(kernel.epilogue.ops.size()) - 1};
  return kernel;
}

/// bias + GELU by erf + residual, as a function of the biased sum.
const std::vector<EpilogueOpInfo> kGelu = {{"arith.addf", kF32, {0, 1}}, // 4
                                           constant(0.70710678118654752),
                                           {"arith.mulf", kF32, {4, 5}},
                                           {"math.erf", kF32, {6}},
                                           constant(1), // 8
                                           {"arith.addf", kF32, {7, 8}},
                                           constant(0.5),
                                           {"arith.mulf", kF32, {4, 10}},
                                           {"arith.mulf", kF32, {11, 9}}, // 12
                                           {"arith.extf", kF32, {2}},
                                           {"arith.addf", kF32, {12, 13}}};

/// (x + bias) · sigmoid(x + bias) · gate · scale.
const std::vector<EpilogueOpInfo> kGated = {{"arith.addf", kF32, {1, 0}}, // 4
                                            {"arith.negf", kF32, {4}},
                                            {"math.exp", kF32, {5}},
                                            constant(1),
                                            {"arith.addf", kF32, {6, 7}}, // 8
                                            {"arith.divf", kF32, {4, 8}},
                                            {"arith.extf", kF32, {2}},
                                            {"arith.mulf", kF32, {9, 10}},
                                            {"arith.mulf", kF32, {11, 3}}};

KernelArgument argument(const void *data, size_t bytes) {
  KernelArgument result(bytes);
  std::memcpy(result.data(), data, bytes);
  return result;
}
template <typename T> KernelArgument argument(T value) {
  return argument(&value, sizeof(value));
}

/// Runs the kernel over `count` elements from -8 to 8; compares with
/// `expected`, of the element before and of the matrix.
template <typename Function>
void check(const KernelInfo &kernel, float scale, Function expected) {
  constexpr int64_t count = 3 * 256 * 8 + 24; // The last block has 3 threads.
  EpilogueSplit split = splitEpilogue(kernel);
  ElementwiseKernel written = llvm::cantFail(writeElementwise(kernel, split));
  ScalarType type = kernel.operands.back().type;
  HostTensor output(type, StridedShape::rowMajor({count}));
  HostTensor matrix = output;
  for (int64_t i = 0; i != count; ++i) {
    output.set(i, -8 + 16.0 * static_cast<double>(i) / count);
    matrix.set(i, static_cast<double>(i % 13) - 6);
  }
  HostTensor before = output;
  std::unique_ptr<Device> device = llvm::cantFail(openEmulator({}));
  Buffer out = llvm::cantFail(device->allocate(output.bytes.size()));
  Buffer in = llvm::cantFail(device->allocate(matrix.bytes.size()));
  for (auto [buffer, tensor] :
       {std::pair(&out, &output), std::pair(&in, &matrix)})
    llvm::cantFail(device->copyToDevice(
        buffer->getAddress(), tensor->bytes.data(), tensor->bytes.size()));
  std::unique_ptr<Module> module =
      llvm::cantFail(device->loadModule(ModuleImage{written.ptx, ""}));
  Kernel *entry = llvm::cantFail(module->getKernel("elementwise"));
  LaunchConfig config;
  config.grid[0] = 4;
  config.block[0] = ElementwiseKernel::kThreads;
  std::vector<KernelArgument> arguments = {argument(out.getAddress()),
                                           argument(in.getAddress())};
  for (size_t i = 0; i != written.scalars.size(); ++i)
    arguments.push_back(argument(scale));
  arguments.push_back(argument(uint32_t(count / ElementwiseKernel::kVector)));
  llvm::cantFail(device->launch(*entry, config, arguments));
  llvm::cantFail(device->copyFromDevice(output.bytes.data(), out.getAddress(),
                                        output.bytes.size()));
  for (int64_t i = 0; i != count; ++i) {
    double value = expected(before.get(i), matrix.get(i));
    // One rounding, and the error of the approximations.
    ASSERT_NEAR(output.get(i), value, getUlp(type, value) + 1e-5)
        << "element " << i << ", " << before.get(i);
  }
}

TEST(ElementwisePtx, GeluAndResidual) {
  KernelInfo kernel = makeKernel(ScalarType::BF16, kGelu);
  EpilogueSplit split = splitEpilogue(kernel);
  EXPECT_EQ(split.bias, 2U);
  EXPECT_EQ(split.start, 4U);
  EXPECT_FALSE(split.isWhole);
  check(kernel, 0, [](double x, double residual) {
    return x / 2 * (1 + std::erf(x * std::sqrt(0.5))) + residual;
  });
}

TEST(ElementwisePtx, GatedSilu) {
  check(makeKernel(ScalarType::F16, kGated), 0.75F, [](double x, double gate) {
    return x / (1 + std::exp(-x)) * gate * 0.75;
  });
}

TEST(ElementwisePtx, WhatIsFused) {
  // Only a bias: no elementwise kernel is needed.
  std::vector<EpilogueOpInfo> ops = {{"arith.addf", kF32, {0, 1}}};
  EXPECT_TRUE(splitEpilogue(makeKernel(ScalarType::BF16, ops)).isWhole);
  // Other added operands, a bias after other operations, and a bias whose sum
  // has other uses are not fused.
  ops = {{"arith.extf", kF32, {2}}, {"arith.addf", kF32, {0, 4}}};
  EXPECT_FALSE(splitEpilogue(makeKernel(ScalarType::BF16, ops)).bias);
  ops = {{"math.absf", kF32, {0}}, {"arith.addf", kF32, {4, 1}}};
  EXPECT_FALSE(splitEpilogue(makeKernel(ScalarType::BF16, ops)).bias);
  ops = {{"arith.addf", kF32, {0, 1}}, {"arith.mulf", kF32, {4, 0}}};
  EXPECT_FALSE(splitEpilogue(makeKernel(ScalarType::BF16, ops)).bias);
}

TEST(ElementwisePtx, FactorsAreTheLibrarys) {
  // scale * A·B + scale * matrix, in any order.
  std::vector<EpilogueOpInfo> ops = {{"arith.mulf", kF32, {3, 0}},
                                     {"arith.extf", kF32, {2}},
                                     {"arith.mulf", kF32, {5, 3}},
                                     {"arith.addf", kF32, {6, 4}}};
  EpilogueSplit split = splitEpilogue(makeKernel(ScalarType::BF16, ops));
  EXPECT_EQ(split.alpha, 4U);
  EXPECT_EQ(split.addend, 3U);
  EXPECT_EQ(split.beta, 4U);
  EXPECT_TRUE(split.isWhole);
  // Without beta the product has a factor only.
  ops.resize(1);
  split = splitEpilogue(makeKernel(ScalarType::BF16, ops));
  EXPECT_EQ(split.alpha, 4U);
  EXPECT_FALSE(split.addend);
  EXPECT_TRUE(split.isWhole);
  // A vector is no C, and neither is a matrix of another type.
  ops = {{"arith.mulf", kF32, {1, 3}}, {"arith.addf", kF32, {4, 0}}};
  EXPECT_FALSE(splitEpilogue(makeKernel(ScalarType::BF16, ops)).addend);
  ops = {{"arith.extf", kF32, {2}},
         {"arith.mulf", kF32, {4, 3}},
         {"arith.addf", kF32, {5, 0}}};
  KernelInfo kernel = makeKernel(ScalarType::BF16, ops);
  EXPECT_TRUE(splitEpilogue(kernel).addend);
  kernel.operands[3].type = ScalarType::F16;
  EXPECT_FALSE(splitEpilogue(kernel).addend);
}

TEST(ElementwisePtx, ScalesOfFP8AreFused) {
  std::vector<EpilogueOpInfo> ops = {{"arith.mulf", kF32, {0, 3}},
                                     {"arith.addf", kF32, {4, 1}}};
  KernelInfo kernel = makeKernel(ScalarType::BF16, ops);
  kernel.operands[4].role = OperandUse::Input;
  // Only FP8 has scales in the library.
  EXPECT_TRUE(splitEpilogue(kernel).scales.empty());
  EXPECT_FALSE(splitEpilogue(kernel).bias);
  kernel.operands[0].type = kernel.operands[1].type = ScalarType::E4M3;
  EpilogueSplit split = splitEpilogue(kernel);
  EXPECT_EQ(split.scales, std::vector<unsigned>({4}));
  EXPECT_EQ(split.bias, 2U);
  EXPECT_TRUE(split.isWhole);
  // A value that the caller passes is not in memory.
  kernel.operands[4].role = OperandUse::Scalar;
  EXPECT_TRUE(splitEpilogue(kernel).scales.empty());
}

std::string getError(const KernelInfo &kernel) {
  llvm::Expected<ElementwiseKernel> written =
      writeElementwise(kernel, splitEpilogue(kernel));
  return written ? "" : llvm::toString(written.takeError());
}

TEST(ElementwisePtx, WhatCannotBeIsNamed) {
  std::vector<EpilogueOpInfo> ops = {{"math.cbrt", kF32, {0}}};
  EXPECT_EQ(getError(makeKernel(ScalarType::BF16, ops)),
            "'math.cbrt' to f32 has no translation");
  ops = {{"math.absf", kF32, {0}}, {"arith.addf", kF32, {4, 1}}};
  EXPECT_EQ(getError(makeKernel(ScalarType::BF16, ops)),
            "input 'bias' is not a matrix of the output's size");
  EXPECT_EQ(getError(makeKernel(ScalarType::F32, ops)),
            "the output is neither bf16 nor f16");
}

} // namespace
