//===- TextTable.h - Tables of texts ----------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_COMMON_TEXTTABLE_H
#define TCGEMM_TOOLS_COMMON_TEXTTABLE_H

#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tcgemm {

class TextTable {
public:
  using Row = std::vector<std::string>;

  explicit TextTable(Row header) : rows{std::move(header)} {}
  /// Adds a row of as many cells as the header has.
  void addRow(Row row);

  /// Columns start below each other; the text is UTF-8.
  void print(llvm::raw_ostream &os) const;
  void printMarkdown(llvm::raw_ostream &os) const;

private:
  std::vector<Row> rows; ///< The first is the header.
};

} // namespace tcgemm

#endif // TCGEMM_TOOLS_COMMON_TEXTTABLE_H
