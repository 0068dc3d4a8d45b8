//===- PtxLaunchTest.cpp - Tests of kernels without a manifest ------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments as text, and what is compared with the PTX. The tool's test runs
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
  return llvm::cantFail(parsePtxArgument(text, 2));
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
  llvm::Expected<PtxArgument> argument = parsePtxArgument(text, 0);
  return argument ? "" : llvm::toString(argument.takeError());
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

/// No text crashes the parser, and what it takes it names.
TEST(PtxArgument, AnyText) {
  const std::string texts[] = {"in:f16[3x4]:normal", "y=inout:i32[8]:a.npy",
                               "u32:7", "out:bf16[16]"};
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
        llvm::cantFail(parsePtxArgument(text, launch.arguments.size())));
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
  launch.arguments[1] = parse("u32:1");
  EXPECT_EQ(getCheckError(launch),
            "parameter 1 of 'copy' has 8 bytes, arg2 has 4");
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
