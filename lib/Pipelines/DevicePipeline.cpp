//===- DevicePipeline.cpp - Whole modules on the device -------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/DevicePipeline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Target/Passes.h"
#include "tcgemm/Transforms/Passes.h"

using namespace mlir;
using namespace tcgemm;

static void cleanUp(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// Functions free the buffers that they allocate; callers own the results.
static void addDeallocation(OpPassManager &manager) {
  manager.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(bufferization::createBufferDeallocationSimplificationPass());
}

/// Compiles gpu.launch operations to binaries.
static void addKernelCompilation(OpPassManager &manager,
                                 const CompileOptions &options) {
  manager.addNestedPass<func::FuncOp>(
      createGpuLaunchSinkIndexComputationsPass());
  manager.addPass(createGpuKernelOutliningPass());
  manager.addPass(createShareKernels());
  OpPassManager &kernels = manager.nest<gpu::GPUModuleOp>();
  kernels.addPass(createConvertComplexToStandardPass());
  cleanUp(kernels);
  LowerEpilogueMathOptions math;
  math.approx = options.approximateMath;
  kernels.addPass(createLowerEpilogueMath(math));
  kernels.addPass(arith::createArithExpandOpsPass());
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(createKernelsToNVVM());
  addEmission(manager, options, /*onlyPrograms=*/false);
}

void tcgemm::buildDevicePipeline(OpPassManager &manager,
                                 const CompileOptions &options,
                                 const DeviceOptions &device) {
  ComplexToRealOptions complex;
  complex.remarks = options.remarks;
  complex.onlyMarked = options.onlyMarked;
  manager.addPass(createComplexToReal(complex, options.filter));
  RaiseOptions raise;
  // Operations that are not raised run on the device too.
  raise.remarks = false;
  raise.onlyMarked = options.onlyMarked;
  raise.precision = options.precision;
  raise.transposes = true;
  raise.separateComponents = options.separateComponents;
  raise.dual = hasDualConfig(options.chip, options.configText);
  raise.summedDims = hasSummedConfig(options.chip, options.configText);
  raise.structured = hasStructuredConfig(options.chip, options.configText);
  raise.representations =
      hasRepresentationConfig(options.chip, options.configText);
  manager.addPass(createRaise(raise, options.filter));
  cleanUp(manager);
  manager.addPass(createPrepareDevice());
  buildBufferizePipeline(manager);
  addDeallocation(manager);
  addProductCompilation(manager, options);
  addEmission(manager, options);

  manager.addPass(createDeviceMemory());
  manager.addPass(createLinalgToGPU());
  LaunchToGPUOptions launch;
  launch.smCount = device.smCount;
  manager.addPass(createLaunchToGPU(launch));
  manager.addPass(createVerifyDevice());
  addKernelCompilation(manager, options);
  manager.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass());
  cleanUp(manager);
}
