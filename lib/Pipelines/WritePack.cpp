//===- WritePack.cpp - Kernel packs from compiled modules -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/WritePack.h"
#include "Describe.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Target/PassOptions.h"

using namespace mlir;

namespace tcgemm {
#define GEN_PASS_DEF_WRITEPACK
#include "tcgemm/Pipelines/Passes.h.inc"

FailureOr<KernelPack> buildPack(ModuleOp module) {
  FailureOr<ModuleDescription> description = describeModule(module);
  if (failed(description))
    return failure();
  // Parsed again, which ensures that every written pack can be read.
  std::string text;
  llvm::raw_string_ostream(text) << toJSON(description->manifest);
  llvm::Expected<Manifest> manifest = parseManifest(text);
  if (!manifest)
    return emitError(module.getLoc()) << "this module cannot be a kernel pack: "
                                      << llvm::toString(manifest.takeError());
  KernelPack pack;
  pack.manifest = std::move(*manifest);
  for (CodeImage &image : description->images)
    pack.images.push_back({std::move(image.ptx), std::move(image.cubin)});
  pack.constants = std::move(description->constants);
  return pack;
}

namespace {

class WritePackPass : public impl::WritePackBase<WritePackPass> {
public:
  using WritePackBase::WritePackBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (!path.empty())
      return success();
    return reportOptions(
        *this, context,
        formatError("path is empty, but it must name a directory"));
  }
  void runOnOperation() override {
    Location location = getOperation().getLoc();
    FailureOr<KernelPack> pack = buildPack(getOperation());
    if (failed(pack))
      return signalPassFailure();
    for (const LeftOutFunction &function : pack->manifest.leftOut)
      emitWarning(location) << "left out of the pack: " << function.reason;
    if (llvm::Error error = writePack(path, std::move(*pack))) {
      emitError(location) << "tcgemm-write-pack: "
                          << llvm::toString(std::move(error));
      return signalPassFailure();
    }
    if (!dropBinaries)
      return markAllAnalysesPreserved();
    for (auto binary :
         llvm::make_early_inc_range(getOperation().getOps<gpu::BinaryOp>()))
      binary.erase();
  }
};

} // namespace
} // namespace tcgemm
