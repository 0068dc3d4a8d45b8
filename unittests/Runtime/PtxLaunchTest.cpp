//===- PtxLaunchTest.cpp - Tests of kernels without a manifest ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests arguments as text and the checks against the PTX. The tool's test runs
// kernels (test/Tools/run-ptx.test).
//
//===----------------------------------------------------------------------===//

#include "EmulatedKernels.h"

#include "tcgemm/Runtime/EmulatorDevice.h"
#include "tcgemm/Runtime/PtxLaunch.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace tcgemm;

namespace {

PtxArgument parse(const char *text) {
  std::vector<PtxArgument> arguments =
      llvm::cantFail(parsePtxArgument(text, 2));
  EXPECT_EQ(arguments.size(), 1U);
  EXPECT_EQ(arguments[0].parameter, 2U);
  return arguments[0];
}

template <typename T> T getScalar(const char *text) {
  PtxArgument argument = parse(text);
  EXPECT_TRUE(argument.isScalar);
  EXPECT_EQ(argument.scalar.size(), sizeof(T));
  T value{};
  std::memcpy(&value, argument.scalar.data(), sizeof(T));
  return value;
}

std::string getError(llvm::StringRef text) {
  llvm::Expected<std::vector<PtxArgument>> arguments =
      parsePtxArgument(text, 0);
  return arguments ? "" : llvm::toString(arguments.takeError());
}

TEST(PtxArgument, Scalars) {
  EXPECT_EQ(getScalar<int32_t>("i32:-5"), -5);
  EXPECT_EQ(getScalar<uint32_t>("u32:0xffffffff"), 0xffffffffU);
  EXPECT_EQ(getScalar<int8_t>("i8:-128"), -128);
  EXPECT_EQ(getScalar<uint64_t>("u64:18446744073709551615"), ~uint64_t(0));
  EXPECT_EQ(getScalar<float>("x=f32:1.5"), 1.5F);
  EXPECT_EQ(getScalar<uint16_t>("bf16:1"), 0x3f80);
  EXPECT_EQ(getScalar<uint16_t>("f16:1"), 0x3c00);
}

TEST(PtxArgument, Arrays) {
  PtxArgument in = parse("in:f16[3x4]");
  EXPECT_EQ(in.buffer.name, "arg2");
  EXPECT_TRUE(in.buffer.isRead && !in.buffer.isWritten);
  EXPECT_EQ(in.buffer.shape.getNumElements(), 12);
  EXPECT_EQ(in.buffer.fill.kind, FillOptions::Normal);
  PtxArgument both = parse("y=inout:i32[8]:a=b.npy");
  EXPECT_EQ(both.buffer.name, "y");
  EXPECT_EQ(both.buffer.fill.path, "a=b.npy");
  EXPECT_TRUE(both.buffer.isRead && both.buffer.isWritten);
  PtxArgument path = parse("in:f32[8]:a=b.npy");
  EXPECT_EQ(path.buffer.name, "arg2");
  EXPECT_EQ(parse("out:f64[0]").buffer.shape.getNumElements(), 0);
  EXPECT_EQ(parse("in:u8[8]").buffer.fill.kind, FillOptions::Integers);
}

TEST(PtxArgument, Bytes) {
  PtxArgument raw = parse("bytes:00ff10");
  EXPECT_TRUE(raw.isScalar);
  EXPECT_EQ(raw.scalar, (KernelArgument{0x00, 0xff, 0x10}));
  for (const char *text : {"bytes:", "bytes:0", "bytes:0g", "bytes:0x10"})
    EXPECT_NE(getError(text).find("pairs of hexadecimal digits"),
              std::string::npos)
        << text;
}

TEST(PtxArgument, Structs) {
  std::vector<PtxArgument> fields = llvm::cantFail(parsePtxArgument(
      "p=struct:u8:1,x=in:f32[4],u16:2,bytes:010203,f32:1,map:4x8:out:f32[8x8]",
      3));
  const uint64_t offsets[] = {0, 8, 16, 18, 24, 64};
  const char *names[] = {"p_0", "x", "p_2", "p_3", "p_4", "p_5"};
  ASSERT_EQ(fields.size(), 6U);
  for (unsigned i = 0; i != 6; ++i) {
    EXPECT_EQ(fields[i].offset, offsets[i]);
    EXPECT_EQ(fields[i].buffer.name, names[i]);
    EXPECT_EQ(fields[i].parameter, 3U);
  }
  EXPECT_NE(getError("struct:").find("expected TYPE:VALUE"), std::string::npos);
  EXPECT_NE(getError("struct:u8:1,struct:u8:2").find("write its fields"),
            std::string::npos);
}

TEST(PtxArgument, Maps) {
  PtxArgument map = parse("A=map:4x16:swizzle=32:inout:f16[8x64]:constant:2");
  ASSERT_TRUE(map.map);
  EXPECT_EQ(map.buffer.name, "A");
  EXPECT_TRUE(map.buffer.isRead && map.buffer.isWritten);
  EXPECT_EQ(map.map->dims, (llvm::SmallVector<int64_t, 5>{64, 8}));
  EXPECT_EQ(map.map->box, (llvm::SmallVector<unsigned, 5>{16, 4}));
  EXPECT_EQ(map.map->strides, (llvm::SmallVector<int64_t, 4>{128}));
  EXPECT_EQ(map.map->swizzle, 32U);
  EXPECT_EQ(map.getByteSize(), 128U);
  const std::pair<const char *, const char *> mistakes[] = {
      {"map:4x4:u32:1", "a tensor map is of an array"},
      {"map:4:in:f16[8x8]", "a box of rank 1 for an array of rank 2"},
      {"map:8:in:f16[8]", "no such tensor map"},
      {"map:4x4:in:f16[8x8]", "no such tensor map"},
      {"map:999x8:in:f16[8x8]", "no such tensor map"},
      {"map:8x4294967304:in:f16[8x8]", "no such tensor map"},
      {"map:8x8:swizzle=48:in:f16[8x8]", "no such tensor map"},
      {"map:8x8:swizzle=x:in:f16[8x8]", "swizzle 'x' is none of"},
      {"map:8x8:in:f16[8x7]", "no such tensor map"},
      {"map:ax8:in:f16[8x8]", "is not a shape"},
      {"map:", "is not a shape"}};
  for (auto [text, message] : mistakes)
    EXPECT_NE(getError(text).find(message), std::string::npos)
        << text << ": " << getError(text);
}

/// No text crashes the parser, and every accepted argument has a name.
TEST(PtxArgument, AnyText) {
  const std::string texts[] = {"in:f16[3x4]:normal",
                               "y=inout:i32[8]:a.npy",
                               "u32:7",
                               "out:bf16[16]",
                               "bytes:00ff",
                               "map:8x8:swizzle=64:in:f16[16x32]:normal",
                               "struct:u8:1,x=in:f32[4],bytes:0011"};
  const char pieces[] = "[]:=x-0,9 \0f";
  for (const std::string &text : texts)
    for (size_t at = 0; at <= text.size(); ++at) {
      getError(text.substr(0, at));
      getError(text.substr(at));
      for (char piece : pieces) {
        std::string changed = text;
        changed.insert(at, 1, piece);
        getError(changed);
        if (at != text.size())
          changed.erase(at + 1, 1);
        getError(changed);
      }
    }
}

PtxLaunch makeLaunch() {
  PtxLaunch launch;
  launch.ptx = kCopyPTX;
  launch.config.block = {4, 1, 1};
  for (const char *text : {"x=in:f32[4]:constant:3", "y=out:f32[2x2]"})
    launch.arguments.push_back(
        llvm::cantFail(parsePtxArgument(text, launch.arguments.size()))[0]);
  return launch;
}

std::string getCheckError(PtxLaunch launch) {
  llvm::Expected<std::string> chip = checkPtxLaunch(launch);
  return chip ? *chip : llvm::toString(chip.takeError());
}

TEST(PtxLaunch, IsComparedWithThePTX) {
  EXPECT_EQ(getCheckError(makeLaunch()), "sm_80");
  PtxLaunch launch = makeLaunch();
  launch.arguments.pop_back();
  EXPECT_EQ(getCheckError(launch),
            "kernel 'copy' has 2 parameters, 1 are given");
  launch = makeLaunch();
  launch.arguments[1] = llvm::cantFail(parsePtxArgument("u32:1", 1))[0];
  EXPECT_EQ(getCheckError(launch),
            "parameter 1 of 'copy' has 8 bytes, arg1 has 4");
  launch = makeLaunch();
  launch.arguments.pop_back();
  for (PtxArgument &field :
       llvm::cantFail(parsePtxArgument("p=struct:u8:1,bytes:00112233", 1)))
    launch.arguments.push_back(field);
  EXPECT_EQ(getCheckError(launch), "sm_80"); // Padded to 8 bytes.
  for (PtxArgument &field :
       llvm::cantFail(parsePtxArgument("p=struct:u64:1,u8:2", 1)))
    launch.arguments.push_back(field);
  launch.arguments.erase(launch.arguments.begin() + 1,
                         launch.arguments.begin() + 3);
  EXPECT_EQ(getCheckError(launch), "parameter 1 of 'copy' has 8 bytes, the "
                                   "struct that ends with p_1 has 16");
  launch = makeLaunch();
  launch.config.block = {2048, 2048, 2048};
  EXPECT_NE(getCheckError(launch).find("exceeds 1024"), std::string::npos);
  launch = makeLaunch();
  launch.ptx = "text";
  EXPECT_NE(getCheckError(launch).find("line 1"), std::string::npos);
}

TEST(PtxLaunch, Runs) {
  std::unique_ptr<Device> device =
      llvm::cantFail(openEmulator(EmulatorOptions()));
  PtxLaunch launch = makeLaunch();
  llvm::cantFail(checkPtxLaunch(launch));
  PtxResult result = llvm::cantFail(runPtx(*device, launch));
  EXPECT_EQ(result.damage, "");
  EXPECT_EQ(result.missed[1], "");
  const ProblemBuffer &y = launch.arguments[1].buffer;
  EXPECT_EQ(loadElement(y.type, y.image.data() + y.getStart() + 12), 3);
  launch.config.block[0] = 3;
  result = llvm::cantFail(runPtx(*device, launch));
  EXPECT_EQ(result.missed[1], "y: 1 of 4 elements were not written: [1, 1]");
}

} // namespace
