//===- BufferizableOpInterfaceImpl.cpp - Launches on buffers ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "tcgemm/Dialect/TcgemmDialect.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tcgemm;

namespace {
/// Outputs are written in place and not read; inputs are read. An input never
/// has the same buffer as an output, because other elements of it may still be
/// needed when an element is written.
struct LaunchModel
    : public DstBufferizableOpInterfaceExternalModel<LaunchModel, LaunchOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<LaunchOp>(op).isDpsInit(&operand);
  }

  /// A kernel that may run in place reads an element of an input just before it
  /// writes the output's element at the same coordinates.
  bool bufferizesToElementwiseAccess(Operation *op, const AnalysisState &,
                                     ArrayRef<OpOperand *> operands) const {
    auto launch = cast<LaunchOp>(op);
    auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
        op, launch.getKernelAttr());
    if (!kernel || !kernel.getInPlace())
      return false;
    StringRef outputDims =
        kernel.getOperandInfo(launch.getInputs().size()).getDims();
    return llvm::all_of(operands, [&](OpOperand *operand) {
      OperandAttr info = kernel.getOperandInfo(operand->getOperandNumber());
      return (info.getRole() == OperandRole::Input ||
              info.getRole() == OperandRole::Output) &&
             info.getDims() == outputDims;
    });
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto launch = cast<LaunchOp>(op);
    SmallVector<Value> inputs, outputs;
    auto toBuffers = [&](ValueRange values, SmallVector<Value> &buffers) {
      for (Value value : values) {
        if (isa<TensorType>(value.getType())) {
          FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
          if (failed(buffer))
            return failure();
          value = *buffer;
        }
        buffers.push_back(value);
      }
      return success();
    };
    rewriter.setInsertionPoint(op);
    if (failed(toBuffers(launch.getInputs(), inputs)) ||
        failed(toBuffers(launch.getOutputs(), outputs)))
      return failure();
    auto bufferized = LaunchOp::create(rewriter, op->getLoc(), TypeRange(),
                                       launch.getKernelAttr(), inputs, outputs);
    bufferized->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};
} // namespace

void tcgemm::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TcgemmDialect *) {
    LaunchOp::attachInterface<LaunchModel>(*context);
  });
}
