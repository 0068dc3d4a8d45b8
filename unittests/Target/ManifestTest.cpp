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

#include "TestManifest.h"

#include "tcgemm/Target/Manifest.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>

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
  std::string text = print(*manifest);
  llvm::Expected<Manifest> again = parseManifest(text);
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(print(*again), text);
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
                 "scalar, output"},
        Breakage{"\"type\": \"bf16\"", "\"type\": \"bf17\"",
                 "kernels[0].operands[0].type: 'bf17' is not a type"},
        Breakage{"\"dims\": [\"m\", \"k\"]", "\"dims\": [\"m\", \"x\"]",
                 "kernels[0].operands[0].dims[1]: 'x' is none of m, n, k, b"},
        Breakage{"[\"M\", \"1\", \"1\"]", "[\"M\", \"1\"]",
                 "kernels[0].variants[1].steps[0].grid: must have 3 entries, "
                 "has 2"},
        Breakage{"\"guard\": \"1\"", "\"guard\": \"1 +\"",
                 "kernels[0].variants[1].guard: column 4 of '1 +': expected a "
                 "value, found the end"},
        Breakage{"\"guard\": \"1\"", "\"guard\": 1",
                 "kernels[0].variants[1].guard: must be a string"},
        Breakage{"[128, 1, 1]", "[128, 0, 1]",
                 "kernels[0].variants[1].steps[0].block[1]: must be an integer "
                 "from 1 to 1024"},
        Breakage{"\"kind\": \"i32\"", "\"kind\": \"i16\"",
                 "kernels[0].variants[0].steps[0].arguments[2].kind: 'i16' is "
                 "none of pointer, scalar, i32, i64, workspace"},
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
                 "kernels[0].variants[1].guard: unknown symbol 'C.base' in "
                 "'C.base == 0'"},
        Breakage{"\"value\": \"A.stride0\"", "\"value\": \"A.stride2\"",
                 "kernels[0].variants[0].steps[0].arguments[3].value: unknown "
                 "symbol 'A.stride2' in 'A.stride2'"},
        Breakage{"\"name\": \"general\"", "\"name\": \"aligned\"",
                 "kernels[0].variants[1].name: 'aligned' is used twice"},
        Breakage{"[256, 1, 1]", "[256, 5, 1]",
                 "kernels[0].variants[0].steps[0].block: must have 1 to 1024 "
                 "threads, has 1280"},
        Breakage{"\"module\": \"matmul\", \"symbol\": \"matmul_main\"",
                 "\"module\": \"other\", \"symbol\": \"matmul_main\"",
                 "kernels[0].variants[0].steps[0].module: no module 'other'"},
        Breakage{"\"operand\": \"out0\"", "\"operand\": \"out1\"",
                 "kernels[0].variants[1].steps[0].arguments[0].operand: no "
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
                 "functions[0].launches[0].operands[4]: 'arg' is neither "
                 "arg<i> nor tmp<i>"},
        Breakage{"\"arg3\", \"tmp0\"", "\"arg3\"",
                 "functions[0].launches[0].operands: kernel 'matmul' has 5 "
                 "operands, not 4"},
        Breakage{"\"arg3\", \"tmp0\"", "\"arg3\", \"arg0\"",
                 "functions[0].launches[0].operands[4]: 'arg0' is read-only, "
                 "and an output"},
        Breakage{"\"arg0.dim0\", \"arg1.dim0\"", "\"arg0.dim0\", \"arg1.dim7\"",
                 "functions[0].temporaries[0].shape[1]: unknown symbol "
                 "'arg1.dim7'"}));

} // namespace
