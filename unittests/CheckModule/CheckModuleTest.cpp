//===- CheckModuleTest.cpp - Tests of tcgemm-check-module's parts ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTensor.h"
#include "Signature.h"
#include "Tolerance.h"

#include "mlir/Parser/Parser.h"
#include "tcgemm/EmulatedDriver/EmulatedDriver.h"
#include "tcgemm/GpuRuntime/GpuRuntime.h"
#include "tcgemm/InitAll.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tcgemm;

namespace {

HostTensor makeTensor(ScalarType type, std::vector<double> values) {
  HostTensor tensor(type, StridedShape::rowMajor({int64_t(values.size())}));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.set(i, value);
  return tensor;
}

Comparison compareValues(ScalarType type, std::vector<double> a,
                         std::vector<double> b, double tolerance) {
  return compare(makeTensor(type, std::move(a)), makeTensor(type, std::move(b)),
                 tolerance);
}

TEST(Tolerance, IsRelativeToTheLargestMagnitude) {
  Comparison near = compareValues(ScalarType::F32, {100, 1}, {100, 1.5}, 0.01);
  EXPECT_TRUE(near.passed);
  EXPECT_EQ(near.largestError, 0.5);
  EXPECT_EQ(near.tolerance, 1);
  Comparison far = compareValues(ScalarType::F32, {100, 1}, {100, 3}, 0.01);
  EXPECT_FALSE(far.passed);
  EXPECT_EQ(far.numWrong, 1);
  EXPECT_EQ(far.firstWrong, "[1] is 3.00, expected 1.00");
}

TEST(Tolerance, SpecialValuesAndIntegersMustBeEqual) {
  double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  auto passes = [&](double a, double b) {
    return compareValues(ScalarType::F32, {a}, {b}, 1).passed;
  };
  EXPECT_TRUE(passes(nan, nan));
  EXPECT_FALSE(passes(nan, 0));
  EXPECT_FALSE(passes(0, nan));
  EXPECT_TRUE(passes(inf, inf));
  EXPECT_FALSE(passes(inf, -inf));
  EXPECT_FALSE(passes(1, inf));
  EXPECT_FALSE(compareValues(ScalarType::I32, {3}, {4}, 100).passed);
}

class Functions : public testing::Test {
protected:
  Functions() {
    DialectRegistry registry;
    registerUpstreamDialects(registry);
    context.appendDialectRegistry(registry);
  }
  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return *module->getOps<func::FuncOp>().begin();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringRef kMatmul = R"(
  func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x48xbf16>, %d: tensor<?x?xf32>)
      -> (tensor<?x?xf32>, tensor<?x48xbf16>) {
    %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x48xbf16>)
                       outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %0, %b : tensor<?x?xf32>, tensor<?x48xbf16>
  })";

TEST_F(Functions, SizesThatOperationsTieAreEqual) {
  SizeOptions options;
  options.shapes["arg0"] = {5, 7};
  auto signature = readSignature(parse(kMatmul), options);
  ASSERT_TRUE(bool(signature)) << toString(signature.takeError());
  EXPECT_EQ(signature->arguments[1].sizes, std::vector<int64_t>({7, 48}));
  EXPECT_EQ(signature->arguments[2].sizes, std::vector<int64_t>({5, 48}));
  options.shapes["arg2"] = {6, 48};
  auto wrong = readSignature(parse(kMatmul), options);
  ASSERT_FALSE(bool(wrong));
  EXPECT_EQ(toString(wrong.takeError()),
            "--size: dimension 0 of arg2 is 5, not 6");
}

TEST_F(Functions, TypesThatCannotBeChecked) {
  auto signature =
      readSignature(parse("func.func @f(%a: memref<4xf32>) { return }"), {});
  ASSERT_FALSE(bool(signature));
  EXPECT_EQ(toString(signature.takeError()),
            "argument 0 has type memref<4xf32>, but only ranked tensors and "
            "scalars of float and integer types can be checked");
}

TEST_F(Functions, TheToleranceIsThatOfTheResult) {
  func::FuncOp function = parse(kMatmul);
  Operation *end = function.getBody().back().getTerminator();
  // One operation in f32, and a sum of 100.
  EXPECT_EQ(getRelativeTolerance(end->getOperand(0), 100),
            103 * std::ldexp(1.0, -24));
  EXPECT_EQ(getRelativeTolerance(end->getOperand(1), 100), 0);
}

TEST(DeviceTensor, FindsWritesBesideIt) {
  tcgemm_gpu_set_driver_functions(findEmulatedDriverFunction);
  HostTensor contents = makeTensor(ScalarType::F32, {1, 2, 3}), read = contents;
  DeviceTensor tensor(contents, /*hasGuards=*/true);
  EXPECT_TRUE(tensor.read(read));
  EXPECT_EQ(read.bytes, contents.bytes);
  auto *data = static_cast<char *>(tensor.getData());
  mgpuMemset32(data + 4, 0, 1, nullptr);
  EXPECT_TRUE(tensor.read(read));
  EXPECT_EQ(read.get(1), 0);
  for (int offset : {-4, 12}) {
    uint32_t guard = 0;
    mgpuMemcpy(&guard, data + offset, 4, nullptr);
    mgpuMemset32(data + offset, 0, 1, nullptr);
    EXPECT_FALSE(tensor.read(read)) << offset;
    mgpuMemcpy(data + offset, &guard, 4, nullptr);
    EXPECT_TRUE(tensor.read(read));
  }
  EXPECT_FALSE(gpu_runtime::takeError());
}

} // namespace
