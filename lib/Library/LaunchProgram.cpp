//===- LaunchProgram.cpp - A product's launches with open addresses -------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchProgram.h"
#include "Failure.h"
#include "FunctionBuffers.h"
#include "ProductTerms.h"
#include "tcgemm/Runtime/StridedCopy.h"
#include "tcgemm/Target/AddressDependence.h"

#include "llvm/ADT/STLExtras.h"

using namespace tcgemm;
using namespace tcgemm::library;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tcgemm::library {

/// The most launches that copy an operand.
constexpr int64_t kMostCopyLaunches = 64;

/// One side of a copy.
struct CopySide {
  StridedShape shape;
  Place place;
};

/// Translates a plan of the runtime.
class LaunchBuilder {
public:
  LaunchBuilder(LaunchProgram &result, const Description &description,
                CopyKernels &copies)
      : result(result), pack(*result.pack), program(result.program.get()),
        description(description), copies(copies) {}
  Error build();

private:
  void placeArguments();
  Error placeBuffers();
  Expected<PlacedBuffer> findOperand(const LaunchInfo &launch,
                                     size_t operand) const;
  PlacedBuffer getArgument(unsigned argument, const OperandInfo *info) const;
  StridedShape getShape(unsigned argument, const OperandInfo *info) const;
  Error bindOperands(const LaunchInfo &launch);
  Error addKernel(const LaunchInfo &launch);
  Error launchCopy(const CopyPlan &plan, const CopySide &from,
                   const CopySide &to, unsigned bytes);
  Error copy(const CopySide &from, const CopySide &to, unsigned bytes,
             int64_t launches);
  Error addCopies(bool ofResult);
  Error addCopy(unsigned argument);
  void addSlots();
  void addRanges();
  const OperandInfo *findInfo(unsigned argument) const;
  StridedShape getMemoryShape(unsigned argument) const;
  Error checkVariant(const Variant &variant) const;
  Error addLaunch(const PlannedStep &planned);
  Error addMap(const PlannedTensorMap &map);
  Error addArgument(const PlannedStep &planned,
                    const PlannedArgument &argument);
  /// The place of a pointer's operand.
  const Place &getPlace(StringRef operand) const;

  LaunchProgram &result;
  const LoadedPack &pack;
  tcgemmProgram *program;
  const Description &description;
  CopyKernels &copies;
  const KernelInfo *kernel = nullptr; ///< That of the current launch.
  std::vector<Place> arguments;       ///< One per slot of the description.
  /// The workspace of kernels follows the copies and temporaries.
  uint64_t copiedBytes = 0;
  uint64_t workspaceBytes = 0; ///< The most that a kernel needs.
  std::optional<FunctionBuffers> buffers;
  std::vector<BoundOperand> operands;
  std::vector<Place> places; ///< One per operand of the kernel.
};

} // namespace tcgemm::library

LaunchProgram::LaunchProgram(std::shared_ptr<LoadedPack> loaded)
    : pack(std::move(loaded)),
      program(tcgemmProgramCreate(&pack->getDevice().getDriver().run,
                                  pack->getDevice().getContext(),
                                  tcgemmSlotNames)) {}

/// Copies of operands are the first part of the workspace.
void LaunchBuilder::placeArguments() {
  for (unsigned i = 0; i != description.slots.count; ++i) {
    const tcgemmSlot &slot = description.slots.slots[i];
    const std::optional<OperandCopy> *copy =
        i < description.layouts.size() ? &description.layouts[i].copy : nullptr;
    if (!copy || !*copy) {
      arguments.push_back({slot.slot, 0});
      continue;
    }
    arguments.push_back({TCGEMM_WORKSPACE_SLOT, copiedBytes});
    copiedBytes += llvm::alignTo(
        static_cast<uint64_t>((*copy)->workspace.getNumElements()) *
            tcgemmGetTypeBytes(slot.type),
        TCGEMM_WORKSPACE_ALIGNMENT);
  }
}

/// The argument, temporary, constant or view that is an operand of the kernel.
Expected<PlacedBuffer> LaunchBuilder::findOperand(const LaunchInfo &launch,
                                                  size_t operand) const {
  std::optional<BufferRef> ref;
  if (operand < launch.operands.size())
    ref = parseBufferRef(launch.operands[operand]);
  if (ref && ref->kind == BufferKind::Argument &&
      ref->index < description.slots.count)
    return getArgument(ref->index, &kernel->operands[operand]);
  if (ref && description.numbers)
    return buffers->find(launch.operands[operand]);
  return fail(TCGEMM_NOT_SUPPORTED, "operand " + Twine(operand) +
                                        " of the kernel is no argument of "
                                        "the product");
}

/// An argument; `info` is the operand that it is, if it is one.
PlacedBuffer LaunchBuilder::getArgument(unsigned argument,
                                        const OperandInfo *info) const {
  const Place &place = arguments[argument];
  return {place, getShape(argument, info),
          place.slot == TCGEMM_WORKSPACE_SLOT
              ? TCGEMM_WORKSPACE_ALIGNMENT
              : description.slots.slots[argument].alignment};
}

StridedShape LaunchBuilder::getShape(unsigned argument,
                                     const OperandInfo *info) const {
  if (!description.layouts.empty())
    return description.layouts[argument].shape;
  const MatmulSizes &s = description.problem.sizes;
  ProblemSizes sizes = makeSizes(s.m, s.n, s.k, s.batch);
  StridedShape shape;
  if (!info) // The kernel does not read the argument.
    return shape;
  for (Dim dim : info->dims) {
    auto d = static_cast<unsigned>(dim);
    shape.sizes.push_back(info->getExtent(dim, sizes[d]));
    shape.strides.push_back(
        d < TCGEMM_NUM_DIMS ? description.slots.slots[argument].strides[d] : 0);
  }
  return shape;
}

/// Places the temporaries of a product that takes several kernels.
Error LaunchBuilder::placeBuffers() {
  if (!description.numbers)
    return Error::success();
  std::vector<PlacedBuffer> all;
  for (unsigned i = 0; i != description.slots.count; ++i)
    all.push_back(getArgument(i, /*info=*/nullptr));
  buffers.emplace(pack, std::move(all));
  return buffers->placeTemporaries(copiedBytes);
}

Error LaunchBuilder::bindOperands(const LaunchInfo &launch) {
  operands.clear();
  places.clear();
  for (size_t i = 0; i != kernel->operands.size(); ++i) {
    Expected<PlacedBuffer> buffer = findOperand(launch, i);
    if (!buffer)
      return buffer.takeError();
    places.push_back(buffer->place);
    BoundOperand &operand = operands.emplace_back();
    operand.address = TCGEMM_PLAN_ADDRESS + buffer->alignment;
    operand.shape = std::move(buffer->shape);
  }
  return Error::success();
}

const Place &LaunchBuilder::getPlace(StringRef operand) const {
  return places[kernel->findOperand(operand) - kernel->operands.data()];
}

/// Returns whether a slot is A, B or what they are scaled by, which no run
/// reads if k is 0.
static bool isOfFactor(unsigned slot) {
  return slot == TCGEMM_SLOT_A || slot == TCGEMM_SLOT_B ||
         slot == TCGEMM_SLOT_B2 ||
         (slot >= TCGEMM_SLOT_SCALE_A && slot <= TCGEMM_SLOT_ZERO_POINTS);
}

void LaunchBuilder::addSlots() {
  for (unsigned i = 0; i != description.slots.count; ++i) {
    const tcgemmSlot &slot = description.slots.slots[i];
    if (slot.slot >= TCGEMM_SLOT_ALPHA && !description.scalarsInMemory)
      continue;
    tcgemmNeed need = TCGEMM_NEED_ALWAYS;
    bool isCopied = arguments[i].slot == TCGEMM_WORKSPACE_SLOT;
    if (slot.slot == TCGEMM_SLOT_C && !description.scalarsInMemory && !isCopied)
      need = TCGEMM_NEED_WITH_BETA;
    else if (isOfFactor(slot.slot) && description.problem.sizes.k == 0)
      need = TCGEMM_NEED_NEVER;
    tcgemmProgramAddSlot(program, slot.slot, slot.alignment, need);
  }
}

/// The operand of a kernel that an argument is; null if it is none.
const OperandInfo *LaunchBuilder::findInfo(unsigned argument) const {
  for (const LaunchInfo *launch : pack.getLaunches())
    for (auto [name, info] :
         llvm::zip(launch->operands, pack.getKernel(*launch).operands)) {
      std::optional<BufferRef> ref = parseBufferRef(name);
      if (ref && ref->kind == BufferKind::Argument && ref->index == argument)
        return &info;
    }
  return nullptr;
}

/// The shape of an argument in the caller's memory.
StridedShape LaunchBuilder::getMemoryShape(unsigned argument) const {
  if (argument < description.layouts.size())
    if (const std::optional<OperandCopy> &copy =
            description.layouts[argument].copy)
      return copy->memory;
  return getShape(argument, findInfo(argument));
}

static tcgemmTensor getTensor(const StridedShape &shape, unsigned bits) {
  return {static_cast<unsigned>(shape.sizes.size()), bits, shape.sizes.data(),
          shape.strides.data()};
}

/// States the memory of the arguments, so that runs can refuse results that
/// share memory with others. C and matrices that the epilogue reads may be D:
/// each element is read before it is written.
void LaunchBuilder::addRanges() {
  const tcgemmSlots &all = description.slots;
  std::vector<StridedShape> shapes;
  std::vector<tcgemmTensor> tensors;
  const tcgemmTensor *d = nullptr;
  for (unsigned i = 0; i != all.count; ++i)
    shapes.push_back(getMemoryShape(i));
  for (unsigned i = 0; i != all.count; ++i) {
    // Indices have no type of the C API.
    const OperandInfo *info = findInfo(i);
    tcgemmType type = all.slots[i].type;
    tensors.push_back(getTensor(
        shapes[i], info ? static_cast<unsigned>(getBitWidth(info->type))
                        : 8 * tcgemmGetTypeBytes(type)));
  }
  for (unsigned i = 0; i != all.count; ++i)
    if (all.slots[i].slot == TCGEMM_SLOT_D)
      d = &tensors[i];
  for (unsigned i = 0; i != all.count; ++i) {
    unsigned slot = all.slots[i].slot;
    if (isOfFactor(slot) && description.problem.sizes.k == 0)
      continue; // No run reads it.
    tcgemmRange range{};
    range.slot = slot;
    tcgemmMeasure(&tensors[i], &range);
    range.isWritten = slot == TCGEMM_SLOT_D || (slot >= TCGEMM_SLOT_REDUCTION &&
                                                slot < TCGEMM_SLOT_ALPHA);
    bool isAdded = slot == TCGEMM_SLOT_C ||
                   (slot >= TCGEMM_SLOT_EPILOGUE && slot < TCGEMM_SLOT_OFFSETS);
    range.inPlaceOf = isAdded && d && tcgemmHasSamePlaces(&tensors[i], d)
                          ? TCGEMM_SLOT_D
                          : TCGEMM_NO_SLOT;
    tcgemmProgramSetRange(program, &range);
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
  tcgemmProgramAddMap(
      program, &map,
      isInWorkspace ? TCGEMM_WORKSPACE_SLOT : getPlace(base.operand).slot,
      isInWorkspace ? copiedBytes + d.base : getPlace(base.operand).offset);
  return Error::success();
}

Error LaunchBuilder::addArgument(const PlannedStep &planned,
                                 const PlannedArgument &argument) {
  const Argument &source = *argument.source;
  switch (source.kind) {
  case ArgumentKind::TensorMap:
    return addMap(planned.tensorMaps[argument.value]);
  case ArgumentKind::Pointer:
    tcgemmProgramAddAddress(program, getPlace(source.operand).slot,
                            getPlace(source.operand).offset);
    break;
  case ArgumentKind::Workspace:
    tcgemmProgramAddAddress(program, TCGEMM_WORKSPACE_SLOT,
                            copiedBytes +
                                static_cast<uint64_t>(argument.value));
    break;
  case ArgumentKind::Scalar:
    tcgemmProgramAddScalar(program,
                           getPlace(source.operand).slot == TCGEMM_SLOT_ALPHA
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
  result.launches.push_back(planned.step->symbol);
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

Error LaunchBuilder::launchCopy(const CopyPlan &plan, const CopySide &from,
                                const CopySide &to, unsigned bytes) {
  if (!plan.runs)
    return Error::success();
  Expected<std::shared_ptr<CopyKernel>> loaded = copies.get(bytes);
  if (!loaded)
    return loaded.takeError();
  result.copies.push_back(*loaded);
  tcgemmLaunchShape shape{};
  llvm::copy(plan.config.grid, shape.grid);
  llvm::copy(plan.config.block, shape.block);
  llvm::copy(plan.config.cluster, shape.cluster);
  shape.sharedMemory = plan.config.sharedMemory;
  tcgemmProgramAddLaunch(program, "copy", (*loaded)->getFunction(), &shape);
  for (const CopyArgument &each : plan.arguments) {
    using Kind = CopyArgument::Kind;
    const Place &place = each.kind == Kind::Source ? from.place : to.place;
    if (each.kind == Kind::Number)
      tcgemmProgramAddBytes(program, each.bytes.data(), each.bytes.size());
    else
      tcgemmProgramAddAddress(program, place.slot, place.offset);
  }
  return Error::success();
}

/// The part of one side of a copy with a value of a dimension.
static CopySide getPart(CopySide side, size_t dim, int64_t index,
                        unsigned bytes) {
  side.place.offset +=
      static_cast<uint64_t>(index * side.shape.strides[dim]) * bytes;
  auto at = static_cast<std::ptrdiff_t>(dim);
  side.shape.sizes.erase(side.shape.sizes.begin() + at);
  side.shape.strides.erase(side.shape.strides.begin() + at);
  return side;
}

/// Copies by one launch, or, if that has too many dimensions, by one for each
/// value of the shortest dimension. `launches` counts those of the whole copy.
Error LaunchBuilder::copy(const CopySide &from, const CopySide &to,
                          unsigned bytes, int64_t launches) {
  Expected<CopyPlan> plan = planCopy(from.shape, to.shape, bytes);
  if (plan)
    return launchCopy(*plan, from, to, bytes);
  std::optional<size_t> shortest;
  llvm::ArrayRef<int64_t> sizes = from.shape.sizes;
  for (size_t i = 0; i != sizes.size(); ++i)
    if (sizes[i] > 1 && (!shortest || sizes[i] < sizes[*shortest]))
      shortest = i;
  if (!shortest || sizes[*shortest] > kMostCopyLaunches / launches)
    return plan.takeError();
  llvm::consumeError(plan.takeError());
  for (int64_t i = 0; i != sizes[*shortest]; ++i)
    if (Error error = copy(getPart(from, *shortest, i, bytes),
                           getPart(to, *shortest, i, bytes), bytes,
                           launches * sizes[*shortest]))
      return error;
  return Error::success();
}

/// The copy of an operand into the workspace, or of the result out of it.
Error LaunchBuilder::addCopy(unsigned argument) {
  const tcgemmSlot &slot = description.slots.slots[argument];
  const OperandCopy &layout = *description.layouts[argument].copy;
  CopySide memory{layout.memory, {slot.slot, 0}};
  CopySide workspace{layout.workspace, arguments[argument]};
  unsigned bytes = tcgemmGetTypeBytes(slot.type);
  std::string name = tcgemmSlotNames[slot.slot];
  result.launches.push_back("copy of " + name);
  if (slot.slot == TCGEMM_SLOT_D)
    std::swap(memory, workspace);
  Error error = copy(memory, workspace, bytes, /*launches=*/1);
  if (!error || error.isA<Failure>())
    return error;
  llvm::consumeError(std::move(error));
  // The reason for several launches, not that for the last one of these.
  Error whole = planCopy(memory.shape, workspace.shape, bytes).takeError();
  return fail(TCGEMM_NOT_SUPPORTED,
              Twine(name) + " must be copied, which takes more than " +
                  Twine(kMostCopyLaunches) +
                  " launches: " + llvm::toString(std::move(whole)));
}

/// The copies ahead of the kernel, or the one behind it.
Error LaunchBuilder::addCopies(bool ofResult) {
  for (unsigned i = 0; i != description.layouts.size(); ++i)
    if (description.layouts[i].copy &&
        (description.slots.slots[i].slot == TCGEMM_SLOT_D) == ofResult)
      if (Error error = addCopy(i))
        return error;
  return Error::success();
}

/// The launches of one kernel.
Error LaunchBuilder::addKernel(const LaunchInfo &launch) {
  kernel = &pack.getKernel(launch);
  if (Error error = bindOperands(launch))
    return error;
  PlanOptions options;
  options.smCount = pack.getDevice().getSMCount();
  Expected<LaunchPlan> plan = planLaunch(*kernel, operands, options);
  if (!plan)
    return withStatus(TCGEMM_NOT_SUPPORTED, plan.takeError());
  if (Error error = checkVariant(*plan->variant))
    return error;
  // Each kernel waits for the end of the preceding one before it writes.
  workspaceBytes =
      std::max(workspaceBytes, static_cast<uint64_t>(plan->workspaceBytes));
  for (const PlannedStep &planned : plan->steps)
    if (planned.runs)
      if (Error error = addLaunch(planned))
        return error;
  return Error::success();
}

Error LaunchBuilder::build() {
  if (!program)
    return fail(TCGEMM_DRIVER, "there is no memory");
  if (!description.numbers && pack.getLaunches().size() != 1)
    return fail(TCGEMM_NOT_SUPPORTED,
                "the product needs more than the launch of one kernel");
  placeArguments();
  if (Error error = placeBuffers())
    return error;
  addSlots();
  addRanges();
  if (Error error = addCopies(/*ofResult=*/false))
    return error;
  for (const LaunchInfo *launch : pack.getLaunches())
    if (Error error = addKernel(*launch))
      return error;
  tcgemmProgramSetWorkspace(program, copiedBytes + workspaceBytes);
  if (Error error = addCopies(/*ofResult=*/true))
    return error;
  return takeFailure(tcgemmProgramGetStatus(program));
}

Expected<LaunchProgram> LaunchProgram::create(std::shared_ptr<LoadedPack> pack,
                                              const Description &description,
                                              CopyKernels &copies) {
  LaunchProgram program(std::move(pack));
  if (Error error = LaunchBuilder(program, description, copies).build())
    return std::move(error);
  return program;
}
