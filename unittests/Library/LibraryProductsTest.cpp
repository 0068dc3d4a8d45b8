//===- LibraryProductsTest.cpp - Products of the library
//--------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "tcgemm/Runtime/HostTensor.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>

using namespace tcgemm;

namespace {

const std::map<tcgemmType, ScalarType> kTypes = {
    {TCGEMM_F16, ScalarType::F16},   {TCGEMM_BF16, ScalarType::BF16},
    {TCGEMM_F32, ScalarType::F32},   {TCGEMM_F64, ScalarType::F64},
    {TCGEMM_E4M3, ScalarType::E4M3}, {TCGEMM_E5M2, ScalarType::E5M2},
    {TCGEMM_S8, ScalarType::I8},     {TCGEMM_U8, ScalarType::U8},
    {TCGEMM_S32, ScalarType::I32},
};

/// Elements of one type, of small integers.
struct Elements {
  Elements(tcgemmType type, int64_t count, int seed)
      : type(kTypes.at(type)), bytes(count * getByteSize(this->type)) {
    for (int64_t i = 0; i != count; ++i)
      set(i, static_cast<double>((i * 7 + seed + i / 5) % 4));
  }
  double get(int64_t i) const {
    return loadElement(type, bytes.data() + i * getByteSize(type));
  }
  void set(int64_t i, double value) {
    storeElement(type, value, bytes.data() + i * getByteSize(type));
  }
  int64_t count() const {
    return static_cast<int64_t>(bytes.size() / getByteSize(type));
  }

  ScalarType type;
  std::vector<uint8_t> bytes;
};

/// The distances of a matrix without gaps where a field has no other.
int64_t choose(int64_t given, int64_t dense) {
  return given == TCGEMM_DENSE ? dense : given;
}

/// A product with its data and a loop that computes it.
class Product {
public:
  explicit Product(const tcgemmMatmulDesc &desc) : desc(desc) {
    int64_t rowsA = isTA() ? desc.k : desc.m, rowsB = isTB() ? desc.n : desc.k;
    lda = choose(desc.lda, isTA() ? desc.m : desc.k);
    ldb = choose(desc.ldb, isTB() ? desc.k : desc.n);
    ldc = choose(desc.ldc, desc.n);
    ldd = choose(desc.ldd, desc.n);
    strideA = choose(desc.strideA, rowsA * lda);
    strideB = choose(desc.strideB, rowsB * ldb);
    strideC = choose(desc.strideC, desc.m * ldc);
    strideD = choose(desc.strideD, desc.m * ldd);
    auto extent = [&](int64_t stride, int64_t rows, int64_t ld) {
      return std::max<int64_t>((desc.batch - 1) * stride + rows * ld, 1) + 64;
    };
    a.emplace(desc.typeA, extent(strideA, rowsA, lda), 1);
    b.emplace(desc.typeB, extent(strideB, rowsB, ldb), 2);
    b2.emplace(desc.typeB, extent(strideB, rowsB, ldb), 1);
    // Epilogues read it with the distances of D.
    c.emplace(desc.typeD,
              extent(std::max(strideC, strideD), desc.m, std::max(ldc, ldd)),
              3);
    d.emplace(desc.typeD, extent(strideD, desc.m, ldd), 0);
    bool isOfD = desc.typeD == TCGEMM_F64 ||
                 llvm::StringRef(desc.epilogue).contains("out");
    tcgemmType vector = isOfD ? desc.typeD : TCGEMM_F32;
    row.emplace(vector, desc.n + 1, 1);
    column.emplace(vector, desc.m + 1, 2);
  }

  /// Plans and runs the product with addresses `offset` bytes behind those of
  /// allocations, and compares all bytes of D's memory.
  void check(tcgemmHandle_t handle, size_t offset = 0);
  void runOnce(tcgemmPlan_t plan, size_t offset);

  std::optional<Elements> a, b, b2, c, d, row, column;
  std::string variant;

private:
  bool isTA() const { return desc.transA == TCGEMM_T; }
  bool isTB() const { return desc.transB == TCGEMM_T; }
  double sum(const Elements &b, int64_t batch, int64_t i, int64_t j) const;
  double combine(int64_t batch, int64_t i, int64_t j) const;
  double finish(double value, int64_t i, int64_t j, int64_t at) const;
  void computeD();
  static std::vector<uint8_t> shift(const Elements &elements, size_t offset) {
    std::vector<uint8_t> bytes(offset);
    bytes.insert(bytes.end(), elements.bytes.begin(), elements.bytes.end());
    return bytes;
  }

  const tcgemmMatmulDesc &desc;
  int64_t lda, ldb, ldc, ldd, strideA, strideB, strideC, strideD;
};

double Product::sum(const Elements &b, int64_t batch, int64_t i,
                    int64_t j) const {
  double value = 0;
  for (int64_t k = 0; k != desc.k; ++k)
    value += a->get(batch * strideA + (isTA() ? k * lda + i : i * lda + k)) *
             b.get(batch * strideB + (isTB() ? j * ldb + k : k * ldb + j));
  return value;
}

/// The product, or the function of both products.
double Product::combine(int64_t batch, int64_t i, int64_t j) const {
  double first = sum(*b, batch, i, j);
  llvm::StringRef dual = desc.dual;
  if (dual == "none")
    return first;
  double second = sum(*b2, batch, i, j);
  if (dual == "add")
    return first + second;
  EXPECT_EQ(dual, "relu-mul");
  return std::max(first, 0.0) * second;
}

double Product::finish(double value, int64_t i, int64_t j, int64_t at) const {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(desc.epilogue).split(parts, '_');
  for (llvm::StringRef part : parts) {
    if (part == "bias" || part == "outbias")
      value += row->get(j);
    else if (part == "rowbias" || part == "outrowbias")
      value += column->get(i);
    else if (part == "rowscale")
      value *= column->get(i);
    else if (part == "colscale")
      value *= row->get(j);
    else if (part == "scale")
      value *= row->get(0);
    else if (part == "residual")
      value += c->get(at);
    else if (part == "gate")
      value *= c->get(at);
    else if (part == "relu")
      value = std::max(value, 0.0);
    else
      EXPECT_EQ(part, "none");
  }
  return value;
}

void Product::computeD() {
  for (int64_t batch = 0; batch != desc.batch; ++batch)
    for (int64_t i = 0; i != desc.m; ++i)
      for (int64_t j = 0; j != desc.n; ++j) {
        int64_t at = batch * strideD + i * ldd + j;
        double value = desc.alpha * combine(batch, i, j);
        if (desc.beta != 0)
          value += desc.beta * c->get(batch * strideC + i * ldc + j);
        d->set(at, finish(value, i, j, at));
      }
}

void Product::runOnce(tcgemmPlan_t plan, size_t offset) {
  DeviceMemory onA(shift(*a, offset)), onB(shift(*b, offset)),
      onB2(shift(*b2, offset)), onC(shift(*c, offset)), onD(shift(*d, offset)),
      onRow(shift(*row, offset)), onColumn(shift(*column, offset));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  DeviceMemory workspace(bytes + 256);
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  operands.a = onA.get(offset);
  operands.b = onB.get(offset);
  if (llvm::StringRef(desc.dual) != "none")
    operands.b2 = onB2.get(offset);
  if (desc.scaling == TCGEMM_ALPHA_BETA)
    operands.c = onC.get(offset);
  operands.d = onD.get(offset);
  operands.alpha = desc.alpha;
  operands.beta = desc.beta;
  unsigned next = 0;
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(desc.epilogue).split(parts, '_');
  for (llvm::StringRef part : parts)
    if (part == "residual" || part == "gate")
      operands.epilogue[next++] = onC.get(offset);
    else if (part.contains("row"))
      operands.epilogue[next++] = onColumn.get(offset);
    else if (part != "relu" && part != "none")
      operands.epilogue[next++] = onRow.get(offset);
  ASSERT_OK(tcgemmRunOperands(
      plan, &operands, bytes ? workspace.get() : nullptr, bytes, nullptr));
  computeD();
  EXPECT_EQ(onD.read(), shift(*d, offset));
}

void Product::check(tcgemmHandle_t handle, size_t offset) {
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  const char *config = nullptr;
  ASSERT_OK(tcgemmPlanConfig(plan, &config));
  SCOPED_TRACE(config);
  runOnce(plan, offset);
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

using LibraryProductsTest = LibraryTest;

TEST_F(LibraryProductsTest, Layouts) {
  for (tcgemmTranspose a : {TCGEMM_N, TCGEMM_T})
    for (tcgemmTranspose b : {TCGEMM_N, TCGEMM_T}) {
      SCOPED_TRACE(std::string(a ? "T" : "N") + (b ? "T" : "N"));
      tcgemmMatmulDesc desc = makeDesc(40, 56, 72);
      desc.transA = a;
      desc.transB = b;
      Product(desc).check(handle);
      desc.lda = desc.ldb = 88;
      desc.ldd = 59;
      Product(desc).check(handle);
    }
}

TEST_F(LibraryProductsTest, Types) {
  struct Case {
    tcgemmType a, b, d;
    const char *precision;
  };
  const Case cases[] = {
      {TCGEMM_F16, TCGEMM_F16, TCGEMM_F16, "ieee"},
      {TCGEMM_F16, TCGEMM_F16, TCGEMM_F16, "f16"},
      {TCGEMM_F16, TCGEMM_F16, TCGEMM_F32, "ieee"},
      {TCGEMM_F32, TCGEMM_F32, TCGEMM_F32, "ieee"},
      {TCGEMM_F32, TCGEMM_F32, TCGEMM_F32, "tf32"},
      {TCGEMM_F32, TCGEMM_F32, TCGEMM_F32, "bf16x3"},
      {TCGEMM_F64, TCGEMM_F64, TCGEMM_F64, "ieee"},
      {TCGEMM_E4M3, TCGEMM_E4M3, TCGEMM_BF16, "ieee"},
      {TCGEMM_E5M2, TCGEMM_E4M3, TCGEMM_F32, "ieee"},
      {TCGEMM_S8, TCGEMM_S8, TCGEMM_S32, "ieee"},
      {TCGEMM_U8, TCGEMM_S8, TCGEMM_S32, "ieee"},
      {TCGEMM_BF16, TCGEMM_S8, TCGEMM_BF16, "ieee"},
  };
  for (const Case &each : cases) {
    SCOPED_TRACE(std::to_string(each.a) + " " + std::to_string(each.b) + " " +
                 std::to_string(each.d) + " " + each.precision);
    tcgemmMatmulDesc desc = makeDesc(24, 40, 64);
    desc.transB = TCGEMM_T;
    desc.typeA = each.a;
    desc.typeB = each.b;
    desc.typeD = each.d;
    desc.precision = each.precision;
    Product(desc).check(handle);
  }
}

TEST_F(LibraryProductsTest, Schedules) {
  for (const char *config :
       {"schedule=mma_sync cta=32x32x32 warps=2x1x1 stages=2",
        "schedule=mma_sync cta=32x32x32 warps=2x1x1 split_k=2",
        "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3 split_k=2",
        "schedule=wgmma cta=128x64x64 warps=8x1x1 stages=3 cluster=2x1x1 "
        "epilogue=tma dependent_launch=true"}) {
    SCOPED_TRACE(config);
    tcgemmMatmulDesc desc = makeDesc(256, 72, 200);
    desc.config = config;
    Product(desc).check(handle);
  }
}

/// The library adds the parameter where the schedule has it.
TEST_F(LibraryProductsTest, DependentLaunches) {
  for (auto [config, expected] :
       {std::pair("schedule=mma_sync cta=32x32x32 warps=2x1x1 split_k=2", true),
        std::pair("schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3", true),
        std::pair("schedule=simt cta=32x32x16 stages=2", false)}) {
    SCOPED_TRACE(config);
    tcgemmMatmulDesc desc = makeDesc(40, 72, 200);
    if (!expected)
      desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
    desc.config = config;
    desc.dependentLaunch = 1;
    Product(desc).check(handle);
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
    const char *text = nullptr;
    ASSERT_OK(tcgemmPlanConfig(plan, &text));
    EXPECT_EQ(llvm::StringRef(text).contains("dependent_launch = true"),
              expected)
        << text;
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }
}

TEST_F(LibraryProductsTest, Alignment) {
  for (const char *config :
       {"schedule=mma_sync cta=32x32x32 warps=2x1x1 unaligned=pack",
        "schedule=mma_sync cta=32x32x32 warps=2x1x1 unaligned=copy_4",
        "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3"})
    for (size_t offset : {size_t(2), size_t(4), size_t(8), size_t(32)}) {
      SCOPED_TRACE(std::string(config) + " " + std::to_string(offset));
      tcgemmMatmulDesc desc = makeDesc(40, 56, 72);
      desc.config = config;
      // Rows and epilogues of 16 bytes, so that the addresses decide.
      desc.alignment = static_cast<uint32_t>(offset);
      Product(desc).check(handle, offset);
      // An address may be better than the descriptor promises.
      Product(desc).check(handle, 2 * offset);
    }
}

TEST_F(LibraryProductsTest, Batches) {
  tcgemmMatmulDesc desc = makeDesc(24, 40, 48);
  desc.batch = 3;
  Product(desc).check(handle);
  desc.strideB = 0;
  desc.strideA = 24 * 48 + 8;
  desc.strideD = 24 * 40 + 16;
  Product(desc).check(handle);
  desc.strideA = 0;
  desc.strideB = 3 + 40 * 48;
  Product(desc).check(handle);
}

TEST_F(LibraryProductsTest, Scalars) {
  tcgemmMatmulDesc desc = makeDesc(40, 56, 72);
  desc.scaling = TCGEMM_ALPHA;
  desc.alpha = -2;
  Product(desc).check(handle);
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.beta = 0.5;
  Product(desc).check(handle);
  desc.ldc = 60;
  desc.ldd = 64;
  Product(desc).check(handle);
  desc.beta = 0;
  Product(desc).check(handle);
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_F64;
  desc.beta = 4;
  Product(desc).check(handle);
}

TEST_F(LibraryProductsTest, Epilogues) {
  for (const char *epilogue :
       {"bias", "bias_relu", "rowbias_colscale", "residual_bias_rowscale",
        "gate_scale",
        "bias_residual_gate_rowbias_scale_colscale_rowscale_bias"}) {
    SCOPED_TRACE(epilogue);
    tcgemmMatmulDesc desc = makeDesc(24, 40, 8);
    desc.typeD = TCGEMM_F32;
    desc.epilogue = epilogue;
    Product(desc).check(handle);
    desc.ldd = 44;
    Product(desc).check(handle);
  }
}

/// Vectors of D's type, which is not that of the sums.
TEST_F(LibraryProductsTest, VectorsOfTheResultsType) {
  for (const char *epilogue : {"outbias_relu", "residual_outrowbias"})
    for (tcgemmType type : {TCGEMM_BF16, TCGEMM_F16}) {
      SCOPED_TRACE(epilogue);
      tcgemmMatmulDesc desc = makeDesc(24, 40, 8);
      desc.typeA = desc.typeB = desc.typeD = type;
      desc.epilogue = epilogue;
      Product(desc).check(handle);
    }
}

TEST_F(LibraryProductsTest, TwoProductsThatShareA) {
  for (const char *dual : {"add", "relu-mul"}) {
    SCOPED_TRACE(dual);
    tcgemmMatmulDesc desc = makeDesc(40, 56, 72);
    desc.typeD = TCGEMM_F32;
    desc.dual = dual;
    Product(desc).check(handle);
    desc.transB = TCGEMM_T;
    desc.ldb = 80;
    desc.epilogue = "bias_relu";
    Product(desc).check(handle);
    desc.scaling = TCGEMM_ALPHA_BETA;
    desc.alpha = 2;
    desc.beta = 0.5;
    desc.batch = 2;
    Product(desc).check(handle);
    // Addresses that TMA does not take.
    desc.alignment = 4;
    Product(desc).check(handle, 4);
    desc.k = 0;
    Product(desc).check(handle, 4);
  }
}

TEST_F(LibraryProductsTest, SizesOfZero) {
  takeLog();
  for (auto [m, n, batch] :
       {std::tuple(0, 8, 1), std::tuple(8, 0, 1), std::tuple(8, 8, 0)}) {
    tcgemmMatmulDesc desc = makeDesc(m, n, 8);
    desc.batch = batch;
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
    EXPECT_OK(
        tcgemmRun(plan, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
    EXPECT_OK(tcgemmPlanDestroy(plan));
  }
  EXPECT_EQ(takeLog(), "") << "nothing is compiled";
  tcgemmMatmulDesc desc = makeDesc(24, 40, 0);
  desc.epilogue = "bias";
  Product(desc).check(handle);
  desc.batch = 2;
  desc.epilogue = "none";
  Product(desc).check(handle);
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.beta = 2;
  Product(desc).check(handle);
}

/// A run does not allocate, so that it is fast and can be captured.
TEST_F(LibraryProductsTest, RunsAllocateNothing) {
  tcgemmMatmulDesc desc = makeDesc(64, 64, 256);
  desc.scaling = TCGEMM_ALPHA_BETA;
  desc.alpha = 2;
  desc.config = "schedule=wgmma cta=64x64x64 warps=4x1x1 stages=3 split_k=2";
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory a(std::vector<uint8_t>(64 * 256 * 2)),
      d(std::vector<uint8_t>(64 * 64 * 2)), workspace(2 * 64 * 64 * 4);
  uint64_t before = countAllocations();
  EXPECT_OK(tcgemmRun(plan, a.get(), a.get(), nullptr, d.get(), workspace.get(),
                      nullptr));
  EXPECT_EQ(countAllocations(), before);
  // Errors have texts.
  EXPECT_EQ(tcgemmRun(plan, a.get(), a.get(), nullptr, nullptr, workspace.get(),
                      nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_GT(countAllocations(), before);
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

/// With K = 0 neither A nor B has an element, so that neither has an address.
TEST_F(LibraryProductsTest, NoFactors) {
  tcgemmMatmulDesc desc = makeDesc(24, 40, 0);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &plan));
  DeviceMemory d(std::vector<uint8_t>(24 * 40 * 2, 0xff));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  EXPECT_EQ(bytes, 0u);
  EXPECT_OK(
      tcgemmRun(plan, nullptr, nullptr, nullptr, d.get(), nullptr, nullptr));
  EXPECT_EQ(d.read(), std::vector<uint8_t>(24 * 40 * 2, 0));
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryProductsTest, OneKernelForAllSizes) {
  const char *config = "schedule=mma_sync cta=32x64x32 warps=2x2x1 stages=3";
  takeLog();
  tcgemmMatmulDesc desc = makeDesc(24, 40, 48);
  desc.config = config;
  Product(desc).check(handle);
  EXPECT_NE(takeLog().find("compiles"), std::string::npos);
  // Nothing is compiled or read again, for this size or another.
  Product(desc).check(handle);
  EXPECT_EQ(takeLog(), "");
  tcgemmMatmulDesc other = makeDesc(33, 47, 100);
  other.config = config;
  Product(other).check(handle);
  std::string log = takeLog();
  EXPECT_EQ(log.find("compiles"), std::string::npos) << log;
  EXPECT_EQ(log.find("reads /"), std::string::npos) << log;
  // Another handle reads it.
  tcgemmHandle_t second = nullptr;
  ASSERT_OK(tcgemmCreate(&second, 0));
  Product(desc).check(second);
  log = takeLog();
  EXPECT_EQ(log.find("compiles"), std::string::npos) << log;
  EXPECT_NE(log.find("reads /"), std::string::npos) << log;
  EXPECT_OK(tcgemmDestroy(second));
}

/// A handle's device need not be that of the calling thread's context, which
/// stays current.
TEST_F(LibraryProductsTest, OtherDevice) {
  void *before = nullptr, *context = nullptr, *after = nullptr;
  ASSERT_EQ(callDriver<void **>("cuCtxGetCurrent", &before), 0);
  int code = callDriver<void **, int>("cuDevicePrimaryCtxRetain", &context, 1);
  ASSERT_EQ(code, 0);
  ASSERT_NE(context, before);
  tcgemmHandle_t other = nullptr;
  tcgemmPlan_t plan = nullptr;
  tcgemmMatmulDesc desc = makeDesc(24, 40, 0);
  ASSERT_OK(tcgemmCreate(&other, 1));
  ASSERT_OK(tcgemmPlan(other, &desc, &plan));
  ASSERT_EQ(callDriver<void *>("cuCtxSetCurrent", context), 0);
  DeviceMemory d(std::vector<uint8_t>(24 * 40 * 2, 0xff));
  ASSERT_EQ(callDriver<void *>("cuCtxSetCurrent", before), 0);
  EXPECT_OK(
      tcgemmRun(plan, nullptr, nullptr, nullptr, d.get(), nullptr, nullptr));
  ASSERT_EQ(callDriver<void **>("cuCtxGetCurrent", &after), 0);
  EXPECT_EQ(after, before);
  ASSERT_EQ(callDriver<void *>("cuCtxSetCurrent", context), 0);
  EXPECT_EQ(d.read(), std::vector<uint8_t>(24 * 40 * 2, 0));
  ASSERT_EQ(callDriver<void *>("cuCtxSetCurrent", before), 0);
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_OK(tcgemmDestroy(other));
}

TEST_F(LibraryProductsTest, PlansOutliveHandles) {
  tcgemmHandle_t other = nullptr;
  ASSERT_OK(tcgemmCreate(&other, 0));
  tcgemmMatmulDesc desc = makeDesc(24, 40, 48);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlan(other, &desc, &plan));
  ASSERT_OK(tcgemmDestroy(other));
  Product(desc).runOnce(plan, 0);
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryProductsTest, Threads) {
  tcgemmMatmulDesc desc = makeDesc(24, 40, 48);
  tcgemmPlan_t shared = nullptr;
  ASSERT_OK(tcgemmPlan(handle, &desc, &shared));
  std::vector<std::thread> threads;
  for (int i = 0; i != 8; ++i)
    threads.emplace_back([&, i] {
      // A thread without a context: the library makes one current for its
      // calls, and the test for its copies.
      tcgemmMatmulDesc own = makeDesc(24 + i % 3, 40, 48);
      tcgemmPlan_t plan = nullptr;
      EXPECT_OK(tcgemmPlan(handle, &own, &plan));
      EXPECT_OK(tcgemmPlanDestroy(plan));
      SetUpTestSuite();
      Product(own).check(handle);
      Product(desc).runOnce(shared, 0);
      EXPECT_EQ(tcgemmPlan(handle, nullptr, &plan), TCGEMM_INVALID_VALUE);
      EXPECT_EQ(getMessage(), "desc is null");
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_OK(tcgemmPlanDestroy(shared));
}

/// Column-major, as cuBLAS.
class GemmTest : public LibraryTest {
protected:
  void check(tcgemmTranspose transA, tcgemmTranspose transB, float alpha,
             float beta, int64_t m = 40, int64_t n = 24, int64_t k = 56,
             size_t offset = 0);
};

void GemmTest::check(tcgemmTranspose transA, tcgemmTranspose transB,
                     float alpha, float beta, int64_t m, int64_t n, int64_t k,
                     size_t offset) {
  int64_t lda = (transA ? k : m) + 8, ldb = (transB ? n : k) + 16, ldc = m + 8;
  Elements a(TCGEMM_F16, lda * (transA ? m : k) + 1, 1);
  Elements b(TCGEMM_F16, ldb * (transB ? k : n) + 1, 2);
  Elements c(TCGEMM_F32, ldc * n, 3);
  DeviceMemory onA(a.bytes), onB(b.bytes), onC(c.bytes);
  size_t skipped = offset / 2;
  EXPECT_OK(tcgemmGemmEx(handle, transA, transB, m, n, k, &alpha,
                         onA.get(offset), TCGEMM_F16, lda, onB.get(offset),
                         TCGEMM_F16, ldb, &beta, onC.get(), TCGEMM_F32, ldc,
                         nullptr));
  for (int64_t i = 0; i != m; ++i)
    for (int64_t j = 0; j != n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l != k; ++l)
        sum += a.get(skipped + (transA ? i * lda + l : l * lda + i)) *
               b.get(skipped + (transB ? l * ldb + j : j * ldb + l));
      double old = beta == 0 ? 0 : beta * c.get(j * ldc + i);
      c.set(j * ldc + i, alpha * sum + old);
    }
  EXPECT_EQ(onC.read(), c.bytes);
}

TEST_F(GemmTest, Layouts) {
  for (tcgemmTranspose a : {TCGEMM_N, TCGEMM_T})
    for (tcgemmTranspose b : {TCGEMM_N, TCGEMM_T}) {
      check(a, b, 1, 0);
      check(a, b, 2, 0);
      // C is read and written. On the last rows of a tile that is not whole,
      // kernels read elements again and drop them, which the emulator's race
      // checker reports; integration_test/library-in-place.test has such sizes.
      check(a, b, 1, 1, 128, 128, 56);
      check(a, b, 3, 2, 128, 128, 56);
    }
}

TEST_F(GemmTest, SizesAndAddresses) {
  check(TCGEMM_N, TCGEMM_N, 1, 0, 1, 1, 1);
  check(TCGEMM_N, TCGEMM_N, 1, 0, 40, 24, 0);
  check(TCGEMM_N, TCGEMM_N, 1, 2, 128, 128, 0);
  check(TCGEMM_N, TCGEMM_T, 1, 0, 33, 17, 71);
  // Packed operands: the workspace is the stream's.
  check(TCGEMM_T, TCGEMM_N, 1, 0, 40, 24, 56, /*offset=*/2);
}

TEST_F(GemmTest, PlansOnce) {
  check(TCGEMM_N, TCGEMM_N, 1, 0, 16, 8, 24);
  takeLog();
  check(TCGEMM_N, TCGEMM_N, 1, 0, 16, 8, 24);
  EXPECT_EQ(takeLog(), "");
  check(TCGEMM_N, TCGEMM_N, 1, 0, 16, 8, 32);
  EXPECT_NE(takeLog(), "");
}

} // namespace
