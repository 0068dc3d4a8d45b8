//===- RecordProvider.h - Configurations from records -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ConfigProvider that chooses from tuned records. The tier of an answer is
// one of
//
//   exact      the kernel's type, layout, epilogue and sizes, on its chip
//   product    the same except for the epilogue
//   rule       a rule of learned logic (tcgemm/Store/SizeLogic.h), if a file
//              has logic in place of records; its exact sizes come before
//              records
//   predicted  the configuration with the least predicted time, among all that
//              were recorded on the chip, unchanged or with other slices of k,
//              and the default model's choice. The model's error for the
//              record's own sizes corrects the prediction; the correction
//              decreases with the distance of the sizes. Without constants for
//              the chip the default model predicts, and sizes must be within a
//              factor of four.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_STORE_RECORDPROVIDER_H
#define TCGEMM_STORE_RECORDPROVIDER_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Model/AnalyticModel.h"
#include "tcgemm/Store/Record.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <utility>

namespace tcgemm {

class LogicSelector;

class RecordProvider : public ConfigProvider {
public:
  /// `source` is the name of the origin in answers. Records of failures or with
  /// times of a model are ignored. Records with an illegal configuration are
  /// ignored with a note.
  RecordProvider(std::string source, std::vector<Record> records);
  /// The records of files in the order of precedence; an empty path denotes the
  /// shipped records. A file may have logic instead. `prepare` reads them.
  explicit RecordProvider(std::vector<std::string> paths);
  ~RecordProvider() override;

  llvm::Error prepare() override;
  llvm::StringRef getName() const override { return name; }
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override;
  /// Returns whether a record or an entry of logic has the requested operands
  /// and sizes, which are known.
  bool hasExact(const ConfigRequest &request);
  std::vector<std::string> takeNotes() override {
    return std::exchange(notes, {});
  }

  /// Sets the sizes for kernels with unknown sizes and no size hint.
  void assumeSizes(const MatmulSizes &sizes) { assumed = sizes; }

  /// All answers so far to requests with a kernel's name: kernel, tier and
  /// record.
  llvm::ArrayRef<std::string> getAnswers() const { return answers; }

private:
  struct Entry;

  std::string getSourceNames() const;
  llvm::Expected<bool> readLogic(const std::string &path);
  /// `asked` is the request's problem with the assumed sizes.
  std::optional<KernelConfig> lookup(const ConfigRequest &request,
                                     const ProblemInfo &asked);
  std::optional<KernelConfig> lookupLogic(bool byRule,
                                          const ConfigRequest &request,
                                          const ProblemInfo &asked);
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
  llvm::StringMap<size_t> configNumbers; ///< By the configurations' texts.
  /// The places of records with M, N, K and batch.
  std::map<std::array<int64_t, 4>, std::vector<size_t>> bySizes;
  std::vector<std::unique_ptr<LogicSelector>> logics; ///< One for each file.
  llvm::StringMap<ModelConstants> constants;          ///< Constants by chip.
  std::vector<std::string> answers, notes;
};

/// The value of an option that names the shipped records.
inline constexpr llvm::StringLiteral kShippedRecords = "shipped";

/// The provider for the value of an option: the records of a file followed by
/// the shipped records; these alone if it is empty or `shipped`; null for
/// `none`.
std::shared_ptr<RecordProvider> createRecordProvider(llvm::StringRef option);
/// That provider, if there is one, and behind it the model with the shipped
/// constants.
ConfigProviders createConfigProviders(llvm::StringRef option);

/// The records of a file: the best records of a database, or lines of JSON.
/// Errors name the line.
llvm::Expected<std::vector<Record>> readRecords(llvm::StringRef path);
/// All records of a file, including slower ones and failures.
llvm::Expected<std::vector<Record>> readAllRecords(llvm::StringRef path);
/// All records of some problems in a file.
llvm::Expected<std::vector<Record>>
readRecordsOf(llvm::StringRef path, llvm::ArrayRef<TuningProblem> problems);
llvm::Expected<std::vector<Record>> parseRecords(llvm::StringRef text,
                                                 llvm::StringRef fileName);
/// Calls `visit` for each record of the text, until one fails. It keeps none.
llvm::Error parseRecords(llvm::StringRef text, llvm::StringRef fileName,
                         llvm::function_ref<llvm::Error(Record)> visit);
/// All shipped records.
llvm::Expected<std::vector<Record>> getShippedRecords();

} // namespace tcgemm

#endif // TCGEMM_STORE_RECORDPROVIDER_H
