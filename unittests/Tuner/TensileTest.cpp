//===- TensileTest.cpp - Tensile's parameters and benchmark files ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Tensile.h"
#include "TunerTestUtils.h"
#include "tcgemm/Store/Shipped.h"
#include "tcgemm/Tuner/Space.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <sstream>

using namespace tcgemm;
using llvm::StringRef;

namespace {

constexpr const char *type = "    - Precision: S\n"
                             "      NumIndicesC: 2\n"
                             "      IndexAssignmentsA: [0, 2]\n"
                             "      IndexAssignmentsB: [1, 2]\n";

/// A file with the parameters, one a line; lines that start with `-` are the
/// forked ones.
std::string makeFile(StringRef forked, StringRef rest = "",
                     StringRef ofType = type) {
  std::string text = "BenchmarkProblems:\n  -\n";
  text += ofType;
  text += "    - ForkParameters:\n";
  llvm::SmallVector<StringRef> lines;
  forked.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines)
    text += ("        - " + line + "\n").str();
  text += rest;
  return text;
}

/// The least that a file has, with `more` parameters.
std::string makeLeast(StringRef more, StringRef rest = "") {
  return makeFile(("ThreadTile: [[8, 4]]\nWorkGroup: [[16, 8, 1]]\n" + more +
                   (more.contains("DepthU") || more.contains("LoopUnroll")
                        ? ""
                        : "\nDepthU: [8]"))
                      .str(),
                  rest);
}

TuningProblem makeTensileProblem() {
  TuningProblem problem = makeProblem(512, 512, 512);
  setTypes(problem, ScalarType::F32);
  llvm::cantFail(problem.kernel.setLayout("nnn"));
  return problem;
}

/// All values that the space of a file gives a parameter, in order, without
/// those that are there twice.
std::vector<std::string> getValues(const std::string &file, StringRef key) {
  TensileBenchmark benchmark =
      unwrap(importTensileBenchmark(file, "file.yaml", "imported"));
  SearchSpace space =
      unwrap(SearchSpace::create(unwrap(Space::parse(benchmark.space, "space")),
                                 *lookupChip("sm_90"), makeTensileProblem()));
  std::vector<std::string> values;
  for (uint64_t i = 0; i != space.getRawSize(); ++i) {
    std::string value = space.getConfig(space.getPoint(i)).get(key);
    if (!llvm::is_contained(values, value))
      values.push_back(value);
  }
  return values;
}

std::string getError(const std::string &file) {
  auto result = importTensileBenchmark(file, "file.yaml", "imported");
  return result ? "" : llvm::toString(result.takeError());
}

using Strings = std::vector<std::string>;

/// A parameter in a file, and what it becomes; its invalid twin, and the
/// message.
struct ParameterCase {
  const char *name;
  std::string file, key;
  Strings values;
  std::string invalid, message;
};

std::vector<ParameterCase> makeCases() {
  auto swap = [](StringRef work, StringRef tile) {
    return makeFile(
        ("WorkGroup: " + work + "\nThreadTile: " + tile + "\nDepthU: [8]")
            .str());
  };
  return {
      {"WorkGroup", swap("[[16, 8, 2], [8, 16, 1]]", "[[4, 4]]"), "threads",
       Strings{"[8, 16, 2]", "[16, 8, 1]"}, swap("[[16]]", "[[4, 4]]"),
       "WorkGroup must be a list of 2 integers"},
      {"LocalSplitU",
       makeFile("WorkGroup: [[16, 8]]\nThreadTile: [[4, 4]]\nDepthU: [8]\n"
                "LocalSplitU: [1, 2, 4, 8]"),
       "threads",
       Strings{"[8, 16, 1]", "[8, 16, 2]", "[8, 16, 4]", "[8, 16, 8]"},
       makeLeast("LocalSplitU: [2]"),
       "LocalSplitU is also the third integer of WorkGroup: give one of them"},
      {"ThreadTile", swap("[[12, 16, 1]]", "[[3, 4], [2, 6]]"), "cta",
       Strings{"[64, 36, 8]", "[96, 24, 8]"},
       swap("[[12, 16, 1]]", "[[3, 4, 5]]"),
       "ThreadTile must be a list of 2 integers"},
      {"MacroTile", swap("[[16, 16, 1]]", "[[8, 8]]"), "cta",
       Strings{"[128, 128, 8]"}, makeLeast("MacroTile: [[128, 128]]"),
       "MacroTile is the product of ThreadTile and WorkGroup: give these"},
      {"VectorWidth", makeLeast("VectorWidth: [1, 2, 4]"), "copy_a",
       Strings{"4", "8", "16"}, makeLeast("VectorWidth: [3]"),
       "VectorWidth = 3 makes 12 bytes, but copies have 4, 8 or 16"},
      {"GlobalSplitU", makeLeast("GlobalSplitU: [1, 6]"), "split_k",
       Strings{"1", "6"}, makeLeast("GlobalSplitU: [0]"),
       "GlobalSplitU must be an integer from 1 to 65535, but is '0'"},
      {"GlobalSplitUWorkGroupMap",
       makeLeast("GlobalSplitUWorkGroupMap: [RoundRobin, Contiguous]"),
       "slice_order", Strings{"outer", "inner"},
       makeLeast("GlobalSplitUWorkGroupMap: [True]"),
       "GlobalSplitUWorkGroupMap must be RoundRobin or Contiguous, but is "
       "'True'"},
      {"PrefetchGlobalRead", makeLeast("PrefetchGlobalRead: [False, True]"),
       "stages", Strings{"1", "2"}, makeLeast("PrefetchGlobalRead: [2]"),
       "PrefetchGlobalRead must be True or False, but is '2'"},
      {"PrefetchLocalRead", makeLeast("PrefetchLocalRead: [True, False]"),
       "fragment_buffers", Strings{"2", "1"},
       makeLeast("PrefetchLocalRead: [yes]"),
       "PrefetchLocalRead must be True or False, but is 'yes'"},
      {"WorkGroupMapping", makeLeast("WorkGroupMapping: [1, 8]"),
       "raster_group", Strings{"1", "8"}, makeLeast("WorkGroupMapping: [-8]"),
       "WorkGroupMapping must be an integer from 1 to 65535, but is '-8'"},
      {"LoopUnroll",
       makeFile("WorkGroup: [[8, 8, 4]]\nThreadTile: [[4, 4]]\n"
                "LoopUnroll: [2, 4]"),
       "cta", Strings{"[32, 32, 8]", "[32, 32, 16]"},
       makeLeast("LoopUnroll: [2]\nDepthU: [8]"),
       "the group needs one of LoopUnroll and DepthU"},
      {"DepthU", makeLeast("DepthU: [8, 64]"), "cta",
       Strings{"[32, 128, 8]", "[32, 128, 64]"}, makeLeast("DepthU: [128]"),
       "DepthU must be an integer from 1 to 64, but is '128'"},
      {"NumLoadsCoalesced", makeLeast("NumLoadsCoalesced: [1, 3]"),
       "row_copies_b", Strings{"1", "3"}, makeLeast("NumLoadsCoalesced: [65]"),
       "NumLoadsCoalesced must be an integer from 0 to 64, but is '65'"},
      {"GlobalReadCoalesceGroup", makeLeast("GlobalReadCoalesceGroup: [True]"),
       "transpose_staging", Strings{"true"},
       makeLeast("GlobalReadCoalesceGroup: [True, False]"),
       "GlobalReadCoalesceGroup = False has no counterpart"},
      {"GlobalReadCoalesceVector",
       makeLeast("GlobalReadCoalesceVector: [True, False]"),
       "transpose_staging", Strings{"false", "true"},
       makeLeast("GlobalReadCoalesceVector: [[True]]"),
       "GlobalReadCoalesceVector must be True or False"},
      {"KernelLanguage", makeLeast("KernelLanguage: [Source]"), "schedule",
       Strings{"simt"}, makeLeast("KernelLanguage: [Assembly, Source]"),
       "KernelLanguage has 2 values, but tcgemm has one generator"},
  };
}

TEST(Tensile, EachParameterHasACase) {
  std::vector<std::string> names, cases;
  for (const TensileParameter &parameter : getTensileParameters()) {
    names.push_back(parameter.name.str());
    EXPECT_FALSE(parameter.abbreviation.empty());
    EXPECT_FALSE(parameter.parameters.empty());
    EXPECT_FALSE(parameter.rule.empty());
  }
  for (const ParameterCase &each : makeCases())
    cases.push_back(each.name);
  EXPECT_EQ(names, cases);
  EXPECT_EQ(names.size(), 16u);
}

TEST(Tensile, ParametersBecomeOurs) {
  for (const ParameterCase &each : makeCases()) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(getValues(each.file, each.key), each.values);
    std::string error = getError(each.invalid);
    EXPECT_NE(error.find(each.message), std::string::npos) << error;
    EXPECT_EQ(StringRef(error).take_front(10), "file.yaml:");
  }
}

TEST(Tensile, CountsOfTheExperiments) {
  for (auto [name, kernels, sizes] :
       {std::tuple("tensile-experiment-1", 180, 729),
        std::tuple("tensile-experiment-2-nn", 21760, 160),
        std::tuple("tensile-experiment-2-nt", 21760, 10),
        std::tuple("tensile-experiment-2-tn", 21760, 73)}) {
    SCOPED_TRACE(name);
    std::string fileName = std::string(name) + ".benchmark.yaml";
    const ShippedFile *file =
        llvm::find_if(getShippedFiles(), [&](const ShippedFile &each) {
          return each.name == fileName;
        });
    ASSERT_NE(file, getShippedFiles().end());
    ASSERT_TRUE(isTensileBenchmark(file->text));
    TensileBenchmark benchmark =
        unwrap(importTensileBenchmark(file->text, name, "imported"));
    SearchSpace space = unwrap(
        SearchSpace::create(unwrap(Space::parse(benchmark.space, "space")),
                            *lookupChip("sm_90"), makeTensileProblem()));
    EXPECT_EQ(space.getRawSize(), uint64_t(kernels));
    EXPECT_EQ(benchmark.numSizes, size_t(sizes));
    EXPECT_FALSE(space.getLegal().empty());
    EXPECT_EQ(unwrap(parseTuningProblems(benchmark.sizes, "sizes",
                                         makeTensileProblem().kernel))
                  .size(),
              size_t(sizes));
  }
}

/// Each kernel of the paper's tables is legal for its size; their tiles are the
/// products of thread tiles and work groups.
TEST(Tensile, WinnersOfThePaperAreLegal) {
  auto buffer = llvm::MemoryBuffer::getFile(
      TCGEMM_SOURCE_DIR "/unittests/Tuner/Inputs/tensile-tables.txt");
  ASSERT_TRUE(buffer);
  llvm::SmallVector<StringRef> lines;
  (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  EXPECT_EQ(lines.size(), 145u);
  for (StringRef line : llvm::drop_begin(lines)) {
    SCOPED_TRACE(line.str());
    std::stringstream fields(line.str());
    std::string a, b, tile, threadTile, workGroup;
    int64_t m, n, k, depth, slices, groups, band;
    ASSERT_TRUE(fields >> a >> b >> m >> n >> k >> tile >> depth >> slices >>
                threadTile >> workGroup >> groups >> band);
    auto split = [](const std::string &pair) {
      size_t x = pair.find('x');
      return std::pair(std::stoll(pair.substr(0, x)),
                       std::stoll(pair.substr(x + 1)));
    };
    auto [macro0, macro1] = split(tile);
    auto [tile0, tile1] = split(threadTile);
    auto [work0, work1] = split(workGroup);
    EXPECT_EQ(macro0, tile0 * work0);
    EXPECT_EQ(macro1, tile1 * work1);
    KernelConfig config;
    config.schedule = Schedule::Simt;
    config.cta = {macro1, macro0, depth};
    config.simt.threads = {work1, work0, groups};
    config.simt.rowCopiesA = config.simt.rowCopiesB = 0;
    config.splitK = slices;
    config.stages = 2;
    config.rasterGroup = band;
    config.unaligned = UnalignedPath::Copy4;
    TuningProblem problem = makeProblem(n, m, k);
    setTypes(problem, ScalarType::F32);
    // The transposed product: A is Tensile's B.
    llvm::cantFail(problem.kernel.setLayout(std::string(b == "N" ? "t" : "n") +
                                            (a == "N" ? "t" : "n")));
    for (const Violation &violation :
         findViolations(config, *lookupChip("sm_90"), problem.getInfo()))
      ADD_FAILURE() << violation.message;
  }
}

/// The distances of the paper's sizes grow: 16 + 8 n (n + 1).
TEST(Tensile, RangesWithGrowingSteps) {
  TensileBenchmark benchmark = unwrap(importTensileBenchmark(
      makeLeast("", "      BenchmarkFinalParameters:\n"
                    "        - ProblemSizes:\n"
                    "            - Range: [[16, 16, 16, 180], [7], [5, 2, 8]]\n"
                    "            - Exact: [512, 8, 500000]\n"),
      "file.yaml", "imported"));
  EXPECT_EQ(benchmark.sizes, "range 16 7 5 1 ntn\nrange 16 7 7 1 ntn\n"
                             "range 32 7 5 1 ntn\nrange 32 7 7 1 ntn\n"
                             "range 64 7 5 1 ntn\nrange 64 7 7 1 ntn\n"
                             "range 112 7 5 1 ntn\nrange 112 7 7 1 ntn\n"
                             "range 176 7 5 1 ntn\nrange 176 7 7 1 ntn\n"
                             "exact 512 8 500000 1 ntn\n");
}

/// The paper's example of a batch: C_ijk = sum over l of A_ilk B_jlk.
TEST(Tensile, ProblemTypes) {
  const char *batched = "    - Precision: D\n      NumIndicesC: 3\n"
                        "      IndexAssignmentsA: [3, 0, 2]\n"
                        "      IndexAssignmentsB: [1, 3, 2]\n";
  const char *parameters =
      "ThreadTile: [[8, 4]]\nWorkGroup: [[16, 8, 1]]\nDepthU: [8]";
  TensileBenchmark benchmark = unwrap(
      importTensileBenchmark(makeFile(parameters,
                                      "      BenchmarkFinalParameters:\n"
                                      "        - ProblemSizes:\n"
                                      "            - Exact: [64, 32, 5, 96]\n",
                                      batched),
                             "file.yaml", "imported"));
  EXPECT_EQ(benchmark.dtype, "f64");
  EXPECT_EQ(benchmark.sizes, "exact 64 32 96 5 ttn\n");
  EXPECT_NE(benchmark.space.find("copy_8"), std::string::npos);
  for (auto [from, to, message] :
       {std::tuple("Precision: D", "Precision: H",
                   "Precision must be S or D, which schedule simt multiplies, "
                   "but is 'H'"),
        std::tuple("NumIndicesC: 3", "NumIndicesC: 4",
                   "NumIndicesC must be an integer from 2 to 3, but is '4'"),
        std::tuple("[3, 0, 2]", "[2, 3, 0]",
                   "IndexAssignmentsA must have index 0, the summation index 3 "
                   "and the batch index 2 at the end"),
        std::tuple("Precision: D", "DataType: s",
                   "unknown key 'DataType' of the problem type")}) {
    std::string text = makeFile(parameters, "", batched);
    text.replace(text.find(from), StringRef(from).size(), to);
    std::string error = getError(text);
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

TEST(Tensile, OtherKeysAreErrors) {
  for (auto [text, message] :
       {std::pair(makeLeast("AssertFree0ElementMultiple: [1]"),
                  "file.yaml:10:11: unknown parameter "
                  "'AssertFree0ElementMultiple'; known are WorkGroup, "),
        std::pair(makeLeast("") + "LibraryLogic: {}\n",
                  "unknown key 'LibraryLogic' of the file; known are "
                  "BenchmarkProblems"),
        std::pair(makeLeast("", "      JoinParameters: [MacroTile]\n"),
                  "JoinParameters must be empty: a space has no steps that "
                  "benchmark or join; write a strategy file"),
        std::pair(makeLeast("", "      BenchmarkCommonParameters:\n"
                                "        - GlobalSplitU: [1, 2]\n"),
                  "GlobalSplitU has 2 values, but only ForkParameters may have "
                  "several"),
        std::pair(makeFile("ThreadTile: [[8, 4]]\nDepthU: [8]"),
                  "the group lacks the parameter WorkGroup"),
        std::pair(makeLeast("GlobalSplitU: []"),
                  "GlobalSplitU must be a list of values"),
        std::pair(makeLeast("", "      BenchmarkFinalParameters:\n"
                                "        - ProblemSizes:\n"
                                "            - Range: [[16, 0, 32], [1], [1]]"
                                "\n"),
                  "the step must be more than 0"),
        std::pair(makeLeast("", "      BenchmarkFinalParameters:\n"
                                "        - ProblemSizes:\n"
                                "            - Exact: [1, 2]\n"),
                  "Exact must be a size for each of the 3 indices"),
        std::pair(std::string("BenchmarkProblems: [\n"), "file.yaml:"),
        std::pair(makeLeast("") + "---\nother: 1\n",
                  "the file has more than one document"),
        std::pair(std::string("BenchmarkProblems: 3\n"),
                  "BenchmarkProblems must be a list of one problem"),
        std::pair(std::string(""),
                  "file.yaml:1:1: the file must be a mapping")}) {
    std::string error = getError(text);
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
}

TEST(Tensile, CopiesOfRowsAreAsFewAsSuffice) {
  EXPECT_EQ(getValues(makeLeast(""), "row_copies_a"), Strings{"0"});
  EXPECT_EQ(getValues(makeLeast("NumLoadsCoalesced: [2]"), "row_copies_a"),
            Strings{"2"});
}

/// An initial value holds until a fork replaces it.
TEST(Tensile, ForksReplaceInitialValues) {
  const char *initial = "      InitialSolutionParameters:\n"
                        "        - GlobalSplitU: [4]\n"
                        "        - WorkGroupMapping: [2]\n";
  std::string file = makeLeast("GlobalSplitU: [1, 2]", initial);
  EXPECT_EQ(getValues(file, "split_k"), (Strings{"1", "2"}));
  EXPECT_EQ(getValues(file, "raster_group"), (Strings{"2"}));
}

} // namespace
