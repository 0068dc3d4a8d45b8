//===- TextTable.cpp - Tables of texts ------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Unicode.h"

using namespace tcgemm;
using llvm::raw_ostream;

static size_t getWidth(llvm::StringRef text) {
  return std::max(0, llvm::sys::unicode::columnWidthUTF8(text));
}

void TextTable::addRow(Row row) {
  assert(row.size() == rows.front().size() && "row without all columns");
  rows.push_back(std::move(row));
}

void TextTable::print(raw_ostream &os) const {
  std::vector<size_t> widths(rows.front().size());
  for (const Row &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, getWidth(cell));
  for (const Row &row : rows) {
    std::string line;
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      line += cell + std::string(width - getWidth(cell) + 2, ' ');
    os << llvm::StringRef(line).rtrim() << '\n';
  }
}

void TextTable::printMarkdown(raw_ostream &os) const {
  auto printRow = [&](const Row &row) {
    os << "| " << llvm::join(row, " | ") << " |\n";
  };
  printRow(rows.front());
  os << '|';
  for (size_t i = 0; i != rows.front().size(); ++i)
    os << "---|";
  os << '\n';
  for (const Row &row : llvm::drop_begin(rows))
    printRow(row);
}
