//===- ReportColumns.h - Columns of a page's data ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data of the page are columns, with dictionaries for repeated texts.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_REPORT_REPORTCOLUMNS_H
#define TCGEMM_LIB_TUNER_REPORT_REPORTCOLUMNS_H

#include "tcgemm/Store/Record.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace tcgemm {

/// Texts and their indices, in order of appearance.
class TextDictionary {
public:
  unsigned getIndex(llvm::StringRef text) {
    auto [entry, isNew] = indices.try_emplace(text, texts.size());
    if (isNew)
      texts.push_back(text.str());
    return entry->second;
  }
  size_t size() const { return texts.size(); }
  void write(llvm::json::OStream &json, llvm::StringRef name) const;

private:
  llvm::StringMap<unsigned> indices;
  std::vector<std::string> texts;
};

using NumberColumn = std::vector<double>;

/// Writes an attribute with an array of numbers, of which `digits` are kept.
void writeNumbers(llvm::json::OStream &json, llvm::StringRef name,
                  llvm::ArrayRef<double> values, int digits = 5);

/// The parameters of configurations: the texts of each parameter's values, and
/// an index for each configuration.
class ConfigColumns {
public:
  void add(const KernelConfig &config);
  void write(llvm::json::OStream &json) const;

private:
  /// The number of digits of a hash in the page; four name a configuration.
  static constexpr size_t kHashDigits = 8;
  std::vector<std::string> hashes;
  std::vector<TextDictionary> values;
  std::vector<NumberColumn> indices;
};

/// The records of a problem on a platform, one by one, in the order in which
/// they were tried.
class GroupDetails {
public:
  /// Keeps the fastest `most` of the records.
  GroupDetails(std::vector<Record> records, uint64_t most);
  /// An object of columns; lib/Tuner/Report/page/data.js reads it.
  std::string write() const;

private:
  std::vector<Record> records;
};

/// The text of an HTML element with data: compressed, in base 64. It starts
/// with the name of the compression.
std::string encodeBlock(llvm::StringRef data);

} // namespace tcgemm

#endif // TCGEMM_LIB_TUNER_REPORT_REPORTCOLUMNS_H
