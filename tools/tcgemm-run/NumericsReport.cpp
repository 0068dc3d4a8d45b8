//===- NumericsReport.cpp - Errors of products, printed -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NumericsReport.h"

#include "../common/TextTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace tcgemm;
using llvm::raw_ostream;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

template <typename T>
static std::vector<T> getDistinct(llvm::ArrayRef<NumericsRow> rows,
                                  T NumericsRow::*field) {
  std::vector<T> values;
  for (const NumericsRow &row : rows)
    if (!llvm::is_contained(values, row.*field))
      values.push_back(row.*field);
  return values;
}

std::vector<NumericsData> NumericsReport::getData() const {
  return getDistinct(rows, &NumericsRow::data);
}

std::vector<int64_t> NumericsReport::getDepths() const {
  return getDistinct(rows, &NumericsRow::k);
}

std::vector<std::string> NumericsReport::getModes() const {
  return getDistinct(rows, &NumericsRow::mode);
}

const NumericsRow *NumericsReport::find(NumericsData data, int64_t k,
                                        llvm::StringRef mode) const {
  auto found = llvm::find_if(rows, [&](const NumericsRow &row) {
    return row.data == data && row.k == k && row.mode == mode;
  });
  return found == rows.end() ? nullptr : &*found;
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static std::string formatNumber(double error) {
  return llvm::formatv("{0:e2}", error).str();
}

static void printTable(const NumericsReport &report,
                       double NumericsError::*which, raw_ostream &os) {
  std::vector<std::string> modes = report.getModes();
  TextTable::Row header = {"data", "K"};
  llvm::append_range(header, modes);
  TextTable table(std::move(header));
  for (NumericsData data : report.getData())
    for (int64_t k : report.getDepths()) {
      TextTable::Row row = {getName(data).str(), std::to_string(k)};
      for (const std::string &mode : modes)
        if (const NumericsRow *found = report.find(data, k, mode))
          row.push_back(formatNumber(found->error.*which));
        else
          row.emplace_back();
      table.addRow(std::move(row));
    }
  table.print(os);
}

static json::Value getNumber(double error) {
  return std::isfinite(error) ? json::Value(error) : json::Value(nullptr);
}

void tcgemm::printNumerics(const NumericsReport &report, ReportFormat format,
                           raw_ostream &os) {
  if (format == ReportFormat::Table) {
    os << report.title << "\nlargest |C - C64| / (|A| |B|)\n";
    printTable(report, &NumericsError::largest, os);
    os << "mean\n";
    printTable(report, &NumericsError::mean, os);
    return;
  }
  if (format == ReportFormat::CSV)
    os << "data,k,mode,largest,mean\n";
  for (const NumericsRow &row : report.rows)
    if (format == ReportFormat::CSV)
      os << getName(row.data) << ',' << row.k << ',' << row.mode << ','
         << formatNumber(row.error.largest) << ','
         << formatNumber(row.error.mean) << '\n';
    else
      os << json::Value(json::Object{{"data", getName(row.data)},
                                     {"k", row.k},
                                     {"mode", row.mode},
                                     {"largest", getNumber(row.error.largest)},
                                     {"mean", getNumber(row.error.mean)}})
         << '\n';
}
