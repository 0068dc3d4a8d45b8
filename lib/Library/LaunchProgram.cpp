//===- LaunchProgram.cpp - A product's launches with open addresses -------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchProgram.h"
#include "Failure.h"
#include "ProductTerms.h"
#include "tcgemm/Target/AddressDependence.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tcgemm::library {

/// Translates a plan of the runtime.
class LaunchBuilder {
public:
  LaunchBuilder(LaunchProgram &result, const Description &description)
      : pack(*result.pack), program(result.program.get()),
        description(description), kernel(pack.getKernel()) {}
  Error build();

private:
  Expected<const tcgemmSlot *> findSlot(size_t operand) const;
  Error bindOperands();
  void addSlots();
  Error checkVariant(const Variant &variant) const;
  Error addLaunch(const PlannedStep &planned);
  Error addMap(const PlannedTensorMap &map);
  Error addArgument(const PlannedStep &planned,
                    const PlannedArgument &argument);
  /// The slot of a pointer's operand.
  unsigned getSlot(StringRef operand) const;

  const LoadedPack &pack;
  tcgemmProgram *program;
  const Description &description;
  const KernelInfo &kernel;
  std::vector<BoundOperand> operands;
  std::vector<unsigned> slots; ///< One per operand of the kernel.
};

} // namespace tcgemm::library

LaunchProgram::LaunchProgram(std::shared_ptr<LoadedPack> loaded)
    : pack(std::move(loaded)),
      program(tcgemmProgramCreate(&pack->getDevice().getDriver().run,
                                  pack->getDevice().getContext(),
                                  tcgemmSlotNames)) {}

Expected<const tcgemmSlot *> LaunchBuilder::findSlot(size_t operand) const {
  const LaunchInfo &launch = pack.getLaunch();
  if (operand < launch.operands.size()) {
    std::optional<BufferRef> buffer = parseBufferRef(launch.operands[operand]);
    if (buffer && buffer->kind == BufferKind::Argument &&
        buffer->index < description.slots.count)
      return &description.slots.slots[buffer->index];
  }
  return fail(TCGEMM_NOT_SUPPORTED, "operand " + Twine(operand) +
                                        " of the kernel is no argument of "
                                        "the product");
}

Error LaunchBuilder::bindOperands() {
  const MatmulSizes &s = description.problem.sizes;
  ProblemSizes sizes = makeSizes(s.m, s.n, s.k, s.batch);
  for (auto [i, info] : llvm::enumerate(kernel.operands)) {
    Expected<const tcgemmSlot *> slot = findSlot(i);
    if (!slot)
      return slot.takeError();
    slots.push_back((*slot)->slot);
    BoundOperand &operand = operands.emplace_back();
    operand.address = TCGEMM_PLAN_ADDRESS + (*slot)->alignment;
    for (Dim dim : info.dims) {
      auto d = static_cast<unsigned>(dim);
      operand.shape.sizes.push_back(sizes[d]);
      operand.shape.strides.push_back(d < TCGEMM_NUM_DIMS ? (*slot)->strides[d]
                                                          : 0);
    }
  }
  return Error::success();
}

unsigned LaunchBuilder::getSlot(StringRef operand) const {
  return slots[kernel.findOperand(operand) - kernel.operands.data()];
}

void LaunchBuilder::addSlots() {
  for (unsigned i = 0; i != description.slots.count; ++i) {
    const tcgemmSlot &slot = description.slots.slots[i];
    if (slot.slot >= TCGEMM_SLOT_ALPHA && !description.scalarsInMemory)
      continue;
    bool isFactor = slot.slot == TCGEMM_SLOT_A || slot.slot == TCGEMM_SLOT_B;
    tcgemmNeed need = TCGEMM_NEED_ALWAYS;
    if (slot.slot == TCGEMM_SLOT_C && !description.scalarsInMemory)
      need = TCGEMM_NEED_WITH_BETA;
    else if (isFactor && description.problem.sizes.k == 0)
      need = TCGEMM_NEED_NEVER;
    tcgemmProgramAddSlot(program, slot.slot, slot.alignment, need);
  }
}

Error LaunchBuilder::checkVariant(const Variant &variant) const {
  if (dependsOnAlignmentOnly(variant))
    return Error::success();
  return fail(TCGEMM_NOT_SUPPORTED,
              "variant '" + variant.name + "' depends on addresses");
}

Error LaunchBuilder::addMap(const PlannedTensorMap &planned) {
  const TensorMapDescription &d = planned.description;
  if (d.window)
    return fail(TCGEMM_NOT_SUPPORTED, "tensor map '" + planned.source->name +
                                          "' has a window: the library has no "
                                          "convolutions");
  tcgemmMap map{};
  map.name = planned.source->name.c_str();
  map.type = static_cast<int>(getTensorMapTypeCode(d.type));
  map.swizzle = static_cast<int>(getTensorMapSwizzleCode(d.swizzle));
  map.promotion = static_cast<int>(getTensorMapPromotionCode(d.l2Promotion));
  map.rank = static_cast<uint32_t>(d.dims.size());
  llvm::copy(d.dims, map.dims);
  llvm::copy(d.strides, map.strides);
  llvm::copy(d.box, map.box);
  const Argument &base = planned.source->base;
  bool isInWorkspace = base.kind == ArgumentKind::Workspace;
  tcgemmProgramAddMap(program, &map,
                      isInWorkspace ? TCGEMM_WORKSPACE_SLOT
                                    : getSlot(base.operand),
                      isInWorkspace ? d.base : 0);
  return Error::success();
}

Error LaunchBuilder::addArgument(const PlannedStep &planned,
                                 const PlannedArgument &argument) {
  const Argument &source = *argument.source;
  switch (source.kind) {
  case ArgumentKind::TensorMap:
    return addMap(planned.tensorMaps[argument.value]);
  case ArgumentKind::Pointer:
    tcgemmProgramAddAddress(program, getSlot(source.operand), 0);
    break;
  case ArgumentKind::Workspace:
    tcgemmProgramAddAddress(program, TCGEMM_WORKSPACE_SLOT,
                            static_cast<uint64_t>(argument.value));
    break;
  case ArgumentKind::Scalar:
    tcgemmProgramAddScalar(program,
                           getSlot(source.operand) == TCGEMM_SLOT_ALPHA
                               ? TCGEMM_SCALAR_ALPHA
                               : TCGEMM_SCALAR_BETA,
                           getSumType(description.problem.kernel));
    break;
  case ArgumentKind::I32:
  case ArgumentKind::I64:
    tcgemmProgramAddBytes(program, argument.bytes.data(),
                          argument.bytes.size());
    break;
  }
  return Error::success();
}

Error LaunchBuilder::addLaunch(const PlannedStep &planned) {
  Expected<cuda::Function> function = pack.getFunction(*planned.step);
  if (!function)
    return function.takeError();
  const LaunchConfig &config = planned.config;
  tcgemmLaunchShape shape{};
  llvm::copy(config.grid, shape.grid);
  llvm::copy(config.block, shape.block);
  llvm::copy(config.cluster, shape.cluster);
  shape.sharedMemory = config.sharedMemory;
  shape.isDependent =
      config.dependent && pack.getDevice().getChip().capability >= 90;
  tcgemmProgramAddLaunch(program, planned.step->symbol.c_str(), *function,
                         &shape);
  for (const PlannedArgument &argument : planned.arguments)
    if (Error error = addArgument(planned, argument))
      return error;
  return Error::success();
}

Error LaunchBuilder::build() {
  if (!program)
    return fail(TCGEMM_DRIVER, "there is no memory");
  if (Error error = bindOperands())
    return error;
  PlanOptions options;
  options.smCount = pack.getDevice().getSMCount();
  Expected<LaunchPlan> plan = planLaunch(kernel, operands, options);
  if (!plan)
    return withStatus(TCGEMM_NOT_SUPPORTED, plan.takeError());
  if (Error error = checkVariant(*plan->variant))
    return error;
  tcgemmProgramSetWorkspace(program,
                            static_cast<uint64_t>(plan->workspaceBytes));
  addSlots();
  for (const PlannedStep &planned : plan->steps)
    if (planned.runs)
      if (Error error = addLaunch(planned))
        return error;
  return takeFailure(tcgemmProgramGetStatus(program));
}

Expected<LaunchProgram> LaunchProgram::create(std::shared_ptr<LoadedPack> pack,
                                              const Description &description) {
  LaunchProgram program(std::move(pack));
  if (Error error = LaunchBuilder(program, description).build())
    return std::move(error);
  return program;
}
