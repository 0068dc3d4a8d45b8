//===- RepresentationTest.cpp - Tests of numbers as blocks ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Representation.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

std::string getError(llvm::ArrayRef<int64_t> elements) {
  llvm::Expected<Representation> value = Representation::get(elements);
  return value ? "" : llvm::toString(value.takeError());
}

TEST(Representation, HasComponentsAndSigns) {
  Representation complex = llvm::cantFail(Representation::get({1, 2, -2, 1}));
  EXPECT_EQ(complex.getComponents(), 2u);
  EXPECT_EQ(complex.getComponent(0, 1), 1u);
  EXPECT_EQ(complex.getComponent(1, 0), 1u);
  EXPECT_EQ(complex.getComponent(1, 1), 0u);
  EXPECT_TRUE(complex.isNegated(1, 0));
  EXPECT_FALSE(complex.isNegated(0, 1));
  EXPECT_EQ(llvm::ArrayRef(complex.getElements()),
            llvm::ArrayRef<int64_t>({1, 2, -2, 1}));
}

TEST(Representation, ComparesByElements) {
  auto get = [](llvm::ArrayRef<int64_t> elements) {
    return llvm::cantFail(Representation::get(elements));
  };
  EXPECT_EQ(get({1, 2, -2, 1}), get({1, 2, -2, 1}));
  EXPECT_FALSE(get({1, 2, -2, 1}) == get({1, 2, 2, 1}));
  EXPECT_EQ(hash_value(get({1, 2, -2, 1})), hash_value(get({1, 2, -2, 1})));
}

/// The block of a quaternion as the right factor: row q and column p have the
/// component r for which e_q e_r is e_p or -e_p.
TEST(Representation, TakesFourComponents) {
  const int64_t elements[] = {1,  2, 3, 4,  -2, 1,  -4, 3,
                              -3, 4, 1, -2, -4, -3, 2,  1};
  Representation quaternion = llvm::cantFail(Representation::get(elements));
  EXPECT_EQ(quaternion.getComponents(), 4u);
  EXPECT_EQ(quaternion.getComponent(2, 3), 1u);
  EXPECT_TRUE(quaternion.isNegated(2, 3));
}

TEST(Representation, RefusesOtherSizesAndElements) {
  EXPECT_EQ(getError({1, 2, 3}),
            "a representation has 2 x 2 or 4 x 4 elements, but here are 3");
  EXPECT_EQ(getError({1}),
            "a representation has 2 x 2 or 4 x 4 elements, but here are 1");
  EXPECT_EQ(getError({1, 2, 0, 1}),
            "element 2 of a representation is 0, but it must be the number of "
            "a component, 1 to 2, perhaps negated");
  EXPECT_EQ(getError({1, 2, -3, 1}),
            "element 2 of a representation is -3, but it must be the number of "
            "a component, 1 to 2, perhaps negated");
  EXPECT_NE(getError({1, 2, INT64_MIN, 1}), "");
}

} // namespace
