//===- GenerateConvolution.cpp - The MLIR of convolutions -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateConvolution.h"
#include "GeneratedEpilogue.h"
#include "ProductIndices.h"

#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using llvm::StringRef;

ConvolutionLayout tcgemm::getConvolutionLayout(ConvolutionLayoutKind kind) {
  switch (kind) {
  case ConvolutionLayoutKind::NhwcHwcf:
    return {"nhwc_hwcf", "nhwc", "hwcf", "nhwf"};
  case ConvolutionLayoutKind::NhwcFhwc:
    return {"nhwc_fhwc", "nhwc", "fhwc", "nhwf"};
  case ConvolutionLayoutKind::NchwFchw:
    return {"nchw_fchw", "nchw", "fchw", "nfhw"};
  }
  llvm_unreachable("covered switch");
}

std::vector<int64_t> GeneratedConvolution::getShape(unsigned operand) const {
  ConvolutionLayout names = getConvolutionLayout(layout);
  StringRef dims = operand == 0   ? names.images
                   : operand == 1 ? names.filter
                                  : names.result;
  std::vector<int64_t> shape;
  for (char dim : dims) {
    unsigned side = dim == 'w';
    bool isSide = side || dim == 'h';
    shape.push_back(dim == 'n'     ? images
                    : dim == 'c'   ? convolution.channels
                    : dim == 'f'   ? filters
                    : !isSide      ? 0
                    : operand == 0 ? convolution.image[side]
                    : operand == 1 ? convolution.filter[side]
                                   : convolution.getOutput(side));
  }
  return shape;
}

namespace {
class Generator {
public:
  explicit Generator(const GenerateOptions &options)
      : options(options), problem(options.problem), c(*options.convolution),
        layout(getConvolutionLayout(c.layout)),
        in(getTypeName(getBufferType(problem.typeA))),
        sum(getTypeName(problem.accumulator)),
        out(getTypeName(problem.output)) {
    epilogue.type = sum;
  }

  std::string run();

private:
  /// With `hasImages`, the first dimension is that of the images.
  std::string getTensor(std::vector<int64_t> shape, StringRef element,
                        bool hasImages) const;
  std::string getType(unsigned operand, StringRef element) const {
    return getTensor(c.getShape(operand), element, /*hasImages=*/operand != 1);
  }
  std::string getMap(const std::string &results) const {
    return "affine_map<(" + separate(layout.result) + ") -> (" + results + ")>";
  }
  std::string getIdentity() const { return getMap(separate(layout.result)); }
  std::string getPaddedType() const;
  void addPart(EpiloguePart part);
  std::string writeProduct() const;
  std::string writePadding() const;
  std::string writeEpilogue();

  const GenerateOptions &options;
  const MatmulProblem &problem;
  const GeneratedConvolution &c;
  ConvolutionLayout layout;
  std::string in, sum, out;
  GeneratedEpilogue epilogue;
  std::vector<std::string> parameters;
};
} // namespace

static std::string join(const std::vector<std::string> &parts) {
  return llvm::join(parts, ", ");
}

std::string Generator::getTensor(std::vector<int64_t> shape, StringRef element,
                                 bool hasImages) const {
  std::string text = "tensor<";
  for (size_t i = 0; i != shape.size(); ++i)
    text +=
        (i == 0 && hasImages && !options.isStatic ? "?"
                                                  : std::to_string(shape[i])) +
        "x";
  return text + element.str() + ">";
}

void Generator::addPart(EpiloguePart part) {
  if (!readsOperand(part))
    return epilogue.addActivation(part);
  std::string name =
      getPartName(part).str() + std::to_string(parameters.size());
  bool isMatrix = readsMatrix(part);
  std::string type =
      isMatrix ? getType(2, out)
               : getTensor({c.filters}, epilogue.type, /*hasImages=*/false);
  std::string element =
      epilogue.addInput(name, isMatrix ? getIdentity() : getMap("f"), type,
                        isMatrix ? out : epilogue.type);
  if (isMatrix)
    element = epilogue.widen(element, problem.output);
  parameters.push_back("%" + name + ": " + type);
  epilogue.current =
      epilogue.binary(multiplies(part) ? "arith.mulf" : "arith.addf",
                      epilogue.current, element);
}

/// The type of the images with their padding.
std::string Generator::getPaddedType() const {
  std::vector<int64_t> shape = c.getShape(0);
  for (unsigned side : {0, 1})
    shape[layout.images.find("hw"[side])] +=
        c.convolution.before[side] + c.convolution.after[side];
  return getTensor(std::move(shape), in, /*hasImages=*/true);
}

/// The tensor.pad before the convolution.
std::string Generator::writePadding() const {
  std::string low, high;
  for (char dim : layout.images) {
    unsigned side = dim == 'w';
    bool isSide = side || dim == 'h';
    low += (low.empty() ? "" : ", ") +
           std::to_string(isSide ? c.convolution.before[side] : 0);
    high += (high.empty() ? "" : ", ") +
            std::to_string(isSide ? c.convolution.after[side] : 0);
  }
  return "  %padding = arith.constant 0.0 : " + in +
         "\n  %padded = tensor.pad %A low[" + low + "] high[" + high +
         "] {\n  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):\n" +
         "    tensor.yield %padding : " + in + "\n  } : " + getType(0, in) +
         " to " + getPaddedType() + "\n";
}

std::string Generator::writeProduct() const {
  const Convolution &v = c.convolution;
  bool isPadded = getPaddedType() != getType(0, in);
  auto pair = [](const std::array<int64_t, 2> &numbers) {
    return " = dense<[" + std::to_string(numbers[0]) + ", " +
           std::to_string(numbers[1]) + "]> : tensor<2xi64>";
  };
  std::string precision;
  if (Precision own = getPrecision(problem.typeA); own != Precision::IEEE)
    precision = ", tcgemm.precision = \"" + getPrecisionName(own).str() + "\"";
  std::string type = getType(2, sum), sizes, text;
  if (!options.isStatic) {
    text = "  %c0 = arith.constant 0 : index\n  %images = tensor.dim %A, %c0 "
           ": " +
           getType(0, in) + "\n";
    sizes = "%images";
  }
  if (isPadded)
    text += writePadding();
  return text + "  %zero = arith.constant 0.0 : " + sum +
         "\n  %init = tensor.empty(" + sizes + ") : " + type +
         "\n  %zeros = linalg.fill ins(%zero : " + sum +
         ") outs(%init : " + type + ") -> " + type +
         "\n  %acc = linalg.conv_2d_" + layout.name.str() + " {strides" +
         pair(v.strides) + ", dilations" + pair(v.dilations) + precision +
         "}\n    ins(" + (isPadded ? "%padded" : "%A") +
         ", %B : " + getPaddedType() + ", " + getType(1, in) +
         ") outs(%zeros : " + type + ") -> " + type +
         "\n  %empty = tensor.empty(" + sizes + ") : " + getType(2, out) + "\n";
}

std::string Generator::writeEpilogue() {
  if (out != epilogue.type)
    epilogue.current = epilogue.emit("arith.truncf " + epilogue.current +
                                     " : " + epilogue.type + " to " + out);
  epilogue.maps.push_back(getIdentity());
  epilogue.blockArguments.push_back("%o: " + out);
  std::string type = getType(2, out);
  return "  %D = linalg.generic {\n    indexing_maps = [" +
         join(epilogue.maps) +
         "],\n    iterator_types = [\"parallel\", \"parallel\", \"parallel\", "
         "\"parallel\"]}\n    ins(" +
         join(epilogue.values) + " : " + join(epilogue.types) +
         ") outs(%empty : " + type + ") {\n  ^bb0(" +
         join(epilogue.blockArguments) + "):\n" + epilogue.body +
         "    linalg.yield " + epilogue.current + " : " + out + "\n  } -> " +
         type + "\n";
}

std::string Generator::run() {
  parameters = {"%A: " + getType(0, in), "%B: " + getType(1, in)};
  epilogue.maps.push_back(getIdentity());
  epilogue.values.push_back("%acc");
  epilogue.types.push_back(getType(2, sum));
  epilogue.blockArguments.push_back("%x: " + sum);
  for (EpiloguePart part : problem.epilogue.parts)
    addPart(part);
  bool needsEpilogue = out != sum || epilogue.current != "%x";
  std::string type = getType(2, out);
  std::string body = writeProduct();
  if (needsEpilogue)
    body += writeEpilogue();
  return "func.func @main(" + join(parameters) + ") -> " + type + " {\n" +
         body + "  return " + (needsEpilogue ? "%D" : "%acc") + " : " + type +
         "\n}\n";
}

std::string tcgemm::generateConvolution(const GenerateOptions &options) {
  return Generator(options).run();
}
