//===- Compile.cpp - From MLIR text to a kernel pack ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/Compile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/SourceCheck.h"
#include "tcgemm/Pipelines/WritePack.h"

using namespace mlir;

namespace tcgemm {

/// Appends "matmul.mlir:3:5: error: ...", the format of the tools.
static void appendDiagnostic(std::string &text, Diagnostic &diagnostic) {
  llvm::raw_string_ostream stream(text);
  if (auto location = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    stream << location.getFilename().getValue() << ":" << location.getLine()
           << ":" << location.getColumn() << ": ";
  stream << diagnostic << "\n";
}

namespace {

/// The diagnostics of a compilation. Warnings may say why there is an error, or
/// else remarks on its operation.
class Diagnostics {
public:
  void add(Diagnostic &diagnostic);
  llvm::Error getError() const;

private:
  std::string errors, warnings;
  SmallVector<Location> failed;
  SmallVector<std::pair<Location, std::string>> remarks;
};

} // namespace

void Diagnostics::add(Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    failed.push_back(diagnostic.getLocation());
    return appendDiagnostic(errors, diagnostic);
  case DiagnosticSeverity::Warning:
    return appendDiagnostic(warnings, diagnostic);
  case DiagnosticSeverity::Remark:
    remarks.emplace_back(diagnostic.getLocation(), "");
    return appendDiagnostic(remarks.back().second, diagnostic);
  case DiagnosticSeverity::Note:
    return;
  }
}

llvm::Error Diagnostics::getError() const {
  if (errors.empty())
    return llvm::createStringError("compilation failed without a diagnostic");
  std::string text = errors + warnings;
  for (const auto &[location, remark] : remarks)
    if (warnings.empty() && llvm::is_contained(failed, location))
      text += remark;
  return llvm::createStringError(StringRef(text).rtrim());
}

/// Makes all functions except one private, so that unused functions are
/// removed.
static llvm::Error keepFunction(ModuleOp module, StringRef name) {
  auto kept = module.lookupSymbol<func::FuncOp>(name);
  if (!kept || kept.isExternal()) {
    std::string names;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        names += (names.empty() ? "" : ", ") + function.getName().str();
    return llvm::createStringError("no function '" + name +
                                   "' in the module; there are " + names);
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function == kept)
      function.setPublic();
    else
      function.setPrivate();
  return llvm::Error::success();
}

std::unique_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerDialects(registry);
  return std::make_unique<MLIRContext>(registry,
                                       MLIRContext::Threading::DISABLED);
}

llvm::Expected<KernelPack> compileToPack(StringRef mlirSource,
                                         const CompileOptions &options,
                                         StringRef function) {
  llvm::Expected<CompileOptions> resolved = resolveOptions(options);
  if (!resolved)
    return resolved.takeError();
  if (llvm::Error error = checkSource(mlirSource, "<input>"))
    return std::move(error);
  std::unique_ptr<MLIRContext> context = createContext();
  Diagnostics diagnostics;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    diagnostics.add(diagnostic);
    return success();
  });
  // MLIR's lexer needs a terminator, which a StringRef may lack.
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(mlirSource.str(), context.get(), "<input>");
  if (!module)
    return diagnostics.getError();
  PassManager manager(context.get());
  if (!function.empty()) {
    if (llvm::Error error = keepFunction(*module, function))
      return std::move(error);
    manager.addPass(createSymbolDCEPass());
  }
  resolved->packConstants = true;
  buildToCubinPipeline(manager, *resolved);
  if (failed(manager.run(*module)))
    return diagnostics.getError();
  FailureOr<KernelPack> pack = buildPack(*module);
  if (failed(pack))
    return diagnostics.getError();
  return std::move(*pack);
}

} // namespace tcgemm
