//===- TcgemmKernelOps.cpp - Kernel-level operations ------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IR/Bands.h"
#include "IR/Convolutions.h"
#include "IR/DualProducts.h"
#include "IR/Groups.h"
#include "IR/KernelFeatures.h"
#include "IR/ReducedOutputs.h"
#include "IR/Representations.h"
#include "IR/ScaleOperands.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "tcgemm/Dialect/ElementRegion.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/Target/Instructions.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tcgemm;

/// Prints and parses `<batch x M x N x K>`, which the sizes of further outer
/// dimensions may follow, with `?` for run-time sizes.
static ParseResult parseSizes(OpAsmParser &parser, DenseI64ArrayAttr &sizes) {
  SmallVector<int64_t> list;
  if (parser.parseLess() ||
      parser.parseDimensionList(list, /*allowDynamic=*/true,
                                /*withTrailingX=*/false) ||
      parser.parseGreater())
    return failure();
  sizes = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

static void printSizes(OpAsmPrinter &printer, Operation *,
                       DenseI64ArrayAttr sizes) {
  printer << '<';
  printer.printDimensionList(sizes.asArrayRef());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

std::string KernelOp::getOperandName(unsigned index) {
  unsigned inputs = 0, outputs = 0;
  for (unsigned i = 0; i < index; ++i) {
    OperandRole role = getOperandInfo(i).getRole();
    inputs += role == OperandRole::Input || role == OperandRole::Scalar;
    outputs += role == OperandRole::Output;
  }
  switch (getOperandInfo(index).getRole()) {
  case OperandRole::A:
    return "A";
  case OperandRole::B:
    return "B";
  case OperandRole::Input:
  case OperandRole::Scalar:
    return "in" + std::to_string(inputs);
  case OperandRole::Output:
    return "out" + std::to_string(outputs);
  case OperandRole::ScaleA:
  case OperandRole::ScaleB:
  case OperandRole::ZeroA:
  case OperandRole::ZeroB:
    return getOperandInfo(index).getScales()->name.str();
  case OperandRole::Offsets:
    return "offsets";
  case OperandRole::Counts:
    return "counts";
  case OperandRole::B2:
    return "B2";
  }
  llvm_unreachable("covered switch");
}

static std::optional<unsigned> find(KernelOp op, const BlockScales &scales) {
  for (unsigned i = 2; i < op.getNumOperandInfos(); ++i)
    if (op.getOperandInfo(i).getScales() == &scales)
      return i;
  return std::nullopt;
}

std::optional<unsigned> KernelOp::findScales(unsigned operand) {
  return find(*this, kBlockScales[operand]);
}

std::optional<unsigned> KernelOp::findZeroPoints(unsigned operand) {
  return find(*this, kBlockScales[2 + operand]);
}

std::optional<unsigned> KernelOp::findGrouped() {
  for (unsigned operand : {0, 1})
    if (std::optional<unsigned> index = findScales(operand);
        index && getOperandInfo(*index).getGroup())
      return operand;
  return std::nullopt;
}

/// Checks that the types of A and B have the kernel's algebra.
static LogicalResult verifyAlgebra(KernelOp op) {
  Algebra algebra = op.getProductAlgebra();
  if (algebra.isDefault())
    return success();
  Type a = op.getOperandInfo(0).getElementType();
  Type b = op.getOperandInfo(1).getElementType();
  std::optional<ScalarType> type = getScalarType(a);
  if (a != b || !type || !hasAlgebra(*type, algebra))
    return op.emitOpError()
           << "has the algebra " << algebra.str() << " for " << a << " and "
           << b << ", but A and B must have the same of "
           << listAlgebraTypes(algebra);
  return success();
}

/// Checks the position and the dims of an operand.
static LogicalResult verifyOperand(KernelOp op, unsigned index) {
  OperandAttr operand = op.getOperandInfo(index);
  OperandRole role = operand.getRole();
  if ((index == 0) != (role == OperandRole::A) ||
      (index == 1) != (role == OperandRole::B))
    return op.emitOpError()
           << "operand " << index
           << ": the first operand must be A, the second B, and no other";
  if (role == OperandRole::B2 && failed(verifySecond(op, index)))
    return failure();
  if (role != OperandRole::Output && index &&
      op.getOperandInfo(index - 1).getRole() == OperandRole::Output)
    return op.emitOpError()
           << "operand " << index << ": outputs must come last";
  if (operand.isStored() && index &&
      op.getOperandInfo(index - 1).getReduction())
    return op.emitOpError() << "operand " << index
                            << ": outputs with a reduction must come last";
  if (failed(verifyReducedDims(op, index)))
    return failure();
  bool isGrouped = op.findOffsets().has_value();
  if (isGrouped && failed(verifyGroupedOperand(op, index)))
    return failure();
  if (isGrouped && op.getOuterDims().size() > 1)
    return op.emitOpError() << "operand " << index
                            << ": with offsets there must be 4 sizes, but "
                               "there are "
                            << op.getSizes().size();
  for (char dim : kOuterLetters) {
    bool isKnown = op.getOuterDims().contains(dim);
    if (operand.getDims().contains(dim) && !isKnown)
      return op.emitOpError() << "operand " << index << ": the dimension "
                              << dim << " has no size";
    if (operand.isStored() && op.getProductDims().contains(dim) && !isGrouped &&
        op.getSize(dim) != 1 && !operand.getDims().contains(dim))
      return op.emitOpError()
             << "operand " << index << ": an output needs the dimension " << dim
             << ", since its size is not 1";
  }
  return success();
}

LogicalResult KernelOp::verify() {
  size_t most = 3 + kOuterLetters.size();
  if (getSizes().size() < 4 || getSizes().size() > most)
    return emitOpError() << "needs 4 sizes (batch, M, N, K), or up to " << most
                         << " with more outer dimensions, but has "
                         << getSizes().size();
  for (int64_t size : getSizes())
    if (size < 0 && !ShapedType::isDynamic(size))
      return emitOpError() << "has a negative size " << size;
    else if (size > kMaxSize)
      return emitOpError() << "has the size " << size << ", but the limit is "
                           << kMaxSize;
  if (getConfig() && !isa<ConfigAttr>(*getConfig()))
    return emitOpError() << "config must be a #tcgemm.config";
  if (std::optional<ArrayRef<int64_t>> hint = getSizeHint();
      hint && hint->size() != 4 && hint->size() != 5)
    return emitOpError() << "size_hint needs 4 sizes (batch, M, N, K), or the "
                            "extent of a summed dimension behind them";
  if (ArrayAttr plan = getPlanAttr())
    for (Attribute variant : plan)
      if (!isa<VariantAttr>(variant))
        return emitOpError()
               << "plan must consist of #tcgemm.variant, but has " << variant;
  ArrayAttr infos = getOperandsAttr();
  for (Attribute attr : infos)
    if (!isa<OperandAttr>(attr))
      return emitOpError() << "operands must be #tcgemm.operand, but hold "
                           << attr;
  if (failed(verifyFeatures(*this)))
    return failure();
  if (getCheckOffsets() && !findOffsets())
    return emitOpError() << "has check_offsets, but no operand offsets or "
                            "counts";
  for (unsigned index = 0; index < infos.size(); ++index)
    if (failed(verifyOperand(*this, index)) ||
        failed(verifyScales(*this, index)))
      return failure();
  if (llvm::none_of(infos, [](Attribute info) {
        return cast<OperandAttr>(info).isStored();
      }))
    return emitOpError() << "needs operands A, B and at least one output with "
                            "all elements";
  Type a = getOperandInfo(0).getElementType();
  Type b = getOperandInfo(1).getElementType();
  if (getAccumulatorTypes(*getScalarType(a), *getScalarType(b)).empty())
    return emitOpError() << "no instruction multiplies A's elements of type "
                         << a << " by B's of type " << b;
  return success(succeeded(verifyConvolution(*this)) &&
                 succeeded(verifyRepresentation(*this)) &&
                 succeeded(verifyStructure(*this)) &&
                 succeeded(verifyAlgebra(*this)));
}

int64_t KernelOp::getSize(char dim) {
  size_t outer = kOuterLetters.find(dim);
  if (outer != StringRef::npos)
    return getSizes()[outer ? 3 + outer : 0];
  return getSizes()[1 + StringRef("mnk").find(dim)];
}

Type KernelOp::getAccumulatorType() {
  ScalarType accumulator =
      getAccumulatorTypes(*getScalarType(getOperandInfo(0).getElementType()),
                          *getScalarType(getOperandInfo(1).getElementType()))
          .front();
  return getElementType(accumulator, getContext());
}

Type KernelOp::getInstructionSumType() {
  Type sum = getAccumulatorType();
  ScalarType a = *getScalarType(getOperandInfo(0).getElementType());
  return getElementType(getInstructionSum(a, *getScalarType(sum)),
                        getContext());
}

Region *KernelOp::findTransform(unsigned operand) {
  Region &region = operand ? getTransformB() : getTransformA();
  return region.empty() || isIdentityRegion(region) ? nullptr : &region;
}

/// Verifies what the element region of A (0) or B (1) reads.
static LogicalResult verifyTransform(KernelOp op, unsigned operand,
                                     ArrayRef<unsigned> sources) {
  Region &region = operand ? op.getTransformB() : op.getTransformA();
  if (region.empty())
    return success();
  StringRef name = operand ? "transform_b" : "transform_a";
  OperandAttr matrix = op.getOperandInfo(operand);
  SmallVector<Type> arguments{getBufferType(matrix.getElementType())};
  for (unsigned source : sources)
    arguments.push_back(op.getOperandInfo(source).getElementType());
  if (failed(verifyElementRegion(op, region, name, arguments)))
    return failure();
  if (isIdentityRegion(region))
    return success();
  if (!hasElementRegions(arguments.front()))
    return op.emitOpError()
           << name << " computes elements of type " << arguments.front()
           << ", but it must be f16, bf16, f32 or f64";
  for (auto [argument, source] :
       llvm::zip_equal(region.getArguments().drop_front(), sources))
    for (char dim : op.getOperandInfo(source).getDims())
      if (!argument.use_empty() && !matrix.getDims().contains(dim))
        return op.emitOpError()
               << name << " reads operand " << source << ", which has the "
               << "dimension " << dim << " that " << (operand ? "B" : "A")
               << " does not have";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  SmallVector<Type> arguments{getAccumulatorType()};
  SmallVector<OperandAttr> outputs;
  SmallVector<unsigned> sources;
  for (unsigned i = 2; i < getNumOperandInfos(); ++i) {
    OperandAttr operand = getOperandInfo(i);
    bool isOutput = operand.getRole() == OperandRole::Output;
    if (!isOutput && !operand.isEpilogueArgument())
      continue;
    if (isOutput) {
      outputs.push_back(operand);
      continue;
    }
    bool isSum = operand.getRole() == OperandRole::B2;
    arguments.push_back(isSum ? getAccumulatorType()
                              : operand.getElementType());
    sources.push_back(i);
  }
  for (unsigned operand : {0, 1})
    if (failed(verifyTransform(*this, operand, sources)))
      return failure();
  Block &body = getEpilogue().front();
  if (body.getArgumentTypes() != TypeRange(arguments))
    return emitOpError()
           << "epilogue must take the " << getAccumulatorType()
           << " accumulator" << (findSecond() ? ", that of b2" : "")
           << " and one argument per input and scalar operand, of its element "
              "type";
  auto yield = body.empty() ? nullptr : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return emitOpError() << "epilogue must end with tcgemm.yield";
  if (!llvm::equal(yield.getOperandTypes(), outputs, canYield))
    return yield.emitOpError()
           << "must give one value per output operand, of its element type or "
              "the type that its reduction combines";
  for (auto [argument, source] :
       llvm::zip_equal(body.getArguments().drop_front(), sources))
    if (!argument.use_empty() && !isMatrix(source) &&
        getOperandInfo(source).getDims().contains('k'))
      return emitOpError() << "epilogue reads operand " << source
                           << ", which has the dimension k";
  WalkResult found = getEpilogue().walk([&](IndexOp index) {
    return index.getDim() == "b" && getProductDims().size() > 1
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (found.wasInterrupted())
    return emitOpError() << "epilogue reads the coordinate b, but there are "
                         << getProductDims().size() << " outer dimensions";
  return success();
}

//===----------------------------------------------------------------------===//
// IndexOp
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  if (llvm::is_contained({"b", "m", "n"}, getDim()))
    return success();
  return emitOpError() << "dim must be b, m or n, but is '" << getDim() << "'";
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  bool onTensors =
      llvm::all_of(getOutputs().getTypes(), llvm::IsaPred<RankedTensorType>);
  bool onBuffers =
      llvm::all_of(getOutputs().getTypes(), llvm::IsaPred<MemRefType>);
  if (!onTensors && !onBuffers)
    return emitOpError() << "outputs must be all ranked tensors or all memrefs";
  if (onBuffers && getNumResults())
    return emitOpError() << "on memrefs has no results";
  if (onTensors && getResultTypes() != getOutputs().getTypes())
    return emitOpError() << "results must have the types of the outputs";
  if (!onBuffers && (getWorkspace() || getStream()))
    return emitOpError() << "has a workspace or a stream, which only launches "
                            "on memrefs have";
  if (getStream() && !isa<LLVM::LLVMPointerType>(getStream().getType()))
    return emitOpError() << "has a stream of type " << getStream().getType()
                         << ", but it must be an !llvm.ptr";
  return success();
}

/// Checks that the operands match the kernel's.
static LogicalResult verifyKernelOperands(Operation *op,
                                          FlatSymbolRefAttr symbol,
                                          ValueRange inputs, ValueRange outputs,
                                          SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(op, symbol);
  if (!kernel)
    return op->emitOpError()
           << "'" << symbol.getValue() << "' is not a tcgemm.kernel";
  SmallVector<Value> operands(inputs);
  llvm::append_range(operands, outputs);
  if (operands.size() != kernel.getNumOperandInfos())
    return op->emitOpError()
           << "has " << operands.size() << " operands, but " << symbol
           << " has " << kernel.getNumOperandInfos();
  for (auto [index, value] : llvm::enumerate(operands)) {
    OperandAttr info = kernel.getOperandInfo(index);
    auto shaped = dyn_cast<ShapedType>(value.getType());
    Type element = shaped ? shaped.getElementType() : value.getType();
    // Signs of integers and the precision of f32 are the kernel's.
    if (element != info.getElementType() &&
        element != getBufferType(info.getElementType()))
      return op->emitOpError()
             << "operand " << index << " (" << kernel.getOperandName(index)
             << ") has element type " << element << ", but the kernel says "
             << info.getElementType();
    if ((info.getRole() == OperandRole::Scalar) == bool(shaped))
      return op->emitOpError()
             << "operand " << index << " (" << kernel.getOperandName(index)
             << ") must be " << (shaped ? "a scalar" : "a tensor or memref");
    if (shaped && shaped.getRank() != int64_t(info.getDims().size()))
      return op->emitOpError()
             << "operand " << index << " (" << kernel.getOperandName(index)
             << ") has rank " << shaped.getRank() << ", but the kernel says "
             << info.getDims().size();
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyKernelOperands(*this, getKernelAttr(), getInputs(), getOutputs(),
                              symbols);
}

LogicalResult LaunchAsyncOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyKernelOperands(*this, getKernelAttr(), getInputs(), getOutputs(),
                              symbols);
}

LogicalResult
WorkspaceSizeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyKernelOperands(*this, getKernelAttr(), getInputs(), getOutputs(),
                              symbols);
}

using EffectList =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addLaunchEffects(MutableOperandRange inputs,
                             const MutableOperandRange &outputs,
                             const MutableOperandRange &workspace,
                             EffectList &effects) {
  for (OpOperand &operand : inputs)
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (MutableOperandRange range : {outputs, workspace})
    for (OpOperand &operand : range)
      if (isa<MemRefType>(operand.get().getType()))
        effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

void LaunchOp::getEffects(EffectList &effects) {
  addLaunchEffects(getInputsMutable(), getOutputsMutable(),
                   getWorkspaceMutable(), effects);
  // Work that others add to the stream is ordered with this launch.
  if (getStream())
    effects.emplace_back(MemoryEffects::Write::get());
}

void LaunchAsyncOp::getEffects(EffectList &effects) {
  addLaunchEffects(getInputsMutable(), getOutputsMutable(),
                   getWorkspaceMutable(), effects);
}

#define GET_OP_CLASSES
#include "tcgemm/Dialect/TcgemmOps.cpp.inc"
