//===- Compile.cpp - From MLIR text to a kernel pack -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/Compile.h"
#include "Pack.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/SourceNesting.h"

using namespace mlir;

namespace tcgemm {

/// "matmul.mlir:3:5: error: ..." as the tools print it.
static void appendDiagnostic(std::string &text, Diagnostic &diagnostic) {
  llvm::raw_string_ostream stream(text);
  if (auto location = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    stream << location.getFilename().getValue() << ":" << location.getLine()
           << ":" << location.getColumn() << ": ";
  stream << diagnostic << "\n";
}

llvm::Expected<KernelPack> compileToPack(StringRef mlirSource,
                                         const CompileOptions &options) {
  llvm::Expected<CompileOptions> resolved = resolveOptions(options);
  if (!resolved)
    return resolved.takeError();
  if (llvm::Error error = checkSourceNesting(mlirSource, "<input>"))
    return std::move(error);
  DialectRegistry registry;
  registerUpstreamDialects(registry);
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);

  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      appendDiagnostic(errors, diagnostic);
    return success();
  });
  auto fail = [&]() -> llvm::Error {
    return llvm::createStringError(
        errors.empty() ? "compilation failed without a diagnostic"
                       : StringRef(errors).rtrim().str());
  };
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(mlirSource, &context, "<input>");
  if (!module)
    return fail();
  PassManager manager(&context);
  buildToCubinPipeline(manager, *resolved);
  if (failed(manager.run(*module)))
    return fail();
  FailureOr<KernelPack> pack = buildPack(*module);
  if (failed(pack))
    return fail();
  return std::move(*pack);
}

} // namespace tcgemm
