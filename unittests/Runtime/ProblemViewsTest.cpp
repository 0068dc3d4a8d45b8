//===- ProblemViewsTest.cpp - Tests of views, fills, copies, constants ----===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fake device computes the product on the host, rightly or with a fault.
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestKernels.h"

#include "tcgemm/Runtime/Benchmark.h"
#include "tcgemm/Runtime/StridedCopy.h"
#include "tcgemm/Target/CopyKernel.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

constexpr int64_t kM = 5, kN = 4, kK = 6;

uint8_t *at(uint64_t address) { return reinterpret_cast<uint8_t *>(address); }

Expr expr(const char *text) { return llvm::cantFail(Expr::parse(text)); }

/// A is every second row of `arg0` from row 3 on, B the constant `const0`, D
/// columns 2 to 5 of `arg1`.
class ProblemViewsTest : public testing::Test {
protected:
  ProblemViewsTest() : pack(makeTestPack()) {
    pack.manifest.kernels[0].variants[1].steps[0].arguments = {
        Argument::pointer("A"), Argument::pointer("B"),
        Argument::pointer("out0")};
    options.variant = "general";
    PackConstant b;
    b.name = "b";
    b.type = ScalarType::BF16;
    b.shape = {kN, kK};
    b.file = "b.bin";
    b.sha256.assign(64, '0');
    pack.manifest.constants = {b};
    pack.constants.resize(1);
    for (int64_t i = 0; i != kN * kK; ++i) {
      std::vector<uint8_t> element =
          encodeScalar(b.type, static_cast<double>(i % 7));
      pack.constants[0].append(element.begin(), element.end());
    }
    FunctionInfo &function = getFunction();
    function.arguments = {
        {ScalarType::BF16, {std::nullopt, kK}, AccessKind::Read},
        {ScalarType::BF16, {kM, 8}, AccessKind::Write}};
    function.views = {
        {"arg0", expr("3 * 6"), {expr("5"), expr("6")}, {12, 1}},
        {"arg1", expr("2"), {expr("5"), expr("4")}, {expr("8"), 1}}};
    function.launches = {LaunchInfo{"gemm", {"view0", "const0", "view1"}}};
    options.shapes["arg0"] = {12, kK};
  }

  FunctionInfo &getFunction() { return pack.manifest.functions[0]; }

  static void multiply(const RecordedLaunch &launch) {
    auto get = [&](unsigned argument, int64_t offset) {
      return loadElement(ScalarType::BF16,
                         at(launch.get<uint64_t>(argument)) + offset * 2);
    };
    for (int64_t i = 0; i != kM; ++i)
      for (int64_t j = 0; j != kN; ++j) {
        double sum = 0;
        for (int64_t l = 0; l != kK; ++l)
          sum += get(0, i * 12 + l) * get(1, j * kK + l);
        storeElement(ScalarType::BF16, sum,
                     at(launch.get<uint64_t>(2)) + (i * 8 + j) * 2);
      }
  }

  /// What the kernel of StridedCopy.h does.
  static void copyElements(const RecordedLaunch &launch) {
    constexpr unsigned firstDim = 5, numDims = 6;
    std::function<void(uint64_t, uint64_t, unsigned)> copy =
        [&](uint64_t from, uint64_t to, unsigned dim) {
          if (dim == numDims) {
            std::memcpy(reinterpret_cast<void *>(to),
                        reinterpret_cast<const void *>(from), 2);
            return;
          }
          unsigned at = firstDim + 3 * dim;
          for (uint32_t i = 0; i != launch.get<uint32_t>(at); ++i)
            copy(from + i * launch.get<uint64_t>(at + 1),
                 to + i * launch.get<uint64_t>(at + 2), dim + 1);
        };
    copy(launch.get<uint64_t>(0), launch.get<uint64_t>(1), 0);
  }

  llvm::Expected<RunResult> run() {
    EXPECT_EQ(llvm::toString(verifyManifest(pack.manifest)), "");
    device.onLaunch = [&](const RecordedLaunch &launch) {
      if (launch.symbol == getCopyKernelName(2))
        copyElements(launch);
      else
        multiply(launch);
      if (fault)
        fault(launch);
    };
    llvm::Expected<Problem> created = Problem::create(pack, options);
    if (!created)
      return created.takeError();
    problem = std::move(*created);
    if (llvm::Error error = problem.fill())
      return std::move(error);
    Executor executor(device, pack);
    return runAndVerify(device, executor, problem, {});
  }
  /// The damage that the first launch has done.
  std::string getDamage() {
    llvm::Expected<RunResult> result = run();
    return result ? result->launches.at(0).damage
                  : llvm::toString(result.takeError());
  }
  std::string getError() {
    EXPECT_EQ(llvm::toString(verifyManifest(pack.manifest)), "");
    llvm::Expected<Problem> created = Problem::create(pack, options);
    return created ? "" : llvm::toString(created.takeError());
  }
  double getElement(unsigned buffer, int64_t offset) {
    const ProblemBuffer &of = problem.buffers[buffer];
    return loadElement(of.type, of.image.data() + of.getStart() +
                                    offset * getByteSize(of.type));
  }

  KernelPack pack;
  ProblemOptions options;
  FakeDevice device;
  Problem problem;
  std::function<void(const RecordedLaunch &)> fault;
};

TEST_F(ProblemViewsTest, RightKernelsPass) {
  for (int64_t offset : {0, 5}) {
    options.defaultOffset = offset;
    llvm::Expected<RunResult> result = run();
    ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
    EXPECT_TRUE(result->passed()) << result->launches[0].report.summarize();
    EXPECT_EQ(result->launches[0].sizes, makeSizes(kM, kN, kK));
    EXPECT_EQ(result->launches[0].outputs[0].sample.size(), 20U);
  }
  EXPECT_EQ(device.numAllocations, 0);
}

TEST_F(ProblemViewsTest, RepetitionsPass) {
  options.repeat = 3;
  llvm::Expected<RunResult> result = run();
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->passed()) << result->launches[0].damage;
}

TEST_F(ProblemViewsTest, WritesBesideTheViewAreFound) {
  fault = [](const RecordedLaunch &launch) {
    at(launch.get<uint64_t>(2))[kN * 2] = 0;
  };
  EXPECT_EQ(getDamage(), "arg1 (out0): memory outside of it was written, "
                         "outside the view at element offset 6");
}

TEST_F(ProblemViewsTest, WrongElementsAreFound) {
  fault = [](const RecordedLaunch &launch) {
    storeElement(ScalarType::BF16, 1000, at(launch.get<uint64_t>(2)) + 16);
  };
  llvm::Expected<RunResult> result = run();
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->launches[0].report.numWrong, 1);
}

TEST_F(ProblemViewsTest, StepsRunInOrder) {
  FunctionInfo &function = getFunction();
  function.temporaries = {{ScalarType::BF16, {expr("5"), expr("8")}}};
  // Columns 0 and 1 of arg1, and all of it mirrored across the diagonal.
  function.views.push_back({"arg1", 0, {5, 2}, {8, 1}});
  function.views.push_back({"tmp0", 0, {8, 5}, {1, 8}});
  function.views.push_back({"arg1", 0, {8, 5}, {1, 8}});
  function.launches = {FillInfo{"tmp0", ScalarType::BF16, 3.0},
                       FillInfo{"arg1", ScalarType::BF16, 7.0},
                       LaunchInfo{"gemm", {"view0", "const0", "view1"}},
                       CopyInfo{"view4", "view3"},
                       FillInfo{"view2", ScalarType::BF16, -1.0}};
  llvm::Expected<RunResult> result = run();
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_TRUE(result->passed()) << result->launches.at(0).damage;
  for (int64_t row = 0; row != 5; ++row)
    for (int64_t column = 0; column != 8; ++column) {
      double value = getElement(1, row * 8 + column);
      double copied = getElement(2, row * 8 + column);
      bool isResult = column >= 2 && column < 6;
      if (isResult) {
        EXPECT_EQ(value, copied);
      } else {
        EXPECT_EQ(value, column < 2 ? -1 : 7);
        EXPECT_EQ(copied, 7);
      }
    }
}

TEST_F(ProblemViewsTest, BenchmarksRefuseFills) {
  getFunction().launches.push_back(FillInfo{"arg1", ScalarType::BF16, 0.0});
  llvm::Expected<RunResult> result = run();
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  Executor executor(device, pack);
  llvm::Expected<BenchmarkReport> report =
      runBenchmark(device, executor, problem, {});
  EXPECT_EQ(llvm::toString(report.takeError()),
            "the function has fills, but a benchmark measures launches of "
            "kernels and copies only");
}

TEST_F(ProblemViewsTest, WrongCopiesAreFound) {
  FunctionInfo &function = getFunction();
  function.temporaries = {{ScalarType::BF16, {expr("5"), expr("8")}}};
  function.launches.push_back(CopyInfo{"arg1", "tmp0"});
  llvm::Expected<RunResult> result = run();
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  fault = [](const RecordedLaunch &launch) {
    if (launch.symbol == getCopyKernelName(2))
      *reinterpret_cast<uint8_t *>(launch.get<uint64_t>(1)) ^= 1;
  };
  EXPECT_EQ(llvm::toString(run().takeError()),
            "the device's result is wrong of: copy arg1 5x8 strides 8x1 to "
            "tmp0 5x8 strides 8x1\n");
}

TEST_F(ProblemViewsTest, BenchmarksCountCopies) {
  FunctionInfo &function = getFunction();
  function.temporaries = {{ScalarType::BF16, {expr("5"), expr("8")}}};
  function.launches.push_back(CopyInfo{"arg1", "tmp0"});
  ASSERT_TRUE(bool(run()));
  device.launches.clear();
  Executor executor(device, pack);
  llvm::Expected<BenchmarkReport> report =
      runBenchmark(device, executor, problem, {});
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  auto count = [&](llvm::StringRef symbol) {
    return llvm::count_if(device.launches, [&](const RecordedLaunch &launch) {
      return launch.symbol == symbol;
    });
  };
  EXPECT_GT(count(getCopyKernelName(2)), 0);
  EXPECT_EQ(2 * count(getCopyKernelName(2)), int64_t(device.launches.size()));
}

TEST_F(ProblemViewsTest, ConstantsHaveTheirContents) {
  ASSERT_TRUE(bool(run()));
  EXPECT_EQ(problem.buffers[2].name, "const0");
  for (int64_t i = 0; i != kN * kK; ++i)
    EXPECT_EQ(getElement(2, i), double(i % 7));
  pack.manifest.constants[0].file = "";
  pack.manifest.constants[0].sha256 = "";
  pack.manifest.constants[0].splat = 0.5;
  ASSERT_TRUE(bool(run()));
  EXPECT_EQ(getElement(2, kN * kK - 1), 0.5);
  options.fills["B"] = {};
  EXPECT_EQ(getError(), "fill: const0 (B) is the constant 'b' of the pack");
}

TEST_F(ProblemViewsTest, SizesFollowFromViews) {
  FunctionInfo &function = getFunction();
  options.shapes.clear();
  EXPECT_EQ(getError(), "the shape of arg0 is not known: give it");
  function.views[0] = {"arg0", 0, {expr("arg0.dim0"), 6}, {6, 1}};
  EXPECT_EQ(getError(), "");
  // M is that of the result.
  EXPECT_EQ(
      llvm::cantFail(Problem::create(pack, options)).buffers[0].shape.sizes[0],
      kM);
  function.arguments[1].shape[0] = std::nullopt;
  function.views[1] = {"arg1", 2, {expr("arg0.dim0"), 4}, {8, 1}};
  EXPECT_EQ(getError(), "M of kernel 'gemm' is not known: give it, or the "
                        "shape of arg0");
  options.sizes[unsigned(Dim::M)] = 3;
  EXPECT_EQ(getError(), "the shape of arg1 is not known: give it");
}

// A batch that is folded into M: the view's size is a product of two sizes.
TEST_F(ProblemViewsTest, SizesFollowFromFactorsOfOtherOperands) {
  FunctionInfo &function = getFunction();
  function.arguments = {
      {ScalarType::BF16, {std::nullopt, std::nullopt, kK}, AccessKind::Read},
      {ScalarType::BF16, {std::nullopt, std::nullopt, kN}, AccessKind::Write}};
  auto fold = [](const std::string &name, int64_t width) {
    return ViewInfo{name,
                    0,
                    {expr((name + ".dim0 * " + name + ".dim1").c_str()), width},
                    {width, 1}};
  };
  function.views = {fold("arg0", kK), fold("arg1", kN)};
  options.shapes = {{"arg0", {2, 7, kK}}};
  llvm::Expected<Problem> created = Problem::create(pack, options);
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  EXPECT_EQ(created->buffers[1].shape.sizes, (std::vector<int64_t>{2, 7, kN}));
  // A shape that is given stays, if its product is that of A.
  options.shapes["arg1"] = {7, 2, kN};
  EXPECT_EQ(getError(), "");
  // The product alone does not determine the factors.
  options.shapes.clear();
  options.sizes[unsigned(Dim::M)] = 14;
  EXPECT_EQ(getError(), "the shape of arg0 is not known: give it");
}

TEST_F(ProblemViewsTest, ViewsLieInsideTheirBuffer) {
  const ViewInfo good = getFunction().views[0];
  auto change = [&](auto &&edit) {
    ViewInfo view = good;
    edit(view);
    getFunction().views[0] = view;
    return getError();
  };
  EXPECT_EQ(change([](ViewInfo &view) { view.offset = 19; }),
            "view0 ends at element 73 of arg0 (A), which has 72");
  EXPECT_EQ(change([](ViewInfo &view) { view.sizes[0] = 6; }),
            "view0 ends at element 84 of arg0 (A), which has 72");
  EXPECT_EQ(change([](ViewInfo &view) { view.strides[0] = int64_t(1) << 62; }),
            "view0 ends beyond element 2^63 - 1 of arg0 (A), which has 72");
  EXPECT_EQ(change([](ViewInfo &view) {
              view.offset = std::numeric_limits<int64_t>::max();
            }),
            "view0 ends beyond element 2^63 - 1 of arg0 (A), which has 72");
  EXPECT_EQ(
      change([](ViewInfo &view) { view.offset = expr("arg0.dim0 - 13"); }),
      "view0: offset 'arg0.dim0 - 13' = -1 is negative");
  EXPECT_EQ(change([](ViewInfo &view) { view.strides[1] = expr("0 - 1"); }),
            "view0: stride '0 - 1' = -1 is negative");
  EXPECT_EQ(change([](ViewInfo &view) { view.sizes[1] = expr("6 - 7"); }),
            "view0: size '6 - 7' = -1 is negative");
  EXPECT_NE(change([](ViewInfo &view) {
              view.offset = expr("arg0.dim0 / (arg0.dim0 - 12)");
            }).find("view0: offset: "),
            std::string::npos);
  EXPECT_EQ(change([](ViewInfo &view) {
              view.sizes[1] = int64_t(1) << 60;
              view.strides[1] = 0;
            }),
            "view0 has more elements than arg0 (A), which has 72");
  // An empty view has no elements that could be outside.
  EXPECT_EQ(change([](ViewInfo &view) {
              view.sizes[1] = 0;
              view.offset = 72;
            }),
            "");
  EXPECT_EQ(change([](ViewInfo &view) {
              view.sizes[1] = 0;
              view.offset = 73;
            }),
            "view0 ends at element 73 of arg0 (A), which has 72");
}

TEST_F(ProblemViewsTest, RowsOfViewedBuffersAreContiguous) {
  options.rowPaddings["arg0"] = 2;
  EXPECT_EQ(getError(),
            "view0 is a view of arg0 (A), whose rows must be contiguous: "
            "neither a row padding nor strides are possible");
}

TEST_F(ProblemViewsTest, WrittenElementsAreDistinct) {
  getFunction().views[1].strides[0] = 3;
  EXPECT_EQ(getError(),
            "view1 is written, but its elements overlap each other");
  getFunction().views[1].strides = {0, 1};
  EXPECT_EQ(getError(),
            "view1 is written, but its elements overlap each other");
  getFunction().launches = {FillInfo{"view1", ScalarType::BF16, 1.0}};
  EXPECT_EQ(getError(),
            "view1 is written, but its elements overlap each other");
  getFunction().views.push_back({"arg1", 20, {5, 4}, {4, 1}});
  getFunction().launches = {CopyInfo{"view2", "view1"}};
  EXPECT_EQ(getError(),
            "view1 is written, but its elements overlap each other");
}

TEST_F(ProblemViewsTest, CopiesHaveOneShape) {
  getFunction().launches.push_back(CopyInfo{"view0", "view1"});
  EXPECT_EQ(getError(), "a copy of view0 (5x6) to view1 (5x4): the shapes must "
                        "be the same");
}

TEST_F(ProblemViewsTest, CopiesTellShapes) {
  FunctionInfo &function = getFunction();
  function.arguments.push_back(
      {ScalarType::BF16, {std::nullopt, 8}, AccessKind::Write});
  function.launches.push_back(CopyInfo{"arg1", "arg2"});
  EXPECT_EQ(getError(), "");
  EXPECT_EQ(
      llvm::cantFail(Problem::create(pack, options)).buffers[2].shape.sizes[0],
      kM);
}

TEST_F(ProblemViewsTest, ShapesOfViewsMustAgree) {
  getFunction().views[0].sizes[0] = 4;
  llvm::Expected<RunResult> result = run();
  EXPECT_NE(llvm::toString(result.takeError()).find("has M = 5, but"),
            std::string::npos);
}

TEST(StridedShapeRuns, CoverTheElementsInOrder) {
  auto list = [](const StridedShape &shape) {
    std::vector<std::pair<int64_t, int64_t>> runs;
    shape.forEachRun([&](int64_t offset, int64_t count) {
      runs.push_back({offset, count});
    });
    return runs;
  };
  using Runs = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(list({{2, 3}, {3, 1}}), (Runs{{0, 6}}));
  EXPECT_EQ(list({{2, 3}, {4, 1}}), (Runs{{0, 3}, {4, 3}}));
  EXPECT_EQ(list({{2, 2}, {1, 2}}), (Runs{{0, 1}, {2, 1}, {1, 1}, {3, 1}}));
  EXPECT_EQ(list({{2, 1, 2}, {2, 99, 1}}), (Runs{{0, 4}}));
  EXPECT_EQ(list({{}, {}}), (Runs{{0, 1}}));
  EXPECT_EQ(list({{2, 0}, {1, 1}}), Runs{});
}

TEST(EncodeScalar, KeepsAllBits) {
  EXPECT_EQ(encodeScalar(ScalarType::I64, int64_t(0x7fffffffffffffff))[0],
            0xff);
  EXPECT_EQ(encodeScalar(ScalarType::I8, int64_t(-2)),
            (std::vector<uint8_t>{0xfe}));
  EXPECT_EQ(encodeScalar(ScalarType::I1, int64_t(1)),
            (std::vector<uint8_t>{1}));
  EXPECT_EQ(encodeScalar(ScalarType::F16, 1.0),
            (std::vector<uint8_t>{0, 0x3c}));
}

} // namespace
