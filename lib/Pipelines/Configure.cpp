//===- Configure.cpp - Pass 2: choose and check configurations --*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Remarks.h"
#include "tcgemm/Config/ChooseConfig.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Target/PassOptions.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tcgemm {
#define GEN_PASS_DEF_CONFIGURE
#include "tcgemm/Pipelines/Passes.h.inc"

namespace {

class ConfigurePass : public impl::ConfigureBase<ConfigurePass> {
public:
  using ConfigureBase::ConfigureBase;
  ConfigurePass(ConfigureOptions options, ConfigProviders providers)
      : ConfigureBase(std::move(options)), providers(std::move(providers)) {}

  LogicalResult initialize(MLIRContext *context) override {
    if (failed(reportOptions(*this, context, readOptions())))
      return failure();
    // A copy of the pass shares its providers.
    if (providers.empty() ||
        providers.back()->getName() != DefaultConfigProvider().getName()) {
      if (failed(addProviders(context)))
        return failure();
      providers.push_back(std::make_shared<DefaultConfigProvider>());
    }
    for (const std::shared_ptr<ConfigProvider> &provider : providers) {
      if (failed(reportOptions(*this, context, provider->prepare())))
        return failure();
      for (const std::string &note : provider->takeNotes())
        emitWarning(UnknownLoc::get(context)) << "tcgemm-configure: " << note;
    }
    return success();
  }
  void runOnOperation() override;

private:
  LogicalResult addProviders(MLIRContext *context);
  llvm::Error readOptions();
  llvm::Error parseSizeHint();
  LogicalResult configure(KernelOp kernel);
  FailureOr<KernelConfig> choose(KernelOp kernel, const ChipInfo &chip);

  ConfigProviders providers;
  SmallVector<int64_t> hint; ///< Batch, M, N and K; empty without the option.
};

static InFlightDiagnostic emitDiagnostic(MLIRContext *context, bool isRemark) {
  Location location = UnknownLoc::get(context);
  return isRemark ? emitRemark(location) : emitError(location);
}

LogicalResult ConfigurePass::addProviders(MLIRContext *context) {
  if (const ConfigProviderFactory &create = getConfigProviderFactory()) {
    llvm::append_range(providers, create(records));
    return success();
  }
  if (records == "none")
    return success();
  // The shipped records are a default, so that their absence is not an error.
  bool isDefault = records.empty();
  emitDiagnostic(context, isDefault)
      << "tcgemm-configure: records = '" << records
      << "', but this program has no reader of records"
      << (isDefault ? ", and the shipped records are not used" : "")
      << ": it must call registerDialects of tcgemm/InitAll.h or "
         "setConfigProviderFactory";
  return success(isDefault);
}

llvm::Error ConfigurePass::parseSizeHint() {
  hint.clear();
  if (sizeHint.empty())
    return llvm::Error::success();
  constexpr int64_t most = (int64_t(1) << 40) - 1;
  llvm::Expected<MatmulSizes> sizes = MatmulSizes::parse(sizeHint, most);
  if (!sizes) {
    llvm::consumeError(sizes.takeError());
    return formatError("size-hint is '{0}', but it must be MxNxK or BxMxNxK "
                       "with sizes from 1 to 2^40",
                       sizeHint);
  }
  hint.assign({sizes->batch, sizes->m, sizes->n, sizes->k});
  return llvm::Error::success();
}

llvm::Error ConfigurePass::readOptions() {
  if (llvm::Error error = lookupChip(chip).takeError())
    return error;
  // The limits of values depend on the kernels and on the other values.
  if (llvm::Error error = KernelConfig().apply(config))
    return error;
  return parseSizeHint();
}

FailureOr<KernelConfig> ConfigurePass::choose(KernelOp kernel,
                                              const ChipInfo &chip) {
  ConfigRequest request{chip, getProblemInfo(kernel), kernel.getSymName().str(),
                        config};
  llvm::Expected<ChosenConfig> chosen = chooseConfig(providers, request);
  if (!chosen)
    return emitError(kernel.getLoc()) << llvm::toString(chosen.takeError());
  remark::analysis(kernel.getLoc(), remark::RemarkOpts::name("configured")
                                        .category("tcgemm-configure")
                                        .function(kernel.getSymName()))
      << remark::metric("Provider", chosen->source)
      << remark::metric("Config", chosen->config.str());
  ++numConfigured;
  return std::move(chosen->config);
}

LogicalResult ConfigurePass::configure(KernelOp kernel) {
  StringRef chipName = kernel.getChip().value_or(chip);
  llvm::Expected<const ChipInfo &> chipInfo = lookupChip(chipName);
  if (!chipInfo)
    return emitError(kernel.getLoc()) << llvm::toString(chipInfo.takeError());
  if (onlyChip && chipName != chip)
    return emitError(kernel.getLoc())
           << "kernel '" << kernel.getSymName() << "' is for " << chipName
           << ", but the module is compiled for " << chip;
  kernel.setChip(chipName);
  if (!hint.empty() && !kernel.getSizeHint())
    kernel.setSizeHint(hint);

  if (!kernel.getConfig()) {
    FailureOr<KernelConfig> chosen = choose(kernel, *chipInfo);
    if (failed(chosen))
      return failure();
    kernel.setConfigAttr(ConfigAttr::get(&getContext(), *chosen));
    kernel.setProvided(config.empty());
  }
  SmallVector<Violation> violations =
      findViolations(cast<ConfigAttr>(*kernel.getConfig()).getValue(),
                     *chipInfo, getProblemInfo(kernel));
  if (violations.empty()) {
    ++numChecked;
    return success();
  }
  auto texts = llvm::map_range(violations, [](const Violation &violation) {
    return (violation.message + " [" + violation.rule + "]").str();
  });
  return emitError(kernel.getLoc())
         << "illegal config: " << llvm::join(texts, "; ") << ", of kernel '"
         << kernel.getSymName() << "'";
}

void ConfigurePass::runOnOperation() {
  bool failed = false;
  for (auto kernel : getOperation().getOps<KernelOp>())
    failed |= mlir::failed(configure(kernel));
  if (failed)
    signalPassFailure();
}

} // namespace

std::unique_ptr<Pass> createConfigure(ConfigureOptions options,
                                      ConfigProviders providers) {
  return std::make_unique<ConfigurePass>(std::move(options),
                                         std::move(providers));
}

} // namespace tcgemm
