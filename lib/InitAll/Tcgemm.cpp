//===- Tcgemm.cpp - Registers tcgemm's dialect and passes -------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Pipelines/HostToLLVM.h"
#include "tcgemm/Pipelines/Passes.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Target/Passes.h"
#include "tcgemm/TransformOps/TransformOps.h"
#include "tcgemm/Transforms/BufferizableOpInterfaceImpl.h"
#include "tcgemm/Transforms/Passes.h"

void tcgemm::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<TcgemmDialect>();
  registerBufferizableOpInterfaceExternalModels(registry);
  registerTransformOps(registry);
  setConfigProviderFactory(createConfigProviders);
}

void tcgemm::registerPasses() {
  registerTcgemmTransformsPasses();
  registerTcgemmConversionPasses();
  registerTcgemmTargetPasses();
  registerTcgemmPipelinesPasses();
  registerHostPipelines();
  registerHostToLLVMPipeline();
  registerCompilePipelines();
}
