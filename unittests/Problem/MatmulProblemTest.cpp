//===- MatmulProblemTest.cpp - Tests of MatmulProblem -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/MatmulProblem.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

std::string getError(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(MatmulKind, IsWrittenAndRead) {
  MatmulKind kind;
  EXPECT_EQ(kind.str(), "bf16 tn bf16 none");
  for (const char *layout : {"tn", "nn", "nt", "tt"})
    for (const char *type : {"bf16", "f16", "f32"})
      for (const char *epilogue :
           {"none", "bias", "rowbias_gelu", "gelutanh_residual_gate_silu",
            "relu_relu", "scale_scale", "rowscale_colscale",
            "outbias_outrowbias"}) {
        EXPECT_FALSE(kind.read(type, layout, "f32", epilogue));
        EXPECT_EQ(kind.str(),
                  std::string(type) + " " + layout + " f32 " + epilogue);
        EXPECT_EQ(kind.getLayout(), layout);
        EXPECT_EQ(kind.typeA, kind.typeB);
      }
  kind.hasAlpha = kind.hasBeta = true;
  EXPECT_FALSE(kind.read("f16", "nt", "f16", "none"));
  EXPECT_EQ(kind.str(), "f16 nt f16 none alpha beta");
}

TEST(MatmulKind, TypesAreReadBack) {
  for (ScalarType type : getOperandTypes()) {
    MatmulKind kind, back;
    // Interleaved elements are multiplied by others only.
    kind.typeA = isInterleaved(type) ? ScalarType::BF16 : type;
    kind.typeB = type;
    EXPECT_EQ(getError(back.setOperandTypes(kind.getOperandTypeText())), "");
    EXPECT_EQ(back.typeA, kind.typeA);
    EXPECT_EQ(back.typeB, type);
  }
  MatmulKind kind;
  EXPECT_EQ(getError(kind.setOperandTypes("u8xs8")), "");
  EXPECT_EQ(kind.typeA, ScalarType::U8);
  EXPECT_EQ(kind.typeB, ScalarType::I8);
  EXPECT_NE(getError(kind.setOperandTypes("bf16x6xbf16x6")), "");
  EXPECT_EQ(getError(kind.setOperandTypes("bf16x")).substr(0, 26),
            "type of B: '' is none of f");
}

TEST(MatmulKind, Algebras) {
  MatmulKind kind, plain;
  EXPECT_FALSE(kind.setOperandTypes("f32"));
  EXPECT_FALSE(plain.setOperandTypes("f32"));
  EXPECT_EQ(getError(kind.setAlgebra("max-plus")), "");
  // Records of one algebra do not serve another.
  EXPECT_FALSE(kind.hasSameOperands(plain));
  EXPECT_EQ(getError(kind.setAlgebra("plus-times")), "");
  EXPECT_TRUE(kind.hasSameOperands(plain));
  EXPECT_EQ(getError(kind.setTransforms("relu", "none")), "");
  EXPECT_EQ(getError(kind.setAlgebra("min-plus")),
            "product: it has another algebra, and so it cannot have a function "
            "of A's elements: kernels of other algebras combine the elements "
            "that are in memory");
  MatmulKind narrow;
  EXPECT_FALSE(narrow.setOperandTypes("tf32"));
  EXPECT_EQ(getError(narrow.setAlgebra("min-plus")),
            "algebra: A and B are of tf32, but only f32, f64 and s32 have "
            "min-plus");
}

TEST(MatmulKind, ElementFunctions) {
  MatmulKind kind, plain;
  EXPECT_EQ(getError(kind.setTransforms("none", "none")), "");
  EXPECT_TRUE(kind.hasSameOperands(plain));
  EXPECT_EQ(getError(kind.setTransforms("add1_relu", "none")), "");
  EXPECT_EQ(kind.transformA.str(), "add1_relu");
  EXPECT_TRUE(kind.transforms(0));
  EXPECT_FALSE(kind.transforms(1));
  EXPECT_FALSE(kind.hasSameOperands(plain));
  // A record of one function serves the others.
  MatmulKind other;
  other.transformA.isOther = true;
  EXPECT_TRUE(kind.hasSameOperands(other));
  EXPECT_EQ(getError(kind.setTransforms("none", "relu_gelu")),
            "element function: 'gelu' is none of relu, add1, silu, exp, "
            "inverse");
  EXPECT_FALSE(kind.setOperandTypes("bf16xs8"));
  EXPECT_EQ(getError(kind.setTransforms("none", "relu")),
            "element function: B is s8, but only f16, bf16, f32 and f64 have "
            "one");
  for (const char *type : {"bf16", "f16", "f32", "tf32", "f64", "bf16x6"}) {
    EXPECT_FALSE(kind.setOperandTypes(type));
    EXPECT_EQ(getError(kind.setTransforms("silu", "exp_inverse")), "") << type;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] { kind.writeAttributes(json); });
  EXPECT_NE(text.find("\"transform_b\":\"exp_inverse\""), std::string::npos);
}

TEST(MatmulKind, Reductions) {
  MatmulKind kind;
  EXPECT_EQ(getError(kind.setReductions("none")), "");
  EXPECT_TRUE(kind.reductions.empty());
  EXPECT_EQ(getError(kind.setReductions("row-max_amax_column-sumsq")), "");
  EXPECT_EQ(kind.reductions.str(), "row-max_amax_column-sumsq");
  ASSERT_EQ(kind.reductions.list.size(), 3U);
  const NamedReduction &amax = kind.reductions.list[1];
  EXPECT_EQ(amax.axis, ReductionAxis::All);
  EXPECT_FALSE(amax.hasParts());
  EXPECT_EQ(amax.getCombiner(/*isFloat=*/true), Combiner::MaximumF);
  EXPECT_EQ(amax.getCombiner(/*isFloat=*/false), Combiner::MaxSI);
  EXPECT_EQ(amax.getFunction(), ReducedFunction::Absolute);
  EXPECT_TRUE(amax.startsWithZero());
  EXPECT_FALSE(kind.reductions.list[0].startsWithZero());
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] { kind.writeAttributes(json); });
  EXPECT_NE(text.find("\"reduce\":\"row-max_amax_column-sumsq\""),
            std::string::npos);
  EXPECT_EQ(getError(kind.setReductions("row-median")),
            "reduction: 'row-median' is none of max, min, sum, sumsq, amax, "
            "argmax, sumexp, mean, variance, nor one of them behind row- or "
            "column-");
  EXPECT_EQ(getError(kind.setReductions("argmax_row-argmax")), "");
  EXPECT_EQ(kind.reductions.str(), "argmax_row-argmax");
  EXPECT_NE(getError(kind.setReductions("row-column-max")), "");
  EXPECT_NE(getError(kind.setReductions("")), "");
}

TEST(MatmulKind, ReductionsWithStates) {
  MatmulKind kind;
  std::string text = "row-argmax_column-argmax_sumexp_row-mean_variance";
  EXPECT_EQ(getError(kind.setReductions(text)), "");
  EXPECT_EQ(kind.reductions.str(), text);
  const NamedReduction &index = kind.reductions.list[0];
  EXPECT_TRUE(index.hasParts());
  EXPECT_EQ(index.getCombiner(/*isFloat=*/true), Combiner::ArgMaximumF);
  EXPECT_EQ(index.getCombiner(/*isFloat=*/false), Combiner::ArgMaxSI);
  EXPECT_FALSE(kind.reductions.list[3].getCombiner(/*isFloat=*/false));
  MatmulKind integers;
  EXPECT_EQ(getError(integers.setOperandTypes("s8")), "");
  EXPECT_EQ(getError(integers.setOutputType("s32")), "");
  EXPECT_EQ(getError(integers.setReductions("row-argmax_row-max")), "");
  EXPECT_EQ(getError(integers.setReductions("row-mean")),
            "reduction: row-mean is of floats, but the result is s32");
  MatmulKind wide;
  EXPECT_EQ(getError(wide.setOperandTypes("f64")), "");
  EXPECT_EQ(getError(wide.setReductions("row-mean_variance")), "");
  EXPECT_EQ(getError(wide.setReductions("row-argmax_argmax")), "");
  EXPECT_EQ(getError(wide.setReductions("row-sumexp")),
            "reduction: row-sumexp is of f32 and s32, but the sums are f64");
}

TEST(MatmulKind, Dual) {
  MatmulKind kind, single;
  EXPECT_EQ(getError(kind.setDual("none")), "");
  EXPECT_FALSE(kind.isDual());
  for (const DualInfo &info : getDualInfos()) {
    EXPECT_EQ(getError(kind.setDual(info.name)), "");
    EXPECT_EQ(kind.dual, info.kind);
    EXPECT_EQ(getDualName(kind.dual), info.name);
    EXPECT_FALSE(kind.hasSameOperands(single));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] { kind.writeAttributes(json); });
  EXPECT_NE(text.find("\"dual\":\"add\""), std::string::npos);
  text.clear();
  json.object([&] { single.writeAttributes(json); });
  EXPECT_EQ(text.find("dual"), std::string::npos);
  EXPECT_EQ(getError(kind.setDual("silu")),
            "dual product: 'silu' is none of none, silu-mul, gelu-mul, "
            "gelutanh-mul, relu-mul, mul, add");
  EXPECT_EQ(getError(single.setTransforms("relu", "none")), "");
  EXPECT_EQ(getError(single.setDual("mul")),
            "product: it has a second B, and so it cannot have a function of "
            "A's elements: kernels of two products multiply the elements that "
            "are in memory");
  MatmulKind split;
  EXPECT_EQ(getError(split.setOperandTypes("f32")), "");
  EXPECT_EQ(getError(split.setPrecision("tf32x3")), "");
  EXPECT_EQ(
      getError(split.setDual("mul")),
      "product: it has a second B, and so it cannot have operands that are "
      "split into parts: a stage holds the parts of one B");
}

/// The attributes that the kind writes.
std::string getAttributes(const MatmulKind &kind) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os);
  json.object([&] { kind.writeAttributes(json); });
  return text;
}

TEST(MatmulKind, Bands) {
  MatmulKind kind, dense;
  EXPECT_EQ(getError(kind.setBands("none", "none")), "");
  EXPECT_FALSE(kind.isStructured());
  EXPECT_TRUE(kind.hasSameOperands(dense));
  EXPECT_EQ(getAttributes(kind), getAttributes(dense));
  EXPECT_EQ(getError(kind.setBands("lower", "band:1:2:zeros")), "");
  EXPECT_TRUE(kind.hasBands());
  EXPECT_FALSE(kind.hasSameOperands(dense));
  std::string text = getAttributes(kind);
  EXPECT_NE(text.find(R"("band_a":"lower","band_b":"band:1:2:zeros")"),
            std::string::npos);
  // By k less m or n: the columns of B are n if k is not innermost.
  EXPECT_EQ(kind.getBandAlongK(0).str(), "lower");
  EXPECT_EQ(kind.getBandAlongK(1).str(), "band:1:2:zeros");
  EXPECT_EQ(getError(kind.setLayout("nt")), "");
  EXPECT_EQ(kind.getBandAlongK(0).str(), "upper");
  EXPECT_EQ(kind.getBandAlongK(1).str(), "band:2:1:zeros");
}

TEST(MatmulKind, BandErrors) {
  MatmulKind kind;
  EXPECT_EQ(getError(kind.setBands("unit-lower", "unit-upper")),
            "band: A and B have ones on the diagonal, but at most one of them "
            "may");
  EXPECT_EQ(getError(kind.setTransforms("relu", "none")), "");
  EXPECT_EQ(getError(kind.setBands("lower", "none")),
            "product: it has a band of A, and so it cannot have a function of "
            "A's elements: the function of a zero outside the band may be "
            "another number");
  EXPECT_EQ(getError(kind.setBands("none", "lower")), "");
  MatmulKind packed;
  EXPECT_EQ(getError(packed.setOperandTypes("f16xs4")), "");
  EXPECT_EQ(getError(packed.setBands("none", "lower")),
            "band: elements of B are s4, which share bytes or are split into "
            "parts");
  MatmulKind dual;
  EXPECT_EQ(getError(dual.setDual("mul")), "");
  EXPECT_EQ(getError(dual.setBands("lower", "none")),
            "product: it has a band of A, and so it cannot have a second B: a "
            "stage of such a kernel has one B");
}

TEST(MatmulKind, Symmetric) {
  MatmulKind kind, dense;
  EXPECT_EQ(getError(kind.setBands("lower", "none")), "");
  EXPECT_EQ(getError(kind.setSymmetric()), "");
  EXPECT_EQ(kind.bands[1], kind.bands[0]);
  EXPECT_FALSE(kind.hasSameOperands(dense));
  std::string text = getAttributes(kind);
  EXPECT_NE(text.find(R"("band_a":"lower","symmetric":true)"),
            std::string::npos);
  EXPECT_EQ(text.find("band_b"), std::string::npos);
  auto fail = [](auto &&set) {
    MatmulKind changed;
    set(changed);
    return getError(changed.setSymmetric());
  };
  EXPECT_NE(fail([](MatmulKind &k) {
              k.bKContiguous = false;
            }).find("the layout must be tn or nt"),
            std::string::npos);
  EXPECT_EQ(fail([](MatmulKind &k) { k.hasBeta = true; }),
            "product: it has a symmetric result, and so it cannot have an "
            "epilogue that reads tensors: an element and its reflection may "
            "get different values");
  EXPECT_EQ(fail([](MatmulKind &k) {
              EXPECT_EQ(getError(k.setReductions("amax")), "");
            }),
            "product: it has a symmetric result, and so it cannot have "
            "reductions: the values of one half are stored, but not computed");
  EXPECT_EQ(fail([](MatmulKind &k) {
              EXPECT_EQ(getError(k.setBands("unit-lower", "none")), "");
            }),
            "symmetric result: A has ones on the diagonal, and so has B, but "
            "at most one of them may");
}

TEST(MatmulKind, BlockScales) {
  MatmulKind kind;
  EXPECT_FALSE(kind.setBlockScales("none"));
  EXPECT_FALSE(kind.hasBlockScales());
  EXPECT_EQ(getError(kind.setBlockScales("a")),
            "block scales: A and B are of bf16, but only e4m3 and e5m2 have "
            "them");
  EXPECT_EQ(getError(kind.setBlockScales("ba")),
            "block scales: 'ba' is none of none, a, b, ab");
  EXPECT_FALSE(kind.setOperandTypes("e4m3xe5m2"));
  MatmulKind plain = kind;
  plain.hasScalesA = false;
  for (auto [word, ofA, ofB] :
       {std::tuple("a", true, false), std::tuple("b", false, true),
        std::tuple("ab", true, true)}) {
    EXPECT_FALSE(kind.setBlockScales(word));
    EXPECT_EQ(kind.hasScalesA, ofA);
    EXPECT_EQ(kind.hasScalesB, ofB);
    EXPECT_FALSE(kind.hasSameOperands(plain));
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::json::OStream json(os);
    json.object([&] { kind.writeAttributes(json); });
    EXPECT_NE(text.find("\"block_scales\":\"" + std::string(word) + "\""),
              std::string::npos);
  }
}

TEST(MatmulKind, GroupScales) {
  MatmulKind kind;
  EXPECT_FALSE(kind.setGroupScales("none"));
  EXPECT_FALSE(kind.hasGroupScales());
  EXPECT_EQ(kind.groups.str(), "none");
  EXPECT_FALSE(kind.setOperandTypes("u4xf16"));
  MatmulKind plain = kind;
  for (const char *text :
       {"32", "64xbf16", "128xf16", "256xf32xs8", "128xf16xu8"}) {
    EXPECT_FALSE(kind.setGroupScales(text));
    EXPECT_EQ(kind.groups.str(), text);
    EXPECT_EQ(kind.getGroupedOperand(), 0u);
    EXPECT_FALSE(kind.hasSameOperands(plain));
    EXPECT_FALSE(kind.hasBlockScales());
  }
  for (const char *text : {"", "48", "x", "128x", "128xf16xu8xu8"})
    EXPECT_NE(getError(kind.setGroupScales(text)), "") << text;
  EXPECT_EQ(getError(kind.setGroupScales("128xf64")),
            "type of group scales: 'f64' is none of f32, f16, bf16");
  EXPECT_EQ(getError(kind.setGroupScales("128xf16xs4")),
            "type of zero points: 's4' is none of s8, u8");
  EXPECT_FALSE(kind.setOperandTypes("bf16xs4"));
  EXPECT_EQ(getError(kind.setGroupScales("128xf16xu8")),
            "zero points: u8, but those of s4 must be s8: their difference "
            "might have more bits than bf16");
  EXPECT_FALSE(kind.setOperandTypes("s8xs4"));
  EXPECT_EQ(getError(kind.setGroupScales("128")),
            "group scales: A and B are of s8xs4, but only s4 and u4 by f16, "
            "bf16, e4m3 or e5m2 have them");
  EXPECT_FALSE(kind.setOperandTypes("e4m3xu4"));
  EXPECT_EQ(getError(kind.setGroupScales("128xf16")), "");
  EXPECT_EQ(getError(kind.setGroupScales("128xf16xu8")),
            "zero points: A and B are of e4m3xu4, but only s4 and u4 by f16 or "
            "bf16 have them: e4m3 would not represent the differences");
}

TEST(MatmulKind, WrongWordsAreRefused) {
  MatmulKind kind;
  EXPECT_EQ(getError(kind.read("bf16", "tm", "bf16", "none")),
            "layout: 'tm' is none of tn, nn, nt, tt");
  EXPECT_EQ(
      getError(kind.read("i64", "tn", "bf16", "none")),
      "type of A and B: 'i64' is none of f16, bf16, tf32, s8, u8, b1, e4m3, "
      "e5m2, f64, f32, s32, tf32x3, bf16x3, bf16x6, f16acc16, s4, u4, s4i, "
      "u4i");
  EXPECT_EQ(getError(kind.read("bf16", "tn", "f8", "none")),
            "type of D: 'f8' is none of bf16, f16, f32, e4m3, e5m2");
  for (const char *part : {"", "tanh", "none_relu", "relu_none"}) {
    llvm::StringRef word =
        llvm::StringRef(part).contains("none") ? "none" : part;
    EXPECT_EQ(
        getError(kind.read("bf16", "tn", "bf16", part)),
        "epilogue: '" + word.str() +
            "' is none of bias, rowbias, relu, gelu, gelutanh, silu, "
            "residual, gate, scale, rowscale, colscale, outbias, outrowbias, "
            "groupbias, groupscale, groupcolscale");
  }
}

TEST(MatmulKind, SumsOfDoubleAreDouble) {
  MatmulKind kind;
  EXPECT_FALSE(kind.read("f64", "tn", "", "bias"));
  EXPECT_EQ(kind.accumulator, ScalarType::F64);
  EXPECT_EQ(kind.str(), "f64 tn f64 bias");
  EXPECT_EQ(kind.getSumBytes(), 8);
  EXPECT_FALSE(kind.read("f64", "tn", "bf16", "none"));
  EXPECT_EQ(getError(kind.read("f32", "tn", "f64", "none")),
            "type of D: 'f64' is none of bf16, f16, f32, e4m3, e5m2");
}

TEST(MatmulKind, PrecisionIsInTheText) {
  MatmulKind kind;
  ASSERT_EQ(getError(kind.read("f32", "tn", "", "none")), "");
  EXPECT_EQ(kind.str(), "f32 tn f32 none");
  EXPECT_EQ(getError(kind.setPrecision("ieee")), "");
  EXPECT_EQ(kind.str(), "f32 tn f32 none");
  EXPECT_EQ(getError(kind.setPrecision("tf32")), "");
  EXPECT_EQ(kind.str(), "tf32 tn f32 none");
  EXPECT_FALSE(kind.hasSameOperands(MatmulKind()));
  // The text is read back.
  MatmulKind other;
  ASSERT_EQ(getError(other.read("tf32", "tn", "", "none")), "");
  EXPECT_TRUE(kind.hasSameOperands(other));
  EXPECT_EQ(other.output, ScalarType::F32);
  EXPECT_EQ(getError(kind.setPrecision("tf19")),
            "precision: 'tf19' is none of ieee, tf32, tf32x3, bf16x3, "
            "bf16x6, f16");
}

TEST(MatmulKind, PrecisionsAreForOneType) {
  MatmulKind kind;
  ASSERT_EQ(getError(kind.read("f16", "tn", "", "none")), "");
  EXPECT_EQ(getError(kind.setPrecision("tf32")),
            "precision: operands of f16 do not have tf32");
  EXPECT_EQ(kind.str(), "f16 tn f16 none");
  EXPECT_EQ(getError(kind.setPrecision("f16")), "");
  EXPECT_EQ(kind.str(), "f16acc16 tn f16 none");
  // The sums that a kernel stores are f32; those of instructions are f16.
  EXPECT_EQ(kind.accumulator, ScalarType::F32);
  EXPECT_EQ(kind.findInstruction(InstructionKind::Wgmma)->accumulator,
            ScalarType::F16);
  EXPECT_EQ(getError(kind.setPrecision("f16")), "");
  ASSERT_EQ(getError(kind.read("f16xs8", "tn", "", "none")), "");
  EXPECT_EQ(getError(kind.setPrecision("f16")),
            "precision: operands of s8 do not have f16");
}

TEST(MatmulKind, OperandsMayDiffer) {
  MatmulKind kind, other;
  other.typeB = ScalarType::I8;
  EXPECT_EQ(other.getBitsA(), 16);
  EXPECT_EQ(other.getBitsB(), 8);
  EXPECT_EQ(other.getBits(1), 8);
  EXPECT_TRUE(kind.hasElementBits(16));
  EXPECT_FALSE(other.hasElementBits(16));
  EXPECT_FALSE(kind.hasSameOperands(other));
  other = kind;
  other.bKContiguous = false;
  EXPECT_FALSE(kind.hasSameOperands(other));
  other = kind;
  other.output = ScalarType::F32;
  EXPECT_TRUE(kind.hasSameOperands(other));
}

TEST(MatmulProblem, HasUnknownSizes) {
  MatmulProblem problem;
  EXPECT_EQ(problem.m, -1);
  EXPECT_EQ(problem.batch, 1);
  problem.setSizes({1, 2, 3, 4});
  EXPECT_EQ(problem.n, 2);
  EXPECT_EQ(problem.batch, 4);
}

TEST(MatmulProblem, IsWrittenAsJSON) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] {
    MatmulKind().writeAttributes(json);
    MatmulSizes{1, 2, 3, 4}.writeAttributes(json);
  });
  EXPECT_EQ(text, R"({"layout":"tn","type":"bf16","out":"bf16",)"
                  R"("epilogue":"none","alpha":false,"beta":false,)"
                  R"("m":1,"n":2,"k":3,"batch":4})");
}

TEST(MatmulSizes, MayBeLarger) {
  constexpr int64_t large = int64_t(1) << 35;
  std::string text = "1x2x" + std::to_string(large);
  EXPECT_EQ(llvm::cantFail(MatmulSizes::parse(text, large)).k, large);
  EXPECT_EQ(getError(MatmulSizes::parse(text, large - 1).takeError()),
            "shape '" + text +
                "': expected MxNxK or BxMxNxK with sizes from 1 to " +
                std::to_string(large - 1));
}

TEST(MatmulRanges, AreAllCombinations) {
  MatmulRanges ranges =
      llvm::cantFail(MatmulRanges::parse("1,2", "3", "4:6:2", "7,8"));
  std::string text;
  for (const MatmulSizes &sizes : ranges.expand())
    text += sizes.str() + " ";
  EXPECT_EQ(text, "7x1x3x4 7x1x3x6 7x2x3x4 7x2x3x6 "
                  "8x1x3x4 8x1x3x6 8x2x3x4 8x2x3x6 ");
  ranges = llvm::cantFail(MatmulRanges::parse("1", "2", "3", ""));
  ASSERT_EQ(ranges.expand().size(), 1u);
  EXPECT_EQ(ranges.expand()[0].batch, 1);
  EXPECT_TRUE(
      llvm::cantFail(MatmulRanges::parse("1", "", "3", "")).expand().empty());
  EXPECT_EQ(
      getError(MatmulRanges::parse("1", "2", "x", "").takeError()).substr(0, 9),
      "sizes 'x'");
}

TEST(NamedEpilogue, KnowsWhatItReads) {
  NamedEpilogue epilogue =
      llvm::cantFail(NamedEpilogue::parse("bias_residual_relu_gate"));
  EXPECT_EQ(epilogue.countMatrices(), 2);
  EXPECT_TRUE(readsOperand(EpiloguePart::RowBias));
  EXPECT_FALSE(readsMatrix(EpiloguePart::Bias));
  EXPECT_FALSE(readsOperand(EpiloguePart::Silu));
  EXPECT_FALSE(hasOutputType(EpiloguePart::Bias));
  for (EpiloguePart part : {EpiloguePart::OutBias, EpiloguePart::OutRowBias,
                            EpiloguePart::Residual, EpiloguePart::Gate})
    EXPECT_TRUE(hasOutputType(part));
}

TEST(NamedEpilogue, ValuesOfGroupsNeedGroups) {
  for (auto [part, operand, isFactor] :
       {std::tuple(EpiloguePart::GroupBias, EpilogueOperand::AlongN, false),
        std::tuple(EpiloguePart::GroupScale, EpilogueOperand::Number, true),
        std::tuple(EpiloguePart::GroupColumnScale, EpilogueOperand::AlongN,
                   true)}) {
    EXPECT_TRUE(isOfGroups(part));
    EXPECT_EQ(getPartOperand(part), operand);
    EXPECT_EQ(multiplies(part), isFactor);
    EXPECT_EQ(getPartOfOperand(operand, isFactor, /*isOfGroups=*/true), part);
    EXPECT_NE(getPartOfOperand(operand, isFactor, /*isOfGroups=*/false), part);
    MatmulKind kind;
    EXPECT_FALSE(kind.read("bf16", "tn", "bf16", getPartName(part)));
    EXPECT_EQ(getError(kind.checkFeatures()),
              ("epilogue: '" + getPartName(part) +
               "' reads values of groups, and so it needs a product with "
               "groups")
                  .str());
    kind.isGrouped = true;
    EXPECT_FALSE(kind.checkFeatures());
  }
  EXPECT_FALSE(isOfGroups(EpiloguePart::Bias));
}

} // namespace
