//===- LibraryContractionsTest.cpp - Products by index string -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryTest.h"
#include "tcgemm/Problem/NamedEpilogue.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

using namespace tcgemm;

namespace {

/// A tensor of f32 with small integers, and its elements by letter.
struct Tensor {
  std::string letters;
  std::vector<int64_t> strides;
  std::vector<float> values;
  int64_t first = 0; ///< The place of the first element.

  /// `size` elements of memory.
  Tensor(std::string letters, std::vector<int64_t> strides, int64_t size,
         int seed)
      : letters(std::move(letters)), strides(std::move(strides)) {
    for (int64_t i = 0; i != size; ++i)
      values.push_back(static_cast<float>((i * 7 + seed) % 5 - 2));
  }
  float &at(const std::map<char, int64_t> &place) {
    int64_t offset = first;
    for (size_t i = 0; i != letters.size(); ++i)
      offset += place.at(letters[i]) * strides[i];
    return values[offset];
  }
  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> result(values.size() * sizeof(float));
    std::memcpy(result.data(), values.data(), result.size());
    return result;
  }
};

/// A contraction of f32, compared with a loop over all letters.
struct Case {
  const char *indices;
  std::map<char, int64_t> extents;
  std::vector<int64_t> stridesA{}, stridesB{}, stridesD{}; ///< Empty: dense.
  bool copies = false; ///< True if operands are copied.
  const char *epilogue = "none";
  /// With C, of these strides.
  std::optional<std::vector<int64_t>> stridesC{};
  int64_t first = 0; ///< Elements ahead of all tensors.
};

class LibraryContractionsTest : public LibraryTest {
protected:
  static tcgemmContractionDesc makeDesc(const Case &each);
  void check(const Case &each);
  void checkVectors(const Case &each, const std::string &alongN,
                    const std::string &alongM);
  void expectRefused(const tcgemmContractionDesc &desc, tcgemmStatus status,
                     const std::string &message) {
    tcgemmPlan_t plan = nullptr;
    EXPECT_EQ(tcgemmPlanContraction(handle, &desc, &plan), status);
    EXPECT_EQ(getMessage(), message);
    EXPECT_EQ(plan, nullptr);
  }
};

std::vector<std::string> split(const std::string &indices) {
  size_t comma = indices.find(','), arrow = indices.find("->");
  return {indices.substr(0, comma),
          indices.substr(comma + 1, arrow - comma - 1),
          indices.substr(arrow + 2)};
}

std::vector<int64_t> getDense(const std::string &letters,
                              const std::map<char, int64_t> &extents) {
  std::vector<int64_t> strides(letters.size());
  int64_t stride = 1;
  for (size_t i = letters.size(); i-- > 0; stride *= extents.at(letters[i]))
    strides[i] = stride;
  return strides;
}

tcgemmContractionDesc LibraryContractionsTest::makeDesc(const Case &each) {
  tcgemmContractionDesc desc;
  EXPECT_OK(tcgemmContractionDescInit(&desc));
  desc.typeA = desc.typeB = desc.typeD = TCGEMM_F32;
  desc.indices = each.indices;
  desc.epilogue = each.epilogue;
  if (each.first)
    desc.alignment = sizeof(float);
  std::vector<std::string> letters = split(each.indices);
  for (size_t i = 0; i != letters[0].size(); ++i)
    desc.sizesA[i] = each.extents.at(letters[0][i]);
  for (size_t i = 0; i != letters[1].size(); ++i)
    desc.sizesB[i] = each.extents.at(letters[1][i]);
  std::copy(each.stridesA.begin(), each.stridesA.end(), desc.stridesA);
  std::copy(each.stridesB.begin(), each.stridesB.end(), desc.stridesB);
  std::copy(each.stridesD.begin(), each.stridesD.end(), desc.stridesD);
  if (each.stridesC) {
    std::copy(each.stridesC->begin(), each.stridesC->end(), desc.stridesC);
    desc.scaling = TCGEMM_ALPHA_BETA;
    desc.alpha = 2;
    desc.beta = -1;
  }
  return desc;
}

void LibraryContractionsTest::check(const Case &each) {
  SCOPED_TRACE(each.indices);
  constexpr int64_t memory = 8192;
  std::vector<std::string> letters = split(each.indices);
  auto make = [&](unsigned operand, const std::vector<int64_t> &strides,
                  int seed) {
    return Tensor(letters[operand],
                  strides.empty() ? getDense(letters[operand], each.extents)
                                  : strides,
                  memory, seed);
  };
  Tensor a = make(0, each.stridesA, 1), b = make(1, each.stridesB, 2),
         c = make(2, each.stridesC.value_or(std::vector<int64_t>()), 4),
         d = make(2, each.stridesD, 3), residual = make(2, each.stridesD, 0);
  for (Tensor *tensor : {&a, &b, &c, &d, &residual})
    tensor->first = each.first;
  DeviceMemory onA(a.bytes()), onB(b.bytes()), onC(c.bytes()), onD(d.bytes()),
      onResidual(residual.bytes());
  tcgemmContractionDesc desc = makeDesc(each);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  size_t bytes = 0;
  ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
  EXPECT_EQ(bytes != 0, each.copies);
  DeviceMemory workspace(bytes + 256);
  tcgemmOperands operands;
  ASSERT_OK(tcgemmOperandsInit(&operands));
  size_t shift = each.first * sizeof(float);
  operands.a = onA.get(shift);
  operands.b = onB.get(shift);
  if (desc.scaling == TCGEMM_ALPHA_BETA)
    operands.c = onC.get(shift);
  operands.d = onD.get(shift);
  operands.alpha = desc.alpha;
  operands.beta = desc.beta;
  if (std::strcmp(desc.epilogue, "none") != 0)
    operands.epilogue[0] = onResidual.get(shift);
  if (bytes)
    EXPECT_EQ(
        tcgemmRunOperands(plan, &operands, workspace.get(), bytes - 1, nullptr),
        TCGEMM_WORKSPACE);
  ASSERT_OK(
      tcgemmRunOperands(plan, &operands, workspace.get(), bytes, nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  // D is counted up from 0, letter by letter.
  std::map<char, int64_t> place;
  std::string all;
  for (auto [letter, extent] : each.extents) {
    place[letter] = 0;
    all += letter;
  }
  std::map<std::vector<int64_t>, double> sums;
  for (bool isDone = false; !isDone;) {
    std::vector<int64_t> key;
    for (char letter : letters[2])
      key.push_back(place[letter]);
    sums[key] += static_cast<double>(a.at(place)) * b.at(place);
    isDone = true;
    for (char letter : all) {
      if (++place[letter] != each.extents.at(letter)) {
        isDone = false;
        break;
      }
      place[letter] = 0;
    }
  }
  for (const auto &[key, sum] : sums) {
    for (size_t i = 0; i != key.size(); ++i)
      place[letters[2][i]] = key[i];
    double value = desc.alpha * sum;
    if (each.stridesC)
      value += desc.beta * c.at(place);
    if (std::strcmp(each.epilogue, "residual_relu") == 0)
      value = std::max(0.0, value + residual.at(place));
    d.at(place) = static_cast<float>(value);
  }
  EXPECT_EQ(onD.read(), d.bytes());
}

/// Calls `visit` with all places of the letters.
template <typename Visit>
void visitPlaces(const std::map<char, int64_t> &extents, Visit visit) {
  int64_t count = 1;
  for (auto [letter, extent] : extents)
    count *= extent;
  for (int64_t number = 0; number != count; ++number) {
    std::map<char, int64_t> place;
    int64_t rest = number;
    for (auto [letter, extent] : extents) {
      place[letter] = rest % extent;
      rest /= extent;
    }
    visit(place);
  }
}

/// D = (A * B + a bias along n) * a scale along m, with that text, too.
void LibraryContractionsTest::checkVectors(const Case &each,
                                           const std::string &alongN,
                                           const std::string &alongM) {
  constexpr int64_t memory = 2048;
  std::vector<std::string> letters = split(each.indices);
  auto make = [&](const std::string &named, int seed) {
    return Tensor(named, getDense(named, each.extents), memory, seed);
  };
  Tensor a = make(letters[0], 1), b = make(letters[1], 2),
         d = make(letters[2], 3), bias = make(alongN, 4),
         scale = make(alongM, 0);
  if (!each.stridesD.empty())
    d.strides = each.stridesD;
  Tensor expected = d;
  visitPlaces(each.extents, [&](auto &place) { expected.at(place) = 0; });
  visitPlaces(each.extents, [&](auto &place) {
    expected.at(place) += a.at(place) * b.at(place);
  });
  std::map<char, int64_t> ofD = each.extents;
  for (auto [letter, extent] : each.extents)
    if (letters[2].find(letter) == std::string::npos)
      ofD.erase(letter);
  visitPlaces(ofD, [&](auto &place) {
    expected.at(place) =
        (expected.at(place) + bias.at(place)) * scale.at(place);
  });
  DeviceMemory onA(a.bytes()), onB(b.bytes()), onBias(bias.bytes()),
      onScale(scale.bytes());
  for (const char *body : {static_cast<const char *>(nullptr),
                           "%0 = arith.addf %sum, %bias : f32\n"
                           "%result = arith.mulf %0, %rowscale : f32"}) {
    tcgemmContractionDesc desc = makeDesc(each);
    desc.epilogue = "bias_rowscale";
    desc.epilogueBody = body;
    tcgemmPlan_t plan = nullptr;
    ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
    size_t bytes = 0;
    ASSERT_OK(tcgemmPlanWorkspaceSize(plan, &bytes));
    DeviceMemory workspace(bytes + 256), onD(d.bytes());
    tcgemmOperands operands;
    ASSERT_OK(tcgemmOperandsInit(&operands));
    operands.a = onA.get();
    operands.b = onB.get();
    operands.d = onD.get();
    operands.epilogue[0] = onBias.get();
    operands.epilogue[1] = onScale.get();
    ASSERT_OK(
        tcgemmRunOperands(plan, &operands, workspace.get(), bytes, nullptr));
    EXPECT_OK(tcgemmPlanDestroy(plan));
    EXPECT_EQ(onD.read(), expected.bytes());
  }
}

TEST_F(LibraryContractionsTest, Dense) {
  for (const Case &each : std::initializer_list<Case>{
           {"mk,kn->mn", {{'m', 12}, {'n', 20}, {'k', 16}}},
           {"mk,nk->nm", {{'m', 12}, {'n', 20}, {'k', 16}}},
           {"bqhd,bkhd->bhqk",
            {{'b', 2}, {'q', 12}, {'k', 8}, {'h', 3}, {'d', 8}}},
           {"abc,cd->abd", {{'a', 3}, {'b', 4}, {'c', 8}, {'d', 12}}},
           {"k,kn->n", {{'k', 8}, {'n', 12}}},
           {"mk,k->m", {{'m', 16}, {'k', 8}}},
           {"bk,bk->b", {{'b', 5}, {'k', 8}}},
           {"m,n->mn", {{'m', 5}, {'n', 8}}},
           {"m,m->m", {{'m', 5}}},
           {"mak,kn->man", {{'m', 4}, {'a', 1}, {'n', 12}, {'k', 8}}},
           {"mk,kn->mn", {{'m', 1}, {'n', 1}, {'k', 1}}},
       })
    check(each);
}

TEST_F(LibraryContractionsTest, Copies) {
  for (const Case &each : std::initializer_list<Case>{
           {"mkb,knb->mnb", {{'m', 8}, {'n', 12}, {'k', 8}, {'b', 3}}},
           {"aebf,fdec->abcd",
            {{'a', 2}, {'b', 3}, {'c', 4}, {'d', 2}, {'e', 4}, {'f', 8}}},
           {"mk,nk->mnk", {{'m', 5}, {'n', 8}, {'k', 4}}},
           // No two elements are neighbours.
           {"mk,kn->mn", {{'m', 8}, {'n', 12}, {'k', 8}}, {32, 2}},
           {"mk,kn->mn", {{'m', 8}, {'n', 12}, {'k', 8}}, {}, {50, 3}},
           {"mk,kn->mn", {{'m', 8}, {'n', 12}, {'k', 8}}, {}, {}, {50, 3}},
       }) {
    Case copied = each;
    copied.copies = true;
    check(copied);
    copied.epilogue = "residual_relu";
    check(copied);
  }
}

TEST_F(LibraryContractionsTest, Strides) {
  const std::map<char, int64_t> extents{
      {'a', 3}, {'m', 8}, {'n', 12}, {'k', 8}};
  // Rows with gaps, so that a and m are no one index.
  check({"amk,kn->amn", extents, {100, 12, 1}, {16, 1}, {200, 16, 1}});
  // Columns are neighbours, and n comes first in D.
  check({"amk,kn->amn", extents, {8, 24, 1}, {1, 8}, {12, 36, 1}});
  check({"amk,kn->amn", extents, {64, 1, 8}, {12, 1}, {96, 1, 8}});
  // Elements that are used several times.
  check({"amk,kn->amn", extents, {0, 8, 1}, {12, 1}, {96, 12, 1}});
  check({"amk,kn->amn", extents, {64, 0, 1}, {0, 1}, {96, 12, 1}});
}

/// Addresses that only the size of an element divides.
TEST_F(LibraryContractionsTest, Alignment) {
  const std::map<char, int64_t> extents{
      {'a', 3}, {'m', 8}, {'n', 12}, {'k', 8}};
  Case each{"amk,kn->amn", extents};
  each.first = 1;
  check(each);
  each.epilogue = "residual_relu";
  check(each);
  each.indices = "mka,kna->mna";
  each.copies = true;
  check(each);
  tcgemmContractionDesc desc = makeDesc({"amk,kn->amn", extents});
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  DeviceMemory memory(8192);
  EXPECT_EQ(tcgemmRun(plan, memory.get(4), memory.get(), nullptr,
                      memory.get(4096), nullptr, nullptr),
            TCGEMM_MISALIGNED);
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

/// C may have other strides than D, also those that D's kernel does not take.
TEST_F(LibraryContractionsTest, Factors) {
  const std::map<char, int64_t> extents{
      {'a', 3}, {'m', 8}, {'n', 12}, {'k', 8}};
  Case each{"amk,kn->amn", extents};
  each.stridesC = {96, 12, 1};
  check(each);
  each.epilogue = "residual_relu";
  check(each);
  each.copies = true;
  each.stridesC = {112, 12, 1};
  check(each);
  each.stridesC = {1, 36, 3};
  check(each);
  each.stridesC = {0, 1, 0};
  check(each);
  // With a as the kernel's n.
  each.stridesC = each.stridesD = {1, 36, 3};
  each.copies = false;
  check(each);
}

TEST_F(LibraryContractionsTest, SizesOfZero) {
  takeLog();
  Case each{"bmk,bkn->bmn", {{'b', 2}, {'m', 0}, {'n', 8}, {'k', 8}}};
  tcgemmContractionDesc desc = makeDesc(each);
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  EXPECT_OK(
      tcgemmRun(plan, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(takeLog(), "") << "nothing is compiled";
  // Without terms D is 0, and there are no factors.
  each.extents = {{'b', 2}, {'m', 4}, {'n', 8}, {'k', 0}};
  desc = makeDesc(each);
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  DeviceMemory d(std::vector<uint8_t>(2 * 4 * 8 * 4, 0xff));
  EXPECT_OK(
      tcgemmRun(plan, nullptr, nullptr, nullptr, d.get(), nullptr, nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  EXPECT_EQ(d.read(), std::vector<uint8_t>(2 * 4 * 8 * 4, 0));
}

/// Contractions with the same folded indices share a kernel, whatever their
/// letters and sizes.
TEST_F(LibraryContractionsTest, OneKernelForAll) {
  Case each{"mk,kn->mn", {{'m', 8}, {'n', 12}, {'k', 16}}};
  tcgemmContractionDesc desc = makeDesc(each);
  const char *config = "schedule=simt cta=64x64x16 warps=2x2x1";
  desc.config = config;
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  takeLog();
  for (const Case &other : std::initializer_list<Case>{
           {"xy,yz->xz", {{'x', 20}, {'y', 4}, {'z', 24}}},
           {"abck,kde->abcde",
            {{'a', 2}, {'b', 3}, {'c', 4}, {'d', 2}, {'e', 6}, {'k', 8}}}}) {
    desc = makeDesc(other);
    desc.config = config;
    ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
    EXPECT_OK(tcgemmPlanDestroy(plan));
    std::string log = takeLog();
    EXPECT_EQ(log.find("compiles"), std::string::npos) << log;
    EXPECT_EQ(log.find("reads /"), std::string::npos) << log;
  }
}

/// The kernel's A may be the caller's B, so that their types change places.
TEST_F(LibraryContractionsTest, TypesOfBoth) {
  tcgemmContractionDesc desc =
      makeDesc({"mk,nk->nm", {{'m', 4}, {'n', 8}, {'k', 32}}});
  desc.typeA = TCGEMM_U8;
  desc.typeB = TCGEMM_S8;
  desc.typeD = TCGEMM_S32;
  tcgemmPlan_t plan = nullptr;
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  std::vector<uint8_t> a(4 * 32, 200), b(8 * 32, 0xff);
  DeviceMemory onA(a), onB(b), onD(std::vector<uint8_t>(4 * 8 * 4));
  ASSERT_OK(tcgemmRun(plan, onA.get(), onB.get(), nullptr, onD.get(), nullptr,
                      nullptr));
  EXPECT_OK(tcgemmPlanDestroy(plan));
  std::vector<int32_t> d(4 * 8);
  std::memcpy(d.data(), onD.read().data(), d.size() * 4);
  EXPECT_EQ(d, std::vector<int32_t>(4 * 8, 200 * -1 * 32));
}

TEST_F(LibraryContractionsTest, Explanations) {
  tcgemmContractionDesc desc =
      makeDesc({"mkb,knb->mnb", {{'m', 8}, {'n', 12}, {'k', 8}, {'b', 3}}});
  tcgemmPlan_t plan = nullptr;
  const char *text = nullptr;
  ASSERT_OK(tcgemmPlanContraction(handle, &desc, &plan));
  ASSERT_OK(tcgemmPlanExplain(plan, &text));
  std::string explanation = text;
  EXPECT_EQ(explanation.find("product: f32 tn f32 none batched 3x8x12x8\n"), 0u)
      << explanation;
  EXPECT_NE(explanation.find("\nlaunches: copy of A, copy of B, main_0"),
            std::string::npos)
      << explanation;
  EXPECT_NE(explanation.find(", copy of D\nworkspace: "), std::string::npos)
      << explanation;
  EXPECT_OK(tcgemmPlanDestroy(plan));
}

TEST_F(LibraryContractionsTest, Structures) {
  tcgemmContractionDesc desc =
      makeDesc({"mk,kn->mn", {{'m', 8}, {'n', 8}, {'k', 8}}});
  tcgemmPlan_t plan = nullptr;
  EXPECT_EQ(tcgemmPlanContraction(nullptr, &desc, &plan),
            TCGEMM_INVALID_HANDLE);
  EXPECT_EQ(tcgemmPlanContraction(handle, nullptr, &plan),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(getMessage(), "desc is null");
  EXPECT_EQ(tcgemmPlanContraction(handle, &desc, nullptr),
            TCGEMM_INVALID_VALUE);
  EXPECT_EQ(tcgemmContractionDescInitSized(&desc, 8), TCGEMM_INVALID_VALUE);
  desc.structSize = 12;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "structSize is 12, but it must be " +
                    std::to_string(sizeof desc) +
                    ": the structure is not initialised, or of a newer "
                    "tcgemm.h than the library");
}

TEST_F(LibraryContractionsTest, Strings) {
  const Case each{"mk,kn->mn", {{'m', 8}, {'n', 8}, {'k', 8}}};
  auto refuse = [&](const char *indices, const std::string &message) {
    tcgemmContractionDesc desc = makeDesc(each);
    desc.indices = indices;
    expectRefused(desc, TCGEMM_INVALID_VALUE, message);
  };
  refuse(nullptr, "indices is null");
  refuse("", "index string '': expected the letters of A, B and D, as in "
             "'mk,kn->mn'");
  refuse("mk,kn",
         "index string 'mk,kn': expected the letters of A, B and D, as "
         "in 'mk,kn->mn'");
  refuse("mk,kn->m1", "index string 'mk,kn->m1': expected the letters of A, B "
                      "and D, as in 'mk,kn->mn'");
  refuse("mk,kn->mx",
         "'mk,kn->mx': index 'n' is only in B; sums of one operand "
         "are not supported");
  refuse("mk,kn->mnx", "'mk,kn->mnx': index 'x' of D is neither in A nor in B");
  refuse("mm,mn->mn", "'mm,mn->mn': index 'm' is repeated in A; diagonals are "
                      "not supported");
  refuse("abcdefghijklmnopq,aq->bcdefghijklmnopq",
         "'abcdefghijklmnopq,aq->bcdefghijklmnopq': A has 17 indices, but must "
         "have from 1 to 16");
}

TEST_F(LibraryContractionsTest, Sizes) {
  const Case each{"mk,kn->mn", {{'m', 8}, {'n', 8}, {'k', 8}}};
  tcgemmContractionDesc desc = makeDesc(each);
  desc.sizesB[0] = 9;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "'mk,kn->mn': the size of 'k' is 8 in A, but 9 in B");
  desc.sizesB[0] = -1;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "sizesB[0], the size of 'k', is -1, but it must be 0 to "
                "2147483647");
  desc = makeDesc(each);
  desc.stridesA[0] = -2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "stridesA[0] is -2, but it must be 0 to 72057594037927936");
  desc = makeDesc(each);
  desc.stridesD[0] = 4;
  expectRefused(
      desc, TCGEMM_INVALID_VALUE,
      "'mk,kn->mn': with stridesD elements of D have the same address");
  desc = makeDesc(
      {"abmk,kn->abmn",
       {{'a', 1 << 15}, {'b', 1 << 14}, {'m', 8}, {'n', 8}, {'k', 8}}});
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "'abmk,kn->abmn' is a product with m = 4294967296, but the "
                "limit is 2147483647");
  desc.sizesA[0] = desc.sizesA[1] = desc.sizesA[2] = 1 << 30;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "'abmk,kn->abmn': stridesA and the sizes give more elements "
                "than the limit of 2^56");
}

/// Vectors have the letters of B and D, or of A and D, in the order of D, also
/// where the kernel's A is B or where D's letters are no neighbours in memory.
TEST_F(LibraryContractionsTest, Vectors) {
  std::map<char, int64_t> extents{{'b', 2},  {'m', 8}, {'p', 3},
                                  {'n', 12}, {'q', 2}, {'k', 8}};
  struct Vectors {
    const char *indices, *alongN, *alongM;
    std::vector<int64_t> stridesD;
  };
  for (const Vectors &each : std::initializer_list<Vectors>{
           {"mk,kn->mn", "n", "m", {}},
           {"mk,nk->nm", "n", "m", {}},
           {"bmk,bkn->nbm", "n", "m", {}},
           {"mpk,qkn->mpqn", "qn", "mp", {}},
           {"mpk,kqn->mnqp", "nq", "mp", {}},
           {"mpk,kqn->mpnq", "nq", "mp", {72, 24, 1, 12}},
           {"mk,k->m", "", "m", {}}}) {
    SCOPED_TRACE(each.indices);
    std::map<char, int64_t> used;
    for (char letter : std::string(each.indices))
      if (extents.count(letter))
        used[letter] = extents[letter];
    checkVectors({each.indices, used, {}, {}, each.stridesD}, each.alongN,
                 each.alongM);
  }
}

TEST_F(LibraryContractionsTest, Fields) {
  const Case each{"mk,nk->nm", {{'m', 8}, {'n', 8}, {'k', 8}}};
  tcgemmContractionDesc desc = makeDesc(each);
  desc.typeA = TCGEMM_S8;
  desc.typeB = TCGEMM_F64;
  expectRefused(desc, TCGEMM_NOT_SUPPORTED,
                "types of A and B: no instruction multiplies s8 by f64");
  desc = makeDesc(each);
  desc.epilogue = "relu_mean";
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "epilogue: 'mean' is none of " + getPartNames());
  desc = makeDesc(each);
  desc.alpha = 2;
  expectRefused(desc, TCGEMM_INVALID_VALUE,
                "alpha is not 1, but scaling is TCGEMM_UNSCALED");
}

/// A launch copies six dimensions. Those of A, in the reverse order in B, take
/// several launches, or too many.
TEST_F(LibraryContractionsTest, ManyDimensions) {
  std::map<char, int64_t> extents{{'m', 8}, {'n', 8}};
  for (char letter : std::string("abcdefg"))
    extents[letter] = 2;
  Case each{"mabcdefg,gfedcban->mn", extents};
  each.copies = true;
  check(each);
  for (char letter : std::string("hijkloqr"))
    extents[letter] = 2;
  expectRefused(makeDesc({"mabcdefghijkloqr,rqolkjihgfedcban->mn", extents}),
                TCGEMM_NOT_SUPPORTED,
                "A must be copied, which takes more than 64 launches: a copy "
                "has 16 dimensions that are not neighbours, but at most 6 are "
                "supported");
}

} // namespace
