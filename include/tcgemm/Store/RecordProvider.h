//===- RecordProvider.h - Configurations from records -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ConfigProvider that answers from tuned records, and says how near they are:
//
//   exact      the kernel's type, layout, epilogue and sizes, on its chip
//   product    the same but for the epilogue
//   predicted  of all that were recorded on the chip, the configuration, as it
//              is or with other slices of k, for which the model predicts the
//              least time; the model's error for the record's own sizes
//              corrects it, the less the farther they are. The default model's
//              choice is one of the candidates. Without constants for the chip
//              that model predicts, and sizes must be within a factor of four.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_RECORDPROVIDER_H
#define TCGEMM_STORE_RECORDPROVIDER_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"
#include "llvm/ADT/StringMap.h"

namespace tcgemm {

class RecordProvider : public ConfigProvider {
public:
  /// `source` is what answers are said to come from. Records that are no
  /// successes, or times of a model, are left out; so are those whose
  /// configuration is illegal, which a note says.
  RecordProvider(std::string source, std::vector<Record> records);
  /// The records of files, in the order of precedence; an empty path stands
  /// for the shipped ones. They are read by `prepare`.
  explicit RecordProvider(std::vector<std::string> paths);

  llvm::Error prepare() override;
  llvm::StringRef getName() const override { return name; }
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override;
  std::vector<std::string> takeNotes() override { return std::move(notes); }

  /// Sizes that are meant where a kernel has none and no hint of them.
  void assumeSizes(const MatmulSizes &sizes) { assumed = sizes; }

  /// All answers so far: kernel, tier and record.
  llvm::ArrayRef<std::string> getAnswers() const { return answers; }

private:
  struct Entry {
    Record record;
    unsigned source;
  };

  std::string getSourceNames() const;
  void keep(std::vector<Record> all, unsigned source);
  const Entry *findSame(const ConfigRequest &request,
                        const ProblemInfo &asked) const;
  void setAnswer(const ConfigRequest &request, llvm::StringRef tier,
                 const Entry &entry);

  std::vector<std::string> paths, sources;
  std::string name;
  bool isRead = false;
  std::optional<MatmulSizes> assumed;
  std::vector<Entry> records;
  llvm::StringMap<ModelConstants> constants; ///< By chip.
  std::vector<std::string> answers, notes;
};

/// The provider for an option: records of a file, and the shipped ones; null
/// for `none`.
std::shared_ptr<RecordProvider> createRecordProvider(llvm::StringRef option);

/// The records of a file: the best ones of a database, or lines of JSON. An
/// error names the line.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef path);
/// All of them, losers and failures too.
llvm::Expected<std::vector<Record>> readAllRecords(llvm::StringRef path);
llvm::Expected<std::vector<Record>> parseRecords(llvm::StringRef text,
                                                 llvm::StringRef fileName);
/// All that the tools ship.
llvm::Expected<std::vector<Record>> getShippedRecords();

} // namespace tcgemm

#endif // TCGEMM_STORE_RECORDPROVIDER_H
