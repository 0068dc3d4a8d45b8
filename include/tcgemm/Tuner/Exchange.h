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
//   transform scripts               the form of IREE's tuning specifications
//
// In these formats a parameter is a number, a word or a boolean. A parameter
// with three parts becomes three: `cta_m`, `cta_n`, `cta_k`. Times are in
// milliseconds. A member `tcgemm` has the data that the formats do not define,
// so that importing an exported file restores the records, except for rounding.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_EXCHANGE_H
#define TCGEMM_TUNER_EXCHANGE_H

#include "tcgemm/Store/Record.h"
#include "tcgemm/Tuner/Space.h"

namespace tcgemm {

/// Records of one problem on one platform. The formats for one problem take
/// such a group.
using RecordGroup = std::vector<Record>;

/// Groups records by problem and platform, in the order of their first records.
/// Pruned candidates are left out: other tuners know results only.
std::vector<RecordGroup> groupRecords(llvm::ArrayRef<Record> records);

/// Writes a complete, closed cache of Kernel Tuner. The fastest record is
/// first, because readers take the columns from the first row.
void writeKernelTunerCache(const RecordGroup &records, llvm::raw_ostream &os);

/// Writes T4: results, in the given order.
void writeT4Results(const RecordGroup &records, llvm::raw_ostream &os);

/// Writes T1: the axes of a space with their values, and its restrictions as
/// Python expressions. Returns the names of restrictions that cannot be
/// written, because they use values that only tcgemm computes. Legality is
/// omitted for the same reason.
std::vector<std::string> writeT1Input(const SearchSpace &space,
                                      llvm::raw_ostream &os);

/// Writes the CUTLASS profiler's CSV: a row for each record, of any problems.
void writeCutlassCSV(llvm::ArrayRef<Record> records, llvm::raw_ostream &os);

/// The forms of a transform script.
enum class TransformForm {
  Matchers, ///< A matcher for each product, as in IREE's specifications.
  Table     ///< One operation with a table of products.
};

/// Writes a script of MLIR's transform dialect that gives kernels the fastest
/// configurations of the records (docs/guide/mlir.md). Fails if no record has a
/// measured time, or if the records are of several chips.
llvm::Error writeTransformScript(llvm::ArrayRef<Record> records,
                                 TransformForm form, llvm::raw_ostream &os);

/// Writes records as JSON (see Record.h): an object in each line, or one array.
void writeRecordLines(llvm::ArrayRef<Record> records, llvm::raw_ostream &os);
void writeRecordArray(llvm::ArrayRef<Record> records, llvm::raw_ostream &os);

/// Defaults for files of other tools that lack these values.
struct ImportDefaults {
  KernelSpec kernel;
  std::optional<MatmulSizes> sizes;
  std::string chip; ///< Empty: an error if the file has none.
};

/// The records of a file in any of these formats: lines of records, an array of
/// records, a cache of Kernel Tuner (also an open one that ends in a comma), or
/// T4 results. Errors name the place: an unknown format or parameter, a value
/// of the wrong type, a missing value.
llvm::Expected<std::vector<Record>>
importRecords(llvm::StringRef text, llvm::StringRef fileName,
              const ImportDefaults &defaults);

} // namespace tcgemm

#endif // TCGEMM_TUNER_EXCHANGE_H
