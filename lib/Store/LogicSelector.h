//===- LogicSelector.h - Configurations from logic --------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_STORE_LOGICSELECTOR_H
#define TCGEMM_LIB_STORE_LOGICSELECTOR_H

#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Store/SizeLogic.h"

#include <map>
#include <memory>

namespace tcgemm {

/// Looks products up in the logic of a device. What depends on the kind of
/// product only, such as the legality of configurations, is computed once for
/// each kind, so that a lookup takes less than a microsecond.
class LogicSelector {
public:
  /// `source` is the name of the origin in answers.
  LogicSelector(const std::string &source, SizeLogic logic);

  enum class Part {
    Exact, ///< The entry of the same sizes.
    Rule,
  };
  /// A legal configuration; none if the logic has no such product, makes no
  /// choice, or its choice is illegal. All sizes of `asked` are known.
  std::optional<KernelConfig> choose(Part part, const ConfigRequest &request,
                                     const ProblemInfo &asked);
  /// The origin of the last answer.
  llvm::StringRef getAnswer() const { return *answer; }

private:
  /// A product of the logic.
  struct Product {
    ProblemInfo problem;
    const ProductLogic *logic = nullptr;
    /// Numbers of configurations by M, N, K and batch.
    std::map<std::array<int64_t, 4>, unsigned> exact;
    std::array<std::string, 2> answers; ///< One for each part.
  };
  /// States whether a configuration with certain adapted parameters is legal.
  struct Verdict {
    uint64_t parameters;
    bool isLegal;
  };
  /// Products that differ in sizes only were asked for.
  struct Kind {
    ProblemInfo problem;
    const ChipInfo *chip = nullptr;
    const Product *product = nullptr; ///< Null if the logic has none.
    bool isSameEpilogue = false;
    std::vector<llvm::SmallVector<Verdict, 1>> verdicts; ///< By configuration.
  };

  Kind &getKind(const ConfigRequest &request, const ProblemInfo &asked);
  const Product *findProduct(const ProblemInfo &asked) const;
  std::optional<unsigned> findNumber(Part part, const Product &product,
                                     const MatmulSizes &sizes) const;
  bool isLegal(Kind &kind, unsigned number, const KernelConfig &config,
               const ConfigRequest &request, const ProblemInfo &asked) const;

  SizeLogic logic;
  std::vector<Product> products;
  std::vector<std::unique_ptr<Kind>> kinds;
  const std::string *answer = nullptr;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_STORE_LOGICSELECTOR_H
