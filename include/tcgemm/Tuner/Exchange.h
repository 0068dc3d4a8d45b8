//===- Exchange.h - Records and spaces for other tuners ---------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file formats that other tuners and their tools read and write:
//
//   Kernel Tuner's cache, 1.1.0     github.com/KernelTuner/kernel_tuner
//   T1 (problems), T4 (results)     github.com/odgaard/TuningSchema, 1.0.0
//   the CUTLASS profiler's CSV      github.com/NVIDIA/cutlass
//
// There a parameter is a number, a word or a truth value: one of three parts is
// three, `cta_m`, `cta_n`, `cta_k`. Times are milliseconds. A member `tcgemm`
// has what the formats have no place for, so that a file that was written here
// is read back as it was, but for rounding.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_EXCHANGE_H
#define TCGEMM_TUNER_EXCHANGE_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Space.h"

namespace tcgemm {

/// Records of one problem on one platform; the formats below that are about one
/// problem take such a group.
using RecordGroup = std::vector<Record>;

/// By problem and platform, in the order of their first records.
std::vector<RecordGroup> groupRecords(llvm::ArrayRef<Record> records);

/// A cache of Kernel Tuner, complete and closed: the fastest first, since
/// readers take the columns from the first row.
void writeKernelTunerCache(const RecordGroup &records, llvm::raw_ostream &os);

/// T4: results, in the given order.
void writeT4Results(const RecordGroup &records, llvm::raw_ostream &os);

/// T1: the axes of a space with their values, and its restrictions as Python
/// expressions. Returns the names of those that cannot be written so, since
/// they ask for what only tcgemm computes (legality does, too, and is not
/// there).
std::vector<std::string> writeT1Input(const SearchSpace &space,
                                      llvm::raw_ostream &os);

/// The CUTLASS profiler's CSV, a row for each record, of any problems.
void writeCutlassCSV(llvm::ArrayRef<Record> records, llvm::raw_ostream &os);

/// Records as Record.h prints them: an object a line, or one array.
void writeRecordLines(llvm::ArrayRef<Record> records, llvm::raw_ostream &os);
void writeRecordArray(llvm::ArrayRef<Record> records, llvm::raw_ostream &os);

/// What is assumed of files that were not written here and do not say it.
struct ImportDefaults {
  KernelSpec kernel;
  std::optional<MatmulSizes> sizes;
  std::string chip; ///< Empty: an error where the file has none.
};

/// The records of a file in any of these formats: lines of records, an array of
/// them, a cache of Kernel Tuner (also an open one, that ends in a comma), or
/// T4 results. Errors name the place: no known format, a parameter that is none
/// of tcgemm's, a value of the wrong type, something that is missing.
llvm::Expected<std::vector<Record>>
importRecords(llvm::StringRef text, llvm::StringRef fileName,
              const ImportDefaults &defaults);

} // namespace tcgemm

#endif // TCGEMM_TUNER_EXCHANGE_H
