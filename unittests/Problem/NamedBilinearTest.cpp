//===- NamedBilinearTest.cpp - Numbers of several components --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/NamedBilinear.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {
/// The product of two numbers by the constants.
std::vector<int> multiply(const BilinearAlgebra &algebra,
                          const std::vector<int> &x,
                          const std::vector<int> &y) {
  std::vector<int> result(algebra.info->numComponents);
  for (unsigned q = 0; q != x.size(); ++q)
    for (unsigned r = 0; r != y.size(); ++r)
      for (unsigned p = 0; p != result.size(); ++p)
        result[p] += algebra.getConstant(q, r, p) * x[q] * y[r];
  return result;
}

std::vector<int> multiply(const char *name, const std::vector<int> &x,
                          const std::vector<int> &y) {
  std::optional<BilinearAlgebra> algebra = BilinearAlgebra::parse(name);
  if (!algebra)
    return {};
  EXPECT_EQ(algebra->str(), name);
  return multiply(*algebra, x, y);
}

TEST(NamedBilinear, Products) {
  using V = std::vector<int>;
  EXPECT_EQ(multiply("complex", {2, 3}, {5, 7}), V({-11, 29}));
  EXPECT_EQ(multiply("complex-conj-a", {2, 3}, {5, 7}), V({31, -1}));
  EXPECT_EQ(multiply("complex-conj-b", {2, 3}, {5, 7}), V({31, 1}));
  EXPECT_EQ(multiply("complex-conj-ab", {2, 3}, {5, 7}), V({-11, -29}));
  EXPECT_EQ(multiply("split-complex", {2, 3}, {5, 7}), V({31, 29}));
  EXPECT_EQ(multiply("dual", {2, 3}, {5, 7}), V({10, 29}));
  EXPECT_EQ(multiply("dual-conj-a", {2, 3}, {5, 7}), V({10, -1}));
  EXPECT_EQ(multiply("quaternion", {0, 1, 0, 0}, {0, 0, 1, 0}),
            V({0, 0, 0, 1}));
  EXPECT_EQ(multiply("quaternion", {0, 0, 1, 0}, {0, 1, 0, 0}),
            V({0, 0, 0, -1}));
}

// The norm of a product is the product of norms, and the conjugate of a product
// is that of the conjugates in the other order.
TEST(NamedBilinear, Quaternions) {
  std::vector<int> x = {2, -3, 5, 7}, y = {1, 4, -6, 3};
  auto norm = [](const std::vector<int> &v) {
    int sum = 0;
    for (int component : v)
      sum += component * component;
    return sum;
  };
  std::vector<int> product = multiply("quaternion", x, y);
  EXPECT_EQ(norm(product), norm(x) * norm(y));
  std::vector<int> conjugates = multiply("quaternion-conj-ab", y, x);
  for (unsigned i = 0; i != 4; ++i)
    EXPECT_EQ(conjugates[i], i ? -product[i] : product[i]);
}

TEST(NamedBilinear, Names) {
  for (const char *name : {"", "plus-times", "complex-conj", "complex-conj-ba",
                           "-conj-a", "octonion"})
    EXPECT_FALSE(BilinearAlgebra::parse(name)) << name;
}

Contraction makeProduct() {
  return llvm::cantFail(Contraction::parse("mk,nk->mn", "m=3,n=4,k=5"));
}

TEST(NamedBilinear, Components) {
  BilinearAlgebra algebra = *BilinearAlgebra::parse("quaternion");
  Contraction interleaved = makeProduct();
  ComponentLetters letters = llvm::cantFail(
      addComponents(interleaved, algebra, ComponentLayout::Interleaved));
  EXPECT_EQ(letters, (ComponentLetters{'q', 'r', 'p'}));
  EXPECT_EQ(interleaved.operands[0].letters, "mkq");
  EXPECT_EQ(interleaved.getShape(1), (std::vector<int64_t>{4, 5, 4}));
  Contraction planes = makeProduct();
  llvm::cantFail(addComponents(planes, algebra, ComponentLayout::Planes));
  EXPECT_EQ(planes.operands[2].letters, "pmn");
  Contraction rows = makeProduct();
  llvm::cantFail(addComponents(rows, algebra, ComponentLayout::Rows));
  EXPECT_EQ(rows.operands[0].letters, "mqk");
  // Letters that are indices already are not taken.
  Contraction other =
      llvm::cantFail(Contraction::parse("qk,rk->qr", "q=3,r=4,k=5"));
  letters = llvm::cantFail(
      addComponents(other, algebra, ComponentLayout::Interleaved));
  EXPECT_EQ(letters, (ComponentLetters{'p', 'a', 'b'}));
}

TEST(NamedBilinear, TooManyIndices) {
  BilinearAlgebra algebra = *BilinearAlgebra::parse("complex");
  Contraction full = makeProduct();
  full.operands[1].letters = "nkabcdefghijlopq";
  llvm::Expected<ComponentLetters> letters =
      addComponents(full, algebra, ComponentLayout::Interleaved);
  ASSERT_FALSE(letters);
  EXPECT_EQ(llvm::toString(letters.takeError()),
            "B has 16 indices, and so none is left for the components");
  Contraction all = makeProduct();
  for (char letter = 'a'; letter <= 'x'; ++letter)
    all.extents[letter] = 1;
  letters = addComponents(all, algebra, ComponentLayout::Interleaved);
  ASSERT_FALSE(letters);
  EXPECT_EQ(llvm::toString(letters.takeError()),
            "the components need three letters, but only 2 are not indices");
}
} // namespace
