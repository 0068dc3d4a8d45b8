//===- fuzz-mlir.cpp - Fuzzes the compiler's MLIR input -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input is a module, with an optional first line `// CHIP CONFIG`. The
// passes up to the programs at the tile level are run.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Pipelines/SourceCheck.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::fuzz;
using llvm::StringRef;

/// Longer inputs need more time without better coverage.
static constexpr size_t kMaxInputSize = 1 << 14;

static const DialectRegistry &getRegistry() {
  static DialectRegistry *registry = [] {
    auto *created = new DialectRegistry();
    registerUpstreamDialects(*created);
    registerDialects(*created);
    return created;
  }();
  return *registry;
}

namespace {
/// Counts errors and prints nothing.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          numErrors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return success();
        }) {}
  unsigned numErrors = 0;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

static void addPasses(PassManager &manager, StringRef chip, StringRef config) {
  HostOptions host;
  host.remarks = false;
  buildHostPipeline(manager, host);
  ConfigureOptions configure;
  if (!chip.empty())
    configure.chip = chip.str();
  configure.config = config.str();
  manager.addPass(createConfigure(configure, {}));
  manager.addPass(createSchedule());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text = getText(data, size), options = text;
  if (size > kMaxInputSize)
    return 0;
  if (llvm::Error error = checkSource(text, "<input>")) {
    llvm::consumeError(std::move(error));
    return 0;
  }
  StringRef chip, config;
  options = takeLine(options);
  if (options.consume_front("// "))
    std::tie(chip, config) = options.split(' ');
  MLIRContext context(getRegistry(), MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics(context);
  // MLIR's lexer reads a terminator.
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text.str(), &context, "<input>");
  // MLIR's parsers reject some types without a message.
  if (!module)
    return 0;
  PassManager manager(&context);
  addPasses(manager, chip, config);
  if (failed(manager.run(*module)))
    require(diagnostics.numErrors > 0, "a pass fails without an error");
  return 0;
}
