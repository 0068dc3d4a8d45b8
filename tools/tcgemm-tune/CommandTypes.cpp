//===- CommandTypes.cpp - The types that kernels multiply -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/TextTable.h"
#include "Flags.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Config/SupportedProducts.h"

using namespace tcgemm;
using llvm::StringRef;

namespace {

/// Products that differ in the types of A and B alone.
struct ProductGroup {
  SupportedProduct product;
  std::vector<std::string> cells; ///< All but the first one of the row.
  std::vector<std::pair<ScalarType, ScalarType>> types;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// The type in memory, where a precision says how it is multiplied.
static std::string getMemoryName(ScalarType type) {
  return getPtxTypeName(
             getPrecision(type) == Precision::IEEE ? type : getBufferType(type))
      .str();
}

static std::string getPrecisionCell(const SupportedProduct &product) {
  Precision precision = getPrecision(product.a);
  return precision == Precision::IEEE ? "" : getPrecisionName(precision).str();
}

/// How operands are changed before they are multiplied.
static std::string getConversionCell(const SupportedProduct &product) {
  auto [a, b] = getMultipliedTypes(product.a, product.b);
  std::string part = getPtxTypeName(getPartType(a)).str();
  if (getSplit(product.a))
    return std::to_string(getNumProducts(product.a)) + " products of " + part;
  if (roundsOperands(product.a))
    return "rounded to " + part;
  if (a == product.a && b == product.b)
    return "";
  if (getBitWidth(a) == 16)
    return "narrow to wide type";
  return "4 bits to " + getPtxTypeName(a == product.a ? b : a).str();
}

static std::string formatShape(const MatrixInstruction &instruction) {
  std::string columns = std::to_string(instruction.n);
  if (instruction.kind == InstructionKind::Wgmma)
    columns += ".." + std::to_string(MatrixInstruction::kMostColumns);
  return "m" + std::to_string(instruction.m) + "n" + columns + "k" +
         std::to_string(instruction.k);
}

static std::string getShapeCell(const SupportedProduct &product) {
  const MatrixInstruction *first = product.instruction;
  if (!first || first->kind == InstructionKind::Fma)
    return first && first->k > 1 ? "dp4a" : "fma";
  std::vector<std::string> shapes;
  for (const MatrixInstruction &row : getMatrixInstructions())
    if (row.hasSameTypes(*first))
      shapes.push_back(formatShape(row));
  return llvm::join(shapes, ", ");
}

static StringRef getTransposedName(TransposedSupport support) {
  constexpr StringRef names[] = {"no", "packed", "direct"};
  return names[static_cast<unsigned>(support)];
}

static std::string getTransposedCell(const SupportedProduct &product) {
  auto [a, b] = product.transposed;
  if (a == b)
    return getTransposedName(a).str();
  return ("A " + getTransposedName(a) + ", B " + getTransposedName(b)).str();
}

static StringRef getSupportName(ChipSupport support) {
  constexpr StringRef names[] = {"", "emulated", "yes"};
  return names[static_cast<unsigned>(support)];
}

static std::string getScheduleName(const SupportedProduct &product) {
  KernelConfig config;
  config.schedule = product.schedule;
  return config.get("schedule");
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The types as few products of sets: `s8, u8 × s8, u8; f16 × f16`.
static std::string
formatTypes(llvm::ArrayRef<std::pair<ScalarType, ScalarType>> types) {
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>
      products; // names of A, and of B
  std::vector<std::string> names;
  for (auto [a, _] : types) {
    std::string name = getMemoryName(a);
    if (llvm::is_contained(names, name))
      continue;
    names.push_back(name);
    std::vector<std::string> partners;
    for (auto [left, right] : types)
      if (getMemoryName(left) == name)
        partners.push_back(getMemoryName(right));
    auto known = llvm::find_if(products, [&](const auto &product) {
      return product.second == partners;
    });
    if (known != products.end())
      known->first.push_back(name);
    else
      products.push_back({{name}, partners});
  }
  auto format = [](const auto &product) {
    return llvm::join(product.first, ", ") + " × " +
           llvm::join(product.second, ", ");
  };
  return llvm::join(llvm::map_range(products, format), "; ");
}

/// The first and the last of neighbouring chips with the same support.
using ChipRange = std::pair<size_t, size_t>;

static std::vector<ChipRange>
groupChips(llvm::ArrayRef<SupportedProduct> products) {
  auto isSame = [&](size_t left, size_t right) {
    return llvm::all_of(products, [&](const SupportedProduct &product) {
      return product.chips[left] == product.chips[right];
    });
  };
  std::vector<ChipRange> ranges;
  for (size_t i = 0; i != getKnownChips().size(); ++i)
    if (ranges.empty() || !isSame(ranges.back().first, i))
      ranges.emplace_back(i, i);
    else
      ranges.back().second = i;
  return ranges;
}

static std::vector<ProductGroup>
groupProducts(llvm::ArrayRef<SupportedProduct> products,
              llvm::ArrayRef<ChipRange> chips) {
  std::vector<ProductGroup> groups;
  for (const SupportedProduct &product : products) {
    std::vector<std::string> cells = {
        getPrecisionCell(product),  getPtxTypeName(product.sum).str(),
        getScheduleName(product),   getShapeCell(product),
        getConversionCell(product), getTransposedCell(product)};
    for (auto [first, _] : chips)
      cells.push_back(getSupportName(product.chips[first]).str());
    auto known = llvm::find_if(groups, [&](const ProductGroup &group) {
      return group.cells == cells;
    });
    if (known == groups.end())
      known = groups.insert(groups.end(), {product, std::move(cells), {}});
    known->types.emplace_back(product.a, product.b);
  }
  return groups;
}

/// The products that run on `chip`, or all of them if it is empty.
static TextTable makeTable(llvm::ArrayRef<SupportedProduct> products,
                           StringRef chip) {
  TextTable::Row header = {"A × B",  "precision",  "sums",           "schedule",
                           "shapes", "conversion", "rows along m, n"};
  std::vector<ChipRange> chips;
  llvm::ArrayRef<ChipInfo> known = getKnownChips();
  for (auto [first, last] : groupChips(products))
    if (chip.empty()) {
      chips.emplace_back(first, last);
      header.push_back(known[first].name.str() +
                       (first == last ? "" : " to " + known[last].name.str()));
    }
  for (auto [i, info] : llvm::enumerate(known))
    if (info.name == chip) {
      chips.emplace_back(i, i);
      header.push_back(chip.str());
    }
  TextTable table(std::move(header));
  for (const ProductGroup &group : groupProducts(products, chips)) {
    TextTable::Row row = {formatTypes(group.types)};
    row.insert(row.end(), group.cells.begin(), group.cells.end());
    table.addRow(std::move(row));
  }
  return table;
}

static void printJSON(const SupportedProduct &product, StringRef chip) {
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("a", getPtxTypeName(product.a));
    json.attribute("b", getPtxTypeName(product.b));
    json.attribute("sum", getPtxTypeName(product.sum));
    json.attribute("schedule", getScheduleName(product));
    json.attribute("shapes", getShapeCell(product));
    for (auto [key, support] :
         llvm::zip_equal(llvm::ArrayRef({"transposed_a", "transposed_b"}),
                         product.transposed))
      json.attribute(key, getTransposedName(support));
    json.attributeObject("chips", [&] {
      for (auto [info, support] :
           llvm::zip_equal(getKnownChips(), product.chips))
        if (support != ChipSupport::None && (chip.empty() || chip == info.name))
          json.attribute(info.name, support == ChipSupport::Native
                                        ? "native"
                                        : "emulated");
    });
  });
  llvm::outs() << '\n';
}

int tcgemm::runTypes(const Flags &flags) {
  StringRef chip = flags.device.chip;
  std::vector<SupportedProduct> products = listSupportedProducts();
  if (!chip.empty()) {
    llvm::Expected<const ChipInfo &> info = lookupChip(chip);
    if (!info)
      return fail(info.takeError(), kExitBadInput);
    size_t index = &*info - getKnownChips().data();
    llvm::erase_if(products, [&](const SupportedProduct &product) {
      return product.chips[index] == ChipSupport::None;
    });
  }
  bool isJSON = flags.output.format == OutputStyle::JSONLines;
  if (isJSON && flags.output.markdown)
    return fail(
        llvm::createStringError("--markdown does not go with --format=jsonl"),
        kExitBadInput);
  if (isJSON)
    for (const SupportedProduct &product : products)
      printJSON(product, chip);
  else if (flags.output.markdown)
    makeTable(products, chip).printMarkdown(llvm::outs());
  else
    makeTable(products, chip).print(llvm::outs());
  return kExitSuccess;
}
