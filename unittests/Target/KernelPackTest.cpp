//===- KernelPackTest.cpp - Tests of kernel packs as directories ----------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing and reading back, and files that are damaged or missing.
//
//===----------------------------------------------------------------------===//

#include "TestManifest.h"

#include "tcgemm/Target/KernelPack.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tcgemm;

namespace {

class KernelPackTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tcgemm-pack", path));
    directory = path.str().str();
    llvm::Expected<Manifest> manifest = parseManifest(getTestManifest());
    ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
    pack.manifest = std::move(*manifest);
    pack.images = {{"// ptx", std::string("\x7f"
                                          "ELF\0cubin",
                                          10)}};
  }
  void TearDown() override {
    (void)llvm::sys::fs::remove_directories(directory);
  }

  void overwrite(const std::string &name, llvm::StringRef bytes) {
    std::error_code code;
    llvm::raw_fd_ostream os(directory + "/" + name, code);
    ASSERT_FALSE(code);
    os << bytes;
  }
  std::string getError() {
    llvm::Expected<KernelPack> read = readPack(directory);
    return read ? "" : llvm::toString(read.takeError());
  }

  std::string directory;
  KernelPack pack;
};

TEST_F(KernelPackTest, RoundTrips) {
  ASSERT_EQ(llvm::toString(writePack(directory, pack)), "");
  llvm::Expected<KernelPack> read = readPack(directory);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->images[0].ptx, pack.images[0].ptx);
  EXPECT_EQ(read->images[0].cubin, pack.images[0].cubin);
  EXPECT_EQ(read->manifest.modules[0].cubinSHA256,
            getSHA256(pack.images[0].cubin));
}

TEST_F(KernelPackTest, HashIsSHA256) {
  EXPECT_EQ(getSHA256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9c"
                              "b410ff61f20015ad");
}

TEST_F(KernelPackTest, TruncatedCubinIsRefused) {
  ASSERT_EQ(llvm::toString(writePack(directory, pack)), "");
  overwrite("matmul.cubin", "\x7f"
                            "ELF");
  EXPECT_NE(getError().find("is not the cubin that the manifest describes"),
            std::string::npos);
}

TEST_F(KernelPackTest, MissingFilesAreNamed) {
  EXPECT_NE(getError().find("manifest.json"), std::string::npos);
  ASSERT_EQ(llvm::toString(writePack(directory, pack)), "");
  (void)llvm::sys::fs::remove(directory + "/matmul.ptx");
  EXPECT_NE(getError().find("matmul.ptx"), std::string::npos);
}

TEST_F(KernelPackTest, TruncatedManifestIsRefused) {
  ASSERT_EQ(llvm::toString(writePack(directory, pack)), "");
  overwrite("manifest.json", getTestManifest().substr(0, 500));
  EXPECT_NE(getError().find("not JSON"), std::string::npos);
}

TEST_F(KernelPackTest, ImagesMustMatchModules) {
  pack.images.clear();
  EXPECT_NE(llvm::toString(writePack(directory, pack)).find("one image"),
            std::string::npos);
}

/// Adds a constant of two elements to the pack.
void addConstant(KernelPack &pack) {
  PackConstant constant;
  constant.name = "w";
  constant.type = ScalarType::F16;
  constant.shape = {2};
  constant.file = "w.bin";
  pack.manifest.constants.push_back(constant);
  constant.name = "one";
  constant.file = "";
  constant.splat = 1.0;
  pack.manifest.constants.push_back(constant);
  pack.constants = {"abcd", ""};
}

TEST_F(KernelPackTest, ConstantsRoundTrip) {
  addConstant(pack);
  ASSERT_EQ(llvm::toString(writePack(directory, pack)), "");
  llvm::Expected<KernelPack> read = readPack(directory);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->constants, pack.constants);
  EXPECT_EQ(read->manifest.constants[0].sha256, getSHA256("abcd"));
}

TEST_F(KernelPackTest, OtherConstantsAreRefused) {
  addConstant(pack);
  ASSERT_EQ(llvm::toString(writePack(directory, pack)), "");
  overwrite("w.bin", "abc");
  EXPECT_NE(getError().find("is not the constant that the manifest describes"),
            std::string::npos);
  (void)llvm::sys::fs::remove(directory + "/w.bin");
  EXPECT_NE(getError().find("w.bin"), std::string::npos);
}

TEST_F(KernelPackTest, ConstantsHaveTheBytesOfTheirShape) {
  addConstant(pack);
  pack.constants[0] = "abc";
  EXPECT_EQ(llvm::toString(writePack(directory, pack)),
            "constant 'w' has 3 bytes, its type and shape have 4");
  pack.constants.clear();
  EXPECT_EQ(llvm::toString(writePack(directory, pack)),
            "a pack has the elements of each constant: 0 arrays, 2 constants");
}

} // namespace
