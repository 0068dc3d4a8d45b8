//===- RecordProvider.h - Configurations from records -----------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ConfigProvider that answers from tuned records, and says how near they are:
//
//   exact    the kernel's type, layout, epilogue and sizes, on its chip
//   product  the same but for the epilogue
//   nearest  the same type and layout, the nearest sizes by the distance of
//            their logarithms, if each is within a factor of two
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TUNER_RECORDPROVIDER_H
#define TCGEMM_TUNER_RECORDPROVIDER_H

#include "tcgemm/Transforms/ConfigProvider.h"
#include "tcgemm/Tuner/Record.h"

namespace tcgemm {

class RecordProvider : public ConfigProvider {
public:
  /// `source` is what answers are said to come from: a file's name. Records
  /// that are no successes, or times of a model, are left out.
  RecordProvider(std::string source, std::vector<Record> records);

  llvm::StringRef getName() const override;
  std::optional<KernelConfig> lookup(const ConfigRequest &request) override;

private:
  std::string source, name;
  std::vector<Record> records;
};

} // namespace tcgemm

#endif // TCGEMM_TUNER_RECORDPROVIDER_H
