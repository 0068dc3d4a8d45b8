//===- SpaceTest.cpp - The configurations to choose from ------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Space.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/Shipped.h"
#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;

namespace {

constexpr const char *kSmall = R"(
name: small
fixed:
  - {name: schedule, value: mma_sync}
parameters:
  - {name: cta.m, values: [32, 64, 128]}
  - {name: cta.n, values: [64]}
  - {name: stages, values: [2, 3, 40]}
  - {name: epilogue, values: [direct, staged]}
restrictions:
  - {name: not-the-first, require: cta.m > 32 || stages == 3}
  - {name: area, require: cta.m * cta.n <= 4096}
  - {name: staged-if-deep, require: epilogue == staged || stages < 3}
)";

SearchSpace bind(const Space &space, const TuningProblem &problem,
                 llvm::StringRef chip = "sm_90a") {
  return unwrap(SearchSpace::create(space, *lookupChip(chip), problem));
}

Space parse(llvm::StringRef text) { return unwrap(Space::parse(text, "f")); }

std::string parseError(llvm::StringRef text) {
  return getError(Space::parse(text, "f"));
}

TEST(Space, IsReadFromYAML) {
  Space space = parse(kSmall);
  EXPECT_EQ(space.getName(), "small");
  ASSERT_EQ(space.getAxes().size(), 4u);
  EXPECT_EQ(space.getAxes()[0].name, "cta.m");
  EXPECT_EQ(space.getAxes()[2].values,
            std::vector<std::string>({"2", "3", "40"}));
  EXPECT_EQ(space.getRestrictions().size(), 3u);
}

TEST(Space, IsReadFromJSON) {
  Space space = parse(R"({"name": "json", "parameters": [
    {"name": "cta", "values": ["128x128x64", "64x64x64"]}]})");
  SearchSpace bound = bind(space, makeProblem(512, 512, 512));
  EXPECT_EQ(bound.getConfig(bound.getPoint(1)).cta[0], 64);
}

TEST(Space, PointsAreMixedRadix) {
  SearchSpace space = bind(parse(kSmall), makeProblem(512, 512, 512));
  EXPECT_EQ(space.getRawSize(), 18u);
  for (uint64_t i = 0; i != space.getRawSize(); ++i)
    EXPECT_EQ(space.getIndex(space.getPoint(i)), i);
  KernelConfig config = space.getConfig(space.getPoint(9));
  EXPECT_EQ(config.cta[0], 64);
  EXPECT_EQ(config.stages, 3);
  EXPECT_EQ(config.epilogue, EpilogueKind::Staged);
  EXPECT_EQ(space.getIndex(need(space.find(config))), 9u);
  config.stages = 7;
  EXPECT_FALSE(space.find(config));
  config.stages = 3;
  config.rasterGroup = 4; // No axis has it.
  EXPECT_FALSE(space.find(config));
}

/// The walk with its pruned subtrees against the definition.
TEST(Space, TheWalkFindsWhatIsLegal) {
  for (const char *name : {"mma_sync-quick", "wgmma-quick"})
    for (const TuningProblem &problem :
         {makeProblem(512, 512, 512), makeProblem(16, 4096, 14336),
          makeProblem(777, 1333, 2111)}) {
      SearchSpace space = bind(unwrap(readSpace(name)), problem);
      std::vector<uint64_t> expected;
      for (uint64_t i = 0; i != space.getRawSize(); ++i)
        if (space.isLegal(space.getPoint(i)))
          expected.push_back(i);
      EXPECT_EQ(space.getLegal().vec(), expected) << name;
      EXPECT_GT(expected.size(), 20u) << name << " " << problem.str();
      EXPECT_EQ(space.count().steps.back().count, expected.size());
    }
}

TEST(Space, CountsFollowTheRestrictions) {
  SearchSpace space = bind(parse(kSmall), makeProblem(512, 512, 512));
  std::vector<std::pair<std::string, uint64_t>> steps;
  for (const SpaceCount::Step &step : space.count().steps)
    steps.emplace_back(step.name, step.count);
  // cta.m = 32 keeps stages = 3 only: 18 - 4; cta.m = 128 is too large: - 6;
  // direct needs stages = 2: - 3; stages = 40 is illegal: - 1; and staging
  // needs more than 32x64 tiles have with 2 warps along M.
  EXPECT_EQ(steps[0], (std::pair<std::string, uint64_t>("raw", 18)));
  EXPECT_EQ(steps[1], (std::pair<std::string, uint64_t>("not-the-first", 14)));
  EXPECT_EQ(steps[2], (std::pair<std::string, uint64_t>("area", 8)));
  EXPECT_EQ(steps[3], (std::pair<std::string, uint64_t>("staged-if-deep", 5)));
  EXPECT_EQ(steps[4], (std::pair<std::string, uint64_t>("stages", 4)));
  EXPECT_EQ(steps.back(), (std::pair<std::string, uint64_t>("legal", 4)));
}

TEST(Space, ExplanationsHaveRulesAndNumbers) {
  SearchSpace space = bind(parse(kSmall), makeProblem(512, 512, 512));
  EXPECT_TRUE(space.explain(makeConfig("cta=64x64x32 stages=3 epilogue=staged"))
                  .empty());
  auto find = [&](const char *config, const char *rule) -> std::string {
    for (const SpaceViolation &violation : space.explain(makeConfig(config)))
      if (violation.rule == rule)
        return violation.message;
    return "none";
  };
  EXPECT_EQ(find("cta=128x64x32", "area"),
            "cta.m * cta.n <= 4096 must hold, but cta.m = 128, cta.n = 64");
  EXPECT_EQ(find("cta=64x64x32 stages=40 epilogue=staged", "stages"),
            "stages = 40, but it must be from 2 to 12");
  EXPECT_EQ(find("cta=64x64x32 stages=5", "space"),
            "stages = 5, but space small has stages of 2, 3, 40");
  EXPECT_EQ(find("cta=64x64x32 split_k=2 stages=2", "space"),
            "split_k = 2, but in space small it is 1");
  EXPECT_EQ(find("cta=64x64x32 stages=3", "staged-if-deep"),
            "epilogue == staged || stages < 3 must hold, but epilogue = "
            "direct, stages = 3");
}

TEST(Space, RestrictionsKnowTheProblemAndTheChip) {
  Space space = parse(R"(
name: x
parameters:
  - {name: split_k, values: [1, 2, 4]}
restrictions:
  - {name: depth, require: K >= 1000 * split_k && sm_count == 132}
)");
  EXPECT_EQ(bind(space, makeProblem(1, 1, 2500)).getLegal().size(), 2u);
  EXPECT_EQ(bind(space, makeProblem(1, 1, 2500), "sm_80").getLegal().size(),
            0u);
}

TEST(Space, DivisionByZeroExcludes) {
  Space space = parse(R"(
name: x
parameters:
  - {name: min_ctas, values: [0, 1]}
restrictions:
  - {name: r, require: 4 / min_ctas >= 1}
)");
  SearchSpace bound = bind(space, makeProblem(512, 512, 512));
  ASSERT_EQ(bound.getLegal().size(), 1u);
  EXPECT_EQ(bound.getLegal()[0], 1u);
  EXPECT_NE(bound.explain(KernelConfig())[0].message.find("min_ctas = 0"),
            std::string::npos);
}

TEST(Space, WhatCannotBeComputedExcludes) {
  // One warp is no warpgroup, nor is none.
  Space space = parse(R"(
name: broken
fixed: [{name: schedule, value: wgmma}, {name: stage_inputs, value: true}]
parameters: [{name: warps, values: [1x1x1, 0x0x0, 4x1x1]}]
restrictions:
  - {name: shared, require: shared_bytes > 0}
  - {name: registers, require: estimated_registers > 0}
)");
  SearchSpace bound = bind(space, makeProblem(512, 512, 512));
  SpaceCount count = bound.count();
  EXPECT_EQ(count.steps[0].count, 3u);
  EXPECT_EQ(count.steps[1].count, 1u);
  EXPECT_FALSE(bound.isLegal({0}));
  EXPECT_FALSE(bound.explain(bound.getConfig({0})).empty());
}

TEST(Space, WrongDocumentsAreRefused) {
  const std::string start = "name: x\nparameters:\n";
  EXPECT_EQ(parseError("parameters: []\n"),
            "f:1:1: missing required key 'name'");
  EXPECT_EQ(
      parseError(start + "  - {name: stagez, values: [1]}\n").substr(0, 37),
      "f: unknown parameter 'stagez'; known ");
  EXPECT_EQ(parseError(start + "  - {name: stages, values: []}\n"),
            "f: parameter 'stages' has 0 values, but it must have from 1 to "
            "65535");
  EXPECT_EQ(parseError(start + "  - {name: stages, values: [two]}\n"),
            "f: config parameter 'stages': expected an integer from 0 to "
            "1048576, but got 'two'");
  EXPECT_EQ(parseError(start + "  - {name: cta.m, values: [-1]}\n"),
            "f: config parameter 'cta.m': expected an integer from 0 to "
            "1048576, but got '-1'");
  EXPECT_EQ(parseError(start + "  - {name: cta.m, values: [1]}\n"
                               "  - {name: cta, values: [1x1x1]}\n"),
            "f: parameter 'cta' is declared twice");
  EXPECT_EQ(parseError(start + "  - {name: stages, values: [3]}\n"
                               "restrictions:\n"
                               "  - {name: r, require: stages >}\n")
                .substr(0, 19),
            "f: restriction 'r':");
  EXPECT_EQ(parseError(start + "  - {name: stages, values: [3]}\n"
                               "restrictions:\n"
                               "  - {name: r, require: cta > 1}\n")
                .substr(0, 38),
            "f: restriction 'r': unknown name 'cta'");
  EXPECT_EQ(parseError(start + "  - {name: stages, values: [3]}\n"
                               "chips: [sm_1]\n")
                .substr(0, 23),
            "f: unknown chip 'sm_1';");
  EXPECT_EQ(parseError(start + "  - {name: stages, values: [3], more: 1}\n"),
            "f:3:33: unknown key 'more'");
}

/// Variables: sizes of a warp's tile, from which the warps follow.
constexpr const char *kDerived = R"(
name: derived
fixed:
  - {name: schedule, value: mma_sync}
parameters:
  - {name: cta.m, values: [64, 128]}
  - {name: stages, values: [2, 3]}
variables:
  - {name: warp_rows, values: [16, 32, 128]}
derived:
  - {name: warps.m, value: cta.m / warp_rows}
restrictions:
  - {name: fits, require: warp_rows <= cta.m}
  - {name: many-threads, require: threads >= 256 || stages == 2}
)";

TEST(Space, ParametersFollowFromVariables) {
  SearchSpace space = bind(parse(kDerived), makeProblem(512, 512, 512));
  EXPECT_EQ(space.getNumAxes(), 3u);
  EXPECT_EQ(space.getRawSize(), 12u);
  KernelConfig config = space.getConfig(space.getPoint(7));
  EXPECT_EQ(config.cta[0], 128);
  EXPECT_EQ(config.stages, 2);
  EXPECT_EQ(config.warps[0], 4);
  EXPECT_EQ(space.getIndex(need(space.find(config))), 7u);
  config.warps[0] = 2;
  EXPECT_FALSE(space.find(config));
  // A tile of 64 has no warps of 128 rows: 12 - 2. 2 x 2 and 1 x 2 warps are
  // not enough for 3 stages: 10 - 2.
  std::vector<std::pair<std::string, uint64_t>> steps;
  for (const SpaceCount::Step &step : space.count().steps)
    steps.emplace_back(step.name, step.count);
  EXPECT_EQ(steps[0], (std::pair<std::string, uint64_t>("raw", 12)));
  EXPECT_EQ(steps[1], (std::pair<std::string, uint64_t>("fits", 10)));
  EXPECT_EQ(steps[2], (std::pair<std::string, uint64_t>("many-threads", 8)));
  std::vector<uint64_t> expected;
  for (uint64_t i = 0; i != space.getRawSize(); ++i)
    if (space.isLegal(space.getPoint(i)))
      expected.push_back(i);
  EXPECT_EQ(space.getLegal().vec(), expected);
}

TEST(Space, ExplanationsKnowVariables) {
  SearchSpace space = bind(parse(kDerived), makeProblem(512, 512, 512));
  auto explain = [&](const char *config) {
    std::string text;
    for (const SpaceViolation &violation : space.explain(makeConfig(config)))
      text += violation.message + " [" + violation.rule + "]\n";
    return text;
  };
  EXPECT_EQ(explain("cta=128x128x32 warps=4x2x1 stages=3"), "");
  EXPECT_EQ(explain("cta=128x128x32 warps=3x2x1 stages=3"),
            "warps = [3, 2, 1], which space derived derives from no warp_rows "
            "of 16, 32, 128 [space]\n"
            "threads >= 256 || stages == 2 must hold, but threads = 192, "
            "stages = 3 [many-threads]\n"
            "cta M = 128, but it must be a multiple of 16 x 3 warps = 48 "
            "[cta-m]\n");
  EXPECT_EQ(explain("cta=64x128x32 warps=2x2x1 stages=3"),
            "threads >= 256 || stages == 2 must hold, but "
            "threads = 128, stages = 3 [many-threads]\n");
}

TEST(Space, WrongVariablesAreRefused) {
  const std::string start = "name: x\nparameters:\n"
                            "  - {name: stages, values: [3]}\nvariables:\n";
  const std::string good = start + "  - {name: v, values: [1]}\n";
  EXPECT_EQ(parseError(start + "  - {name: cta.m, values: [1]}\n"),
            "f: variable 'cta.m' has the name of something else, or none that "
            "an expression could use");
  EXPECT_EQ(parseError(start + "  - {name: staged, values: [1]}\n"),
            "f: variable 'staged' has the name of something else, or none that "
            "an expression could use");
  EXPECT_EQ(parseError(good + "  - {name: v, values: [1]}\n"),
            "f: variable 'v' is declared twice");
  EXPECT_EQ(parseError(start + "  - {name: v, values: [x]}\n"),
            "f: variable 'v': expected an integer from 0 to 1048576, but got "
            "'x'");
  EXPECT_EQ(parseError(good + "derived:\n  - {name: stages, value: v}\n"),
            "f: parameter 'stages' is declared twice");
  EXPECT_EQ(parseError(good + "derived:\n  - {name: epilogue, value: v}\n"),
            "f: derived parameter 'epilogue' must be an integer");
  EXPECT_EQ(parseError(good + "derived:\n  - {name: min_ctas, value: w}\n")
                .substr(0, 49),
            "f: derived parameter 'min_ctas': unknown name 'w'");
  EXPECT_EQ(parseError(good + "derived:\n  - {name: min_ctas, value: v +}\n")
                .substr(0, 33),
            "f: derived parameter 'min_ctas': ");
}

/// Section 4.1 of the thesis that the space is of.
TEST(Space, TheThesisHasItsCounts) {
  KernelSpec kernel;
  kernel.typeA = kernel.typeB = ScalarType::F16;
  kernel.output = ScalarType::F32;
  SearchSpace space = bind(unwrap(readSpace("wmma-thesis")),
                           {kernel, {4096, 4096, 4096, 1}, ""});
  std::vector<uint64_t> counts;
  for (const SpaceCount::Step &step : space.count().steps)
    counts.push_back(step.count);
  EXPECT_EQ(counts, std::vector<uint64_t>({259200, 86400, 38592, 19872, 16560,
                                           12600, 10860, 10860}));
  EXPECT_EQ(space.getLegal().size(), 10860u);
  // The five winners of its table 3 are points.
  for (const char *text :
       {"cta=64x128x16 warps=1x4x1 instruction=16x16x16 stage_b=false",
        "cta=64x128x16 warps=1x4x1 instruction=8x32x16 stage_b=false",
        "cta=64x64x16 warps=2x2x1 instruction=16x16x16 stage_b=false",
        "cta=128x128x16 warps=4x1x1 instruction=16x16x16 tiles_per_cta=4 "
        "raster=diagonal tile_order=strided stage_a=false",
        "cta=128x128x16 warps=2x2x1 instruction=8x32x16 stage_a=false "
        "stage_b=false"}) {
    KernelConfig config = makeConfig(
        std::string("schedule=wmma stages=2 raster_group=1 ") + text);
    EXPECT_TRUE(space.isLegal(need(space.find(config)))) << text;
    EXPECT_TRUE(space.explain(config).empty()) << text;
  }
}

TEST(Space, SizesAreLimited) {
  std::string text = "name: x\nparameters:\n";
  std::string values;
  for (int i = 1; i <= 5000; ++i)
    values += (i == 1 ? "" : ", ") + std::to_string(i);
  for (const char *name : {"stages", "raster_group", "split_k", "min_ctas",
                           "max_registers", "cta.m"})
    text += std::string("  - {name: ") + name + ", values: [" + values + "]}\n";
  EXPECT_EQ(parseError(text),
            "f: the product of the parameters' values exceeds 2^62");
}

TEST(Space, IsForItsChips) {
  Space space = unwrap(readSpace("wgmma-quick"));
  TuningProblem problem = makeProblem(512, 512, 512);
  EXPECT_EQ(getError(SearchSpace::create(space, *lookupChip("sm_80"), problem)),
            "space 'wgmma-quick' is for sm_90a, not for sm_80");
}

TEST(Space, ShippedSpacesAreRead) {
  for (const ShippedFile &file : getShippedFiles())
    // Models and protocols have a second ending.
    if (file.name.ends_with(".yaml") && file.name.count('.') == 1) {
      Space space = unwrap(readSpace(file.name));
      EXPECT_EQ(space.getName() + ".yaml", file.name);
    }
}

/// Reading text with such deep nesting would overflow the stack.
TEST(Space, NestingIsLimited) {
  auto repeat = [](llvm::StringRef text) {
    std::string all;
    for (int i = 0; i != 50000; ++i)
      all += text;
    return all;
  };
  for (llvm::StringRef text : {"[", "{a: ", "- ", "? "}) {
    std::string error = getError(Space::parse(repeat(text), "f"));
    EXPECT_TRUE(llvm::StringRef(error).starts_with("f:1:")) << error;
    EXPECT_TRUE(llvm::StringRef(error).ends_with("nested deeper than 64"))
        << error;
  }
  // Also if it is closed, and after valid text. Quoted brackets do not count.
  std::string inside = "name: x\nparameters: " + repeat("[']', ") + repeat("]");
  EXPECT_NE(getError(Space::parse(inside, "f")).find("nested deeper than 64"),
            std::string::npos);
}

} // namespace
