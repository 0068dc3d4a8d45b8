//===- tcgemm-opt.cpp - mlir-opt with tcgemm's passes -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/OptionListing.h"
#include "../common/ToolSetup.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/SourceCheck.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

#include <csignal>

static const char overview[] =
    R"(tcgemm: matrix multiplication kernels for tensor cores

mlir-opt's driver with tcgemm's dialect, passes and pipelines beside MLIR's own.

  tcgemm-opt matmul.mlir --tcgemm-to-nvvm="chip=sm_90"    lower to NVVM
  tcgemm-opt matmul.mlir --tcgemm-to-cubin="chip=sm_90"   compile to a cubin
  tcgemm-opt matmul.mlir --tcgemm-to-nvvm --mlir-print-ir-after-all
                                                          show every stage

A pass or pipeline takes options in quotes: --name="key=value key=value".
tcgemm's begin with "tcgemm-"; docs/reference/ describes each.
LLVM's own options: --help-hidden.
)";

using namespace mlir;

/// Runs MLIR's driver on the input, if its parser can take that.
static LogicalResult run(StringRef inputName, StringRef outputName,
                         DialectRegistry &registry,
                         const MlirOptMainConfig &config) {
  auto fail = [](const llvm::Twine &message) -> LogicalResult {
    llvm::errs() << message << "\n";
    return failure();
  };
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputName, &message);
  if (!input)
    return fail(message);
  if (!isBytecode(*input))
    if (llvm::Error error = tcgemm::checkSource(input->getBuffer(),
                                                input->getBufferIdentifier()))
      return fail(llvm::toString(std::move(error)));
  std::unique_ptr<llvm::ToolOutputFile> output =
      openOutputFile(outputName, &message);
  if (!output)
    return fail(message);
  LogicalResult result =
      MlirOptMain(output->os(), std::move(input), registry, config);
  // The stream's destructor would end the program.
  output->os().flush();
  if (std::error_code error = output->os().error()) {
    output->os().clear_error();
    std::string name =
        outputName == "-" ? "standard output" : ("'" + outputName + "'").str();
    return fail("cannot write " + name + ": " + error.message());
  }
  if (succeeded(result))
    output->keep();
  return result;
}

int main(int argc, char **argv) {
  tcgemm::setUpTool();
  tcgemm::addOptionListing([](StringRef) { return std::string(overview); });
  DialectRegistry registry;
  tcgemm::registerAll(registry);
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, overview, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM initialized(argc, argv);
  // A limit on files is an error of writing, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  return asMainReturnCode(run(input, output, registry, config));
}
