//===- HostPipeline.cpp - From tensors to launches on buffers ---*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/HostPipeline.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Target/Precision.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

void tcgemm::addBufferization(OpPassManager &manager) {
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // A launch accumulates in place only in a writable argument, so that a loop
  // may yield a new buffer.
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
}

void tcgemm::buildBufferizePipeline(OpPassManager &manager,
                                    const HostOptions &options) {
  manager.addNestedPass<func::FuncOp>(createProtectArguments());
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  addBufferization(manager);
  if (options.outParams)
    manager.addPass(createResultsToOutParams());
  if (options.deallocate)
    bufferization::buildBufferDeallocationPipeline(
        manager, bufferization::BufferDeallocationPipelineOptions());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void tcgemm::buildHostPipeline(OpPassManager &manager,
                               const HostOptions &options) {
  ComplexToRealOptions complex;
  complex.remarks = options.remarks;
  complex.onlyMarked = options.onlyMarked;
  manager.addPass(createComplexToReal(complex, options.filter));
  RaiseOptions raise;
  raise.remarks = options.remarks;
  raise.onlyMarked = options.onlyMarked;
  raise.precision = options.precision;
  raise.dual = options.dual;
  raise.summedDims = options.summedDims;
  raise.structured = options.structured;
  raise.representations = options.representations;
  // A pack has copies, and a copy may transpose.
  raise.transposes = options.packConstants;
  raise.separateComponents =
      options.packConstants && options.separateComponents;
  manager.addPass(createRaise(raise, options.filter));
  // Elementwise operations on tensors that were not fused cannot be bufferized
  // directly.
  manager.addNestedPass<func::FuncOp>(createConvertElementwiseToLinalgPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  buildBufferizePipeline(manager, options);
  // A pack has sizes as expressions of arith.
  if (options.packConstants)
    manager.addPass(createLowerAffinePass());
  if (!options.packConstants)
    manager.addPass(createCheckOperands());
}

namespace {
template <typename Self>
struct CommonOptions : public PassPipelineOptions<Self> {
  template <typename T>
  using Option = typename CommonOptions::template Option<T>;

  Option<bool> outParams{*this, "out-params",
                         llvm::cl::desc("Give results through arguments"),
                         llvm::cl::init(HostOptions().outParams)};
  Option<bool> deallocate{*this, "deallocate",
                          llvm::cl::desc("Free temporaries"),
                          llvm::cl::init(HostOptions().deallocate)};

  HostOptions get() const {
    HostOptions options;
    options.outParams = outParams;
    options.deallocate = deallocate;
    return options;
  }
};

struct BufferizeOptions : public CommonOptions<BufferizeOptions> {};

struct RaisingOptions : public CommonOptions<RaisingOptions> {
  Option<bool> remarks{*this, "remarks",
                       llvm::cl::desc("Say why operations are not raised"),
                       llvm::cl::init(HostOptions().remarks)};
  Option<std::string> precision{*this, "precision",
                                llvm::cl::desc(kPrecisionHelp),
                                llvm::cl::init(HostOptions().precision)};

  HostOptions get() const {
    HostOptions options = CommonOptions::get();
    options.remarks = remarks;
    options.precision = precision;
    return options;
  }
};
} // namespace

void tcgemm::registerHostPipelines() {
  PassPipelineRegistration<BufferizeOptions>(
      "tcgemm-bufferize",
      "Turn launches on tensors into launches on buffers, results into "
      "out-parameters",
      [](OpPassManager &manager, const BufferizeOptions &options) {
        buildBufferizePipeline(manager, options.get());
      });
  PassPipelineRegistration<RaisingOptions>(
      "tcgemm-host",
      "Raise contractions, then bufferize: functions made of launches",
      [](OpPassManager &manager, const RaisingOptions &options) {
        buildHostPipeline(manager, options.get());
      });
}
