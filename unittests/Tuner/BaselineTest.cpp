//===- BaselineTest.cpp ---------------------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Baseline.h"
#include "TunerTestUtils.h"

using namespace tcgemm;

namespace {

TuningProblem makeProblem(MatmulSizes sizes, llvm::StringRef layout = "tn") {
  TuningProblem problem;
  llvm::cantFail(problem.kernel.setLayout(layout));
  problem.sizes = sizes;
  return problem;
}

std::string parseError(llvm::StringRef text) {
  return getError(parseBaseline(text, "a/b.csv"));
}

TEST(BaselineTest, ReadsColumnsInAnyOrder) {
  llvm::Expected<Baseline> baseline = parseBaseline(
      "# times\n\n us , k,M,n,other\n 2.5, 30,10,20,x\n1e1,3,1,2,y\r\n",
      "folder/mine.csv");
  ASSERT_TRUE(bool(baseline)) << llvm::toString(baseline.takeError());
  EXPECT_EQ(baseline->name, "mine");
  EXPECT_EQ(baseline->find(makeProblem({10, 20, 30}), "any"), 2.5);
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 3}), "any"), 10);
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 4}), "any"), std::nullopt);
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 3, 2}), "any"), std::nullopt);
}

TEST(BaselineTest, KernelDeviceAndBatchNarrowIt) {
  llvm::Expected<Baseline> baseline =
      parseBaseline("M,N,K,us,batch,kernel,device,library\n"
                    "1,2,3,5,7,bf16 tn bf16 none,GPU A,lib\n1,2,3,6,,,,\n",
                    "f");
  ASSERT_TRUE(bool(baseline)) << llvm::toString(baseline.takeError());
  EXPECT_EQ(baseline->name, "lib");
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 3, 7}), "GPU A"), 5);
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 3, 7}), "GPU B"), std::nullopt);
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 3, 7}, "nn"), "GPU A"),
            std::nullopt);
  EXPECT_EQ(baseline->find(makeProblem({1, 2, 3}, "nn"), "GPU B"), 6);
}

TEST(BaselineTest, ErrorsNameTheLine) {
  EXPECT_EQ(parseError("M,N,us\n1,2,3\n"),
            "a/b.csv:1: the first line must name columns M, N, K and us; 'k' "
            "is not there");
  EXPECT_EQ(parseError("M,N,K,us\n1,2,3\n"),
            "a/b.csv:2: has 3 cells, but 4 columns are named");
  EXPECT_EQ(parseError("M,N,K,us\n1,2,3,0\n"),
            "a/b.csv:2: us = '0', but it must be a time above 0");
  EXPECT_EQ(parseError("M,N,K,us\n1,2,3,nan\n"),
            "a/b.csv:2: us = 'nan', but it must be a time above 0");
  EXPECT_EQ(parseError("M,N,K,us\n\n1,0,3,4\n").substr(0, 10), "a/b.csv:3:");
  EXPECT_EQ(parseError("M,N,K,us,kernel\n1,2,3,4,qf16\n").substr(0, 10),
            "a/b.csv:2:");
  EXPECT_EQ(parseError("# nothing\n"), "a/b.csv: has no times");
}

TEST(BaselineTest, ShippedOneIsOfTheSuite) {
  llvm::Expected<Baseline> baseline = readBaseline("nvidia-h200-cublaslt");
  ASSERT_TRUE(bool(baseline)) << llvm::toString(baseline.takeError());
  EXPECT_EQ(baseline->name, "cuBLASLt");
  EXPECT_EQ(baseline->times.size(), 86u);
  TuningProblem problem = makeProblem({4096, 4096, 4096});
  EXPECT_EQ(baseline->find(problem, "NVIDIA H200"), 197.4);
  EXPECT_EQ(baseline->find(problem, "emulator"), std::nullopt);
}

} // namespace
