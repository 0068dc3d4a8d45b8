//===- Checker.cpp - A function on the CPU and on the device --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checker.h"

#include "DeviceTensor.h"
#include "Lowering.h"

#include "mlir/IR/Diagnostics.h"
#include "tcgemm/EmulatedDriver/EmulatedDriver.h"
#include "tcgemm/GpuRuntime/GpuRuntime.h"
#include "tcgemm/Runtime/ProblemCost.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace mlir;
using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {
/// Checks one function: creates its inputs and computes the CPU's results.
class Checker {
public:
  Checker(ModuleOp module, StringRef name, const CheckOptions &options)
      : module(module), name(name), options(options) {}
  CheckReport run();

private:
  CheckReport &fail(CheckStatus status, Error error);
  /// Errors: a name of `options` is that of no argument of its kind.
  Error checkNames() const;
  /// Errors: the tensors exceed the memory of the host.
  Error checkMemory() const;
  Error makeInputs();
  Expected<std::unique_ptr<JitFunction>>
  compile(llvm::function_ref<LogicalResult(ModuleOp)> lower);
  Error runOnCpu();
  /// Sets `status` to the meaning of an error.
  Error runOnDevice(CheckStatus &status);
  Error callOnDevice(JitFunction &function);
  Error checkInputs(ArrayRef<DeviceTensor> tensors) const;

  ModuleOp module;
  StringRef name;
  const CheckOptions &options;
  Signature signature;
  std::vector<HostTensor> inputs; ///< A scalar is one of rank 0.
  std::vector<HostTensor> expected, actual;
  CheckReport report;
};
} // namespace

CheckReport &Checker::fail(CheckStatus status, Error error) {
  report.status = status;
  report.text = llvm::toString(std::move(error));
  return report;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Small numbers, with which sums of integers are exact; an index may be a
/// size.
static double chooseScalar(ScalarType type, uint64_t seed, unsigned index) {
  constexpr double floats[] = {1, 2, -1, 0.5};
  uint64_t bits = mixSeed(seed, index);
  if (isFloatType(type))
    return floats[bits % 4];
  return type == ScalarType::I1 ? double(bits % 2) : double(bits % 3 + 1);
}

Error Checker::checkNames() const {
  auto check = [&](StringRef flag, const auto &values,
                   bool ofTensors) -> Error {
    for (const auto &[name, value] : values) {
      unsigned index = 0;
      StringRef number = name;
      if (!number.consume_front("arg") || number.getAsInteger(10, index) ||
          index >= signature.arguments.size() ||
          signature.arguments[index].isTensor != ofTensors)
        return llvm::createStringError(flag + ": there is no " +
                                       (ofTensors ? "tensor" : "scalar") +
                                       " '" + name + "'");
    }
    return Error::success();
  };
  if (Error error = check("--fill", options.fills, /*ofTensors=*/true))
    return error;
  if (Error error = check("--size", options.sizes.shapes, /*ofTensors=*/true))
    return error;
  return check("--scalar", options.scalars, /*ofTensors=*/false);
}

Error Checker::checkMemory() const {
  double bytes = 0;
  for (const ValueType &type : signature.arguments) {
    double elements = getByteSize(type.element);
    for (int64_t size : type.sizes)
      elements *= static_cast<double>(size);
    bytes += elements;
  }
  // The CPU and the device have copies.
  constexpr double copies = 3, gibibyte = 0x1p30;
  double available = getAvailableHostMemory();
  if (copies * bytes <= available)
    return Error::success();
  return llvm::createStringError(llvm::formatv(
      "the tensors take {0:f1} GiB of the host's memory with their copies; the "
      "limit is what is available: {1:f1} GiB",
      copies * bytes / gibibyte, available / gibibyte));
}

Error Checker::makeInputs() {
  if (Error error = checkNames())
    return error;
  if (Error error = checkMemory())
    return error;
  for (auto [i, type] : llvm::enumerate(signature.arguments)) {
    HostTensor &input =
        inputs.emplace_back(type.element, StridedShape::rowMajor(type.sizes));
    auto given = options.scalars.find("arg" + std::to_string(i));
    if (!type.isTensor) {
      input.set(0, given != options.scalars.end()
                       ? given->second
                       : chooseScalar(type.element, options.seed, i));
      continue;
    }
    auto named = options.fills.find("arg" + std::to_string(i));
    FillOptions fill =
        named != options.fills.end() ? named->second : options.fill;
    if (!isFloatType(type.element) && fill.kind != FillOptions::Constant &&
        fill.kind != FillOptions::File)
      fill.kind = FillOptions::Integers;
    if (Error error = fillTensor(input, fill, mixSeed(options.seed, 1000 + i)))
      return error;
  }
  return Error::success();
}

static CallValue makeScalar(const HostTensor &value) {
  CallValue result;
  std::memcpy(&result.scalar, value.bytes.data(), value.bytes.size());
  return result;
}

/// A value that a call has returned, with its elements.
static HostTensor readResult(const ValueType &type, const CallValue &value) {
  if (!type.isTensor) {
    HostTensor result(type.element, StridedShape::rowMajor({}));
    std::memcpy(result.bytes.data(), &value.scalar, result.bytes.size());
    return result;
  }
  const std::vector<int64_t> &words = value.memref.words;
  size_t rank = type.sizes.size();
  std::vector<int64_t> sizes(words.begin() + 3, words.begin() + 3 + rank);
  HostTensor result(type.element, StridedShape::rowMajor(sizes));
  StridedShape source = result.shape;
  source.strides.assign(words.begin() + 3 + rank, words.end());
  unsigned bytes = getByteSize(type.element);
  auto *data = reinterpret_cast<const uint8_t *>(words[1]) + words[2] * bytes;
  std::vector<int64_t> rows;
  source.forEachRow([&](int64_t row) { rows.push_back(row); });
  uint8_t *target = result.bytes.data();
  for (int64_t row : rows)
    for (int64_t i = 0; i != source.getRowSize(); ++i, target += bytes)
      std::memcpy(target, data + (row + i * source.getRowStride()) * bytes,
                  bytes);
  return result;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<JitFunction>>
Checker::compile(llvm::function_ref<LogicalResult(ModuleOp)> lower) {
  std::string errors;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            errors.empty())
          errors = diagnostic.str();
        return success();
      });
  auto diagnose = [&](Error error) -> Error {
    if (errors.empty())
      return error;
    llvm::consumeError(std::move(error));
    return llvm::createStringError(errors);
  };
  OwningOpRef<ModuleOp> copy = isolate(module, name);
  if (!copy || failed(lower(*copy)))
    return diagnose(llvm::createStringError("compilation failed"));
  auto function = JitFunction::create(*copy, name);
  if (!function)
    return diagnose(function.takeError());
  return function;
}

/// LLVM stores an element of 4 bits in a byte of its own, while kernels have
/// two in a byte.
static HostTensor unpackForCpu(const HostTensor &input) {
  if (getPackedElements(input.type) == 1)
    return input;
  HostTensor bytes(ScalarType::U8, StridedShape::rowMajor(input.shape.sizes));
  for (int64_t i = 0; i != input.shape.getNumElements(); ++i)
    bytes.set(i, static_cast<int64_t>(input.get(i)) & 15);
  return bytes;
}

Error Checker::runOnCpu() {
  auto function = compile(lowerForCpu);
  if (!function)
    return addContext("for the CPU", function.takeError());
  // The code may write to its arguments.
  std::vector<HostTensor> copies;
  llvm::append_range(copies, llvm::map_range(inputs, unpackForCpu));
  std::vector<CallValue> arguments, results(signature.results.size());
  for (auto [type, copy] : llvm::zip(signature.arguments, copies)) {
    if (type.isTensor)
      arguments.emplace_back().memref =
          MemRef(copy.bytes.data(), copy.shape.sizes);
    else
      arguments.push_back(makeScalar(copy));
  }
  (*function)->initialize();
  if (Error error = (*function)->call(arguments, signature.arguments, results,
                                      signature.results))
    return addContext("on the CPU", std::move(error));
  for (auto [type, result] : llvm::zip(signature.results, results))
    expected.push_back(readResult(type, result));
  return Error::success();
}

Error Checker::checkInputs(ArrayRef<DeviceTensor> tensors) const {
  size_t next = 0;
  for (auto [i, type] : llvm::enumerate(signature.arguments)) {
    if (!type.isTensor)
      continue;
    HostTensor now(type.element, inputs[i].shape);
    if (!tensors[next++].read(now))
      return llvm::createStringError("bytes beside argument " + Twine(i) +
                                     " were written");
    if (now.bytes != inputs[i].bytes)
      return llvm::createStringError("argument " + Twine(i) +
                                     " was written, but it is only read");
  }
  return Error::success();
}

static Error takeRuntimeError() {
  if (std::optional<std::string> text = gpu_runtime::takeError())
    return llvm::make_error<DeviceError>(*text);
  return Error::success();
}

Error Checker::callOnDevice(JitFunction &function) {
  std::vector<DeviceTensor> tensors;
  std::vector<CallValue> arguments;
  std::vector<ValueType> types = signature.arguments, scalars;
  bool hasGuards = !options.isEmulated;
  auto addTensor = [&](const HostTensor &contents) {
    tensors.emplace_back(contents, hasGuards);
    arguments.emplace_back().memref =
        MemRef(tensors.back().getData(), contents.shape.sizes);
  };
  for (auto [type, input] : llvm::zip(signature.arguments, inputs)) {
    if (type.isTensor)
      addTensor(input);
    else
      arguments.push_back(makeScalar(input));
  }
  size_t firstOutput = tensors.size();
  for (auto [type, result] : llvm::zip(signature.results, expected)) {
    // Ones are a NaN: an element that is not written, or is read, shows.
    actual.emplace_back(type.element, result.shape, 0xff);
    if (!type.isTensor) {
      scalars.push_back(type);
      continue;
    }
    addTensor(actual.back());
    types.push_back(type);
  }
  std::vector<CallValue> results(scalars.size());
  function.initialize();
  Error error = function.call(arguments, types, results, scalars);
  if (error.isA<CrashError>()) {
    std::string text = llvm::toString(std::move(error));
    options.crash(text);
    return llvm::createStringError(text);
  }
  if (Error device = takeRuntimeError()) {
    llvm::consumeError(std::move(error));
    return device;
  }
  if (error)
    return error;
  size_t nextTensor = firstOutput, nextScalar = 0;
  for (auto [i, type] : llvm::enumerate(signature.results)) {
    if (!type.isTensor)
      actual[i] = readResult(type, results[nextScalar++]);
    else if (!tensors[nextTensor++].read(actual[i]))
      return llvm::createStringError("bytes beside result " + Twine(i) +
                                     " were written");
  }
  if (Error error = checkInputs(tensors))
    return error;
  return takeRuntimeError();
}

Error Checker::runOnDevice(CheckStatus &status) {
  status = CheckStatus::BadInput;
  auto function = compile([&](ModuleOp copy) {
    return lowerForDevice(copy, options.compile, options.smCount);
  });
  if (!function)
    return addContext("for the device", function.takeError());
  Error error = callOnDevice(**function);
  status =
      error.isA<DeviceError>() ? CheckStatus::DeviceError : CheckStatus::Wrong;
  return error ? addContext("on the device", std::move(error))
               : Error::success();
}

/// A function without a body that this one uses; empty: there is none.
static std::string findMissingCallee(ModuleOp module, StringRef name) {
  OwningOpRef<ModuleOp> copy = isolate(module, name);
  for (auto function : copy->getOps<func::FuncOp>())
    if (function.isExternal())
      return function.getName().str();
  return "";
}

CheckReport Checker::run() {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  Expected<Signature> read = readSignature(function, options.sizes);
  if (!read)
    return fail(CheckStatus::Skipped, read.takeError());
  signature = std::move(*read);
  if (signature.results.empty())
    return fail(CheckStatus::Skipped,
                llvm::createStringError("it has no results"));
  if (std::string callee = findMissingCallee(module, name); !callee.empty())
    return fail(CheckStatus::Skipped,
                llvm::createStringError("it needs '" + callee +
                                        "', which has no body"));
  if (Error error = makeInputs())
    return fail(CheckStatus::BadInput, std::move(error));
  if (Error error = runOnCpu())
    return fail(CheckStatus::BadInput, std::move(error));
  CheckStatus status;
  Error error = runOnDevice(status);
  if (options.isEmulated && takeEmulatedDriverFindings() != 0)
    status = CheckStatus::Finding;
  if (error)
    return fail(status, std::move(error));
  report.types = signature.results;
  Operation *end = function.getBody().back().getTerminator();
  for (auto [want, got, value] :
       llvm::zip(expected, actual, end->getOperands())) {
    double tolerance = options.toleranceFactor *
                       getRelativeTolerance(value, options.sizes.defaultSize);
    report.results.push_back(compare(want, got, tolerance));
    if (!report.results.back().passed)
      report.status = CheckStatus::Wrong;
  }
  report.outputs = std::move(actual);
  return report;
}

CheckReport tcgemm::checkFunction(ModuleOp module, StringRef function,
                                  const CheckOptions &options) {
  return Checker(module, function, options).run();
}
