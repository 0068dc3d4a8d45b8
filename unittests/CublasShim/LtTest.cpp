//===- LtTest.cpp - Products of cuBLASLt ----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasShimTest.h"

#include <cmath>

using namespace tcgemm;

namespace {

template <typename Value>
void setAttribute(MatmulDesc desc, int attribute, Value value) {
  EXPECT_EQ(
      cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof value),
      StatusSuccess);
}

template <typename Value>
void setAttribute(MatrixLayout layout, int attribute, Value value) {
  EXPECT_EQ(
      cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof value),
      StatusSuccess);
}

MatrixLayout makeLayout(const Operand &operand) {
  MatrixLayout layout = nullptr;
  EXPECT_EQ(cublasLtMatrixLayoutCreate(&layout, operand.type, operand.rows,
                                       operand.columns, operand.ld),
            StatusSuccess);
  setAttribute<int32_t>(layout, LayoutOrder,
                        operand.isRowMajor ? OrderRow : OrderColumn);
  setAttribute<int32_t>(layout, LayoutBatchCount,
                        static_cast<int32_t>(operand.batch));
  setAttribute<int64_t>(layout, LayoutBatchStride, operand.stride);
  return layout;
}

double relu(double value) { return value > 0 ? value : 0; }
double gelu(double value) {
  return 0.5 * value *
         (1 + std::tanh(std::sqrt(2 / M_PI) *
                        (value + 0.044715 * value * value * value)));
}

/// A product of cuBLASLt whose parts tests change before they run it.
struct LtTest : CublasShimTest {
  struct Case {
    DataType operands = R32F, result = R32F;
    ComputeType compute = Compute32F;
    DataType scale = R32F;
    int m = 24, n = 40, k = 16, batch = 1, gap = 0;
    Operation transA = OperationN, transB = OperationN;
    bool isRowMajorA = false, isRowMajorB = false, isRowMajorD = false;
    double alpha = 1, beta = 0;
    PointerMode mode = PointerHost;
    int epilogue = EpilogueDefault;
    /// The attribute of the bias's type; without it, the type is D's.
    std::optional<DataType> biasType;
  };

  struct Call {
    explicit Call(const Case &each)
        : each(each),
          a(each.operands, isTA() ? each.k : each.m, isTA() ? each.m : each.k,
            each.gap, each.batch, each.isRowMajorA),
          b(each.operands, isTB() ? each.n : each.k, isTB() ? each.k : each.n,
            each.gap, each.batch, each.isRowMajorB),
          c(each.result, each.m, each.n, each.gap, each.batch,
            each.isRowMajorD),
          d(each.result, each.m, each.n, 0, each.batch, each.isRowMajorD),
          bias(each.biasType.value_or(each.result), each.m, 1),
          layoutA(makeLayout(a)), layoutB(makeLayout(b)),
          layoutC(makeLayout(c)), layoutD(makeLayout(d)) {
      EXPECT_EQ(cublasLtMatmulDescCreate(&desc, each.compute, each.scale),
                StatusSuccess);
      setAttribute<int32_t>(desc, MatmulTransA, each.transA);
      setAttribute<int32_t>(desc, MatmulTransB, each.transB);
      setAttribute<int32_t>(desc, MatmulPointerMode, each.mode);
      setAttribute<uint32_t>(desc, MatmulEpilogue, each.epilogue);
      setAttribute<void *>(desc, MatmulBiasPointer, bias.address());
      if (each.biasType)
        setAttribute<int32_t>(desc, MatmulBiasDataType, *each.biasType);
    }
    ~Call() {
      cublasLtMatmulDescDestroy(desc);
      for (MatrixLayout layout : {layoutA, layoutB, layoutC, layoutD})
        cublasLtMatrixLayoutDestroy(layout);
    }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    bool isTA() const { return each.transA != OperationN; }
    bool isTB() const { return each.transB != OperationN; }
    Status run(LtHandle handle, void *workspace = nullptr, size_t bytes = 0) {
      Scalars scalars(each.scale, each.alpha, each.beta);
      return cublasLtMatmul(
          handle, desc, scalars.alpha(each.mode), a.address(), layoutA,
          b.address(), layoutB, scalars.beta(each.mode), c.address(), layoutC,
          d.address(), layoutD, nullptr, workspace, bytes, nullptr);
    }
    void compute() {
      Reference reference{isTA(), isTB(), each.alpha, each.beta};
      if (each.epilogue & EpilogueBias)
        reference.bias = &bias;
      reference.function = each.epilogue & EpilogueRelu   ? relu
                           : each.epilogue & EpilogueGelu ? gelu
                                                          : nullptr;
      reference.compute(a, b, c, d);
    }

    Case each;
    Operand a, b, c, d, bias;
    MatrixLayout layoutA, layoutB, layoutC, layoutD;
    MatmulDesc desc = nullptr;
  };

  void SetUp() override {
    CublasShimTest::SetUp();
    ASSERT_EQ(cublasLtCreate(&lt), StatusSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cublasLtDestroy(lt), StatusSuccess);
    CublasShimTest::TearDown();
  }

  void check(const Case &each, double tolerance = 0) {
    Call call(each);
    DeviceBytes workspace(std::vector<uint8_t>(1 << 16));
    EXPECT_EQ(call.run(lt, workspace.get(), 1 << 16), StatusSuccess);
    expectServed();
    call.compute();
    EXPECT_LE(call.d.getLargestError(), tolerance) << takeLog();
  }

  /// Expects that the call is forwarded for that reason.
  void expectRefused(Call &call, const std::string &reason) {
    EXPECT_EQ(call.run(lt), StatusSuccess);
    expectForwarded("cublasLtMatmul", reason);
  }

  LtHandle lt = nullptr;
};

TEST_F(LtTest, Orders) {
  for (int bits = 0; bits != 32; ++bits) {
    SCOPED_TRACE(bits);
    Case each;
    each.transA = bits & 1 ? OperationT : OperationN;
    each.transB = bits & 2 ? OperationT : OperationN;
    each.isRowMajorA = bits & 4;
    each.isRowMajorB = bits & 8;
    each.isRowMajorD = bits & 16;
    check(each);
  }
}

TEST_F(LtTest, Epilogues) {
  for (int epilogue : {EpilogueRelu, EpilogueBias, EpilogueReluBias})
    for (bool isRowMajorD : {false, true}) {
      SCOPED_TRACE(epilogue);
      Case each;
      each.epilogue = epilogue;
      each.isRowMajorD = isRowMajorD;
      each.alpha = 2;
      each.beta = -1;
      check(each);
    }
  for (int epilogue : {EpilogueGelu, EpilogueGeluBias}) {
    Case each;
    each.epilogue = epilogue;
    each.alpha = 0.125;
    check(each, 1e-4);
  }
}

/// A bias has D's type, as programs of PyTorch have it, or that of the sums.
TEST_F(LtTest, TypesOfTheBias) {
  Case bf16{R16BF, R16BF}, f16{R16F, R16F, Compute16F, R16F}, wide{R16BF};
  Case sums = bf16;
  sums.biasType = R32F;
  for (Case each : {bf16, f16, wide, sums})
    for (bool isRowMajorD : {false, true}) {
      SCOPED_TRACE(each.operands);
      each.isRowMajorD = isRowMajorD;
      each.epilogue = EpilogueReluBias;
      check(each);
    }
}

TEST_F(LtTest, ScalarsBatchesAndGaps) {
  for (PointerMode mode : {PointerHost, PointerDevice}) {
    Case each;
    each.mode = mode;
    each.alpha = 0.5;
    each.beta = 2;
    each.batch = 3;
    each.gap = 3;
    each.transA = OperationT;
    check(each);
    each.operands = each.result = R16BF;
    check(each);
  }
}

TEST_F(LtTest, Types) {
  const Case cases[] = {{R16F, R16F, Compute16F, R16F},
                        {R64F, R64F, Compute64F, R64F},
                        {R8I, R32I, Compute32I, R32I},
                        {R32F, R32F, Compute32FFastTF32, R32F}};
  for (const Case &each : cases) {
    SCOPED_TRACE(each.operands);
    check(each);
  }
}

//===----------------------------------------------------------------------===//
// Calls that are forwarded
//===----------------------------------------------------------------------===//

TEST_F(LtTest, OtherAttributes) {
  // D's scale, a mask of the result, and one that tcgemm does not know.
  for (int attribute : {5, 6, 15, 31}) {
    SCOPED_TRACE(attribute);
    Call call({});
    setAttribute<int32_t>(call.desc, attribute, 1);
    expectRefused(call, "an attribute of a descriptor or a layout");
  }
  for (int attribute : {10, 17, 20, 38}) {
    SCOPED_TRACE(attribute);
    Call call({});
    setAttribute<uint64_t>(call.desc, attribute, 4096);
    expectRefused(call, "an attribute of a descriptor or a layout");
  }
  Call call({});
  setAttribute<int32_t>(call.layoutB, 8, 1);
  expectRefused(call, "an attribute of a descriptor or a layout");
}

TEST_F(LtTest, OtherEpilogues) {
  for (int epilogue : {130, 132, 136, 160, 192, 256, 512}) {
    SCOPED_TRACE(epilogue);
    Case each;
    each.epilogue = epilogue;
    Call call(each);
    expectRefused(call, "the epilogue");
  }
  Case each;
  each.epilogue = EpilogueBias;
  each.biasType = R16BF;
  Call call(each);
  expectRefused(call, "the bias");
  setAttribute<int32_t>(call.desc, MatmulBiasDataType, R32F);
  setAttribute<void *>(call.desc, MatmulBiasPointer, nullptr);
  expectRefused(call, "the bias");
  Case half{R16F, R16F, Compute16F, R16F};
  half.epilogue = EpilogueBias;
  half.biasType = R32F;
  Call halves(half);
  expectRefused(halves, "the bias");
  Case integer{R8I, R32I, Compute32I, R32I};
  integer.epilogue = EpilogueRelu;
  Call integers(integer);
  expectRefused(integers, "the epilogue");
}

TEST_F(LtTest, OtherLayouts) {
  {
    Call call({});
    for (MatrixLayout layout : {call.layoutA, call.layoutD}) {
      setAttribute<int32_t>(layout, LayoutOrder, 2);
      expectRefused(call, "the order of the elements");
      setAttribute<int32_t>(layout, LayoutOrder, OrderColumn);
    }
    setAttribute<int32_t>(call.layoutC, LayoutOrder, OrderRow);
    expectRefused(call, "the order of the elements");
  }
  {
    Call call({});
    setAttribute<int32_t>(call.layoutB, LayoutBatchCount, 2);
    expectRefused(call, "the layouts have different numbers of matrices");
  }
  for (auto layout : {&Call::layoutA, &Call::layoutB, &Call::layoutC}) {
    Call call({});
    setAttribute<uint64_t>(call.*layout, LayoutRows, 12);
    expectRefused(call, "the layouts do not fit each other");
  }
  Call call({});
  setAttribute<int64_t>(call.layoutA, LayoutLeadingDimension, 8);
  expectRefused(call, "tcgemm has no kernel: ldb is 8, but it must be");
  // -1 would be the distance of matrices without gaps in tcgemm.h.
  Case each;
  each.batch = 2;
  Call negative(each);
  setAttribute<int64_t>(negative.layoutB, LayoutBatchStride, -1);
  expectRefused(negative, "a leading dimension or a stride is negative or 0");
}

TEST_F(LtTest, OtherScalars) {
  Call call({});
  setAttribute<int32_t>(call.desc, MatmulPointerMode, 2);
  expectRefused(call, "the pointer mode");
  setAttribute<int32_t>(call.desc, MatmulPointerMode, PointerHost);
  setAttribute<int32_t>(call.desc, MatmulScaleType, R64F);
  expectRefused(call, "the type of alpha and beta");
}

TEST_F(LtTest, MissingDescriptors) {
  Call call({});
  MatrixLayout layout = call.layoutC;
  call.layoutC = nullptr;
  expectRefused(call, "cuBLAS refuses the handle or the descriptors");
  call.layoutC = layout;
  EXPECT_EQ(call.run(nullptr), StatusSuccess);
  expectForwarded("cublasLtMatmul", "cuBLAS refuses the handle");
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/// A product whose rows are no multiples of 2 bytes is packed first.
LtTest::Case makePacked() {
  LtTest::Case each;
  each.operands = each.result = R16BF;
  each.m = each.k = 31;
  return each;
}

TEST_F(LtTest, TheWorkspaceIsTheCallers) {
  Call call(makePacked());
  expectRefused(call, "the kernel needs a larger workspace: ");
  DeviceBytes memory(std::vector<uint8_t>(1 << 16));
  EXPECT_EQ(call.run(lt, memory.get(), 1 << 16), StatusSuccess);
  expectServed();
  call.compute();
  EXPECT_EQ(call.d.countWrong(), 0u);
  // It need not be aligned, but is then smaller.
  EXPECT_EQ(call.run(lt, memory.get(8), 1024), StatusSuccess);
  expectForwarded("cublasLtMatmul", "the kernel needs a larger workspace: ");
  EXPECT_EQ(call.run(lt, memory.get(8), (1 << 16) - 8), StatusSuccess);
  expectServed();
}

TEST_F(LtTest, TheHeuristicAsksForTheWorkspace) {
  Call call(makePacked());
  Preference preference = nullptr;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), StatusSuccess);
  HeuristicResult results[3];
  int found = 0;
  auto ask = [&](uint64_t limit, size_t theirs) {
    EXPECT_EQ(cublasLtMatmulPreferenceSetAttribute(preference,
                                                   PreferenceMaxWorkspaceBytes,
                                                   &limit, sizeof limit),
              StatusSuccess);
    fakeCublasSetHeuristicWorkspace(theirs);
    EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(
                  lt, call.desc, call.layoutA, call.layoutB, call.layoutC,
                  call.layoutD, preference, 3, results, &found),
              StatusSuccess);
    EXPECT_EQ(found, 2);
    EXPECT_EQ(results[0].workspaceSize, results[1].workspaceSize);
    return results[0].workspaceSize;
  };
  size_t bytes = ask(1 << 20, 0);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(ask(1 << 20, bytes + 1), bytes + 1);
  EXPECT_EQ(ask(bytes, 8), bytes);
  EXPECT_EQ(ask(bytes - 1, 8), 8u);
  DeviceBytes memory(std::vector<uint8_t>(bytes + 256));
  fakeCublasTakeCall();
  EXPECT_EQ(call.run(lt, memory.get(), bytes), StatusSuccess);
  expectServed();
  call.compute();
  EXPECT_EQ(call.d.countWrong(), 0u);
  // An attribute that tcgemm does not take leaves the answer alone.
  setAttribute<int32_t>(call.desc, 5, 1);
  EXPECT_EQ(ask(1 << 20, 8), 8u);
  EXPECT_EQ(cublasLtMatmulPreferenceDestroy(preference), StatusSuccess);
}

} // namespace
