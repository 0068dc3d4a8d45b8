//===- fuzz-config.cpp - Fuzzes configurations and their rules ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a chip's name, a kernel's text and sizes, a line each, and then
// the text of a configuration.
//
//===----------------------------------------------------------------------===//

#include "Exchange/FlatConfig.h"
#include "Fuzz.h"
#include "tcgemm/Config/ConfigProvider.h"
#include "tcgemm/Store/Problems.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;
using llvm::StringRef;

static void checkForms(const KernelConfig &config) {
  KernelConfig same;
  if (llvm::Error error = same.apply(config.str()))
    fail("the text of a configuration is refused: " +
         llvm::toString(std::move(error)));
  require(same == config, "text changes a configuration: " + config.str());
  require(acceptAgain(KernelConfig::fromJSON(config.toJSON()), "JSON") ==
              config,
          "JSON changes a configuration: " + config.str());
  require(config.hash().size() == 16, "a hash of another size");
  llvm::json::Object flat;
  for (const FlatParameter &parameter : flatten(config))
    flat[parameter.name] = parameter.value.getJSON();
  require(acceptAgain(unflatten(flat), "a flat configuration") == config,
          "flat parameters change a configuration: " + config.str());
}

/// Checks the rules, and that the default model's choice satisfies them.
static void checkRules(const KernelConfig &config, StringRef overrides,
                       const ChipInfo &chip, const ProblemInfo &problem) {
  bool isLegal = findViolations(config, chip, problem).empty();
  llvm::Error error = checkConfig(config, chip, problem);
  require(isLegal == !error, "two opinions about a configuration");
  llvm::consumeError(std::move(error));
  if (isLegal && problem.m > 0 && problem.n > 0 && problem.k > 0)
    require(estimateTime(config, chip, problem) >= 0, "no time is estimated");
  ConfigRequest request{chip, problem, "kernel", overrides.str()};
  std::optional<KernelConfig> chosen = DefaultConfigProvider().lookup(request);
  if (!chosen)
    return;
  if (llvm::Error error = chosen->apply(overrides))
    fail("the model was asked with a text that is refused: " +
         llvm::toString(std::move(error)));
  require(findViolations(*chosen, chip, problem).empty(),
          "the model offers an illegal configuration: " + chosen->str());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text = getText(data, size);
  auto chip = lookupChip(takeLine(text));
  std::optional<KernelSpec> kernel = accept(KernelSpec::parse(takeLine(text)));
  std::optional<MatmulSizes> sizes = accept(MatmulSizes::parse(takeLine(text)));
  KernelConfig config;
  if (llvm::Error error = config.apply(text)) {
    checkRefusal(std::move(error));
    llvm::consumeError(chip.takeError());
    return 0;
  }
  checkForms(config);
  if (!chip) {
    checkRefusal(chip.takeError());
    return 0;
  }
  if (!kernel)
    return 0;
  TuningProblem problem;
  problem.kernel = *kernel;
  problem.sizes = sizes.value_or(MatmulSizes{1024, 1024, 1024, 1});
  ProblemInfo info = problem.getInfo();
  if (!sizes)
    info.m = info.n = info.k = -1;
  checkRules(config, text, *chip, info);
  return 0;
}
