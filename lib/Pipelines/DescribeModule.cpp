//===- DescribeModule.cpp - A compiled module as a manifest -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Describe.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace tcgemm {
namespace {

class ModuleDescriber {
public:
  explicit ModuleDescriber(ModuleOp module) : module(module) {}
  FailureOr<ModuleDescription> run();

private:
  LogicalResult addBinary(gpu::BinaryOp binary);
  void addProperties(DictionaryAttr properties, ModuleInfo &info);
  LogicalResult describeFunctions();
  FailureOr<FunctionInfo> describeOrExplain(func::FuncOp func,
                                            std::string &reason);
  FailureOr<KernelInfo> describeKernel(KernelOp kernel);
  FailureOr<std::vector<OperandInfo>> describeOperands(KernelOp kernel);
  FailureOr<Step> describeStep(KernelOp kernel, StepAttr step);
  void addFacts(Step &step);
  FailureOr<Variant> describeVariant(KernelOp kernel, VariantAttr variant);

  ModuleOp module;
  ModuleDescription result;
  Manifest &manifest = result.manifest;
  ConstantPool constants;
  /// The first error of an omitted function.
  std::optional<Diagnostic> firstError;
  /// The report of ptxas, by gpu.binary.
  llvm::StringMap<DictionaryAttr> facts;
};

void ModuleDescriber::addProperties(DictionaryAttr properties,
                                    ModuleInfo &info) {
  if (auto log = properties.getAs<StringAttr>("log"))
    info.log = log.getValue().str();
  if (auto version = properties.getAs<StringAttr>("ptxas"))
    manifest.producer["ptxas"] = version.getValue().str();
  if (auto kernels = properties.getAs<DictionaryAttr>("kernels"))
    facts[info.name] = kernels;
}

LogicalResult ModuleDescriber::addBinary(gpu::BinaryOp binary) {
  ModuleInfo info;
  info.name = binary.getName().str();
  info.ptx = info.name + ".ptx";
  CodeImage image;
  for (auto item : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(item.getTarget());
    if (!target)
      continue;
    info.chip = target.getChip().str();
    if (item.getFormat() == gpu::CompilationTarget::Assembly)
      image.ptx = item.getObject().getValue().str();
    if (item.getFormat() != gpu::CompilationTarget::Binary)
      continue;
    image.cubin = item.getObject().getValue().str();
    info.cubin = info.name + ".cubin";
    info.cubinSHA256 = llvm::toHex(
        llvm::SHA256::hash(llvm::arrayRefFromStringRef(image.cubin)),
        /*LowerCase=*/true);
    if (DictionaryAttr properties = item.getProperties())
      addProperties(properties, info);
  }
  if (image.ptx.empty())
    return emitError(binary.getLoc())
           << "gpu.binary '" << info.name << "' has no PTX for a pack";
  manifest.modules.push_back(std::move(info));
  result.images.push_back(std::move(image));
  return success();
}

OperandUse getUse(OperandRole role) {
  switch (role) {
  case OperandRole::A:
    return OperandUse::A;
  case OperandRole::B:
    return OperandUse::B;
  case OperandRole::Input:
    return OperandUse::Input;
  case OperandRole::Scalar:
    return OperandUse::Scalar;
  case OperandRole::Output:
    return OperandUse::Output;
  case OperandRole::ScaleA:
    return OperandUse::ScaleA;
  case OperandRole::ScaleB:
    return OperandUse::ScaleB;
  case OperandRole::ZeroA:
    return OperandUse::ZeroA;
  case OperandRole::ZeroB:
    return OperandUse::ZeroB;
  case OperandRole::Offsets:
    return OperandUse::Offsets;
  case OperandRole::Counts:
    return OperandUse::Counts;
  case OperandRole::B2:
    return OperandUse::B2;
  }
  llvm_unreachable("covered switch");
}

FailureOr<std::vector<OperandInfo>>
ModuleDescriber::describeOperands(KernelOp kernel) {
  std::vector<OperandInfo> operands;
  for (unsigned i = 0; i < kernel.getNumOperandInfos(); ++i) {
    OperandAttr operand = kernel.getOperandInfo(i);
    OperandInfo info;
    info.name = kernel.getOperandName(i);
    info.role = getUse(operand.getRole());
    info.group = operand.getGroup();
    if (operand.getConvolution())
      info.convolution = operand.getConvolution().getValue();
    if (operand.getBand())
      info.band = operand.getBand().getValue();
    if (operand.getRepresentation())
      info.representation = operand.getRepresentation().getValue();
    if (ReductionAttr reduction = operand.getReduction())
      info.reduction =
          getReductionInfo(reduction.getCombiner(), reduction.getInitial());
    std::optional<ScalarType> type = getScalarType(operand.getElementType());
    if (!type)
      return emitError(kernel.getLoc())
             << "operand " << info.name << " of kernel '" << kernel.getSymName()
             << "' has the element type " << operand.getElementType()
             << ", which a manifest does not have";
    info.type = *type;
    for (char letter : operand.getDims())
      info.dims.push_back(*findDim(letter)); // Verified.
    operands.push_back(std::move(info));
  }
  return operands;
}

std::vector<Expr> getValues(ArrayRef<ExprAttr> attributes) {
  std::vector<Expr> values;
  for (ExprAttr attribute : attributes)
    values.push_back(attribute.getValue());
  return values;
}

TensorMapInfo describeTensorMap(TensorMapAttr map) {
  TensorMapInfo info;
  info.name = map.getName().getValue().str();
  // The attribute's verifier has checked that there is such a type.
  info.type = *getScalarType(map.getElementType());
  info.base = map.getBase().getValue();
  info.dims = getValues(map.getDims());
  info.strides = getValues(map.getStrides());
  info.box = map.getBox();
  info.swizzle = map.getSwizzle();
  info.l2Promotion = map.getL2Promotion();
  if (map.getWindow())
    info.window = map.getWindow().getValue();
  return info;
}

FailureOr<Step> ModuleDescriber::describeStep(KernelOp kernel, StepAttr step) {
  Step info;
  info.module = step.getProgram().getRootReference().str();
  info.symbol = step.getProgram().getLeafReference().str();
  if (!module.lookupSymbol<gpu::BinaryOp>(info.module))
    return emitError(kernel.getLoc())
           << "the plan of kernel '" << kernel.getSymName() << "' launches '"
           << info.module << "', which is not a gpu.binary: run tcgemm-emit";
  // The attribute's verifier has checked that there are three sizes.
  for (auto [size, expr] : llvm::zip_equal(info.grid, step.getGrid()))
    size = expr.getValue();
  info.block[0] = static_cast<unsigned>(step.getThreads());
  if (!step.getCluster().empty())
    llvm::copy(step.getCluster(), info.cluster.begin());
  info.sharedMemory = step.getSharedMemory();
  info.dependent = step.getDependent();
  for (BindingAttr argument : step.getArguments())
    info.arguments.push_back(argument.getValue());
  for (TensorMapAttr map : step.getTensorMaps())
    info.tensorMaps.push_back(describeTensorMap(map));
  if (step.getWhen())
    info.when = step.getWhen().getValue();
  addFacts(info);
  return info;
}

/// Adds the report of ptxas on the step's function.
void ModuleDescriber::addFacts(Step &step) {
  DictionaryAttr kernels = facts.lookup(step.module);
  auto said = kernels ? kernels.getAs<DictionaryAttr>(step.symbol) : nullptr;
  if (!said)
    return;
  auto get = [&](StringRef key) -> std::optional<int64_t> {
    if (auto value = said.getAs<IntegerAttr>(key))
      return value.getInt();
    return std::nullopt;
  };
  step.registers = get("registers");
  step.spillBytes = get("spill_bytes");
  step.stackBytes = get("stack_bytes");
  step.staticSharedMemory = get("static_shared_memory");
  if (auto list = said.getAs<ArrayAttr>("remarks"))
    for (auto remark : list.getAsRange<StringAttr>())
      step.remarks.push_back(remark.getValue().str());
}

FailureOr<Variant> ModuleDescriber::describeVariant(KernelOp kernel,
                                                    VariantAttr variant) {
  Variant info;
  info.name = variant.getName().getValue().str();
  info.guard = variant.getGuard().getValue();
  llvm::raw_string_ostream(info.config) << variant.getConfig();
  info.workspace = variant.getWorkspace().getValue();
  for (StepAttr step : variant.getSteps()) {
    FailureOr<Step> described = describeStep(kernel, step);
    if (failed(described))
      return failure();
    info.steps.push_back(std::move(*described));
  }
  return info;
}

FailureOr<KernelInfo> ModuleDescriber::describeKernel(KernelOp kernel) {
  if (!kernel.getPlan())
    return emitError(kernel.getLoc()) << "kernel '" << kernel.getSymName()
                                      << "' has no plan: run tcgemm-schedule";
  KernelInfo info;
  info.name = kernel.getSymName().str();
  for (char letter : ("mnk" + kernel.getOuterDims()).str())
    if (int64_t size = kernel.getSize(letter); !ShapedType::isDynamic(size))
      info.sizes[static_cast<unsigned>(*findDim(letter))] = size;
  FailureOr<std::vector<OperandInfo>> operands = describeOperands(kernel);
  if (failed(operands))
    return failure();
  info.operands = std::move(*operands);
  FailureOr<EpilogueProgram> epilogue =
      describeProgram(kernel.getEpilogue().front());
  if (failed(epilogue))
    return failure();
  info.epilogue = std::move(*epilogue);
  info.algebra = kernel.getProductAlgebra();
  info.isSymmetric = kernel.getSymmetric();
  for (unsigned operand : {0, 1}) {
    Region *transform = kernel.findTransform(operand);
    if (!transform)
      continue;
    FailureOr<EpilogueProgram> program = describeProgram(transform->front());
    if (failed(program))
      return failure();
    info.transforms[operand] = std::move(*program);
  }
  for (auto variant : kernel.getPlan()->getAsRange<VariantAttr>()) {
    FailureOr<Variant> described = describeVariant(kernel, variant);
    if (failed(described))
      return failure();
    info.variants.push_back(std::move(*described));
  }
  return info;
}

/// Describes a function, or returns the reason why that is not possible.
FailureOr<FunctionInfo>
ModuleDescriber::describeOrExplain(func::FuncOp func, std::string &reason) {
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (reason.empty())
                                      reason = diagnostic.str();
                                    if (!firstError)
                                      firstError.emplace(std::move(diagnostic));
                                    return success();
                                  });
  // Constants of an omitted function are not in the pack.
  ConstantPool extended = constants;
  FailureOr<FunctionInfo> described = describeFunction(func, extended);
  if (succeeded(described))
    constants = std::move(extended);
  return described;
}

/// Describes all functions. A function with an unsupported operation is omitted
/// with the reason. If all functions of a module are omitted, that is an error.
LogicalResult ModuleDescriber::describeFunctions() {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || func.isPrivate())
      continue;
    std::string reason;
    FailureOr<FunctionInfo> described = describeOrExplain(func, reason);
    if (succeeded(described))
      manifest.functions.push_back(std::move(*described));
    else
      manifest.leftOut.push_back({func.getName().str(), reason});
  }
  if (!manifest.functions.empty() || !firstError)
    return success();
  module.getContext()->getDiagEngine().emit(std::move(*firstError));
  return failure();
}

FailureOr<ModuleDescription> ModuleDescriber::run() {
  manifest.producer = {{"tcgemm", TCGEMM_VERSION},
                       {"llvm", LLVM_VERSION_STRING}};
  for (auto binary : module.getOps<gpu::BinaryOp>())
    if (failed(addBinary(binary)))
      return failure();
  for (auto kernel : module.getOps<KernelOp>()) {
    FailureOr<KernelInfo> described = describeKernel(kernel);
    if (failed(described))
      return failure();
    manifest.kernels.push_back(std::move(*described));
  }
  if (failed(describeFunctions()))
    return failure();
  manifest.constants = std::move(constants.list);
  result.constants = std::move(constants.contents);
  return std::move(result);
}

} // namespace

FailureOr<ModuleDescription> describeModule(ModuleOp module) {
  return ModuleDescriber(module).run();
}

} // namespace tcgemm
