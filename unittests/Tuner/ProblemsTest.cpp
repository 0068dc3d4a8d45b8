//===- ProblemsTest.cpp - What is tuned -----------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Store/Problems.h"
#include "TunerTestUtils.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Store/Shipped.h"

using namespace tcgemm;

namespace {

TEST(Problems, ShapesAreReadAndWritten) {
  MatmulSizes sizes = unwrap(MatmulSizes::parse("4096x16x14336"));
  EXPECT_EQ(sizes.m, 4096);
  EXPECT_EQ(sizes.n, 16);
  EXPECT_EQ(sizes.k, 14336);
  EXPECT_EQ(sizes.batch, 1);
  EXPECT_EQ(sizes.str(), "4096x16x14336");
  EXPECT_EQ(unwrap(MatmulSizes::parse("8x1x2x3")).str(), "8x1x2x3");
  EXPECT_EQ(sizes.getFlops(), 2.0 * 4096 * 16 * 14336);
}

TEST(Problems, WrongShapesAreRefused) {
  for (const char *text : {"", "1x2", "1x2x3x4x5", "0x1x1", "ax1x1", "1x1x-1",
                           "1x1x2147483648", "1x1x1x"})
    EXPECT_NE(
        getError(MatmulSizes::parse(text))
            .find("expected MxNxK or BxMxNxK with sizes from 1 to 2147483647"),
        std::string::npos)
        << text;
}

TEST(Problems, RangesHaveBothEnds) {
  using Sizes = std::vector<int64_t>;
  EXPECT_EQ(unwrap(parseSizeRange("4096")), Sizes({4096}));
  EXPECT_EQ(unwrap(parseSizeRange("1,8")), Sizes({1, 8}));
  EXPECT_EQ(unwrap(parseSizeRange("1024:1536:256")), Sizes({1024, 1280, 1536}));
  EXPECT_EQ(unwrap(parseSizeRange("1:9:5,20:21")), Sizes({1, 6, 20, 21}));
  for (const char *text : {"", "9:1", "1:2:0", "1:2:3:4", "x"})
    EXPECT_NE(getError(parseSizeRange(text)).find("expected sizes"),
              std::string::npos)
        << text;
  EXPECT_EQ(getError(parseSizeRange("1:2000000000")),
            "sizes '1:2000000000' are more than 100000");
}

/// Kinds of groups differ in what is there once for each group.
TEST(Problems, KindsOfGroups) {
  TuningProblem problem;
  problem.kernel =
      unwrap(KernelSpec::parse("bf16 tn f32 none grouped groups=padded"));
  EXPECT_EQ(problem.kernel.groupKind, GroupKind::Padded);
  problem.sizes = {100, 64, 32, 8};
  EXPECT_EQ(problem.str(),
            "bf16 tn f32 none grouped groups=padded 8x100x64x32");
  EXPECT_EQ(problem.getFlops(), 2.0 * 8 * 100 * 64 * 32);
  EXPECT_EQ(problem.getLeastBytes(),
            8 * (2.0 * 100 * 32 + 2.0 * 64 * 32 + 4.0 * 100 * 64));
  problem.kernel =
      unwrap(KernelSpec::parse("bf16 nt f32 none grouped groups=ragged-k"));
  problem.sizes = {100, 64, 1000, 8};
  EXPECT_EQ(problem.str(),
            "bf16 nt f32 none grouped groups=ragged-k 8x100x64x1000");
  EXPECT_EQ(problem.getFlops(), 2.0 * 100 * 64 * 1000);
  EXPECT_EQ(problem.getLeastBytes(),
            2.0 * 100 * 1000 + 2.0 * 64 * 1000 + 8 * 4.0 * 100 * 64);
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn f32 none grouped groups=rows")),
            "groups 'rows' are none of contiguous, padded, ragged-k");
  EXPECT_EQ(
      getError(KernelSpec::parse("bf16 nt f32 none grouped groups=padded")),
      "groups of rows: rows of A must be contiguous, as with tn and tt, but "
      "the layout is nt");
  // A record of one kind is none of another.
  EXPECT_FALSE(
      unwrap(KernelSpec::parse("bf16 tn f32 none grouped groups=padded"))
          .hasSameOperands(
              unwrap(KernelSpec::parse("bf16 tn f32 none grouped"))));
}

/// The batch counts groups of the M rows, so that it multiplies nothing but B.
TEST(Problems, GroupsOfRows) {
  TuningProblem problem;
  problem.kernel = unwrap(KernelSpec::parse("bf16 tn f32 none grouped"));
  EXPECT_TRUE(problem.kernel.isGrouped);
  problem.sizes = {1000, 64, 32, 8};
  EXPECT_EQ(problem.str(), "bf16 tn f32 none grouped 8x1000x64x32");
  EXPECT_EQ(problem.getFlops(), 2.0 * 1000 * 64 * 32);
  EXPECT_EQ(problem.getLeastBytes(),
            2.0 * 1000 * 32 + 8 * 2.0 * 64 * 32 + 4.0 * 1000 * 64);
  problem.kernel.isBatched = true;
  EXPECT_EQ(problem.kernel.str(), "bf16 tn f32 none grouped");
  EXPECT_EQ(getError(KernelSpec::parse("bf16 nt bf16 none grouped")),
            "groups of rows: rows of A must be contiguous, as with tn and tt, "
            "but the layout is nt");
  for (const char *text :
       {"bf16 tn bf16 bias_silu grouped", "bf16 tn bf16 relu beta grouped",
        "e4m3 tn bf16 groupscale_groupbias grouped",
        "bf16 tn bf16 groupcolscale grouped groups=padded",
        "bf16 nt f32 groupbias grouped groups=ragged-k",
        "s8 tn s32 none grouped", "u8xs8 tn s32 none grouped",
        "bf16xs4 tn bf16 none grouped", "tf32 tn f32 none grouped",
        "tf32x3 tn f32 none grouped"})
    EXPECT_EQ(unwrap(KernelSpec::parse(text)).str(), text);
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn bf16 bias_groupscale")),
            "epilogue: 'groupscale' reads values of groups, and so it needs a "
            "product with groups");
  EXPECT_EQ(getError(KernelSpec::parse("f32 tn f32 none grouped")),
            "groups of rows: the types must be those that wgmma multiplies, "
            "but are f32");
  EXPECT_EQ(getError(KernelSpec::parse("f64 tn f64 none grouped")),
            "groups of rows: the types must be those that wgmma multiplies, "
            "but are f64");
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn bf16 none grouped symmetric")),
            "product: it has a symmetric result, and so it cannot have groups "
            "of rows: the diagonal starts at the first row of all, and not of "
            "a group");
}

TEST(Problems, KernelsAreReadBack) {
  KernelSpec kernel;
  kernel.epilogue = {{EpiloguePart::Bias, EpiloguePart::Gelu}};
  kernel.output = ScalarType::F32;
  kernel.hasBeta = kernel.isBatched = true;
  EXPECT_EQ(kernel.str(), "bf16 tn f32 bias_gelu beta batched");
  EXPECT_TRUE(unwrap(KernelSpec::parse(kernel.str())) == kernel);
  kernel.isApproximate = true;
  EXPECT_EQ(kernel.str(), "bf16 tn f32 bias_gelu beta batched approx");
  EXPECT_TRUE(unwrap(KernelSpec::parse(kernel.str())).isApproximate);
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn f32")),
            "kernel 'bf16 tn f32': expected type, layout, result type and "
            "epilogue, but it has 3 words");
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn f32 none gamma")),
            "kernel 'bf16 tn f32 none gamma': 'gamma' is none of alpha, beta, "
            "batched, static, approx, scales_a, scales_b, grouped, "
            "groups=, group_scales=, transform_a=, transform_b=, algebra=, "
            "dual=, band_a=, band_b=, symmetric, reduce=");
  for (llvm::StringRef text :
       {"bf16 tn bf16 none band_a=lower",
        "f16 nt f32 none batched band_a=band:2:3 band_b=upper:zeros",
        "bf16 tn bf16 gelu symmetric",
        "bf16 nt f32 none band_a=lower symmetric"})
    EXPECT_EQ(unwrap(KernelSpec::parse(text)).str(), text);
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn bf16 bias symmetric")),
            "product: it has a symmetric result, and so it cannot have an "
            "epilogue that reads tensors: an element and its reflection may "
            "get different values");
  kernel.reductions = unwrap(NamedReductions::parse("row-max_amax"));
  EXPECT_EQ(kernel.str(), "bf16 tn f32 bias_gelu beta batched approx "
                          "reduce=row-max_amax");
  EXPECT_TRUE(unwrap(KernelSpec::parse(kernel.str())) == kernel);
  EXPECT_EQ(
      getError(KernelSpec::parse("i64 tn f32 none")),
      "type of A and B: 'i64' is none of f16, bf16, tf32, s8, u8, b1, e4m3, "
      "e5m2, "
      "f64, f32, s32, tf32x3, bf16x3, bf16x6, f16acc16, s4, u4, s4i, u4i");
}

TEST(Problems, GroupScalesAreReadBack) {
  const char *text = "bf16xu4 tn bf16 none group_scales=128xf16xu8";
  KernelSpec kernel = unwrap(KernelSpec::parse(text));
  EXPECT_EQ(kernel.groups.depth, 128);
  EXPECT_EQ(kernel.groups.type, ScalarType::F16);
  EXPECT_EQ(kernel.groups.zeroPoints, ScalarType::U8);
  EXPECT_EQ(kernel.str(), text);
  EXPECT_EQ(getError(KernelSpec::parse("bf16 tn bf16 none group_scales=128")),
            "group scales: A and B are of bf16, but only s4 and u4 by f16, "
            "bf16, e4m3 or e5m2 have them");
  // The scales and zero points are read once.
  TuningProblem plain{unwrap(KernelSpec::parse("bf16xu4 tn bf16 none")), {}};
  plain.sizes.m = 1;
  plain.sizes.n = 64;
  plain.sizes.k = 1280;
  TuningProblem scaled{kernel, plain.sizes};
  EXPECT_EQ(scaled.getLeastBytes() - plain.getLeastBytes(), 64 * 10 * 3);
}

TEST(Problems, LegalityIsToldWhatItAsks) {
  TuningProblem problem = makeProblem(1, 2, 3);
  problem.kernel.aKContiguous = problem.kernel.bKContiguous = false;
  problem.kernel.output = ScalarType::F32;
  problem.kernel.epilogue = {{EpiloguePart::Residual}};
  ProblemInfo info = problem.getInfo();
  EXPECT_FALSE(info.aKContiguous);
  EXPECT_FALSE(info.bKContiguous);
  EXPECT_FALSE(info.hasNarrowOutputs());
  EXPECT_EQ(info.epilogueBytes, 8);
}

/// Remembers the question, and has no answer.
class Listener : public ConfigProvider {
public:
  llvm::StringRef getName() const override { return "listener"; }
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override {
    info = request.problem;
    return std::nullopt;
  }
  ProblemInfo info;
};

/// A problem's info is that of the kernel which its source becomes.
TEST(Problems, TheCompilerIsToldTheSame) {
  for (const char *text :
       {"bf16 tn bf16 none", "f16 nt f32 bias_gelu",
        "bf16 nn bf16 bias_relu_residual alpha beta batched",
        "f16 tt f32 residual_silu", "bf16 tn f16 rowbias_residual beta",
        "bf16 tn bf16 relu transform_a=add1_relu",
        "f16 nn f16 none transform_b=silu", "bf16 tn bf16 none reduce=row-max",
        "bf16 tn f32 gelu_scale reduce=amax_column-sumsq", "s8 tn s8 scale"}) {
    TuningProblem problem{unwrap(KernelSpec::parse(text)), {64, 72, 96, 1}, ""};
    problem.sizes.batch = problem.kernel.isBatched ? 3 : 1;
    problem.kernel.isStatic = true;
    auto listener = std::make_shared<Listener>();
    CompileOptions options;
    options.chip = "sm_80";
    options.format = OutputFormat::PTX;
    options.providers = {listener};
    options.records = "none";
    unwrap(compileToPack(problem.getSource(), options));
    ProblemInfo ours = problem.getInfo(), theirs = listener->info;
    EXPECT_EQ(ours.typeA, theirs.typeA) << text;
    EXPECT_EQ(ours.typeB, theirs.typeB) << text;
    EXPECT_TRUE(ours.hasSameOperands(theirs)) << text;
    EXPECT_TRUE(ours.reductions == theirs.reductions) << text;
    EXPECT_EQ(ours.output, theirs.output) << text;
    EXPECT_EQ(ours.aKContiguous, theirs.aKContiguous) << text;
    EXPECT_EQ(ours.bKContiguous, theirs.bKContiguous) << text;
    EXPECT_EQ(ours.batch, theirs.batch) << text;
    EXPECT_EQ(ours.m, theirs.m) << text;
    EXPECT_EQ(ours.n, theirs.n) << text;
    EXPECT_EQ(ours.k, theirs.k) << text;
    EXPECT_EQ(ours.tmaOutputs, theirs.tmaOutputs) << text;
    EXPECT_EQ(ours.leastOutputBytes, theirs.leastOutputBytes) << text;
    EXPECT_EQ(ours.mostOutputBytes, theirs.mostOutputBytes) << text;
    EXPECT_EQ(ours.stageableInputs, theirs.stageableInputs) << text;
    EXPECT_EQ(ours.readsInputs, theirs.readsInputs) << text;
    EXPECT_EQ(ours.epilogueBytes, theirs.epilogueBytes) << text;
    EXPECT_EQ(ours.plainEpilogue, theirs.plainEpilogue) << text;
  }
}

TEST(Problems, FilesOfLines) {
  auto problems = unwrap(parseTuningProblems(
      "# a comment\nsquare 512 256 128\n\nx 1 2 3 4 # more\n", "f", {}));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].str(), "bf16 tn bf16 none 512x256x128");
  EXPECT_EQ(problems[0].tag, "square");
  EXPECT_EQ(problems[1].str(), "bf16 tn bf16 none batched 4x1x2x3");
  problems = unwrap(parseTuningProblems(
      "a 1 2 3 nn\nb 1 2 3 4 tt f16\nc 1 2 3 f16\n", "f", {}));
  EXPECT_EQ(problems[0].str(), "bf16 nn bf16 none 1x2x3");
  EXPECT_EQ(problems[1].str(), "f16 tt f16 none batched 4x1x2x3");
  EXPECT_EQ(problems[2].str(), "f16 tn f16 none 1x2x3");
}

TEST(Problems, FilesOfCSV) {
  auto problems = unwrap(
      parseTuningProblems("tag,K,\"N\",m,other\nsquare,3,2,1,9\n", "f", {}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].sizes.str(), "1x2x3");
  EXPECT_EQ(problems[0].tag, "square");
}

TEST(Problems, FilesOfCSVWithEpilogues) {
  auto problems = unwrap(parseTuningProblems(
      "M,N,K,layout,epilogue,dual\n1,2,3,tt,outbias_gelutanh,\n"
      "1,2,3,tn,,silu-mul\n1,2,3,tn,none,none\n",
      "f", {}));
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].str(), "bf16 tt bf16 outbias_gelutanh 1x2x3");
  EXPECT_EQ(problems[1].str(), "bf16 tn bf16 none dual=silu-mul 1x2x3");
  EXPECT_EQ(problems[2].str(), "bf16 tn bf16 none 1x2x3");
}

/// Products beside those of groups of rows.
TEST(Problems, FilesHaveGroupsOfRows) {
  auto problems = unwrap(parseTuningProblems(
      "M,N,K,batch,layout,groups\n100,2,3,,tn,8\n100,2,3,,tt,1\n"
      "100,2,3,4,nn,none\n100,2,3,,tn,\n",
      "f", {}));
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_EQ(problems[0].str(), "bf16 tn bf16 none grouped 8x100x2x3");
  EXPECT_EQ(problems[1].str(), "bf16 tt bf16 none grouped 100x2x3");
  EXPECT_EQ(problems[2].str(), "bf16 nn bf16 none batched 4x100x2x3");
  EXPECT_EQ(problems[3].str(), "bf16 tn bf16 none 100x2x3");
  problems = unwrap(parseTuningProblems(
      "experts 100 2 3 groups=8 f16\ndense 100 2 3\n", "f", {}));
  EXPECT_EQ(problems[0].str(), "f16 tn f16 none grouped 8x100x2x3");
  EXPECT_EQ(problems[1].str(), "bf16 tn bf16 none 100x2x3");
  problems = unwrap(parseTuningProblems(
      R"([{"m": 100, "n": 2, "k": 3, "groups": 8}])", "f", {}));
  EXPECT_EQ(problems[0].str(), "bf16 tn bf16 none grouped 8x100x2x3");
  // The caller's groups are those of problems that have none of their own.
  problems = unwrap(parseTuningProblems(
      "M,N,K,batch,groups\n100,2,3,8,\n100,2,3,,none\n", "f",
      unwrap(KernelSpec::parse("bf16 tn bf16 none grouped"))));
  EXPECT_EQ(problems[0].str(), "bf16 tn bf16 none grouped 8x100x2x3");
  EXPECT_EQ(problems[1].str(), "bf16 tn bf16 none 100x2x3");
}

TEST(Problems, FilesOfCSVAsOthersNameThem) {
  // cuBLASLt's.
  auto problems = unwrap(parseTuningProblems(
      "transA,transB,M,N,K,Batch_Count,Atype,Btype,Dtype,compute_type,beta\n"
      "T,N,64,32,16,1,R_16BF,R_16BF,R_32F,COMPUTE_32F,0\n"
      "n,t,64,32,16,3,f16,f16,f16,f32,1\n",
      "f", {}));
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].str(), "bf16 tn f32 none 64x32x16");
  EXPECT_EQ(problems[1].str(), "f16 nt f16 none beta batched 3x64x32x16");
  // tcgemm's format.
  problems = unwrap(parseTuningProblems(
      "m,n,k,dtype,out_type\n1,2,3,f16,f32\n1,2,3,f16,\n", "f", {}));
  EXPECT_EQ(problems[0].str(), "f16 tn f32 none 1x2x3");
  EXPECT_EQ(problems[1].str(), "f16 tn f16 none 1x2x3");
  // The CUTLASS profiler's: D is column-major in the second.
  problems = unwrap(parseTuningProblems(
      "Problem,Provider,Operation,m,n,k,A,B,C,D,alpha,beta,batch_count\n"
      "1,CUTLASS,x,64,32,16,f16:row,f16:column,f32:row,f32:row,1,0,1\n"
      "2,CUTLASS,x,64,32,16,bf16:row,bf16:row,f32:column,bf16:column,2,0,1\n",
      "f", {}));
  EXPECT_EQ(problems[0].str(), "f16 tn f32 none 64x32x16");
  EXPECT_EQ(problems[1].str(), "bf16 nn bf16 none alpha 32x64x16");
}

TEST(Problems, FilesOfJSON) {
  auto problems = unwrap(parseTuningProblems(
      R"([{"m": 4096, "n": 512, "k": 64, "batch_count": 1, "layout": "tnn",
           "dtype_a": "f16", "dtype_b": "f16", "dtype_c": "f32",
           "dtype_acc": "f32", "dtype_d": "f32", "beta": 0.0,
           "use_fast_acc": false, "tag": null},
          {"m": 8, "n": 16, "k": 32, "layout": "nt", "batch_count": 2}])",
      "f", {}));
  ASSERT_EQ(problems.size(), 2u);
  // The transposed product: its A is B.
  EXPECT_EQ(problems[0].str(), "f16 tn f32 none 512x4096x64");
  EXPECT_EQ(problems[1].str(), "bf16 nt bf16 none batched 2x8x16x32");
}

// A column-major D exchanges A and B, with their types.
TEST(Problems, TransposedResultsExchangeTheTypes) {
  auto problems = unwrap(parseTuningProblems(
      R"([{"m": 64, "n": 32, "k": 16, "layout": "tnn", "dtype_a": "bf16",
           "dtype_b": "s8"}])",
      "f", {}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].str(), "s8xbf16 tn bf16 none 32x64x16");
  auto failed = parseTuningProblems(
      R"([{"m": 64, "n": 32, "k": 16, "layout": "tt", "dtype_a": "bf16",
           "dtype_b": "int4"}])",
      "f", {});
  EXPECT_NE(llvm::toString(failed.takeError())
                .find("layout: tt, but B of s4 must have k innermost"),
            std::string::npos);
}

TEST(Problems, FilesHaveGroupScales) {
  constexpr const char *text =
      R"([{"m": 1, "n": 32, "k": 256, "dtype_a": "bf16", "dtype_b": "u4",
           "group_scales": "128xf16xu8"}])";
  auto problems = unwrap(parseTuningProblems(text, "f", {}));
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].str(),
            "bf16xu4 tn bf16 none group_scales=128xf16xu8 1x32x256");
  // Those of the caller must fit the types of the file.
  KernelSpec scaled =
      unwrap(KernelSpec::parse("bf16xu4 tn bf16 none group_scales=64"));
  auto failed = parseTuningProblems(
      R"([{"m": 1, "n": 32, "k": 256, "dtype": "f16"}])", "f", scaled);
  EXPECT_NE(llvm::toString(failed.takeError())
                .find("group scales: A and B are of f16, but only s4 and u4 "
                      "by f16, bf16, e4m3 or e5m2 have them"),
            std::string::npos);
}

TEST(Problems, KernelsHaveAlgebras) {
  KernelSpec kernel =
      unwrap(KernelSpec::parse("f32 tn f32 none algebra=max-plus"));
  EXPECT_EQ(kernel.algebra.str(), "max-plus");
  EXPECT_EQ(kernel.str(), "f32 tn f32 none algebra=max-plus");
  EXPECT_EQ(
      unwrap(KernelSpec::parse("f32 tn f32 none algebra=plus-times")).str(),
      "f32 tn f32 none");
  // That of the caller must fit the types of the file.
  auto failed = parseTuningProblems(
      R"([{"m": 1, "n": 32, "k": 256, "dtype": "bf16"}])", "f", kernel);
  EXPECT_NE(llvm::toString(failed.takeError())
                .find("algebra: A and B are of bf16, but only f32, f64 and "
                      "s32 have max-plus"),
            std::string::npos);
}

TEST(Problems, OperandsOf8BitsChooseTheSum) {
  auto parse = [](const char *text) {
    return llvm::cantFail(parseTuningProblems(text, "f", {})).front().kernel;
  };
  KernelSpec integers = parse(
      R"([{"m": 1, "n": 2, "k": 3, "dtype_a": "int8", "dtype_b": "u8"}])");
  EXPECT_EQ(integers.str(), "s8xu8 tn s32 none");
  EXPECT_EQ(integers.accumulator, ScalarType::I32);
  EXPECT_EQ(parse(R"([{"m": 1, "n": 2, "k": 3, "type": "e4m3"}])").str(),
            "e4m3 tn bf16 none");
  KernelSpec read = llvm::cantFail(KernelSpec::parse("e4m3xe5m2 nt f32 bias"));
  EXPECT_EQ(read.typeB, ScalarType::E5M2);
  EXPECT_EQ(read.str(), "e4m3xe5m2 nt f32 bias");
}

TEST(Problems, WrongJSONIsRefusedByEntry) {
  auto parse = [](const char *text) {
    return getError(parseTuningProblems(text, "f", {}));
  };
  EXPECT_NE(parse("[{").find("f: "), std::string::npos);
  EXPECT_EQ(parse("{}"), "f: expected a list of objects");
  EXPECT_EQ(parse("[]"), "f: there is no problem in it");
  EXPECT_EQ(parse("[1]"), "f: entry 1: expected an object");
  EXPECT_EQ(parse(R"([{"m": 1, "n": 2}])"),
            "f: entry 1: k is '', but must be a size from 1 to 2147483647");
  EXPECT_EQ(parse(R"([{"m": 1, "n": 2, "k": 3, "dtype_a": "e3m2"}])"),
            "f: entry 1: atype is 'e3m2', but must be bf16, f16, f32, tf32, "
            "f64, s8, u8, e4m3, e5m2 or s32");
  EXPECT_EQ(parse(R"([{"m": 1, "n": 2, "k": 3, "dtype_acc": "f16"}])"),
            "f: entry 1: sums are f16, but must be f32");
  EXPECT_EQ(parse(R"([{"m": 1, "n": 2, "k": 3, "beta": "x"}])"),
            "f: entry 1: beta is 'x', but must be a number");
}

TEST(Problems, DuplicatesAreMerged) {
  auto problems = unwrap(
      parseTuningProblems("a 1 2 3\nb 1 2 3\nc 1 2 3 nn\nd 1 2 4\n", "f", {}));
  mergeDuplicates(problems);
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0].tag, "a");
  EXPECT_EQ(problems[1].tag, "c");
}

TEST(Problems, WrongFilesAreRefusedByLine) {
  auto parse = [](const char *text) {
    return getError(parseTuningProblems(text, "f", {}));
  };
  EXPECT_EQ(parse("a 1 2 3\nb 1 2\n"),
            "f:2: expected 'tag M N K [batch] [layout] [type] [groups=G]', but "
            "got 'b 1 "
            "2'");
  EXPECT_EQ(parse("a 1 0 3\n"),
            "f:1: n is '0', but must be a size from 1 to 2147483647");
  EXPECT_EQ(parse("a 1 2 3 tn nn\n"),
            "f:1: expected 'tag M N K [batch] [layout] [type] [groups=G]', but "
            "got 'a 1 2 "
            "3 tn nn'");
  EXPECT_EQ(parse("a 1 2 3 tntt\n"),
            "f:1: layout 'tntt': expected t or n for each of A and B, and for "
            "D if it is given");
  EXPECT_EQ(parse("M,N\n1,2\n"),
            "f:1: CSV needs columns M, N and K, but its first line is 'M,N'");
  EXPECT_EQ(parse("M,N,K\n1,2\n"),
            "f:2: expected as many values as there are columns, but got "
            "'1,2'");
  EXPECT_EQ(parse("M,N,K,transA\n1,2,3,x\n"),
            "f:2: transa is 'x', but must be t or n");
  EXPECT_EQ(parse("M,N,K,Atype,Btype\n1,2,3,f16,bf16\n"),
            "f:2: A is f16 and B is bf16, which no instruction multiplies");
  EXPECT_EQ(parse("m,n,k,A\n1,2,3,f16:up\n"),
            "f:2: operand A is 'f16:up', but must be as f16:row");
  EXPECT_EQ(parse("m,n,k,epilogue\n1,2,3,cube\n"),
            "f:2: " + getError(NamedEpilogue::parse("cube")));
  EXPECT_EQ(parse("m,n,k,dual\n1,2,3,div\n"),
            "f:2: " + getError(parseDual("div")));
  EXPECT_EQ(
      parse("m,n,k,layout,epilogue\n1,2,3,tnn,bias\n"),
      "f:2: D is column-major, but a product with an epilogue or with two "
      "Bs needs a row-major one");
  for (const char *groups : {"0", "many", "-1"})
    EXPECT_EQ(
        getError(parseTuningProblems(
            "m,n,k,groups\n1,2,3," + std::string(groups) + "\n", "f", {})),
        "f:2: groups is '" + std::string(groups) +
            "', but must be none or a number from 1 to 2147483647");
  EXPECT_EQ(parse("m,n,k,batch,groups\n1,2,3,2,4\n"),
            "f:2: batch is '2', but the rows are in 4 groups, of which each "
            "has one matrix B");
  EXPECT_EQ(parse("a 1 2 3 tnn groups=4\n"),
            "f:1: D is column-major, but groups of rows need a row-major one");
  EXPECT_EQ(parse("a 1 2 3 nn groups=4\n"),
            "f:1: groups of rows: rows of A must be contiguous, as with tn and "
            "tt, but the layout is nn");
  EXPECT_EQ(parse("# nothing\n"), "f: there is no problem in it");
}

TEST(Problems, TheSuiteShips) {
  auto problems = unwrap(readSuite("suite", {}));
  EXPECT_EQ(problems.size(), 86u);
  problems = unwrap(readSuite("deepbench", {}));
  EXPECT_EQ(problems.size(), 160u + 75u + 13u);
  EXPECT_EQ(problems[0].str(), "bf16 nn bf16 none 1760x16x1760");
  mergeDuplicates(problems); // Four of the devices' and one of the servers'.
  EXPECT_EQ(problems.size(), 243u);
  // The same with column-major results: the transposed products.
  problems = unwrap(readSuite("deepbench-columns", {}));
  EXPECT_EQ(problems.size(), 248u);
  EXPECT_EQ(problems[0].str(), "bf16 tt bf16 none 16x1760x1760");
  mergeDuplicates(problems);
  EXPECT_EQ(problems.size(), 243u);
  problems = unwrap(readSuite("suite-20", {}));
  EXPECT_EQ(problems.size(), 20u);
  problems = unwrap(readSuite("llm", {}));
  EXPECT_EQ(problems.size(), 22u * 14u);
  EXPECT_EQ(problems.back().tag, "deepseek-v3/lm_head");
  EXPECT_EQ(problems.back().str(), "bf16 tn bf16 none 8192x129280x7168");
  problems = unwrap(readSuite("models", {}));
  EXPECT_EQ(problems.size(), 74u);
  EXPECT_EQ(problems[0].str(), "bf16 tn bf16 none dual=silu-mul 1x14336x4096");
  EXPECT_NE(getError(readSuite("no-such-suite", {})).find("shipped are"),
            std::string::npos);
}

TEST(ProblemFile, NestingIsLimited) {
  std::string deep(50000, '[');
  EXPECT_EQ(getError(parseTuningProblems(deep, "f", {})),
            "f: nested deeper than 64");
}

} // namespace
