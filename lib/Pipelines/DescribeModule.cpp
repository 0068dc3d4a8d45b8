//===- DescribeModule.cpp - A compiled module as a manifest -*- C++ -*-===//
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
namespace json = llvm::json;

namespace tcgemm {
namespace {

class ModuleDescriber {
public:
  explicit ModuleDescriber(ModuleOp module) : module(module) {}
  FailureOr<ModuleDescription> run();

private:
  LogicalResult addBinary(gpu::BinaryOp binary);
  LogicalResult describeFunctions(json::Array &functions, json::Array &leftOut);
  FailureOr<json::Value> describeOrExplain(func::FuncOp func,
                                           std::string &reason);
  FailureOr<json::Value> describeKernel(KernelOp kernel);
  json::Array describeOperands(KernelOp kernel);
  FailureOr<json::Value> describeStep(KernelOp kernel, StepAttr step);
  json::Value describeVariant(VariantAttr variant, json::Array steps);

  ModuleOp module;
  std::vector<CodeImage> images;
  json::Array modules;
  ConstantPool constants;
  /// The first error of a function that is left out.
  std::optional<Diagnostic> firstError;
  /// What ptxas said, by gpu.binary.
  llvm::StringMap<DictionaryAttr> facts;
  std::string ptxasVersion;
};

LogicalResult ModuleDescriber::addBinary(gpu::BinaryOp binary) {
  std::string name = binary.getName().str();
  json::Object object{{"name", name}, {"ptx", name + ".ptx"}};
  CodeImage image;
  for (auto item : binary.getObjects().getAsRange<gpu::ObjectAttr>()) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(item.getTarget());
    if (!target)
      continue;
    object["chip"] = target.getChip();
    if (item.getFormat() == gpu::CompilationTarget::Assembly)
      image.ptx = item.getObject().getValue().str();
    if (item.getFormat() != gpu::CompilationTarget::Binary)
      continue;
    image.cubin = item.getObject().getValue().str();
    object["cubin"] = name + ".cubin";
    object["cubin_sha256"] = llvm::toHex(
        llvm::SHA256::hash(llvm::arrayRefFromStringRef(image.cubin)),
        /*LowerCase=*/true);
    DictionaryAttr properties = item.getProperties();
    if (!properties)
      continue;
    if (auto log = properties.getAs<StringAttr>("log"))
      object["log"] = json::fixUTF8(log.getValue());
    if (auto version = properties.getAs<StringAttr>("ptxas"))
      ptxasVersion = version.getValue().str();
    if (auto kernels = properties.getAs<DictionaryAttr>("kernels"))
      facts[name] = kernels;
  }
  if (image.ptx.empty())
    return emitError(binary.getLoc())
           << "gpu.binary '" << name << "' has no PTX for a pack";
  modules.push_back(std::move(object));
  images.push_back(std::move(image));
  return success();
}

json::Array ModuleDescriber::describeOperands(KernelOp kernel) {
  json::Array operands;
  for (unsigned i = 0; i < kernel.getNumOperandInfos(); ++i) {
    OperandAttr operand = kernel.getOperandInfo(i);
    json::Array dims;
    for (char dim : operand.getDims())
      dims.push_back(std::string(1, dim));
    operands.push_back(
        json::Object{{"name", kernel.getOperandName(i)},
                     {"role", stringifyOperandRole(operand.getRole())},
                     {"type", getTypeText(operand.getElementType())},
                     {"dims", std::move(dims)}});
  }
  return operands;
}

static json::Value describeArgument(BindingAttr binding) {
  const Argument &argument = binding.getValue();
  StringRef kind = getArgumentKindName(argument.kind);
  if (argument.kind == ArgumentKind::TensorMap)
    return json::Object{{"kind", kind}, {"index", argument.index}};
  if (argument.takesOperand())
    return json::Object{{"kind", kind}, {"operand", argument.operand}};
  return json::Object{{"kind", kind}, {"value", argument.value.str()}};
}

static json::Array describeExprs(ArrayRef<ExprAttr> exprs) {
  json::Array list;
  for (ExprAttr expr : exprs)
    list.push_back(expr.getValue().str());
  return list;
}

static json::Value describeTensorMap(TensorMapAttr map) {
  return json::Object{{"name", map.getName().getValue()},
                      {"type", getTypeText(map.getElementType())},
                      {"base", describeArgument(map.getBase())},
                      {"dims", describeExprs(map.getDims())},
                      {"strides", describeExprs(map.getStrides())},
                      {"box", json::Array(map.getBox())},
                      {"swizzle", map.getSwizzle()},
                      {"l2_promotion", map.getL2Promotion()}};
}

FailureOr<json::Value> ModuleDescriber::describeStep(KernelOp kernel,
                                                     StepAttr step) {
  StringRef moduleName = step.getProgram().getRootReference();
  StringRef symbol = step.getProgram().getLeafReference();
  if (!module.lookupSymbol<gpu::BinaryOp>(moduleName))
    return emitError(kernel.getLoc())
           << "the plan of kernel '" << kernel.getSymName() << "' launches '"
           << moduleName << "', which is not a gpu.binary: run tcgemm-emit";
  json::Array arguments, cluster{1, 1, 1};
  if (!step.getCluster().empty())
    cluster = json::Array(step.getCluster());
  for (BindingAttr argument : step.getArguments())
    arguments.push_back(describeArgument(argument));
  json::Object object{{"module", moduleName},
                      {"symbol", symbol},
                      {"grid", describeExprs(step.getGrid())},
                      {"block", json::Array{step.getThreads(), 1, 1}},
                      {"cluster", std::move(cluster)},
                      {"shared_memory", step.getSharedMemory()},
                      {"arguments", std::move(arguments)}};
  if (!step.getTensorMaps().empty()) {
    json::Array maps;
    for (TensorMapAttr map : step.getTensorMaps())
      maps.push_back(describeTensorMap(map));
    object["tensor_maps"] = std::move(maps);
  }
  if (step.getDependent())
    object["dependent"] = true;
  if (step.getWhen())
    object["when"] = step.getWhen().getValue().str();
  DictionaryAttr kernels = facts.lookup(moduleName);
  auto said = kernels ? kernels.getAs<DictionaryAttr>(symbol) : nullptr;
  if (!said)
    return json::Value(std::move(object));
  for (StringRef key :
       {"registers", "spill_bytes", "stack_bytes", "static_shared_memory"})
    if (auto value = said.getAs<IntegerAttr>(key))
      object[key] = value.getInt();
  json::Array remarks;
  if (auto list = said.getAs<ArrayAttr>("remarks"))
    for (auto remark : list.getAsRange<StringAttr>())
      remarks.push_back(json::fixUTF8(remark.getValue()));
  object["remarks"] = std::move(remarks);
  return json::Value(std::move(object));
}

json::Value ModuleDescriber::describeVariant(VariantAttr variant,
                                             json::Array steps) {
  std::string config;
  llvm::raw_string_ostream(config) << variant.getConfig();
  return json::Object{{"name", variant.getName().getValue()},
                      {"guard", variant.getGuard().getValue().str()},
                      {"config", config},
                      {"workspace", variant.getWorkspace().getValue().str()},
                      {"steps", std::move(steps)}};
}

FailureOr<json::Value> ModuleDescriber::describeKernel(KernelOp kernel) {
  if (!kernel.getPlan())
    return emitError(kernel.getLoc()) << "kernel '" << kernel.getSymName()
                                      << "' has no plan: run tcgemm-schedule";
  json::Object sizes;
  const char *names[] = {"batch", "M", "N", "K"};
  for (auto [name, size] : llvm::zip_equal(names, kernel.getSizes()))
    sizes[name] =
        ShapedType::isDynamic(size) ? json::Value(nullptr) : json::Value(size);
  FailureOr<json::Value> epilogue = describeEpilogue(kernel);
  if (failed(epilogue))
    return failure();
  json::Array variants;
  for (auto variant : kernel.getPlan()->getAsRange<VariantAttr>()) {
    json::Array steps;
    for (StepAttr step : variant.getSteps()) {
      FailureOr<json::Value> described = describeStep(kernel, step);
      if (failed(described))
        return failure();
      steps.push_back(std::move(*described));
    }
    variants.push_back(describeVariant(variant, std::move(steps)));
  }
  return json::Value(json::Object{{"name", kernel.getSymName()},
                                  {"sizes", std::move(sizes)},
                                  {"operands", describeOperands(kernel)},
                                  {"epilogue", std::move(*epilogue)},
                                  {"variants", std::move(variants)}});
}

/// Describes a function, or gives the reason why that is not possible.
FailureOr<json::Value> ModuleDescriber::describeOrExplain(func::FuncOp func,
                                                          std::string &reason) {
  ScopedDiagnosticHandler handler(module.getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (reason.empty())
                                      reason = diagnostic.str();
                                    if (!firstError)
                                      firstError.emplace(std::move(diagnostic));
                                    return success();
                                  });
  // Constants of a function that is left out are not in the pack.
  ConstantPool extended = constants;
  FailureOr<json::Value> described = describeFunction(func, extended);
  if (succeeded(described))
    constants = std::move(extended);
  return described;
}

/// What a pack cannot have leaves its function out, with the reason. A module
/// all of whose functions are left out is an error.
LogicalResult ModuleDescriber::describeFunctions(json::Array &functions,
                                                 json::Array &leftOut) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || func.isPrivate())
      continue;
    std::string reason;
    FailureOr<json::Value> described = describeOrExplain(func, reason);
    if (succeeded(described))
      functions.push_back(std::move(*described));
    else
      leftOut.push_back(
          json::Object{{"name", func.getName()}, {"reason", reason}});
  }
  if (!functions.empty() || !firstError)
    return success();
  module.getContext()->getDiagEngine().emit(std::move(*firstError));
  return failure();
}

FailureOr<ModuleDescription> ModuleDescriber::run() {
  json::Array kernels, functions, leftOut;
  for (auto binary : module.getOps<gpu::BinaryOp>())
    if (failed(addBinary(binary)))
      return failure();
  for (auto kernel : module.getOps<KernelOp>()) {
    FailureOr<json::Value> described = describeKernel(kernel);
    if (failed(described))
      return failure();
    kernels.push_back(std::move(*described));
  }
  if (failed(describeFunctions(functions, leftOut)))
    return failure();
  json::Object producer{{"tcgemm", TCGEMM_VERSION},
                        {"llvm", LLVM_VERSION_STRING}};
  if (!ptxasVersion.empty())
    producer["ptxas"] = ptxasVersion;
  ModuleDescription result;
  result.images = std::move(images);
  json::Object manifest{{"tcgemm_manifest", 1},
                        {"producer", std::move(producer)},
                        {"modules", std::move(modules)},
                        {"kernels", std::move(kernels)},
                        {"functions", std::move(functions)}};
  if (!constants.list.empty())
    manifest["constants"] = std::move(constants.list);
  result.constants = std::move(constants.contents);
  if (!leftOut.empty())
    manifest["left_out"] = std::move(leftOut);
  result.manifest = std::move(manifest);
  return result;
}

} // namespace

FailureOr<ModuleDescription> describeModule(ModuleOp module) {
  return ModuleDescriber(module).run();
}

} // namespace tcgemm
