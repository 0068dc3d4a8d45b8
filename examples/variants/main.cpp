//===- main.cpp - Variants of products, outside of tcgemm -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles each variant of the folder `variants` with an installed tcgemm, runs
// it and compares the result with loops of its own. A product that is not in
// the table below is one more file and one more row.
//
// Without a GPU, TCGEMM_CUDA_DRIVER names tcgemm's emulated driver, and
// TCGEMM_PTX is set.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "tcgemm/Config/ManifestConfig.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Target/Ptxas.h"
#include "variants/numbers.h"
#include "variants/own_numbers.h"
#include "variants/padding.h"
#include "variants/padding_rule.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

namespace {
/// Computes the result of a variant from its inputs.
using Reference = std::function<void(llvm::MutableArrayRef<Array>, Array &)>;

struct Variant {
  llvm::StringRef name;
  llvm::Expected<std::string> source;
  std::vector<std::vector<int64_t>> inputs;
  std::vector<int64_t> result;
  Reference reference;
  /// Sets options of the compiler.
  std::function<void(tcgemm::CompileOptions &)> setOptions{};
  /// The parameter `shared` of each kernel's configuration; empty if any will
  /// do.
  llvm::StringRef shared{};
  /// True if elements of the result are sums, and not elementwise.
  bool hasSums = true;
};
} // namespace

static llvm::Expected<std::string> readVariant(const llvm::Twine &name) {
  auto buffer = llvm::MemoryBuffer::getFile(VARIANTS_FOLDER "/" + name);
  if (!buffer)
    return llvm::createStringError(buffer.getError(), "cannot read " + name);
  return (*buffer)->getBuffer().str();
}

/// A matrix product in bf16 with results in f32.
static llvm::Expected<std::string> writeMatmul(llvm::StringRef sizes) {
  tcgemm::GenerateOptions options;
  options.problem.output = tcgemm::ScalarType::F32;
  auto contraction = tcgemm::Contraction::parse("mk,kn->mn", sizes);
  if (!contraction)
    return contraction.takeError();
  options.contraction = *contraction;
  return tcgemm::generateMLIR(options);
}

static void multiply(llvm::MutableArrayRef<Array> in, Array &d) {
  for (int64_t m = 0; m < d.sizes[0]; ++m)
    for (int64_t n = 0; n < d.sizes[1]; ++n) {
      d.at({m, n}) = 0;
      for (int64_t k = 0; k < in[1].sizes[0]; ++k)
        d.at({m, n}) += in[0].at({m, k}) * in[1].at({k, n});
    }
}

static void scaleRows(llvm::MutableArrayRef<Array> in, Array &d) {
  for (int64_t m = 0; m < d.sizes[0]; ++m)
    for (int64_t n = 0; n < d.sizes[1]; ++n)
      d.at({m, n}) = in[0].at({m}) * in[1].at({m, n});
}

static void reverseRows(llvm::MutableArrayRef<Array> in, Array &d) {
  for (int64_t m = 0; m < d.sizes[0]; ++m)
    for (int64_t n = 0; n < d.sizes[1]; ++n) {
      int64_t k = d.sizes[0] - 1 - m;
      d.at({m, n}) = in[0].at({k}) * in[1].at({k, n});
    }
}

static void contract(llvm::MutableArrayRef<Array> in, Array &d) {
  for (int64_t c = 0; c < d.sizes[0]; ++c)
    for (int64_t b = 0; b < d.sizes[1]; ++b)
      for (int64_t a = 0; a < d.sizes[2]; ++a) {
        d.at({c, b, a}) = 0;
        for (int64_t k = 0; k < in[1].sizes[1]; ++k)
          d.at({c, b, a}) += in[0].at({a, k, b}) * in[1].at({c, k});
      }
}

/// Numbers x + y·u of two components, with u² = `real` + `unit`·u.
static Reference multiplyNumbers(float real, float unit) {
  return [=](llvm::MutableArrayRef<Array> in, Array &d) {
    for (int64_t m = 0; m < d.sizes[0]; ++m)
      for (int64_t n = 0; n < d.sizes[1]; ++n) {
        float x = 0, y = 0;
        for (int64_t k = 0; k < in[1].sizes[0]; ++k) {
          float a = in[0].at({m, k, 0}), b = in[0].at({m, k, 1});
          float c = in[1].at({k, n, 0}), e = in[1].at({k, n, 1});
          x += a * c + real * b * e;
          y += a * e + b * c + unit * b * e;
        }
        d.at({m, n, 0}) = x;
        d.at({m, n, 1}) = y;
      }
  };
}

static std::vector<Variant> listVariants() {
  std::vector<Variant> variants;
  auto addMatmul = [&](llvm::StringRef name, int64_t k, auto setOptions,
                       llvm::StringRef shared) {
    std::string sizes = llvm::formatv("m=70,n=90,k={0}", k);
    variants.push_back({name,
                        writeMatmul(sizes),
                        {{70, k}, {k, 90}},
                        {70, 90},
                        multiply,
                        setOptions,
                        shared});
  };
  addMatmul("padding", 96, padTiles, "pad");
  addMatmul("padding rule, K = 128", 128, addPaddingRule, "pad");
  addMatmul("padding rule, K = 96", 96, addPaddingRule, "xor");
  auto addDiagonal = [&](llvm::StringRef name, llvm::StringRef file,
                         Reference reference) {
    variants.push_back({name,
                        readVariant(file),
                        {{70}, {70, 33}},
                        {70, 33},
                        std::move(reference)});
    variants.back().hasSums = false;
  };
  addDiagonal("diagonal", "diagonal.mlir", scaleRows);
  addDiagonal("anti-diagonal", "anti_diagonal.mlir", reverseRows);
  variants.push_back({"contraction",
                      readVariant("contraction.mlir"),
                      {{6, 24, 8}, {40, 24}},
                      {40, 8, 6},
                      contract});
  auto addNumbers = [&](llvm::StringRef name,
                        const tcgemm::BilinearInfo &numbers, float real,
                        float unit) {
    variants.push_back({name,
                        writeProduct(numbers, "m=70,n=33,k=45"),
                        {{70, 45, 2}, {45, 33, 2}},
                        {70, 33, 2},
                        multiplyNumbers(real, unit)});
  };
  addNumbers("complex numbers", complexNumbers, -1, 0);
  addNumbers("dual numbers", dualNumbers, 0, 0);
  addNumbers("split-complex numbers", splitNumbers, 1, 0);
  addNumbers("Eisenstein's numbers", eisensteinNumbers, -1, -1);
  return variants;
}

/// Checks the tiles in shared memory of all kernels.
static llvm::Error checkTiles(const Variant &variant,
                              const tcgemm::CompileOptions &options) {
  auto pack = tcgemm::compileToPack(*variant.source, options);
  if (!pack)
    return pack.takeError();
  for (const tcgemm::KernelInfo &kernel : pack->manifest.kernels) {
    llvm::StringRef text = kernel.variants.back().config;
    tcgemm::KernelConfig config;
    if (llvm::Error error =
            config.apply(tcgemm::getManifestParameters(text).value_or(text)))
      return error;
    if (config.get("shared") != variant.shared)
      return llvm::createStringError("the kernel has " + text);
  }
  return llvm::Error::success();
}

static llvm::Error run(Variant &variant, tcgemm::CompileOptions options,
                       const tcgemm::gpu_runtime::Device &device) {
  if (!variant.source)
    return variant.source.takeError();
  if (variant.setOptions)
    variant.setOptions(options);
  if (!variant.shared.empty())
    if (llvm::Error error = checkTiles(variant, options))
      return error;
  auto sums = hasSums(*variant.source);
  if (!sums)
    return sums.takeError();
  if (*sums != variant.hasSums)
    return llvm::createStringError(*sums ? "not elementwise" : "elementwise");
  auto program = Program::compile(*variant.source, options, device);
  if (!program)
    return program.takeError();
  std::vector<Array> inputs;
  for (const std::vector<int64_t> &sizes : variant.inputs)
    inputs.emplace_back(sizes, inputs.size() + 1);
  Array actual(variant.result), expected(variant.result);
  std::fill(actual.values.begin(), actual.values.end(), NAN);
  if (llvm::Error error = (*program)->run(inputs, actual))
    return error;
  variant.reference(inputs, expected);
  size_t wrong = 0;
  for (auto [x, y] : llvm::zip(actual.values, expected.values))
    wrong += !(x == y);
  llvm::outs() << variant.name << ": " << wrong << " of "
               << expected.values.size() << " elements are wrong\n";
  return wrong ? llvm::createStringError("wrong results")
               : llvm::Error::success();
}

int main() {
  auto device = tcgemm::gpu_runtime::openDevice();
  if (!device) {
    llvm::errs() << "variants: error: "
                 << tcgemm::gpu_runtime::takeError().value_or("no device")
                 << "\n";
    return 1;
  }
  tcgemm::CompileOptions options;
  options.chip = device->chip;
  options.remarks = false;
  auto ptxas = tcgemm::Ptxas::find();
  if (ptxas && !std::getenv("TCGEMM_PTX")) {
    options.ptxasPath = ptxas->getPath().str();
  } else {
    consumeError(ptxas.takeError());
    options.format = tcgemm::OutputFormat::PTX;
  }
  bool isRight = true;
  for (Variant &variant : listVariants())
    if (llvm::Error error = run(variant, options, *device)) {
      llvm::errs() << "variants: error: " << variant.name << ": "
                   << toString(std::move(error)) << "\n";
      isRight = false;
    }
  if (isRight)
    llvm::outs() << "all variants are right\n";
  return isRight ? 0 : 1;
}
