//===- padding_rule.h - A rule that decides on padding -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VARIANTS_PADDING_RULE_H
#define VARIANTS_PADDING_RULE_H

#include "tcgemm/Pipelines/CompileOptions.h"

/// Pads the rows of tiles where those of the matrices are whole lines of L2,
/// 128 bytes; other tiles are permuted. All else is as without the rule.
class PaddingRule : public tcgemm::ConfigProvider {
public:
  llvm::StringRef getName() const override { return "padding rule"; }
  std::optional<tcgemm::KernelConfig>
  lookup(const tcgemm::ConfigRequest &request) override {
    bool pads = request.problem.k * request.problem.getBitsA() % 1024 == 0;
    tcgemm::ConfigRequest asked = request;
    asked.overrides = std::string("schedule=mma_sync shared=") +
                      (pads ? "pad " : "xor ") + request.overrides;
    return tcgemm::DefaultConfigProvider().lookup(asked);
  }
};

inline void addPaddingRule(tcgemm::CompileOptions &options) {
  options.providers.push_back(std::make_shared<PaddingRule>());
}

#endif // VARIANTS_PADDING_RULE_H
