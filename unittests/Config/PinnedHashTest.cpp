//===- PinnedHashTest.cpp - Texts and hashes that must not change ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Databases, records and packs identify a configuration by its text and hash.
// Inputs/ has the hashes of the first release with these parameters.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/KernelConfig.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace tcgemm;

namespace {

std::unique_ptr<MemoryBuffer> read(const Twine &path) {
  return cantFail(errorOrToExpected(MemoryBuffer::getFile(path)));
}

TEST(PinnedHash, TextsKeepTheirHashes) {
  auto buffer =
      read(TCGEMM_SOURCE_DIR "/unittests/Config/Inputs/hashes-of-texts.txt");
  int count = 0;
  for (line_iterator line(*buffer); !line.is_at_end(); ++line, ++count) {
    auto [hash, text] = line->split(' ');
    KernelConfig config;
    ASSERT_FALSE(bool(config.apply(text))) << text.str();
    EXPECT_EQ(config.hash(), hash) << text.str();
  }
  EXPECT_EQ(count, 50);
}

TEST(PinnedHash, ShippedRecordsKeepTheirTextsAndHashes) {
  std::set<std::string> expected, actual;
  auto pinned =
      read(TCGEMM_SOURCE_DIR "/unittests/Config/Inputs/hashes-of-records.txt");
  for (line_iterator line(*pinned); !line.is_at_end(); ++line)
    expected.insert(line->str());
  auto records = read(TCGEMM_SOURCE_DIR "/tuning/nvidia-h200.jsonl");
  for (line_iterator line(*records); !line.is_at_end(); ++line) {
    json::Value record = cantFail(json::parse(*line));
    std::string text = record.getAsObject()->getString("config")->str();
    KernelConfig config;
    ASSERT_FALSE(bool(config.apply(text))) << text;
    EXPECT_EQ(config.str(), text);
    actual.insert(config.hash());
  }
  // If records were added or replaced on purpose, this list follows them.
  EXPECT_EQ(actual, expected);
}

} // namespace
