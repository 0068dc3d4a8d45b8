//===- LibraryTables.cpp - The tables of generated libraries --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/LibraryParts.h"
#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Target/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace tcgemm {

StringRef getEnumName(unsigned type) {
  static constexpr StringLiteral names[] = {"",
                                            "TCGEMM_F16",
                                            "TCGEMM_BF16",
                                            "TCGEMM_F32",
                                            "TCGEMM_F64",
                                            "TCGEMM_E4M3",
                                            "TCGEMM_E5M2",
                                            "TCGEMM_S8",
                                            "TCGEMM_U8",
                                            "TCGEMM_S32",
                                            "TCGEMM_S4",
                                            "TCGEMM_U4",
                                            "TCGEMM_S4_INTERLEAVED",
                                            "TCGEMM_U4_INTERLEAVED"};
  return names[type];
}

namespace {

StringRef getShapeName(tcgemmOperandShape shape) {
  static constexpr StringLiteral names[] = {
      "TCGEMM_OPERAND_NUMBER",        "TCGEMM_OPERAND_ALONG_N",
      "TCGEMM_OPERAND_ALONG_M",       "TCGEMM_OPERAND_OUT_ALONG_N",
      "TCGEMM_OPERAND_OUT_ALONG_M",   "TCGEMM_OPERAND_MATRIX",
      "TCGEMM_OPERAND_GROUPS_NUMBER", "TCGEMM_OPERAND_GROUPS_ALONG_N"};
  return names[shape];
}

StringRef getScalingName(tcgemmScaling scaling) {
  static constexpr StringLiteral names[] = {"TCGEMM_UNSCALED", "TCGEMM_ALPHA",
                                            "TCGEMM_ALPHA_BETA"};
  return names[scaling];
}

std::string printKernelNumber(unsigned number) {
  if (number == SizeRule::kNoChoice)
    return "TCGEMM_NO_KERNEL";
  return number == SizeRule::kFastest ? "TCGEMM_FASTEST_KERNEL"
                                      : std::to_string(number);
}

std::array<int64_t, 4> toArray(const MatmulSizes &s) {
  return {s.m, s.n, s.k, s.batch};
}

/// The sizes in ascending order, as a binary search needs them.
void printExact(unsigned number, const LibraryProduct &product,
                raw_ostream &os) {
  std::vector<std::pair<std::array<int64_t, 4>, unsigned>> sorted;
  sorted.reserve(product.exact.size());
  for (const auto &[sizes, kernel] : product.exact)
    sorted.emplace_back(toArray(sizes), kernel);
  std::sort(sorted.begin(), sorted.end());
  os << "static const struct tcgemmExact exact" << number << "[] = {\n";
  for (const auto &[sizes, kernel] : sorted) {
    os << "    {{";
    interleaveComma(sizes, os);
    os << "}, " << kernel << "},\n";
  }
  os << "};\n";
}

void printRule(unsigned number, const SizeRule &rule, raw_ostream &os) {
  if (rule.nodes.empty())
    return;
  os << "static const struct tcgemmNode rule" << number << "[] = {\n";
  for (auto [i, node] : enumerate(rule.nodes)) {
    os << "    {TCGEMM_FEATURE_" << getSizeFeatureName(node.feature).upper()
       << ", " << node.threshold << ", ";
    if (node.config)
      os << i << ", " << i << ", " << printKernelNumber(*node.config);
    else
      os << node.below << ", " << node.other << ", TCGEMM_NO_KERNEL";
    os << "},\n";
  }
  os << "};\n";
}

void printFormulas(unsigned number, const SizeRule &rule, raw_ostream &os) {
  if (rule.formulas.empty())
    return;
  os << "static const struct tcgemmFormula formulas" << number << "[] = {\n";
  for (const TimeFormula &formula : rule.formulas) {
    const FormulaShape &shape = formula.getShape();
    os << "    {" << shape.rows << ", " << shape.columns << ", " << shape.depth
       << ", " << shape.slices << ", " << shape.places << ", {";
    ListSeparator comma;
    for (double weight : formula.getWeights())
      os << comma << format("%.9g", weight);
    os << "}, " << formula.config << "},\n";
  }
  os << "};\n";
}

void printProduct(unsigned number, const LibraryTables::Product &product,
                  raw_ostream &os) {
  const LibraryProduct &source = *product.source;
  const library::ProductTerms &terms = product.terms;
  auto getLetter = [](tcgemmTranspose transpose) {
    return transpose == TCGEMM_T ? "TCGEMM_T" : "TCGEMM_N";
  };
  SmallVector<StringRef> shapes;
  for (tcgemmOperandShape shape : terms.shapes)
    shapes.push_back(getShapeName(shape));
  if (shapes.empty())
    shapes.push_back(getShapeName(TCGEMM_OPERAND_NUMBER));
  bool isStatic = source.kernel.isStatic || source.exact.empty();
  unsigned any = isStatic ? SizeRule::kNoChoice : source.exact.front().second;
  os << "    {" << quote(source.kernel.str()) << ", " << product.chip << ",\n"
     << "     " << getEnumName(terms.typeA) << ", " << getEnumName(terms.typeB)
     << ", " << getEnumName(terms.typeD) << ", " << getEnumName(terms.sums)
     << ",\n     " << getLetter(terms.transA) << ", " << getLetter(terms.transB)
     << ", " << quote(terms.precision) << ", " << quote(terms.epilogue)
     << ",\n     " << getScalingName(terms.scaling) << ", "
     << (source.scalarsInMemory ? "TCGEMM_POINTER_DEVICE"
                                : "TCGEMM_POINTER_HOST")
     << ", " << source.kernel.isBatched << ",\n     {" << join(shapes, ", ")
     << "}, " << terms.shapes.size() << ",\n     exact" << number << ", "
     << source.exact.size() << ", "
     << (source.rule.nodes.empty() ? "0" : "rule" + std::to_string(number))
     << ", "
     << (source.rule.formulas.empty() ? "0"
                                      : "formulas" + std::to_string(number))
     << ", " << source.rule.formulas.size() << ", " << printKernelNumber(any)
     << "},\n";
}

void printChips(const LibraryTables &tables, raw_ostream &os) {
  os << "const struct tcgemmChip tcgemmChips[] = {\n";
  for (const LibraryTables::ChipCode &code : tables.chips) {
    const ChipInfo &chip = cantFail(lookupChip(code.name));
    os << "    {" << quote(chip.name) << ", " << chip.capability << ", "
       << chip.features.isForOneCapability << ", " << code.isPTX << "},\n";
  }
  os << "};\nconst unsigned tcgemmNumChips = " << tables.chips.size() << ";\n";
}

void printKernelList(const LibraryTables &tables, raw_ostream &os) {
  for (size_t i = 0; i != tables.numKernels; ++i)
    os << "extern const struct tcgemmKernel tcgemmKernel" << i << ";\n";
  os << "const struct tcgemmKernel *const tcgemmKernels[] = {\n";
  for (size_t i = 0; i != tables.numKernels; ++i)
    os << "    &tcgemmKernel" << i << ",\n";
  os << "};\nconst unsigned tcgemmNumKernels = " << tables.numKernels << ";\n";
}

/// ISO C has no arrays without elements: then there is one that is not counted.
void printFunctionList(const LibraryTables &tables, raw_ostream &os) {
  for (const SourceFunction &function : tables.functions)
    os << "extern const struct tcgemmFunction tcgemmFunction" << function.number
       << ";\n";
  os << "const struct tcgemmFunction *const tcgemmFunctions[] = {\n";
  for (const SourceFunction &function : tables.functions)
    os << "    &tcgemmFunction" << function.number << ",\n";
  if (tables.functions.empty())
    os << "    0,\n";
  os << "};\nconst unsigned tcgemmNumFunctions = " << tables.functions.size()
     << ";\n";
}

/// A constant's value as bytes, little-endian; zeros for one with elements.
std::string printValue(const PackConstant &constant) {
  std::vector<uint8_t> bytes(8);
  if (!std::holds_alternative<std::monostate>(constant.splat))
    bytes = encodeScalar(constant.type, constant.splat);
  SmallVector<std::string> texts;
  for (uint8_t byte : bytes)
    texts.push_back(std::to_string(byte));
  return "{" + join(texts, ", ") + "}";
}

void printConstants(const LibraryTables &tables, raw_ostream &os) {
  os << "\nconst struct tcgemmConstant tcgemmConstants[] = {\n";
  for (auto [i, constant] : enumerate(tables.constants))
    os << "    {"
       << (constant.file.empty() ? "0" : "tcgemmConstant" + std::to_string(i))
       << ", " << printValue(*constant.source) << ", "
       << getByteSize(constant.source->type) << ", "
       << constant.source->getNumBytes().value_or(0) << "},\n";
  if (tables.constants.empty())
    os << "    {0, {0}, 1, 0},\n";
  os << "};\nconst unsigned tcgemmNumConstants = " << tables.constants.size()
     << ";\n";
}

constexpr StringLiteral kHeading =
    "Written by tcgemm-tune: changes are lost. */\n\n#include \"runtime.h\"\n\n"
    "#pragma GCC visibility push(hidden)\n\n";

} // namespace

void printTables(const LibraryTables &tables, raw_ostream &os) {
  os << "/* The products, and the kernels that compute them.\n   " << kHeading
     << "const int tcgemmVersion = " << library::getVersionNumber() << ";\n\n";
  printChips(tables, os);
  os << '\n';
  printKernelList(tables, os);
  os << '\n';
  for (auto [i, product] : enumerate(tables.products)) {
    printExact(static_cast<unsigned>(i), *product.source, os);
    printRule(static_cast<unsigned>(i), product.source->rule, os);
    printFormulas(static_cast<unsigned>(i), product.source->rule, os);
  }
  os << "const struct tcgemmProduct tcgemmProducts[] = {\n";
  for (auto [i, product] : enumerate(tables.products))
    printProduct(static_cast<unsigned>(i), product, os);
  if (tables.products.empty())
    os << "    {0},\n";
  os << "};\nconst unsigned tcgemmNumProducts = " << tables.products.size()
     << ";\n\n";
  printFunctionList(tables, os);
}

void printImages(const LibraryTables &tables, raw_ostream &os) {
  os << "/* The code of the kernels, from the files of images/.\n   "
     << kHeading
     << "#define DATA(name, file)"
        "                                                       \\\n"
        "  __asm__(\".section .rodata\\n.balign 64\\n\" #name \":\\n\""
        "                         \\\n"
        "          \".incbin \\\"\" TCGEMM_IMAGES \"/\" file \"\\\"\\n.byte "
        "0\\n"
        ".previous\\n\");        \\\n"
        "  extern const unsigned char name[]\n\n";
  for (auto [i, image] : enumerate(tables.images))
    os << "DATA(tcgemmImage" << i << ", " << quote(image.file) << ");\n";
  for (auto [i, constant] : enumerate(tables.constants))
    if (!constant.file.empty())
      os << "DATA(tcgemmConstant" << i << ", " << quote(constant.file)
         << ");\n";
  printConstants(tables, os);
  os << "\nconst struct tcgemmImage tcgemmImages[] = {\n";
  for (auto [i, image] : enumerate(tables.images))
    os << "    {" << quote(image.name) << ", tcgemmImage" << i << "},\n";
  os << "};\nconst unsigned tcgemmNumImages = " << tables.images.size()
     << ";\n";
}

} // namespace tcgemm
