//===- SupportedProductsTest.cpp - Types that schedules multiply ----------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/SupportedProducts.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

using T = ScalarType;

class SupportedProductsTest : public testing::Test {
protected:
  const SupportedProduct *find(T a, T b, Schedule schedule) const {
    auto found = llvm::find_if(products, [&](const SupportedProduct &product) {
      return product.a == a && product.b == b && product.schedule == schedule;
    });
    return found == products.end() ? nullptr : &*found;
  }
  /// What a chip has of a product that is in the list.
  ChipSupport getSupport(T type, Schedule schedule,
                         llvm::StringRef name) const {
    const ChipInfo &chip = llvm::cantFail(lookupChip(name));
    const SupportedProduct *product = find(type, type, schedule);
    return product ? product->chips[&chip - getKnownChips().data()]
                   : ChipSupport::None;
  }

  std::vector<SupportedProduct> products = listSupportedProducts();
};

TEST_F(SupportedProductsTest, EachIsListedOnce) {
  std::set<std::tuple<T, T, Schedule>> seen;
  for (const SupportedProduct &product : products)
    EXPECT_TRUE(seen.insert({product.a, product.b, product.schedule}).second);
}

TEST_F(SupportedProductsTest, EachInstructionIsInTheList) {
  for (const MatrixInstruction &row : getMatrixInstructions())
    EXPECT_TRUE(llvm::any_of(products,
                             [&](const SupportedProduct &product) {
                               return product.instruction &&
                                      product.instruction->hasSameTypes(row);
                             }))
        << getTypeName(row.a).str() << " by " << getTypeName(row.b).str();
}

TEST_F(SupportedProductsTest, ChipsHaveWhatTheirRowsSay) {
  EXPECT_EQ(getSupport(T::BF16, Schedule::MmaSync, "sm_80"),
            ChipSupport::Native);
  EXPECT_EQ(getSupport(T::BF16, Schedule::Wgmma, "sm_90a"),
            ChipSupport::Native);
  EXPECT_EQ(getSupport(T::BF16, Schedule::Wgmma, "sm_90"), ChipSupport::None);
  EXPECT_EQ(getSupport(T::E4M3, Schedule::MmaSync, "sm_80"), ChipSupport::None);
  EXPECT_EQ(getSupport(T::E4M3, Schedule::MmaSync, "sm_89"),
            ChipSupport::Native);
  EXPECT_EQ(getSupport(T::E4M3, Schedule::MmaSync, "sm_90"),
            ChipSupport::Emulated);
  EXPECT_EQ(getSupport(T::E4M3, Schedule::Wgmma, "sm_90a"),
            ChipSupport::Native);
  EXPECT_EQ(getSupport(T::F32, Schedule::MmaSync, "sm_90"), ChipSupport::None);
  EXPECT_EQ(find(T::BF16, T::F16, Schedule::MmaSync), nullptr);
}

TEST_F(SupportedProductsTest, LayoutsFollowFromTypesAndSchedules) {
  using S = TransposedSupport;
  auto getTransposed = [&](T a, T b, Schedule schedule) {
    const SupportedProduct *product = find(a, b, schedule);
    return product ? product->transposed : std::array{S::None, S::None};
  };
  using Pair = std::array<S, 2>;
  EXPECT_EQ(getTransposed(T::BF16, T::BF16, Schedule::Wgmma),
            (Pair{S::Direct, S::Direct}));
  EXPECT_EQ(getTransposed(T::I8, T::I8, Schedule::Wgmma),
            (Pair{S::Packed, S::Packed}));
  EXPECT_EQ(getTransposed(T::BF16, T::I4, Schedule::MmaSync),
            (Pair{S::Packed, S::None}));
  EXPECT_EQ(getTransposed(T::F32, T::F32, Schedule::Simt),
            (Pair{S::Direct, S::Direct}));
  // gemv has no tiles, which other schedules transpose.
  EXPECT_EQ(getTransposed(T::I8, T::I8, Schedule::Gemv),
            (Pair{S::Direct, S::Direct}));
  EXPECT_EQ(getTransposed(T::BF16, T::I4, Schedule::Gemv),
            (Pair{S::Direct, S::None}));
}

/// A chip in the list must have a legal configuration, and no other chip.
TEST_F(SupportedProductsTest, ListedProductsHaveConfigurations) {
  for (const SupportedProduct &product : products)
    for (auto [chip, support] :
         llvm::zip_equal(getKnownChips(), product.chips)) {
      ProblemInfo problem;
      problem.typeA = product.a;
      problem.typeB = product.b;
      problem.accumulator = getAccumulatorTypes(product.a, product.b).front();
      llvm::cantFail(problem.setOutputType(""));
      // gemv proposes configurations for few rows.
      problem.m = product.schedule == Schedule::Gemv ? 1 : 1024;
      problem.n = problem.k = 1024;
      // expand has those for few coefficients.
      if (product.schedule == Schedule::Expand) {
        problem.k = 2;
        problem.coefficients = {0, 4};
      }
      KernelConfig named;
      named.schedule = product.schedule;
      std::string schedule = named.get("schedule");
      DefaultConfigProvider provider;
      std::optional<KernelConfig> config =
          provider.lookup({chip, problem, "", "schedule=" + schedule});
      EXPECT_EQ(config && config->schedule == product.schedule,
                support != ChipSupport::None)
          << schedule << " of " << problem.getOperandTypeText() << " on "
          << chip.name.str();
    }
}

} // namespace
