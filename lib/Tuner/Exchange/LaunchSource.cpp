//===- LaunchSource.cpp - A manifest's launches as C++ --------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/SourceParts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {

FunctionTable::FunctionTable(const Manifest &manifest,
                             const KernelInfo &kernel) {
  for (const Variant &variant : kernel.variants)
    for (const Step &step : variant.steps) {
      unsigned index = find(step);
      if (index == entries.size()) {
        const ModuleInfo *module = manifest.findModule(step.module);
        entries.push_back(
            {static_cast<unsigned>(module - manifest.modules.data()),
             step.symbol});
      }
      Entry &entry = entries[index];
      entry.sharedMemory = std::max(entry.sharedMemory, step.sharedMemory);
      // Every chip with clusters supports eight blocks in a cluster.
      entry.hasLargeCluster |=
          step.cluster[0] * step.cluster[1] * step.cluster[2] > 8;
    }
}

unsigned FunctionTable::find(const Step &step) const {
  auto found = llvm::find_if(
      entries, [&](const Entry &entry) { return entry.symbol == step.symbol; });
  return static_cast<unsigned>(found - entries.begin());
}

namespace {

StringRef getTensorMapType(ScalarType type) {
  static constexpr StringLiteral names[] = {
      "UINT8",   "UINT16",  "UINT32",  "INT32",    "UINT64",      "INT64",
      "FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT32_FTZ", "TFLOAT32"};
  return names[getTensorMapTypeCode(type)];
}

/// `{a, b, c}`.
template <typename Range, typename Print>
std::string printList(const Range &values, Print print) {
  SmallVector<std::string> texts;
  for (const auto &value : values)
    texts.push_back(print(value));
  return "{" + join(texts, ", ") + "}";
}

std::string printNumber(unsigned number) { return std::to_string(number); }

void printArguments(const Step &step, raw_ostream &os) {
  auto printBase = [&](const Argument &base) {
    return base.kind == ArgumentKind::Pointer
               ? "v." + base.operand + "_base"
               : "static_cast<int64_t>(workspace) + " + printExpr(base.value);
  };
  for (auto [index, map] : enumerate(step.tensorMaps)) {
    os << "      CUtensorMap map" << index << "; // " << map.name
       << "\n      status = detail::encodeTensorMap(\n          map" << index
       << ", CU_TENSOR_MAP_DATA_TYPE_" << getTensorMapType(map.type)
       << ",\n          " << printBase(map.base) << ", "
       << printList(map.dims, printExpr) << ", "
       << printList(map.strides, printExpr) << ", "
       << printList(map.box, printNumber)
       << ",\n          CU_TENSOR_MAP_SWIZZLE_"
       << (map.swizzle ? std::to_string(map.swizzle) + "B" : "NONE")
       << ", CU_TENSOR_MAP_L2_PROMOTION_"
       << (map.l2Promotion ? "L2_" + std::to_string(map.l2Promotion) + "B"
                           : "NONE")
       << ");\n      if (status != CUDA_SUCCESS)\n        return status;\n";
  }
  SmallVector<std::string> pointers;
  for (auto [index, argument] : enumerate(step.arguments)) {
    std::string own = "a" + std::to_string(index);
    switch (argument.kind) {
    case ArgumentKind::Pointer:
      os << "      CUdeviceptr " << own << " = p." << argument.operand
         << ".base;\n";
      break;
    case ArgumentKind::Scalar:
      os << "      auto " << own << " = p." << argument.operand << ";\n";
      break;
    case ArgumentKind::I32:
      os << "      const int64_t wide" << index << " = "
         << printExpr(argument.value) << ";\n      if (!detail::fitsInt32(wide"
         << index << "))\n        return CUDA_ERROR_INVALID_VALUE;\n"
         << "      int32_t " << own << " = static_cast<int32_t>(wide" << index
         << ");\n";
      break;
    case ArgumentKind::I64:
      os << "      int64_t " << own << " = " << printExpr(argument.value)
         << ";\n";
      break;
    case ArgumentKind::Workspace:
      os << "      CUdeviceptr " << own
         << " = workspace + static_cast<CUdeviceptr>("
         << printExpr(argument.value) << ");\n";
      break;
    case ArgumentKind::TensorMap:
      own = "map" + std::to_string(argument.index);
      break;
    }
    pointers.push_back("&" + own);
  }
  os << "      void *arguments[] = {" << join(pointers, ", ") << "};\n";
}

void printStep(const Step &step, const FunctionTable &functions,
               raw_ostream &os) {
  os << "  { // " << step.symbol;
  if (step.registers)
    os << ": " << *step.registers << " registers a thread";
  os << "\n    const detail::Shape shape{" << printList(step.grid, printExpr)
     << ",\n                              "
     << printList(step.block, printNumber) << ", "
     << printList(step.cluster, printNumber) << ", " << step.sharedMemory
     << ", " << (step.dependent ? "true" : "false") << "};\n    if (";
  if (step.when)
    os << "(" << printExpr(*step.when) << ") && ";
  os << "!shape.isEmpty()) {\n";
  printArguments(step, os);
  os << "      status = detail::launchKernel(functions[" << functions.find(step)
     << "], shape, arguments, stream);\n"
        "      if (status != CUDA_SUCCESS)\n        return status;\n    }\n"
        "  }\n";
}

} // namespace

std::string printVariants(const KernelInfo &kernel,
                          const FunctionTable &functions) {
  std::string text;
  raw_string_ostream os(text);
  for (auto [index, variant] : enumerate(kernel.variants)) {
    os << "/// " << variant.name << ".\n"
       << "inline CUresult Kernel::launchVariant" << index
       << "(const Problem &p, const Values &v,\n"
          "                                        CUdeviceptr workspace,\n"
          "                                        CUstream stream) const {\n"
          "  CUresult status = CUDA_SUCCESS;\n";
    for (const Step &step : variant.steps)
      printStep(step, functions, os);
    os << "  (void)p;\n  (void)v;\n  (void)workspace;\n  return status;\n}\n\n";
  }
  return text;
}

} // namespace tcgemm
