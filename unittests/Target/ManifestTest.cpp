//===- ManifestTest.cpp - Tests of the manifest ---------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A valid document, its round trip, and documents broken in one place each.
//
//===----------------------------------------------------------------------===//

#include "SameManifest.h"
#include "TestManifest.h"

#include "tcgemm/Target/Manifest.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace tcgemm;

namespace {

std::string getError(const std::string &text) {
  llvm::Expected<Manifest> manifest = parseManifest(text);
  return manifest ? "" : llvm::toString(manifest.takeError());
}

/// The error of the valid document after one replacement.
std::string breakIt(const std::string &from, const std::string &to) {
  std::string text = getTestManifest();
  size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  if (position == std::string::npos)
    return "not found";
  return getError(text.replace(position, from.size(), to));
}

std::string print(const Manifest &manifest) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << toJSON(manifest);
  return text;
}

TEST(Manifest, ReadsAndRoundTrips) {
  llvm::Expected<Manifest> manifest = parseManifest(getTestManifest());
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  const KernelInfo &kernel = manifest->kernels[0];
  EXPECT_EQ(manifest->producer["llvm"], "22.1.8");
  EXPECT_EQ(kernel.sizes[unsigned(Dim::K)], 64);
  EXPECT_EQ(kernel.sizes[unsigned(Dim::M)], std::nullopt);
  EXPECT_EQ(kernel.operands[1].dims, (std::vector<Dim>{Dim::N, Dim::K}));
  const Step &step = kernel.variants[0].steps[0];
  EXPECT_EQ(step.grid[0].str(), "ceildiv(M, 128) * ceildiv(N, 256)");
  EXPECT_EQ(step.arguments[4].kind, ArgumentKind::Workspace);
  EXPECT_EQ(step.registers, 226);
  EXPECT_EQ(kernel.variants[0].steps[1].when->str(), "M > 100");
  EXPECT_EQ(kernel.variants[0].steps[1].registers, std::nullopt);
  const Step &tma = kernel.variants[1].steps[0];
  ASSERT_EQ(tma.tensorMaps.size(), 2U);
  const TensorMapInfo &map = tma.tensorMaps[1];
  EXPECT_EQ(map.type, ScalarType::F16);
  EXPECT_EQ(map.base.value.str(), "1024");
  EXPECT_EQ(map.dims[1].str(), "M");
  EXPECT_EQ(map.strides[1].str(), "M * 128");
  EXPECT_EQ(map.box, (std::vector<unsigned>{16, 64, 1}));
  EXPECT_EQ(map.swizzle, 32U);
  EXPECT_EQ(tma.arguments[0].kind, ArgumentKind::TensorMap);
  EXPECT_EQ(tma.arguments[0].index, 1U);
  EXPECT_EQ(tma.cluster[0], 2U);
  EXPECT_TRUE(tma.dependent);
  EXPECT_FALSE(step.dependent);
  std::string text = print(*manifest);
  llvm::Expected<Manifest> again = parseManifest(text);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(print(*again), text);
}

/// The valid manifest with values in its empty fields.
Manifest getFullManifest() {
  Manifest manifest = llvm::cantFail(parseManifest(getTestManifest()));
  manifest.modules[0].cubin = "matmul.cubin";
  manifest.modules[0].cubinSHA256 = std::string(64, 'a');
  manifest.leftOut = {{"attn", "it has 'linalg.exp'"}};
  EpilogueProgram &epilogue = manifest.kernels[0].epilogue;
  EpilogueOpInfo index{"tcgemm.index", ScalarType::Index};
  index.dim = Dim::N;
  EpilogueOpInfo integer{"arith.constant", ScalarType::Index};
  integer.value = int64_t(-7);
  EpilogueOpInfo number{"arith.constant", ScalarType::F32};
  number.value = 0.1;
  EpilogueOpInfo compare{"arith.cmpi", ScalarType::I1, {6, 7}};
  compare.predicate = "slt";
  llvm::append_range(epilogue.ops,
                     std::vector{index, integer, number, compare});
  using T = ScalarType;
  manifest.kernels[0].transforms[1] = {{{"argument", T::BF16},
                                        {"argument", T::F32},
                                        {"argument", T::F32},
                                        {"arith.truncf", T::BF16, {2}},
                                        {"arith.mulf", T::BF16, {0, 3}}},
                                       {4}};
  return manifest;
}

TEST(Manifest, ReadsAllThatItWrites) {
  Manifest manifest = getFullManifest();
  llvm::Expected<Manifest> again = parseManifest(print(manifest));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(isSame(*again, manifest));
  EXPECT_EQ(print(*again), print(manifest));
}

/// A becomes the images of a convolution with a filter of 64 elements.
const char *kOperandA =
    R"({"name": "A",    "role": "a",      "type": "bf16", "dims": ["m", "k"]})";

std::string makeConvolution(const std::string &numbers,
                            const std::string &dims = R"("m", "k")") {
  return R"({"name": "A", "role": "a", "type": "bf16", "dims": [)" + dims +
         R"(], "convolution": {)" + numbers + "}}";
}

TEST(Manifest, Convolutions) {
  std::string numbers = R"("image": [5, 4], "channels": [16],
    "filter": [2, 2], "strides": [2, 1], "before": [0, 1])";
  std::string text = getTestManifest();
  text.replace(text.find(kOperandA), strlen(kOperandA),
               makeConvolution(numbers));
  llvm::Expected<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  const KernelInfo &kernel = manifest->kernels[0];
  const Convolution *convolution = kernel.findConvolution();
  ASSERT_TRUE(convolution);
  EXPECT_EQ(convolution->before[1], 1);
  EXPECT_EQ(convolution->getOutputPixels(), 8);
  // Three images.
  EXPECT_EQ(kernel.operands[0].getExtent(Dim::M, 24), 60);
  EXPECT_EQ(kernel.operands[0].getExtent(Dim::K, 64), 16);
  EXPECT_FALSE(kernel.operands[0].hasSizes());
  llvm::Expected<Manifest> again = parseManifest(print(*manifest));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(isSame(*again, *manifest));
}

TEST(Manifest, ChecksConvolutions) {
  auto breakA = [](const std::string &numbers) {
    return breakIt(kOperandA, makeConvolution(numbers));
  };
  EXPECT_EQ(breakA(R"("image": [5, 4], "channels": [16], "filter": [2, 3])"),
            "manifest: kernels[0].sizes.K: must be that of the filter of the "
            "convolution, 96");
  EXPECT_EQ(breakA(R"("image": [5], "channels": [16], "filter": [2, 2])"),
            "manifest: kernels[0].operands[0].convolution.image: must have 2 "
            "numbers");
  EXPECT_EQ(breakA(R"("image": [5, 1], "channels": [16], "filter": [2, 2])"),
            "manifest: kernels[0].operands[0].convolution: the filter reaches "
            "over 2 columns, but the image and its padding have only 1");
  EXPECT_EQ(
      breakIt(kOperandA,
              makeConvolution(
                  R"("image": [5, 4], "channels": [16], "filter": [2, 2])",
                  R"("k", "m")")),
      "manifest: kernels[0].operands[0].convolution: its operand must have "
      "the dims m and k");
  EXPECT_EQ(breakIt(R"("role": "b",      "type": "bf16", "dims": ["n", "k"])",
                    R"("role": "b", "type": "bf16", "dims": ["n", "k"],
                       "convolution": {"image": [5, 4], "channels": [16],
                                       "filter": [2, 2]})"),
            "manifest: kernels[0].operands[1].convolution: only 'a' has it, "
            "but the role is 'b'");
}

/// The operand with a band.
std::string makeBand(const std::string &band) {
  return R"({"name": "A", "role": "a", "type": "bf16", "dims": ["m", "k"],
             "band": ")" +
         band + "\"}";
}

TEST(Manifest, Bands) {
  std::string text = getTestManifest();
  text.replace(text.find(kOperandA), strlen(kOperandA),
               makeBand("lower:zeros"));
  llvm::Expected<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  const KernelInfo &kernel = manifest->kernels[0];
  ASSERT_TRUE(kernel.operands[0].band);
  EXPECT_EQ(kernel.operands[0].band->str(), "lower:zeros");
  EXPECT_FALSE(kernel.operands[1].band);
  EXPECT_FALSE(kernel.isSymmetric);
  llvm::Expected<Manifest> again = parseManifest(print(*manifest));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(isSame(*again, *manifest));
  manifest->kernels[0].isSymmetric = true;
  EXPECT_FALSE(isSame(*again, *manifest));
}

TEST(Manifest, ChecksBands) {
  EXPECT_EQ(breakIt(kOperandA, makeBand("band:*:*")),
            "manifest: kernels[0].operands[0].band: band: 'band:*:*' has no "
            "limit");
  EXPECT_EQ(
      breakIt(R"("role": "input",)", R"("role": "input", "band": "lower",)"),
      "manifest: kernels[0].operands[2].band: only 'a' and 'b' have it, "
      "but the role is 'input'");
  EXPECT_EQ(breakIt(kOperandA, R"({"name": "A", "role": "a", "type": "bf16",
              "dims": ["m", "k"], "band": "lower", "convolution":
              {"image": [5, 4], "channels": [16], "filter": [2, 2]}})"),
            "manifest: kernels[0]: has a band of A, and so it cannot have a "
            "convolution: a pixel has no place along a diagonal");
}

const char *kOperandB =
    R"({"name": "B",    "role": "b",      "type": "bf16", "dims": ["n", "k"]})";

/// B becomes numbers as blocks.
std::string makeRepresentation(const std::string &rows,
                               const std::string &dims = R"("n", "k")") {
  return R"({"name": "B", "role": "b", "type": "bf16", "dims": [)" + dims +
         R"(], "representation": )" + rows + "}";
}

TEST(Manifest, Representations) {
  std::string text = getTestManifest();
  text.replace(text.find(kOperandB), strlen(kOperandB),
               makeRepresentation("[[1, -2], [2, 1]]"));
  llvm::Expected<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  OperandInfo &b = manifest->kernels[0].operands[1];
  ASSERT_TRUE(b.representation);
  EXPECT_EQ(b.representation->getComponents(), 2u);
  EXPECT_TRUE(b.representation->isNegated(0, 1));
  // A row of numbers for two rows of the representation.
  EXPECT_EQ(b.getExtent(Dim::N, 24), 12);
  EXPECT_EQ(b.getExtent(Dim::K, 64), 64);
  EXPECT_FALSE(b.hasSizes());
  llvm::Expected<Manifest> again = parseManifest(print(*manifest));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_TRUE(isSame(*again, *manifest));
  b.representation.reset();
  EXPECT_FALSE(isSame(*again, *manifest));
}

TEST(Manifest, ChecksRepresentations) {
  auto breakB = [](const std::string &rows) {
    return breakIt(kOperandB, makeRepresentation(rows));
  };
  const std::string place = "manifest: kernels[0].operands[1].representation";
  EXPECT_EQ(breakB("[[1, 2], [2]]"),
            place + ": must have as many columns as rows");
  EXPECT_EQ(breakB("[[1]]"), place + ": a representation has 2 x 2 or 4 x 4 "
                                     "elements, but here are 1");
  EXPECT_EQ(breakB("[[1, 2], [0, 1]]"),
            place + ": element 2 of a representation is 0, but it must be the "
                    "number of a component, 1 to 2, perhaps negated");
  EXPECT_EQ(breakIt(kOperandB,
                    makeRepresentation("[[1, 2], [2, 1]]", R"("n", "k", "b")")),
            place + ": the innermost dims of its operand must be n and k");
  EXPECT_EQ(breakIt(R"("role": "input",)",
                    R"("role": "input", "representation": [[1, 2], [2, 1]],)"),
            "manifest: kernels[0].operands[2].representation: only 'b' has it, "
            "but the role is 'input'");
  std::string text = getTestManifest();
  text.replace(text.find(kOperandB), strlen(kOperandB),
               makeRepresentation("[[1, 2], [2, 1]]"));
  const std::string depth = R"("K": 64)";
  text.replace(text.find(depth), depth.size(), R"("K": 63)");
  EXPECT_EQ(getError(text),
            "manifest: kernels[0].sizes.K: must be a multiple of the 2 "
            "components of 'B'");
}

/// Scales of blocks take the place of the input `in0`.
TEST(Manifest, ScalesOfBlocks) {
  auto breakScales = [](const std::string &scales) {
    return breakIt(R"({"name": "in0",  "role": "input",  "type": "f32",  )"
                   R"("dims": ["n"]})",
                   scales);
  };
  EXPECT_EQ(breakScales(R"({"name": "scaleA", "role": "scale_a",
                            "type": "f32", "dims": ["k"]})"),
            "manifest: kernels[0].operands[2].dims: 'scale_a' has m and k, and "
            "may have "
            "b");
  EXPECT_EQ(breakScales(R"({"name": "scaleB", "role": "scale_b",
                            "type": "f16", "dims": ["n", "k"]})"),
            "manifest: kernels[0].operands[2].type: 'f16', but must be f32");
  EXPECT_EQ(breakIt(R"("role": "a",      "type": "bf16")",
                    R"("role": "scale_a", "type": "f32")"),
            "manifest: kernels[0].operands: 'scale_a' must be behind 'a' and "
            "'b', once, and in the order scale_a, scale_b, zero_a, zero_b");
  EXPECT_EQ(breakScales(R"({"name": "scaleB", "role": "scale_b", "group": 48,
                            "type": "f16", "dims": ["n", "k"]})"),
            "manifest: kernels[0].operands[2].group: 48, but must be 32, 64, "
            "128 or 256");
  EXPECT_EQ(breakScales(R"({"name": "zeroB", "role": "zero_b",
                            "type": "i8", "dims": ["n", "k"]})"),
            "manifest: kernels[0].operands[2].group: 0, but must be 32, 64, "
            "128 or 256");
  EXPECT_EQ(breakScales(R"({"name": "zeroB", "role": "zero_b", "group": 64,
                            "type": "f32", "dims": ["n", "k"]})"),
            "manifest: kernels[0].operands[2].type: 'f32', but must be i8 or "
            "ui8");
  EXPECT_EQ(breakScales(R"({"name": "in0", "role": "input", "group": 64,
                            "type": "f32", "dims": ["n"]})"),
            "manifest: kernels[0].operands[2].group: only scales and zero "
            "points have it, but the role is 'input'");
  OperandInfo scales{"scaleB", OperandUse::ScaleB, ScalarType::F32, {}};
  EXPECT_EQ(scales.getExtent(Dim::N, 129), 2);
  EXPECT_EQ(scales.getExtent(Dim::K, 128), 1);
  EXPECT_EQ(scales.getExtent(Dim::Batch, 129), 129);
  scales.role = OperandUse::ScaleA;
  EXPECT_EQ(scales.getExtent(Dim::M, 129), 129);
  EXPECT_EQ(scales.getExtent(Dim::K, 0), 0);
  scales = {"zeroB", OperandUse::ZeroB, ScalarType::I8, {}, 64};
  EXPECT_EQ(scales.getExtent(Dim::N, 129), 129);
  EXPECT_EQ(scales.getExtent(Dim::K, 129), 3);
}

TEST(Manifest, Algebras) {
  Manifest manifest = getFullManifest();
  KernelInfo &kernel = manifest.kernels[0];
  kernel.transforms = {};
  kernel.algebra = llvm::cantFail(Algebra::parse("min-plus"));
  EXPECT_EQ(
      llvm::toString(parseManifest(print(manifest)).takeError()),
      "manifest: kernels[0].algebra: needs A and B of the same of f32, f64 "
      "and i32");
  std::string text = print(manifest);
  size_t at = text.find("min-plus");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(
      llvm::toString(parseManifest(text.replace(at, 8, "plus-mux")).takeError())
          .find("kernels[0].algebra: algebra: 'plus-mux' is no REDUCE-COMBINE "
                "of"),
      std::string::npos);
}

/// A second output is a reduction of the epilogue's value.
TEST(Manifest, Reductions) {
  auto read = [](auto change) {
    Manifest manifest = getFullManifest();
    KernelInfo &kernel = manifest.kernels[0];
    OperandInfo output{"out1", OperandUse::Output, ScalarType::F32, {Dim::M}};
    output.reduction = ReductionInfo{Combiner::MaximumF, -HUGE_VAL};
    kernel.operands.push_back(output);
    kernel.epilogue.yields.push_back(4);
    // The function has no operand for it.
    manifest.functions.clear();
    change(kernel, kernel.operands.back());
    return parseManifest(print(manifest));
  };
  llvm::Expected<Manifest> manifest = read([](auto &, auto &) {});
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  const OperandInfo &output = manifest->kernels[0].operands.back();
  ASSERT_TRUE(output.reduction);
  EXPECT_FALSE(output.isStored());
  EXPECT_EQ(output.reduction->combiner, Combiner::MaximumF);
  EXPECT_EQ(output.reduction->initial, ScalarConstant(-HUGE_VAL));
  auto getError = [&](auto change) {
    return llvm::toString(read(change).takeError());
  };
  EXPECT_EQ(getError([](auto &, OperandInfo &o) { o.dims = {Dim::K}; }),
            "manifest: kernels[0].operands[5].dims: an output with a reduction "
            "may have b, and m or n");
  EXPECT_EQ(getError([](auto &, OperandInfo &o) { o.dims = {Dim::M, Dim::N}; }),
            "manifest: kernels[0].operands[5].dims: an output with a reduction "
            "may have b, and m or n");
  EXPECT_EQ(getError([](auto &, OperandInfo &o) {
              o.reduction->combiner = Combiner::AddI;
            }),
            "manifest: kernels[0].operands[5].reduction: 'addi' does not "
            "combine values of type 'f32'");
  EXPECT_EQ(getError([](auto &, OperandInfo &o) {
              o.type = ScalarType::I64;
              o.reduction = ReductionInfo{Combiner::ArgMaximumF, int64_t(-1)};
            }),
            "");
  EXPECT_EQ(getError([](auto &, OperandInfo &o) {
              o.dims = {Dim::Batch};
              o.type = ScalarType::I64;
              o.reduction = ReductionInfo{Combiner::ArgMaximumF, int64_t(-1)};
            }),
            "");
  auto setIndexOfRows = [](KernelInfo &kernel, OperandInfo &o) {
    kernel.sizes[unsigned(Dim::Batch)] = 1;
    o.dims = {Dim::M};
    o.type = ScalarType::I64;
    o.reduction = ReductionInfo{Combiner::ArgMaximumF, int64_t(-1)};
  };
  EXPECT_EQ(getError(setIndexOfRows), "");
  EXPECT_EQ(
      getError([&](KernelInfo &k, OperandInfo &o) {
        setIndexOfRows(k, o);
        k.sizes[unsigned(Dim::Batch)] = 4;
      }),
      "manifest: kernels[0].operands: 'out1' is an index, and so it needs b");
  EXPECT_EQ(getError([](auto &, OperandInfo &o) {
              o.reduction = ReductionInfo{Combiner::MeanF, 1.0};
            }),
            "manifest: kernels[0].operands[5].reduction: 'meanf' starts with "
            "no values, so that its initial value is 0");
  EXPECT_EQ(getError([](KernelInfo &k, OperandInfo &o) {
              k.operands[2].reduction = o.reduction;
            }),
            "manifest: kernels[0].operands[2].reduction: only outputs have it, "
            "but the role is 'input'");
  EXPECT_EQ(getError([](KernelInfo &k, OperandInfo &) {
              k.operands.erase(k.operands.begin() + 4);
              k.epilogue.yields = {4};
            }),
            "manifest: kernels[0].operands: must have one 'a', one 'b' and at "
            "least one 'output' without a reduction");
}

/// The sizes of groups say which operands have the dimension b.
TEST(Manifest, Groups) {
  auto read = [](OperandUse role, std::array<bool, 3> hasBatch,
                 ScalarType type = ScalarType::I32,
                 std::optional<OperandInfo> scales = {}) -> std::string {
    Manifest manifest = getFullManifest();
    manifest.functions.clear();
    KernelInfo &kernel = manifest.kernels[0];
    kernel.transforms = {};
    kernel.sizes[unsigned(Dim::Batch)] = 4;
    for (OperandInfo &operand : kernel.operands) {
      bool has = operand.role == OperandUse::A        ? hasBatch[0]
                 : operand.role == OperandUse::B      ? hasBatch[1]
                 : operand.role == OperandUse::Output ? hasBatch[2]
                                                      : false;
      llvm::erase(operand.dims, Dim::Batch);
      if (has)
        operand.dims.insert(operand.dims.begin(), Dim::Batch);
    }
    kernel.operands.insert(
        kernel.operands.begin() + 2,
        OperandInfo{getRoleName(role).str(), role, type, {Dim::Batch}});
    if (scales)
      kernel.operands.insert(kernel.operands.begin() + 3, *scales);
    llvm::Expected<Manifest> result = parseManifest(print(manifest));
    if (!result)
      return llvm::toString(result.takeError());
    return getGroupKindInfo(*result->kernels[0].findGroupKind()).name.str();
  };
  using Use = OperandUse;
  EXPECT_EQ(read(Use::Offsets, {false, true, false}), "contiguous");
  EXPECT_EQ(read(Use::Counts, {true, true, true}), "padded");
  EXPECT_EQ(read(Use::Offsets, {false, false, true}), "ragged-k");
  EXPECT_EQ(read(Use::Offsets, {true, true, false}),
            "manifest: kernels[0].operands: 'a' has the dimension b, but must "
            "not: the groups are contiguous");
  EXPECT_EQ(read(Use::Counts, {true, true, false}),
            "manifest: kernels[0].operands: 'output' needs the dimension b, "
            "but lacks it: the groups are padded");
  EXPECT_EQ(read(Use::Counts, {true, false, true}),
            "manifest: kernels[0].operands: 'b' needs the dimension b with "
            "'counts'");
  // Scales of B, which has a matrix for each group, need the dimension, too.
  EXPECT_EQ(read(Use::Offsets, {false, true, false}, ScalarType::I32,
                 OperandInfo{"scaleB",
                             Use::ScaleB,
                             ScalarType::F32,
                             {Dim::Batch, Dim::N, Dim::K}}),
            "contiguous");
  EXPECT_EQ(read(Use::Offsets, {false, true, false}, ScalarType::I32,
                 OperandInfo{
                     "scaleB", Use::ScaleB, ScalarType::F32, {Dim::N, Dim::K}}),
            "manifest: kernels[0].operands: 'scale_b' needs the dimension b, "
            "but lacks it: the groups are contiguous");
  EXPECT_EQ(read(Use::Offsets, {false, true, false}, ScalarType::I32,
                 OperandInfo{"scaleA",
                             Use::ScaleA,
                             ScalarType::F32,
                             {Dim::Batch, Dim::M, Dim::K}}),
            "manifest: kernels[0].operands: 'scale_a' has the dimension b, but "
            "must not: the groups are contiguous");
  // The same for scales of elements of 4 bits.
  auto readGroups = [&](Use role, std::vector<Dim> dims, ScalarType type,
                        int64_t group) {
    std::string name = role == Use::ScaleB ? "scaleB" : "zeroB";
    return read(Use::Counts, {true, true, true}, ScalarType::I32,
                OperandInfo{name, role, type, std::move(dims), group});
  };
  EXPECT_EQ(readGroups(Use::ScaleB, {Dim::Batch, Dim::N, Dim::K},
                       ScalarType::F16, 64),
            "padded");
  EXPECT_EQ(readGroups(Use::ScaleB, {Dim::Batch, Dim::N, Dim::K},
                       ScalarType::F16, 48),
            "manifest: kernels[0].operands[3].group: 48, but must be 32, 64, "
            "128 or 256");
  EXPECT_EQ(readGroups(Use::ZeroB, {Dim::N, Dim::K}, ScalarType::I8, 64),
            "manifest: kernels[0].operands: 'zero_b' needs the dimension b, "
            "but lacks it: the groups are padded");
  EXPECT_EQ(read(Use::Counts, {true, true, true}, ScalarType::F32),
            "manifest: kernels[0].operands[2]: counts have the type s32 and "
            "the dimension b");
}

/// The errors name the program and the rule.
TEST(Manifest, OuterDimensions) {
  Manifest manifest = llvm::cantFail(parseManifest(getTestManifest()));
  EXPECT_EQ(print(manifest).find("batch_c"), std::string::npos);
  manifest.functions.clear();
  KernelInfo &kernel = manifest.kernels[0];
  kernel.operands[0].dims = {Dim::Batch, Dim::BatchC, Dim::M, Dim::K};
  kernel.operands[4].dims = {Dim::BatchC, Dim::M, Dim::Batch, Dim::N};
  kernel.sizes[unsigned(Dim::BatchC)] = 3;
  std::string text = print(manifest);
  EXPECT_NE(text.find("batch_c"), std::string::npos);
  EXPECT_EQ(text.find("batch_d"), std::string::npos);
  llvm::Expected<Manifest> read = parseManifest(text);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->kernels[0].sizes[unsigned(Dim::BatchC)], 3);
  EXPECT_EQ(read->kernels[0].operands[0].dims, kernel.operands[0].dims);
  EXPECT_EQ(print(*read), text);
}

TEST(Manifest, FunctionsOfElements) {
  auto getError = [](auto change) {
    Manifest manifest = getFullManifest();
    change(manifest.kernels[0]);
    return llvm::toString(parseManifest(print(manifest)).takeError());
  };
  EXPECT_EQ(getError([](KernelInfo &k) { k.transforms[1].yields = {1}; }),
            "manifest: kernels[0].transform_b.yields[0]: the value has type "
            "'f32', the output 'bf16'");
  EXPECT_EQ(getError([](KernelInfo &k) {
              k.transforms[1].ops.erase(k.transforms[1].ops.begin());
            }),
            "manifest: kernels[0].transform_b.ops: must have 3 arguments "
            "(element, inputs, scalars), has 2");
  EXPECT_EQ(getError([](KernelInfo &k) {
              k.transforms[0] = k.transforms[1];
              k.transforms[0].ops[3].operands = {1};
            }),
            "manifest: kernels[0].transform_a: reads 'in0', which has the "
            "dimension n");
  EXPECT_EQ(getError([](KernelInfo &k) { k.operands[2].dims = {Dim::K}; }),
            "manifest: kernels[0].epilogue: reads 'in0', which has the "
            "dimension k");
  EXPECT_EQ(getError([](KernelInfo &k) {
              k.transforms[1].ops[3] = {"tcgemm.index", ScalarType::BF16};
              k.transforms[1].ops[3].dim = Dim::N;
            }),
            "manifest: kernels[0].transform_b.ops: have no coordinates");
}

TEST(Manifest, TextShowsEachField) {
  std::string text = print(getFullManifest());
  unsigned number = 0;
  auto check = [&](auto change) {
    Manifest manifest = getFullManifest();
    change(manifest);
    EXPECT_FALSE(isSame(manifest, getFullManifest())) << number;
    EXPECT_NE(print(manifest), text) << number;
    ++number;
  };
  auto step = [](Manifest &m) -> Step & {
    return m.kernels[0].variants[1].steps[0];
  };
  check([](Manifest &m) { m.producer["llvm"] = "x"; });
  check([](Manifest &m) { m.modules[0].log = "x"; });
  check([](Manifest &m) { m.modules[0].cubinSHA256[0] = 'b'; });
  check([](Manifest &m) { m.kernels[0].sizes[0] = 5; });
  check([](Manifest &m) { m.kernels[0].operands[2].dims = {Dim::M}; });
  check([](Manifest &m) { m.kernels[0].epilogue.ops[6].dim = Dim::M; });
  check([](Manifest &m) { m.kernels[0].epilogue.ops[9].predicate = "sle"; });
  check([](Manifest &m) { m.kernels[0].epilogue.ops[8].value = 0.2; });
  check([](Manifest &m) { m.kernels[0].epilogue.yields = {4}; });
  check([](Manifest &m) { m.kernels[0].transforms[1].yields = {3}; });
  check([](Manifest &m) { m.kernels[0].transforms[1] = {}; });
  check([](Manifest &m) { m.kernels[0].variants[0].guard = 1; });
  check([](Manifest &m) { m.kernels[0].variants[0].workspace = 1; });
  check([&](Manifest &m) { step(m).grid[2] = 2; });
  check([&](Manifest &m) { step(m).dependent = false; });
  check([&](Manifest &m) { step(m).when = Expr(1); });
  check([&](Manifest &m) { step(m).stackBytes = 1; });
  check([&](Manifest &m) { step(m).arguments[0].index = 0; });
  check([&](Manifest &m) { step(m).tensorMaps[1].base.value = 0; });
  check([&](Manifest &m) { step(m).tensorMaps[1].box[2] = 2; });
  check([](Manifest &m) { m.functions[0].arguments[0].shape[0] = 3; });
  check([](Manifest &m) { m.functions[0].temporaries[0].shape[0] = 3; });
  check([](Manifest &m) {
    std::get<LaunchInfo>(m.functions[0].launches[0]).operands[0] = "arg1";
  });
  check([](Manifest &m) { m.leftOut[0].reason = "x"; });
}

TEST(Manifest, WritesNewKeysOnlyWhereTheyAreUsed) {
  // Older readers accept a pack without them.
  Manifest manifest = llvm::cantFail(parseManifest(getTestManifest()));
  manifest.kernels[0].variants.erase(manifest.kernels[0].variants.begin() + 1);
  EXPECT_EQ(print(manifest).find("tensor_map"), std::string::npos);
  EXPECT_EQ(print(manifest).find("dependent"), std::string::npos);
  EXPECT_EQ(print(manifest).find("left_out"), std::string::npos);
  manifest.leftOut = {{"attn", "it has 'linalg.exp'"}};
  Manifest again = llvm::cantFail(parseManifest(print(manifest)));
  ASSERT_EQ(again.leftOut.size(), 1U);
  EXPECT_EQ(again.leftOut[0].name, "attn");
  EXPECT_EQ(again.leftOut[0].reason, "it has 'linalg.exp'");
}

TEST(Manifest, GuardsOfTensorMaps) {
  Manifest manifest = llvm::cantFail(parseManifest(getTestManifest()));
  const Step &step = manifest.kernels[0].variants[1].steps[0];
  EXPECT_EQ(getTensorMapGuard(step.tensorMaps[0]).str(),
            "A.base % 16 == 0 && K >= 1 && K <= 4294967296 && M >= 1 && "
            "M <= 4294967296 && A.stride0 * 2 % 16 == 0 && A.stride0 * 2 >= 0 "
            "&& A.stride0 * 2 < 1099511627776");
  EXPECT_EQ(getTensorMapGuard(step.tensorMaps[1]).str(),
            "M >= 1 && M <= 4294967296 && batch >= 1 && batch <= 4294967296 && "
            "M * 128 % 16 == 0 && M * 128 >= 0 && M * 128 < 1099511627776");
}

TEST(Manifest, GuardsOfTensorMapsAreTheRules) {
  // The guard holds exactly where the map can be encoded, at each limit.
  TensorMapInfo info;
  info.base = Argument::pointer("A");
  info.dims = {Expr::symbol("K"), Expr::symbol("M")};
  info.strides = {Expr::symbol("S")};
  Expr guard = getTensorMapGuard(info);
  TensorMapDescription map;
  map.box = {64, 64};
  auto check = [&](uint64_t base, int64_t k, int64_t m, int64_t stride,
                   bool isLegal) {
    map.base = base;
    map.dims = {k, m};
    map.strides = {stride};
    llvm::Error error = checkTensorMap(map);
    EXPECT_EQ(!error, isLegal) << llvm::toString(std::move(error));
    auto lookup = [&](llvm::StringRef name) -> std::optional<int64_t> {
      return name == "A.base" ? int64_t(base)
             : name == "K"    ? k
             : name == "M"    ? m
                              : stride;
    };
    EXPECT_EQ(llvm::cantFail(guard.evaluate(lookup)) != 0, isLegal)
        << base << " " << k << " " << m << " " << stride;
  };
  constexpr int64_t limit = int64_t(1) << 32, strides = int64_t(1) << 40;
  check(1024, 64, 64, 128, true);
  check(1032, 64, 64, 128, false);
  for (auto [size, isLegal] : {std::pair<int64_t, bool>(0, false),
                               {1, true},
                               {limit - 1, true},
                               {limit, true},
                               {limit + 1, false},
                               {-1, false}}) {
    check(1024, size, 64, 128, isLegal);
    check(1024, 64, size, 128, isLegal);
  }
  for (auto [stride, isLegal] : {std::pair<int64_t, bool>(-16, false),
                                 {0, true},
                                 {8, false},
                                 {16, true},
                                 {strides - 16, true},
                                 {strides, false}})
    check(1024, 64, 64, stride, isLegal);
}

TEST(Manifest, KeepsConstants) {
  std::string constants =
      R"({"op": "arith.constant", "type": "f32", "value": "-inf"},
      {"op": "arith.constant", "type": "f32", "value": 0.1},
      {"op": "arith.constant", "type": "i32", "value": -7},)";
  std::string text = getTestManifest();
  std::string anchor = R"({"op": "arith.mulf")";
  text.insert(text.find(anchor), constants);
  for (auto [from, to] :
       {std::pair("\"operands\": [3, 1]", "\"operands\": [6, 1]"),
        std::pair("\"operands\": [4]", "\"operands\": [7]"),
        std::pair("\"yields\": [5]", "\"yields\": [8]")})
    text.replace(text.find(from), std::string(from).size(), to);
  llvm::Expected<Manifest> manifest = parseManifest(text);
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  llvm::Expected<Manifest> again = parseManifest(print(*manifest));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  const auto &ops = again->kernels[0].epilogue.ops;
  EXPECT_EQ(std::get<double>(ops[3].value), -HUGE_VAL);
  EXPECT_EQ(std::get<double>(ops[4].value), 0.1);
  EXPECT_EQ(std::get<int64_t>(ops[5].value), -7);
}

TEST(Manifest, RefusesOtherDocuments) {
  EXPECT_NE(getError("").find("not JSON"), std::string::npos);
  EXPECT_NE(getError("{").find("not JSON"), std::string::npos);
  EXPECT_NE(getError("[]").find("tcgemm_manifest"), std::string::npos);
  EXPECT_NE(getError("{}").find("tcgemm_manifest"), std::string::npos);
  EXPECT_NE(getError(std::string(100000, '[')).find("nested deeper"),
            std::string::npos);
  EXPECT_NE(getError(getTestManifest().substr(0, getTestManifest().size() / 2))
                .find("not JSON"),
            std::string::npos);
  EXPECT_EQ(breakIt("\"tcgemm_manifest\": 1", "\"tcgemm_manifest\": 2"),
            "manifest: tcgemm_manifest: this program reads version 1 only");
  EXPECT_NE(breakIt("\"tcgemm_manifest\": 1", "\"tcgemm_manifest\": \"1\""),
            "");
}

struct Breakage {
  const char *from, *to, *error;
};

class ManifestBreakage : public testing::TestWithParam<Breakage> {};

TEST_P(ManifestBreakage, IsNamed) {
  EXPECT_EQ(breakIt(GetParam().from, GetParam().to),
            std::string("manifest: ") + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Shape, ManifestBreakage,
    testing::Values(
        Breakage{"\"modules\"", "\"mdules\"", "missing key 'modules'"},
        Breakage{"\"log\"", "\"lgo\"", "modules[0]: unknown key 'lgo'"},
        Breakage{"\"chip\": \"sm_90\"", "\"chip\": 90",
                 "modules[0].chip: must be a string"},
        Breakage{"\"K\": 64", "\"K\": -1",
                 "kernels[0].sizes.K: must be an integer from 0 to "
                 "9223372036854775807"},
        Breakage{"\"role\": \"input\"", "\"role\": \"inout\"",
                 "kernels[0].operands[2].role: 'inout' is none of a, b, input, "
                 "scalar, output, scale_a, scale_b, zero_a, zero_b, offsets, "
                 "b2, counts"},
        Breakage{"\"type\": \"bf16\"", "\"type\": \"bf17\"",
                 "kernels[0].operands[0].type: 'bf17' is not a type"},
        Breakage{
            "\"dims\": [\"m\", \"k\"]", "\"dims\": [\"m\", \"x\"]",
            "kernels[0].operands[0].dims[1]: 'x' is none of m, n, k, b, c, d"},
        Breakage{"[\"M\", \"1\", \"1\"]", "[\"M\", \"1\"]",
                 "kernels[0].variants[2].steps[0].grid: must have 3 entries, "
                 "has 2"},
        Breakage{"\"guard\": \"1\"", "\"guard\": \"1 +\"",
                 "kernels[0].variants[2].guard: column 4 of '1 +': expected a "
                 "value, found the end"},
        Breakage{"\"guard\": \"1\"", "\"guard\": 1",
                 "kernels[0].variants[2].guard: must be a string"},
        Breakage{"[128, 1, 1]", "[128, 0, 1]",
                 "kernels[0].variants[2].steps[0].block[1]: must be an integer "
                 "from 1 to 1024"},
        Breakage{"\"kind\": \"i32\"", "\"kind\": \"i16\"",
                 "kernels[0].variants[0].steps[0].arguments[2].kind: 'i16' is "
                 "none of pointer, scalar, i32, i64, workspace, "
                 "tensor_map"},
        Breakage{"\"access\": \"scalar\"", "\"access\": \"none\"",
                 "functions[0].arguments[3].access: 'none' is none of read, "
                 "write, readwrite, scalar"}));

INSTANTIATE_TEST_SUITE_P(
    Rules, ManifestBreakage,
    testing::Values(
        Breakage{"\"ptx\": \"matmul.ptx\"", "\"ptx\": \"../matmul.ptx\"",
                 "modules[0].ptx: must be a file name without a directory"},
        Breakage{"\"log\"",
                 "\"cubin\": \"a\", \"cubin_sha256\": \"1\", \"log\"",
                 "modules[0].cubin_sha256: must be 64 hexadecimal digits"},
        Breakage{"\"name\": \"B\"", "\"name\": \"A\"",
                 "kernels[0].operands[1].name: 'A' is used twice"},
        Breakage{"\"name\": \"B\"", "\"name\": \"B.x\"",
                 "kernels[0].operands[1].name: 'B.x' is not an identifier"},
        Breakage{"\"dims\": [\"m\", \"k\"]", "\"dims\": [\"m\", \"m\"]",
                 "kernels[0].operands[0].dims: 'm' is named twice"},
        Breakage{"\"dims\": [\"m\", \"k\"]", "\"dims\": [\"m\", \"n\"]",
                 "kernels[0].operands[0].dims: 'a' has m and k, and may have "
                 "b"},
        Breakage{"\"role\": \"b\"", "\"role\": \"a\"",
                 "kernels[0].operands[1].dims: 'a' has m and k, and may have "
                 "b"},
        Breakage{"\"role\": \"input\"", "\"role\": \"b2\"",
                 "kernels[0].operands[2].dims: 'b2' has n and k, and may have "
                 "b"},
        Breakage{"\"role\": \"a\"", "\"role\": \"b2\"",
                 "kernels[0].operands[0].dims: 'b2' has n and k, and may have "
                 "b"},
        Breakage{"\"operands\": [3, 1]", "\"operands\": [3, 4]",
                 "kernels[0].epilogue.ops[4].operands[1]: 4 is not an earlier "
                 "value"},
        Breakage{"\"yields\": [5]", "\"yields\": [6]",
                 "kernels[0].epilogue.yields[0]: 6 is not a value"},
        Breakage{"\"yields\": [5]", "\"yields\": [4]",
                 "kernels[0].epilogue.yields[0]: the value has type 'f32', the "
                 "output 'bf16'"},
        Breakage{"\"yields\": [5]", "\"yields\": []",
                 "kernels[0].epilogue.yields: must have one entry per output "
                 "(1), has 0"},
        Breakage{"{\"op\": \"argument\", \"type\": \"f32\"},", "",
                 "kernels[0].epilogue.ops: must have 3 arguments (acc, inputs, "
                 "scalars), has 2"},
        Breakage{"\"guard\": \"1\"", "\"guard\": \"C.base == 0\"",
                 "kernels[0].variants[2].guard: unknown symbol 'C.base' in "
                 "'C.base == 0'"},
        Breakage{"\"value\": \"A.stride0\"", "\"value\": \"A.stride2\"",
                 "kernels[0].variants[0].steps[0].arguments[3].value: unknown "
                 "symbol 'A.stride2' in 'A.stride2'"},
        Breakage{"\"name\": \"general\"", "\"name\": \"aligned\"",
                 "kernels[0].variants[2].name: 'aligned' is used twice"},
        Breakage{"[256, 1, 1]", "[256, 5, 1]",
                 "kernels[0].variants[0].steps[0].block: must have 1 to 1024 "
                 "threads, has 1280"},
        Breakage{"\"module\": \"matmul\", \"symbol\": \"matmul_main\"",
                 "\"module\": \"other\", \"symbol\": \"matmul_main\"",
                 "kernels[0].variants[0].steps[0].module: no module 'other'"},
        Breakage{"\"operand\": \"out0\"", "\"operand\": \"out1\"",
                 "kernels[0].variants[2].steps[0].arguments[0].operand: no "
                 "operand 'out1'"},
        Breakage{"\"kind\": \"scalar\", \"operand\": \"in1\"",
                 "\"kind\": \"scalar\", \"operand\": \"in0\"",
                 "kernels[0].variants[0].steps[0].arguments[1].operand: 'in0' "
                 "is not a scalar"},
        Breakage{"\"kernel\": \"matmul\"", "\"kernel\": \"other\"",
                 "functions[0].launches[0].kernel: no kernel 'other'"},
        Breakage{"\"arg3\", \"tmp0\"", "\"arg3\", \"tmp1\"",
                 "functions[0].launches[0].operands[4]: there is no 'tmp1'"},
        Breakage{"\"arg3\", \"tmp0\"", "\"arg3\", \"arg\"",
                 "functions[0].launches[0].operands[4]: 'arg' is none of "
                 "arg<i>, tmp<i>, const<i> and view<i>"},
        Breakage{"\"arg3\", \"tmp0\"", "\"arg3\"",
                 "functions[0].launches[0].operands: kernel 'matmul' has 5 "
                 "operands, not 4"},
        Breakage{"\"arg3\", \"tmp0\"", "\"arg3\", \"arg0\"",
                 "functions[0].launches[0].operands[4]: 'arg0' is read-only, "
                 "and an output"},
        Breakage{"\"arg0.dim0\", \"arg1.dim0\"", "\"arg0.dim0\", \"arg1.dim7\"",
                 "functions[0].temporaries[0].shape[1]: unknown symbol "
                 "'arg1.dim7'"}));

INSTANTIATE_TEST_SUITE_P(
    TensorMaps, ManifestBreakage,
    testing::Values(
        Breakage{"\"dims\": [\"K\", \"M\"]", "\"dims\": [\"K\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].dims: has 1 "
                 "entries, must have 2 to 5"},
        Breakage{"\"dims\": [\"K\", \"M\"]",
                 "\"dims\": [\"K\", \"M\", \"1\", \"1\", \"1\", \"1\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].dims: has 6 "
                 "entries, must have 2 to 5"},
        Breakage{"[\"A.stride0 * 2\"]", "[\"A.stride0 * 2\", \"16\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].strides: has "
                 "2 entries, must have 1, one less than dims"},
        Breakage{"\"box\": [64, 128]", "\"box\": [64]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].box: has 1 "
                 "entries, must have 2, as dims"},
        Breakage{"\"box\": [64, 128]", "\"box\": [64, 257]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].box[1]: 257 "
                 "elements, must be 1 to 256"},
        Breakage{"\"box\": [64, 128]", "\"box\": [64, 0]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].box[1]: 0 "
                 "elements, must be 1 to 256"},
        Breakage{"\"box\": [64, 128]", "\"box\": [60, 128]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].box[0]: 60 "
                 "elements of bf16 are 120 bytes, must be a multiple of 16"},
        Breakage{"\"box\": [64, 128]", "\"box\": [72, 128]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].box[0]: 72 "
                 "elements of bf16 are 144 bytes, must be at most the "
                 "swizzle's 128"},
        Breakage{"\"swizzle\": 128", "\"swizzle\": 256",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].swizzle: 256 "
                 "bytes, must be 0, 32, 64 or 128"},
        Breakage{"\"l2_promotion\": 256", "\"l2_promotion\": 32",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].l2_promotion: "
                 "32 bytes, must be 0, 64, 128 or 256"},
        Breakage{"\"dims\": [\"64\", \"M\", \"batch\"]",
                 "\"dims\": [\"64\", \"M\", \"0\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].dims[2]: 0 "
                 "elements, must be 1 to 4294967296"},
        Breakage{"\"dims\": [\"64\", \"M\", \"batch\"]",
                 "\"dims\": [\"64\", \"4294967297\", \"1\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].dims[1]: "
                 "4294967297 elements, must be 1 to 4294967296"},
        Breakage{"\"dims\": [\"K\", \"M\"]", "\"dims\": [\"K\", \"M2\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].dims[1]: "
                 "unknown symbol 'M2' in 'M2'"},
        Breakage{"\"strides\": [\"128\", \"M * 128\"]",
                 "\"strides\": [\"130\", \"M * 128\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].strides[0]: "
                 "130 bytes, must be a multiple of 16"},
        Breakage{"\"strides\": [\"128\", \"M * 128\"]",
                 "\"strides\": [\"128\", \"1099511627776\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].strides[1]: "
                 "1099511627776 bytes, must be 0 to 1099511627775"},
        Breakage{"\"strides\": [\"128\", \"M * 128\"]",
                 "\"strides\": [\"0 - 16\", \"1\"]",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].strides[1]: 1 "
                 "bytes, must be a multiple of 16"},
        Breakage{"\"value\": \"1024\"", "\"value\": \"1032\"",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].base.value: "
                 "1032 must be a multiple of 16"},
        Breakage{"\"base\": {\"kind\": \"pointer\", \"operand\": \"A\"}",
                 "\"base\": {\"kind\": \"i64\", \"value\": \"A.base\"}",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].base.kind: "
                 "'i64' must be pointer or workspace"},
        Breakage{"\"base\": {\"kind\": \"pointer\", \"operand\": \"A\"}",
                 "\"base\": {\"kind\": \"pointer\", \"operand\": \"C\"}",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].base.operand: "
                 "no operand 'C'"},
        Breakage{"\"base\": {\"kind\": \"pointer\", \"operand\": \"A\"}",
                 "\"base\": {\"kind\": \"pointer\", \"operand\": \"in1\"}",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].base.operand: "
                 "'in1' is a scalar"},
        Breakage{"\"name\": \"A\", \"type\": \"bf16\",\n",
                 "\"name\": \"A\", \"type\": \"f16\",\n",
                 "kernels[0].variants[1].steps[0].tensor_maps[0].type: 'f16', "
                 "must be that of operand 'A', 'bf16'"},
        Breakage{"\"name\": \"packed\"", "\"name\": \"A\"",
                 "kernels[0].variants[1].steps[0].tensor_maps[1].name: 'A' is "
                 "used twice"},
        Breakage{"\"index\": 1", "\"index\": 2",
                 "kernels[0].variants[1].steps[0].arguments[0].index: 2, but "
                 "there are 2 tensor maps"},
        Breakage{"\"index\": 1", "\"value\": \"1\"",
                 "kernels[0].variants[1].steps[0].arguments[0]: missing key "
                 "'index'"},
        Breakage{"\"cluster\": [2, 1, 1]", "\"cluster\": [4, 8, 1]",
                 "kernels[0].variants[1].steps[0].cluster: has 32 blocks, must "
                 "have 1 to 16"},
        Breakage{"\"cluster\": [2, 1, 1]", "\"cluster\": [1, 3, 1]",
                 "kernels[0].variants[1].steps[0].cluster[1]: 3, must divide "
                 "the grid's 4"}));

} // namespace
