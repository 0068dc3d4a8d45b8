//===- ConvolutionFlags.cpp - Flags of generated convolutions -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvolutionFlags.h"

#include "llvm/ADT/SmallVector.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;

/// Reads numbers with `separator` between them; their number must be one of
/// `counts`.
static Error readNumbers(const cl::Option &flag, StringRef text, char separator,
                         llvm::ArrayRef<size_t> counts,
                         llvm::SmallVectorImpl<int64_t> &numbers) {
  llvm::SmallVector<StringRef> words;
  text.split(words, separator);
  for (StringRef word : words) {
    int64_t number = 0;
    if (word.getAsInteger(10, number) || number < 0 ||
        number > kMaxConvolutionNumber)
      return llvm::createStringError("--" + flag.ArgStr + ": '" + word +
                                     "' is not a number from 0 to " +
                                     llvm::Twine(kMaxConvolutionNumber));
    numbers.push_back(number);
  }
  if (llvm::is_contained(counts, numbers.size()))
    return Error::success();
  return llvm::createStringError("--" + flag.ArgStr + ": '" + text + "' has " +
                                 llvm::Twine(numbers.size()) +
                                 " numbers, but must have " +
                                 llvm::Twine(counts.back()));
}

/// Reads the numbers of H and W, or one for both; an empty text changes
/// nothing.
static Error readPair(const cl::opt<std::string> &flag,
                      std::array<int64_t, 2> &pair) {
  if (flag.empty())
    return Error::success();
  llvm::SmallVector<int64_t> numbers;
  if (Error error = readNumbers(flag, flag, ',', {1, 2}, numbers))
    return error;
  pair = {numbers.front(), numbers.back()};
  return Error::success();
}

static Error readPadding(const cl::opt<std::string> &flag,
                         Convolution &convolution) {
  if (flag.empty())
    return Error::success();
  llvm::SmallVector<int64_t> numbers;
  if (Error error = readNumbers(flag, flag, ',', {1, 2, 4}, numbers))
    return error;
  size_t last = numbers.size() - 1;
  convolution.before = {numbers[0], numbers[last ? 1 : 0]};
  convolution.after = {numbers[last == 3 ? 2 : 0], numbers[last]};
  return Error::success();
}

Error ConvolutionFlags::read(SessionOptions &options) const {
  auto [images, filters] = StringRef(conv).split(',');
  llvm::SmallVector<int64_t> image, filter;
  if (Error error = readNumbers(conv, images, 'x', {4}, image))
    return error;
  if (Error error = readNumbers(conv, filters, 'x', {3}, filter))
    return error;
  GeneratedConvolution generated;
  Convolution &c = generated.convolution;
  generated.images = image[0];
  generated.filters = filter[0];
  generated.layout = layout;
  c.image = {image[1], image[2]};
  c.channels = image[3];
  c.filter = {filter[1], filter[2]};
  if (Error error = readPair(strides, c.strides))
    return error;
  if (Error error = readPair(dilations, c.dilations))
    return error;
  if (Error error = readPadding(padding, c))
    return error;
  if (std::optional<std::string> found = findViolation(c))
    return llvm::createStringError("--conv: " + *found);
  int64_t m = generated.images * c.getOutputPixels();
  if (!generated.images || !generated.filters || m > kMaxProblemSize)
    return llvm::createStringError(
        "--conv: there must be images and filters, and at most " +
        llvm::Twine(kMaxProblemSize) + " pixels of results; there are " +
        llvm::Twine(m));
  NamedProblem &problem = options.problems.emplace_back();
  problem.tag = conv;
  problem.sizes[unsigned(Dim::M)] = m;
  problem.sizes[unsigned(Dim::N)] = generated.filters;
  problem.sizes[unsigned(Dim::K)] = c.getDepth();
  options.problem.shapes["arg0"] = generated.getShape(0);
  options.problem.shapes["arg1"] = generated.getShape(1);
  options.generate.convolution = generated;
  return Error::success();
}

std::string ConvolutionFlags::findGiven() const {
  return isUsed() ? std::string()
                  : findGivenFlag({&layout, &strides, &dilations, &padding});
}

Error ConvolutionFlags::readEpilogue(SessionOptions &options) {
  const GenerateOptions &generate = options.generate;
  if (!generate.convolution)
    return Error::success();
  const MatmulProblem &problem = generate.problem;
  if (problem.typeA != problem.typeB ||
      !(problem.typeA == ScalarType::F16 || problem.typeA == ScalarType::BF16 ||
        problem.typeA == ScalarType::F32))
    return llvm::createStringError("--conv is for images and filters of f16, "
                                   "bf16 or f32, not of " +
                                   problem.getOperandTypeText());
  const std::string &precision = options.compile.precision;
  if (precision != "ieee" && precision != "tf32")
    return llvm::createStringError("--conv does not go with --precision=" +
                                   precision + ", only with ieee and tf32");
  unsigned next = 2; // Behind images and filters.
  auto add = [&] {
    options.problem.shapes["arg" + std::to_string(next++)] =
        generate.convolution->getShape(2);
  };
  for (EpiloguePart part : problem.epilogue.parts) {
    EpilogueOperand operand = getPartOperand(part);
    if (operand == EpilogueOperand::AlongM ||
        operand == EpilogueOperand::Number)
      return llvm::createStringError("--epilogue: '" + getPartName(part) +
                                     "' does not go with --conv: there are "
                                     "vectors along the filters and tensors of "
                                     "the result's shape only");
    if (operand == EpilogueOperand::Matrix)
      add();
    else if (operand == EpilogueOperand::AlongN)
      ++next;
  }
  add(); // The result, which follows the inputs.
  return Error::success();
}
