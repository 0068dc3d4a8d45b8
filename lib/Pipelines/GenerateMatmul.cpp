//===- GenerateMatmul.cpp - MLIR for a described product ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text is put together from the function's operands, the product, and one
// linalg.generic for everything elementwise.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Pipelines/GenerateMatmul.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

#include <vector>

using namespace tcgemm;
using llvm::StringRef;

namespace {

/// Collects the generic's inputs and body.
struct Epilogue {
  std::vector<std::string> maps, values, types, blockArguments;
  std::string body;
  std::string current = "%x";
  unsigned next = 0;

  std::string addInput(const std::string &name, const std::string &map,
                       const std::string &tensorType, const std::string &type) {
    maps.push_back(map);
    values.push_back("%" + name);
    types.push_back(tensorType);
    blockArguments.push_back("%" + name + "_e: " + type);
    return "%" + name + "_e";
  }
  std::string emit(const std::string &text) {
    std::string name = "%v" + std::to_string(next++);
    body += "    " + name + " = " + text + "\n";
    return name;
  }
  std::string constant(const char *value) {
    return emit("arith.constant " + std::string(value) + " : f32");
  }
  std::string binary(const char *op, const std::string &a,
                     const std::string &b) {
    return emit(std::string(op) + " " + a + ", " + b + " : f32");
  }
  std::string unary(const char *op, const std::string &a) {
    return emit(std::string(op) + " " + a + " : f32");
  }
  /// `value` of `type` as f32.
  std::string widen(const std::string &value, const std::string &type) {
    if (type == "f32")
      return value;
    return emit("arith.extf " + value + " : " + type + " to f32");
  }
};

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

class Generator {
public:
  explicit Generator(const GenerateOptions &options)
      : options(options),
        out(options.outType.empty() ? options.type : options.outType) {}

  llvm::Expected<std::string> run();

private:
  std::string tensor(std::vector<long long> sizes, const std::string &type,
                     bool batched = true) const;
  std::string map(const std::string &results, bool reduction = false) const;
  llvm::Error addPart(StringRef part);
  void addActivation(StringRef part);
  std::pair<std::string, std::string> getInputTypes() const;
  llvm::Error checkOptions() const;
  llvm::Error addEpilogue(const std::string &identity,
                          const std::string &outType);
  std::string writeEpilogue(const std::string &identity,
                            const std::string &outType);
  std::string writeProduct(bool needsEmpty) const;

  const GenerateOptions &options;
  std::string out;
  Epilogue epilogue;
  std::vector<std::string> parameters;
};

} // namespace

std::string Generator::tensor(std::vector<long long> sizes,
                              const std::string &type, bool batched) const {
  if (batched && options.isBatched)
    sizes.insert(sizes.begin(), options.batch);
  std::string text = "tensor<";
  for (long long size : sizes)
    text += (options.isStatic ? std::to_string(size) : "?") + "x";
  return text + type + ">";
}

/// The types of A and B.
std::pair<std::string, std::string> Generator::getInputTypes() const {
  bool aIsT = options.layout[0] == 't', bIsN = options.layout[1] == 'n';
  return {aIsT ? tensor({options.m, options.k}, options.type)
               : tensor({options.k, options.m}, options.type),
          bIsN ? tensor({options.n, options.k}, options.type)
               : tensor({options.k, options.n}, options.type)};
}

std::string Generator::map(const std::string &results, bool reduction) const {
  std::string batch = options.isBatched ? "b, " : "";
  return "affine_map<(" + batch + (reduction ? "m, n, k" : "m, n") + ") -> (" +
         results + ")>";
}

void Generator::addActivation(StringRef part) {
  Epilogue &e = epilogue;
  std::string x = e.current;
  if (part == "relu") {
    e.current = e.binary("arith.maximumf", x, e.constant("0.0"));
  } else if (part == "gelu") {
    std::string scaled =
        e.binary("arith.mulf", x, e.constant("0.70710678118654752"));
    std::string sum =
        e.binary("arith.addf", e.unary("math.erf", scaled), e.constant("1.0"));
    std::string half = e.binary("arith.mulf", x, e.constant("0.5"));
    e.current = e.binary("arith.mulf", half, sum);
  } else if (part == "gelutanh") {
    std::string square = e.binary("arith.mulf", x, x);
    std::string cube = e.binary("arith.mulf", square, x);
    std::string inner = e.binary(
        "arith.addf", x, e.binary("arith.mulf", cube, e.constant("0.044715")));
    std::string scaled =
        e.binary("arith.mulf", inner, e.constant("0.79788456080286536"));
    std::string sum =
        e.binary("arith.addf", e.unary("math.tanh", scaled), e.constant("1.0"));
    std::string half = e.binary("arith.mulf", x, e.constant("0.5"));
    e.current = e.binary("arith.mulf", half, sum);
  } else { // silu
    std::string exponential = e.unary("math.exp", e.unary("arith.negf", x));
    std::string sum = e.binary("arith.addf", exponential, e.constant("1.0"));
    e.current = e.binary("arith.divf", x, sum);
  }
}

llvm::Error Generator::addPart(StringRef part) {
  std::string batch = options.isBatched ? "b, " : "";
  if (part == "bias" || part == "rowbias") {
    long long size = part == "bias" ? options.n : options.m;
    std::string type = tensor({size}, "f32", /*batched=*/false);
    parameters.push_back("%" + part.str() + ": " + type);
    std::string element = epilogue.addInput(
        part.str(), map(part == "bias" ? "n" : "m"), type, "f32");
    epilogue.current = epilogue.binary("arith.addf", epilogue.current, element);
  } else if (part == "residual" || part == "gate") {
    std::string type = tensor({options.m, options.n}, out);
    parameters.push_back("%" + part.str() + ": " + type);
    std::string element =
        epilogue.addInput(part.str(), map(batch + "m, n"), type, out);
    epilogue.current =
        epilogue.binary(part == "gate" ? "arith.mulf" : "arith.addf",
                        epilogue.current, epilogue.widen(element, out));
  } else if (part == "relu" || part == "gelu" || part == "gelutanh" ||
             part == "silu") {
    addActivation(part);
  } else {
    return llvm::createStringError(
        "epilogue: '" + part +
        "' is none of bias, rowbias, relu, gelu, gelutanh, silu, residual, "
        "gate");
  }
  return llvm::Error::success();
}

/// The dimensions' values, the initial zeros and the product `%acc`.
std::string Generator::writeProduct(bool needsEmpty) const {
  bool aIsT = options.layout[0] == 't', bIsN = options.layout[1] == 'n';
  std::string batch = options.isBatched ? "b, " : "";
  unsigned first = options.isBatched ? 1 : 0;
  std::string accType = tensor({options.m, options.n}, "f32");
  std::string text, sizes;
  if (!options.isStatic) {
    auto dim = [&](const char *name, const char *value, unsigned index,
                   const std::string &type) {
      text += "  %c" + std::string(name) + " = arith.constant " +
              std::to_string(index) + " : index\n  %" + name +
              " = tensor.dim " + value + ", %c" + name + " : " + type + "\n";
    };
    std::string type = tensor({0, 0}, options.type);
    if (options.isBatched)
      dim("b", "%A", 0, type);
    dim("m", "%A", first + (aIsT ? 0 : 1), type);
    dim("n", "%B", first + (bIsN ? 0 : 1), type);
    sizes = options.isBatched ? "%b, %m, %n" : "%m, %n";
  }
  auto [aType, bType] = getInputTypes();
  text +=
      "  %zero = arith.constant 0.0 : f32\n  %init = tensor.empty(" + sizes +
      ") : " + accType +
      "\n  %zeros = linalg.fill ins(%zero : f32) outs(%init : " + accType +
      ") -> " + accType + "\n  %acc = linalg." +
      (options.isBatched ? "batch_matmul" : "matmul") +
      "\n    indexing_maps = [" + map(batch + (aIsT ? "m, k" : "k, m"), true) +
      ",\n                     " + map(batch + (bIsN ? "n, k" : "k, n"), true) +
      ",\n                     " + map(batch + "m, n", true) +
      "]\n    ins(%A, %B : " + aType + ", " + bType +
      ") outs(%zeros : " + accType + ") -> " + accType + "\n";
  std::string outType = tensor({options.m, options.n}, out);
  if (needsEmpty)
    text += "  %empty = tensor.empty(" + sizes + ") : " + outType + "\n";
  return text;
}

llvm::Error Generator::checkOptions() const {
  const std::string &layout = options.layout;
  if (layout != "tn" && layout != "nn" && layout != "nt" && layout != "tt")
    return llvm::createStringError("layout: '" + layout +
                                   "' is none of tn, nn, nt, tt");
  if (options.type != "bf16" && options.type != "f16" && options.type != "f32")
    return llvm::createStringError("type of A and B: '" + options.type +
                                   "' is none of bf16, f16, f32");
  if (out != "bf16" && out != "f16" && out != "f32")
    return llvm::createStringError("type of D: '" + out +
                                   "' is none of bf16, f16, f32");
  return llvm::Error::success();
}

/// Adds the parameters and writes the body of the epilogue.
llvm::Error Generator::addEpilogue(const std::string &identity,
                                   const std::string &outType) {
  epilogue.maps.push_back(identity);
  epilogue.values.push_back("%acc");
  epilogue.types.push_back(tensor({options.m, options.n}, "f32"));
  epilogue.blockArguments.push_back("%x: f32");
  if (options.hasAlpha)
    epilogue.current =
        epilogue.binary("arith.mulf", epilogue.current, "%alpha");
  if (options.hasBeta) {
    parameters.push_back("%C: " + outType);
    std::string element = epilogue.addInput("C", identity, outType, out);
    std::string scaled =
        epilogue.binary("arith.mulf", epilogue.widen(element, out), "%beta");
    epilogue.current = epilogue.binary("arith.addf", epilogue.current, scaled);
  }
  if (options.epilogue != "none") {
    llvm::SmallVector<StringRef> parts;
    StringRef(options.epilogue).split(parts, '_');
    for (StringRef part : parts)
      if (llvm::Error error = addPart(part))
        return error;
  }
  if (options.hasAlpha)
    parameters.push_back("%alpha: f32");
  if (options.hasBeta)
    parameters.push_back("%beta: f32");
  return llvm::Error::success();
}

/// The operation that computes the epilogue of `%acc`.
std::string Generator::writeEpilogue(const std::string &identity,
                                     const std::string &outType) {
  if (out != "f32")
    epilogue.current =
        epilogue.emit("arith.truncf " + epilogue.current + " : f32 to " + out);
  epilogue.maps.push_back(identity);
  epilogue.blockArguments.push_back("%o: " + out);
  return "  %D = linalg.generic {\n    indexing_maps = [" +
         join(epilogue.maps) + "],\n    iterator_types = [" +
         (options.isBatched ? "\"parallel\", " : "") +
         "\"parallel\", \"parallel\"]}\n    ins(" + join(epilogue.values) +
         " : " + join(epilogue.types) + ") outs(%empty : " + outType +
         ") {\n  ^bb0(" + join(epilogue.blockArguments) + "):\n" +
         epilogue.body + "    linalg.yield " + epilogue.current + " : " + out +
         "\n  } -> " + outType + "\n";
}

llvm::Expected<std::string> Generator::run() {
  if (llvm::Error error = checkOptions())
    return std::move(error);
  auto [aType, bType] = getInputTypes();
  parameters.push_back("%A: " + aType);
  parameters.push_back("%B: " + bType);
  std::string outType = tensor({options.m, options.n}, out);
  std::string identity = map(options.isBatched ? "b, m, n" : "m, n");
  if (llvm::Error error = addEpilogue(identity, outType))
    return std::move(error);
  std::string head =
      "func.func @main(" + join(parameters) + ") -> " + outType + " {\n";
  if (out == "f32" && epilogue.current == "%x")
    return head + writeProduct(/*needsEmpty=*/false) +
           "  return %acc : " + tensor({options.m, options.n}, "f32") + "\n}\n";
  return head + writeProduct(/*needsEmpty=*/true) +
         writeEpilogue(identity, outType) + "  return %D : " + outType +
         "\n}\n";
}

llvm::Expected<std::string>
tcgemm::generateMLIR(const GenerateOptions &options) {
  return Generator(options).run();
}
