//===- Program.cpp - A compiled function and its data -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tcgemm/Dialect/TcgemmDialect.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/DevicePipeline.h"
#include "tcgemm/Pipelines/HostToLLVM.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"
#include <functional>
#include <numeric>

using namespace mlir;

static mlir::DialectRegistry getDialects() {
  DialectRegistry registry;
  tcgemm::registerUpstreamDialects(registry);
  tcgemm::registerDialects(registry);
  return registry;
}

Array::Array(std::vector<int64_t> shape, unsigned seed)
    : sizes(std::move(shape)) {
  values.resize(std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                                std::multiplies<>()));
  // Sums of their products are exact in f32.
  for (float &value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(int(seed >> 24) % 9 - 4);
  }
}

float &Array::at(llvm::ArrayRef<int64_t> indices) {
  int64_t offset = 0;
  for (auto [index, size] : llvm::zip(indices, sizes))
    offset = offset * size + index;
  return values[offset];
}

Program::Program() : context(getDialects()) {}

llvm::Expected<std::unique_ptr<Program>>
Program::compile(llvm::StringRef source, const tcgemm::CompileOptions &options,
                 const tcgemm::gpu_runtime::Device &device) {
  std::unique_ptr<Program> program(new Program());
  auto module = parseSourceString<ModuleOp>(source, &program->context);
  if (!module)
    return llvm::createStringError("the variant is no MLIR");
  auto function = *module->getOps<func::FuncOp>().begin();
  // The engine's entry takes pointers to memrefs.
  function->setAttr("llvm.emit_c_interface", UnitAttr::get(&program->context));
  program->entry = ("_mlir_ciface_" + function.getName()).str();
  PassManager passes(&program->context);
  tcgemm::DeviceOptions target;
  target.smCount = device.sm_count;
  tcgemm::buildDevicePipeline(passes, options, target);
  tcgemm::buildHostToLLVMPipeline(passes);
  if (failed(passes.run(*module)))
    return llvm::createStringError("the variant does not compile");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto engine = ExecutionEngine::create(*module);
  if (!engine)
    return engine.takeError();
  program->engine = std::move(*engine);
  program->engine->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols;
    tcgemm::gpu_runtime::forEachSymbol([&](const char *name, void *address) {
      symbols[interner(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                 llvm::JITSymbolFlags::Exported};
    });
    return symbols;
  });
  program->engine->initialize();
  return program;
}

static uint16_t toBF16(float value) {
  return llvm::bit_cast<uint32_t>(value) >> 16;
}

namespace {
/// An array in the device's memory, with its memref.
struct DeviceArray {
  explicit DeviceArray(const Array &array, size_t elementBytes)
      : bytes(array.values.size() * elementBytes),
        memory(mgpuMemAlloc(bytes, nullptr, false)) {
    auto address = reinterpret_cast<intptr_t>(memory);
    memref = {address, address, 0};
    memref.append(array.sizes.begin(), array.sizes.end());
    int64_t stride = array.values.size();
    for (int64_t size : array.sizes)
      memref.push_back(stride /= size);
  }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { mgpuMemFree(memory, nullptr); }

  size_t bytes;
  void *memory;
  /// Two addresses, an offset, sizes and strides.
  llvm::SmallVector<int64_t> memref;
};
} // namespace

llvm::Error Program::run(llvm::ArrayRef<Array> inputs, Array &result) {
  std::vector<std::unique_ptr<DeviceArray>> arrays;
  for (const Array &input : inputs) {
    arrays.push_back(std::make_unique<DeviceArray>(input, sizeof(uint16_t)));
    std::vector<uint16_t> elements;
    for (float value : input.values)
      elements.push_back(toBF16(value));
    mgpuMemcpy(arrays.back()->memory, elements.data(), arrays.back()->bytes,
               nullptr);
  }
  arrays.push_back(std::make_unique<DeviceArray>(result, sizeof(float)));
  std::vector<void *> memrefs, arguments;
  for (auto &array : arrays)
    memrefs.push_back(array->memref.data());
  for (void *&memref : memrefs)
    arguments.push_back(&memref);
  if (llvm::Error error = engine->invokePacked(entry, arguments))
    return error;
  mgpuMemcpy(result.values.data(), arrays.back()->memory, arrays.back()->bytes,
             nullptr);
  if (auto text = tcgemm::gpu_runtime::takeError())
    return llvm::createStringError(*text);
  return llvm::Error::success();
}

llvm::Expected<bool> hasSums(llvm::StringRef source) {
  MLIRContext context(getDialects());
  auto module = parseSourceString<ModuleOp>(source, &context);
  PassManager passes(&context);
  passes.addPass(tcgemm::createRaise());
  if (!module || failed(passes.run(*module)))
    return llvm::createStringError("the variant does not compile");
  bool found = false;
  module->walk([&](Operation *op) {
    auto generic = dyn_cast<linalg::LinalgOp>(op);
    found |= isa<tcgemm::LaunchOp>(op) ||
             (generic && generic.getNumReductionLoops() > 0);
  });
  return found;
}
