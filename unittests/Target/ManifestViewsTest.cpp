//===- ManifestViewsTest.cpp - Tests of views, fills, copies, constants -===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A valid document with all of them, its round trip, and documents broken in
// one place each.
//
//===----------------------------------------------------------------------===//

#include "TestManifest.h"

#include "tcgemm/Target/Manifest.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

std::string replace(std::string text, const std::string &from,
                    const std::string &to) {
  size_t position = text.find(from);
  EXPECT_NE(position, std::string::npos) << from;
  return position == std::string::npos
             ? text
             : text.replace(position, from.size(), to);
}

const std::string kDigest(64, 'a');

/// The document of TestManifest.h, whose B is a constant, whose A is a slice
/// and whose result is copied.
std::string getViewManifest() {
  std::string text = replace(getTestManifest(), "\"functions\":",
                             R"json("constants": [
  {"name": "w", "type": "bf16", "shape": [32, 64], "file": "w.bin",
   "sha256": ")json" + kDigest + R"json("},
  {"name": "half", "type": "bf16", "shape": [8, 64], "value": 0.5}],
 "functions":)json");
  text = replace(text, "\"temporaries\":", R"json("views": [
    {"buffer": "arg0", "offset": "192", "sizes": ["8", "64"],
     "strides": ["128", "1"]},
    {"buffer": "tmp0", "offset": "arg0.dim0 * 2", "sizes": ["8", "32"],
     "strides": ["32", "1"]}],
   "temporaries":)json");
  return replace(text,
                 R"("operands": ["arg0", "arg1", "arg2", "arg3", "tmp0"]})",
                 R"("operands": ["view0", "const0", "arg2", "arg3", "view1"]},
    {"fill": "view1", "type": "bf16", "value": 0.25},
    {"copy": "view1", "to": "tmp0"})");
}

TEST(ManifestViews, ReadsAndRoundTrips) {
  llvm::Expected<Manifest> manifest = parseManifest(getViewManifest());
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(*manifest);
  llvm::Expected<Manifest> again = parseManifest(text);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  std::string second;
  llvm::raw_string_ostream(second) << toJSON(*again);
  EXPECT_EQ(text, second);
  EXPECT_EQ(again->constants[0].sha256, kDigest);
  EXPECT_EQ(again->constants[0].getNumBytes(), 32 * 64 * 2);
  EXPECT_EQ(std::get<double>(again->constants[1].splat), 0.5);
  const FunctionInfo &function = again->functions[0];
  EXPECT_EQ(function.views[1].offset.str(), "arg0.dim0 * 2");
  EXPECT_EQ(std::get<LaunchInfo>(function.launches[0]).operands[1], "const0");
  EXPECT_EQ(std::get<double>(std::get<FillInfo>(function.launches[1]).value),
            0.25);
  EXPECT_EQ(std::get<CopyInfo>(function.launches[2]).target, "tmp0");
}

struct Breakage {
  const char *from, *to, *error;
};

class ViewBreakage : public testing::TestWithParam<Breakage> {};

TEST_P(ViewBreakage, IsNamed) {
  llvm::Expected<Manifest> manifest =
      parseManifest(replace(getViewManifest(), GetParam().from, GetParam().to));
  EXPECT_EQ(manifest ? "" : llvm::toString(manifest.takeError()),
            std::string("manifest: ") + GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    Views, ViewBreakage,
    testing::Values(
        Breakage{"\"buffer\": \"arg0\"", "\"buffer\": \"arg9\"",
                 "functions[0].views[0].buffer: there is no 'arg9'"},
        Breakage{"\"buffer\": \"arg0\"", "\"buffer\": \"arg3\"",
                 "functions[0].views[0].buffer: 'arg3' is a scalar"},
        Breakage{"\"buffer\": \"arg0\"", "\"buffer\": \"view1\"",
                 "functions[0].views[0].buffer: 'view1' is a view, must be "
                 "arg<i>, tmp<i> or const<i>"},
        Breakage{"\"buffer\": \"arg0\"", "\"buffer\": \"view0\"",
                 "functions[0].views[0].buffer: 'view0' is a view, must be "
                 "arg<i>, tmp<i> or const<i>"},
        Breakage{"\"buffer\": \"arg0\"", "\"buffer\": \"const7\"",
                 "functions[0].views[0].buffer: there is no 'const7'"},
        Breakage{"\"strides\": [\"128\", \"1\"]", "\"strides\": [\"128\"]",
                 "functions[0].views[0].strides: has 1 entries, must have 2, "
                 "as sizes"},
        Breakage{"\"strides\": [\"128\", \"1\"]",
                 "\"strides\": [\"tmp0.dim0\", \"1\"]",
                 "functions[0].views[0].strides[0]: unknown symbol "
                 "'tmp0.dim0'"},
        Breakage{"\"sizes\": [\"8\", \"64\"]", "\"sizes\": [\"8\", \"M\"]",
                 "functions[0].views[0].sizes[1]: unknown symbol 'M'"},
        Breakage{"arg0.dim0 * 2", "arg0.dim5 * 2",
                 "functions[0].views[1].offset: unknown symbol 'arg0.dim5'"},
        Breakage{"\"offset\": \"192\"", "\"ofset\": \"192\"",
                 "functions[0].views[0]: missing key 'offset'"},
        Breakage{"\"view0\", \"const0\"", "\"view2\", \"const0\"",
                 "functions[0].launches[0].operands[0]: there is no 'view2'"},
        Breakage{
            "\"sizes\": [\"8\", \"64\"],\n     \"strides\": [\"128\", \"1\"]",
            "\"sizes\": [\"8\"], \"strides\": [\"128\"]",
            "functions[0].launches[0].operands[0]: 'view0' has 1 "
            "dimensions, operand 'A' has 2"},
        Breakage{"\"arg3\", \"view1\"]", "\"arg3\", \"view0\"]",
                 "functions[0].launches[0].operands[4]: 'view0' is read-only, "
                 "and an output"},
        Breakage{"\"arg3\", \"view1\"]", "\"arg3\", \"const0\"]",
                 "functions[0].launches[0].operands[4]: 'const0' is "
                 "read-only, and an output"}));

INSTANTIATE_TEST_SUITE_P(
    FillsAndCopies, ViewBreakage,
    testing::Values(
        Breakage{"{\"fill\": \"view1\"", "{\"fill\": \"view0\"",
                 "functions[0].launches[1].fill: 'view0' is read-only, and is "
                 "written"},
        Breakage{"{\"fill\": \"view1\"", "{\"fill\": \"arg3\"",
                 "functions[0].launches[1].fill: 'arg3' is a scalar"},
        Breakage{"{\"fill\": \"view1\"", "{\"fill\": \"out\"",
                 "functions[0].launches[1].fill: 'out' is none of arg<i>, "
                 "tmp<i>, const<i> and view<i>"},
        Breakage{"\"type\": \"bf16\", \"value\": 0.25",
                 "\"type\": \"f32\", \"value\": 0.25",
                 "functions[0].launches[1].type: 'f32', but 'view1' has "
                 "'bf16'"},
        Breakage{"\"value\": 0.25", "\"value\": \"many\"",
                 "functions[0].launches[1].value: must be a number, \"inf\", "
                 "\"-inf\" or \"nan\""},
        Breakage{"\"value\": 0.25", "\"value\": 0.25, \"kernel\": \"matmul\"",
                 "functions[0].launches[1]: unknown key 'kernel'"},
        Breakage{"{\"copy\": \"view1\"", "{\"copy\": \"arg2\"",
                 "functions[0].launches[2].to: 'tmp0' has type 'bf16', 'arg2' "
                 "has 'f32'"},
        Breakage{"{\"copy\": \"view1\"", "{\"copy\": \"arg3\"",
                 "functions[0].launches[2].copy: 'arg3' is a scalar"},
        Breakage{"\"to\": \"tmp0\"", "\"to\": \"const1\"",
                 "functions[0].launches[2].to: 'const1' is read-only, and is "
                 "written"},
        Breakage{"\"to\": \"tmp0\"", "\"of\": \"tmp0\"",
                 "functions[0].launches[2]: missing key 'to'"},
        Breakage{
            "\"sizes\": [\"8\", \"32\"],\n     \"strides\": [\"32\", \"1\"]",
            "\"sizes\": [\"8\", \"32\", \"1\"], \"strides\": [\"32\", "
            "\"1\", \"1\"]",
            "functions[0].launches[0].operands[4]: 'view1' has 3 "
            "dimensions, operand 'out0' has 2"}));

INSTANTIATE_TEST_SUITE_P(
    Constants, ViewBreakage,
    testing::Values(
        Breakage{"\"name\": \"half\"", "\"name\": \"w\"",
                 "constants[1].name: 'w' is used twice"},
        Breakage{"\"file\": \"w.bin\"", "\"file\": \"../w.bin\"",
                 "constants[0].file: must be a file name without a directory"},
        Breakage{"\"sha256\": \"a", "\"sha256\": \"",
                 "constants[0].sha256: must be 64 hexadecimal digits"},
        Breakage{"\"shape\": [32, 64], \"file\": \"w.bin\"",
                 "\"shape\": [32, 64], \"value\": 1, \"file\": \"w.bin\"",
                 "constants[0]: unknown key 'value'"},
        Breakage{"\"shape\": [32, 64]", "\"shape\": [32, -64]",
                 "constants[0].shape[1]: must be an integer from 0 to "
                 "9223372036854775807"},
        Breakage{"\"shape\": [32, 64]", "\"shape\": [4294967296, 4294967296]",
                 "constants[0].shape: has more than 2^63 - 1 bytes"},
        Breakage{"\"shape\": [8, 64], \"value\": 0.5", "\"shape\": [8, 64]",
                 "constants[1]: missing key 'value'"}));

TEST(ManifestViews, CopiesHaveOneRank) {
  llvm::Expected<Manifest> manifest = parseManifest(getViewManifest());
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  manifest->functions[0].launches[2] = CopyInfo{"view2", "tmp0"};
  manifest->functions[0].views.push_back({"tmp0", 0, {Expr(8)}, {Expr(1)}});
  EXPECT_EQ(llvm::toString(verifyManifest(*manifest)),
            "manifest: functions[0].launches[2].to: 'tmp0' has 2 dimensions, "
            "'view2' has 1");
}

TEST(ManifestViews, FillsHaveAValue) {
  llvm::Expected<Manifest> manifest = parseManifest(getViewManifest());
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  std::get<FillInfo>(manifest->functions[0].launches[1]).value = {};
  EXPECT_EQ(llvm::toString(verifyManifest(*manifest)),
            "manifest: functions[0].launches[1].value: must be there");
}

TEST(ManifestViews, ConstantsHaveAFileOrAValue) {
  llvm::Expected<Manifest> manifest = parseManifest(getViewManifest());
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  manifest->constants[0].splat = 1.0;
  EXPECT_EQ(llvm::toString(verifyManifest(*manifest)),
            "manifest: constants[0].file: must not be there, since there is a "
            "value");
}

TEST(ManifestViews, NamesOfBuffers) {
  EXPECT_EQ(parseBufferRef("const12")->kind, BufferKind::Constant);
  EXPECT_EQ(parseBufferRef("view3")->index, 3U);
  for (const char *text : {"", "arg", "view-1", "const1x", "tmp99999999999999"})
    EXPECT_FALSE(parseBufferRef(text)) << text;
}

} // namespace
