//===- LogFileTest.cpp ----------------------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Logging/LogFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

namespace tcgemm {
namespace {

TEST(LogFile, AppendsLines) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("log", "txt", path));
  logfile::appendLine("first", path.c_str(), "a line");
  logfile::appendLine("second", path.c_str(), "another one");
  auto text = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(text);
  EXPECT_EQ((*text)->getBuffer(), "first: a line\nsecond: another one\n");
  llvm::sys::fs::remove(path);
}

TEST(LogFile, DashIsStandardError) {
  testing::internal::CaptureStderr();
  logfile::append("program", "-", "a text\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a text\n");
}

TEST(LogFile, TellsThatAFileCannotBeWritten) {
  testing::internal::CaptureStderr();
  logfile::appendLine("program", "/no/such/folder/log", "a line");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "program: cannot write '/no/such/folder/log': No such file or "
            "directory\n");
}

/// Writes to /dev/full fail when the file is closed.
TEST(LogFile, TellsThatAFileIsFull) {
  testing::internal::CaptureStderr();
  logfile::appendLine("program", "/dev/full", "a line");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "program: cannot write '/dev/full': No space left on device\n");
}

} // namespace
} // namespace tcgemm
