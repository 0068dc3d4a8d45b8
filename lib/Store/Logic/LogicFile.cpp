//===- LogicFile.cpp - Logic as JSON --------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Target/JSONReader.h"
#include "tcgemm/Store/SizeLogic.h"
#include "tcgemm/Target/BoundedJSON.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral kFormat = "tcgemm-logic";
/// Version 2 has formulas with the weights w0 to w3 and w5 to w7. Version 3 has
/// w4, too.
constexpr int64_t kVersion = 3, kFirstVersion = 1, kVersionOfFilled = 3;
/// The place of w4, the weight of filled places.
constexpr size_t kFilledWeight = 4;
constexpr unsigned kMostNumber = std::numeric_limits<int>::max();

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

KernelConfig readConfig(const JSONNode &node) {
  KernelConfig config;
  if (Error error = config.apply(node.getString()))
    node.fail(toString(std::move(error)));
  return config;
}

double readNumber(const JSONNode &node) {
  std::optional<double> number = node.value->getAsNumber();
  if (number && *number > 0 && *number < 1e6)
    return *number;
  node.fail("must be a number above 0 and below 1e6");
  return 1;
}

/// Weights below 0 would make times negative.
double readWeight(const JSONNode &node) {
  std::optional<double> number = node.value->getAsNumber();
  if (number && *number >= 0 && *number < 1e6)
    return *number;
  node.fail("must be a number from 0 to below 1e6");
  return 0;
}

MatmulSizes readSizes(const JSONNode &node) {
  Expected<MatmulSizes> sizes = MatmulSizes::parse(node.getString());
  if (sizes)
    return *sizes;
  node.fail(toString(sizes.takeError()));
  return {1, 1, 1, 1};
}

class LogicReader {
public:
  SizeLogic read(const JSONNode &node);

private:
  unsigned readChoice(const JSONNode &node) const {
    unsigned most = static_cast<unsigned>(result.configs.size());
    return node.getUnsigned(0, most ? most - 1 : 0);
  }
  std::pair<MatmulSizes, unsigned> readExact(const JSONNode &node) const;
  SizeRule::Node readRuleNode(const JSONNode &node) const;
  TimeFormula readFormula(const JSONNode &node) const;
  void checkOrder(const JSONNode &node, const SizeRule &rule) const;
  ProductLogic readProduct(const JSONNode &node) const;

  SizeLogic result;
  int64_t version = kVersion;
};

} // namespace

std::pair<MatmulSizes, unsigned>
LogicReader::readExact(const JSONNode &node) const {
  JSONObjectReader object(node);
  return {readSizes(object.get("sizes")), readChoice(object.get("config"))};
}

SizeRule::Node LogicReader::readRuleNode(const JSONNode &node) const {
  JSONObjectReader object(node);
  SizeRule::Node result;
  if (std::optional<JSONNode> fastest = object.find("fastest")) {
    if (fastest->value->getAsBoolean() != true)
      fastest->fail("must be true");
    result.config = SizeRule::kFastest;
    return result;
  }
  if (std::optional<JSONNode> config = object.find("config")) {
    result.config =
        config->value->getAsNull() ? SizeRule::kNoChoice : readChoice(*config);
    return result;
  }
  result.feature = object.get("if").getEnum<SizeFeature>(kNumSizeFeatures,
                                                         getSizeFeatureName);
  result.threshold =
      object.get("below").getInteger(1, std::numeric_limits<int64_t>::max());
  result.below = object.get("then").getUnsigned(1, kMostNumber);
  result.other = object.get("else").getUnsigned(1, kMostNumber);
  return result;
}

/// A node that follows itself would make a walk endless.
void LogicReader::checkOrder(const JSONNode &node, const SizeRule &rule) const {
  for (auto [i, each] : enumerate(rule.nodes))
    for (unsigned next : {each.below, each.other})
      if (!each.config && (next <= i || next >= rule.nodes.size()))
        node.fail("node " + Twine(i) + " is followed by " + Twine(next) +
                  ", but it must be " + Twine(i + 1) + " to " +
                  Twine(rule.nodes.size() - 1));
}

TimeFormula LogicReader::readFormula(const JSONNode &node) const {
  JSONObjectReader object(node);
  unsigned config = readChoice(object.get("config"));
  FormulaShape shape;
  for (auto [key, value] :
       {std::pair("rows", &shape.rows), std::pair("columns", &shape.columns),
        std::pair("depth", &shape.depth), std::pair("slices", &shape.slices),
        std::pair("places", &shape.places)})
    *value = object.get(key).getInteger(1, kMostNumber);
  JSONNode list = object.get("weights");
  std::vector<double> read = list.getArray(readWeight);
  TimeFormula::Weights weights = {};
  bool hasAll = version >= kVersionOfFilled;
  size_t count = hasAll ? weights.size() : weights.size() - 1;
  if (read.size() != count) {
    list.fail("must have " + Twine(count) + " numbers");
    return {config, shape, weights};
  }
  if (!hasAll)
    read.insert(read.begin() + kFilledWeight, 0);
  llvm::copy(read, weights.begin());
  return {config, shape, weights};
}

/// A leaf that asks formulas needs some.
static void checkFormulas(const JSONNode &node, const SizeRule &rule) {
  for (auto [i, each] : enumerate(rule.nodes))
    if (each.config == SizeRule::kFastest && rule.formulas.empty())
      node.fail("node " + Twine(i) + " asks formulas, but there are none");
}

static ModelQuality readModelQuality(const JSONNode &node) {
  JSONObjectReader object(node);
  ModelQuality quality;
  quality.model = object.get("model").getString();
  quality.sizes = object.get("sizes").getUnsigned(0, kMostNumber);
  quality.loss = readNumber(object.get("loss"));
  quality.worst = readNumber(object.get("worst"));
  quality.withoutChoice =
      object.get("without_choice").getUnsigned(0, kMostNumber);
  return quality;
}

static LogicQuality readQuality(const JSONNode &node) {
  JSONObjectReader object(node);
  LogicQuality quality;
  quality.sizes = object.get("sizes").getUnsigned(0, kMostNumber);
  quality.loss = readNumber(object.get("loss"));
  quality.withoutChoice =
      object.get("without_choice").getUnsigned(0, kMostNumber);
  quality.measuredSizes =
      object.get("measured_sizes").getUnsigned(0, kMostNumber);
  quality.measuredLoss = readNumber(object.get("measured_loss"));
  return quality;
}

ProductLogic LogicReader::readProduct(const JSONNode &node) const {
  JSONObjectReader object(node);
  ProductLogic product;
  JSONNode name = object.get("kernel");
  Expected<KernelSpec> kernel = KernelSpec::parse(name.getString());
  if (kernel)
    product.kernel = std::move(*kernel);
  else
    name.fail(toString(kernel.takeError()));
  if (product.kernel.isBatched || product.kernel.isStatic)
    name.fail("must be neither batched nor static");
  product.exact = object.get("exact").getArray(
      [&](const JSONNode &each) { return readExact(each); });
  if (std::optional<JSONNode> rule = object.find("rule")) {
    product.rule.nodes = rule->getArray(
        [&](const JSONNode &each) { return readRuleNode(each); });
    checkOrder(*rule, product.rule);
    if (std::optional<JSONNode> formulas = object.find("formulas"))
      product.rule.formulas = formulas->getArray(
          [&](const JSONNode &each) { return readFormula(each); });
    checkFormulas(*rule, product.rule);
    product.kind = object.get("learned_as")
                       .getEnum<RuleKind>(kNumRuleKinds, getRuleKindName);
    product.quality = readQuality(object.get("left_out"));
    if (std::optional<JSONNode> quality = object.find("by_model"))
      product.modelQuality = readModelQuality(*quality);
  }
  return product;
}

SizeLogic LogicReader::read(const JSONNode &node) {
  JSONObjectReader object(node);
  if (std::string format = object.get("format").getString(); format != kFormat)
    node.fail("format must be '" + kFormat + "'");
  version = object.get("version").getInteger(kFirstVersion, kVersion);
  JSONNode chip = object.get("chip");
  result.chip = chip.getString();
  if (Expected<const ChipInfo &> known = lookupChip(result.chip); !known)
    chip.fail(toString(known.takeError()));
  result.device = object.get("device").getString();
  result.configs = object.get("configs").getArray(readConfig);
  result.products = object.get("products").getArray([&](const JSONNode &each) {
    return readProduct(each);
  });
  return std::move(result);
}

bool isSizeLogic(StringRef text) {
  // The format is the first key that is written.
  return text.take_front(200).contains(("\"" + kFormat + "\"").str());
}

Expected<SizeLogic> parseSizeLogic(StringRef text, StringRef fileName) {
  Expected<json::Value> value = parseBoundedJSON(text);
  if (!value)
    return createStringError(fileName + ": " + toString(value.takeError()));
  JSONProblem problem;
  SizeLogic logic = LogicReader().read({&*value, "", problem});
  if (!problem.text.empty())
    return createStringError(fileName + ": " + problem.text);
  return std::move(logic);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void writeNode(const SizeRule::Node &node, json::OStream &json) {
  json.object([&] {
    if (node.config == SizeRule::kFastest) {
      json.attribute("fastest", true);
      return;
    }
    if (node.config) {
      json.attribute("config", *node.config == SizeRule::kNoChoice
                                   ? json::Value(nullptr)
                                   : json::Value(*node.config));
      return;
    }
    json.attribute("if", getSizeFeatureName(node.feature));
    json.attribute("below", node.threshold);
    json.attribute("then", node.below);
    json.attribute("else", node.other);
  });
}

static void writeFormula(const TimeFormula &formula, json::OStream &json) {
  json.object([&] {
    json.attribute("config", formula.config);
    const FormulaShape &shape = formula.getShape();
    json.attribute("rows", shape.rows);
    json.attribute("columns", shape.columns);
    json.attribute("depth", shape.depth);
    json.attribute("slices", shape.slices);
    json.attribute("places", shape.places);
    json.attributeArray("weights", [&] {
      for (double weight : formula.getWeights())
        json.value(weight);
    });
  });
}

static void writeProduct(const ProductLogic &product, json::OStream &json) {
  json.attribute("kernel", product.kernel.str());
  json.attributeArray("exact", [&] {
    for (const auto &entry : product.exact)
      json.object([&] {
        json.attribute("sizes", entry.first.str());
        json.attribute("config", entry.second);
      });
  });
  if (product.rule.nodes.empty())
    return;
  json.attribute("learned_as", getRuleKindName(product.kind));
  json.attributeObject("left_out", [&] {
    json.attribute("sizes", product.quality.sizes);
    json.attribute("loss", product.quality.loss);
    json.attribute("without_choice", product.quality.withoutChoice);
    json.attribute("measured_sizes", product.quality.measuredSizes);
    json.attribute("measured_loss", product.quality.measuredLoss);
  });
  if (const ModelQuality &quality = product.modelQuality;
      !quality.model.empty())
    json.attributeObject("by_model", [&] {
      json.attribute("model", quality.model);
      json.attribute("sizes", quality.sizes);
      json.attribute("loss", quality.loss);
      json.attribute("worst", quality.worst);
      json.attribute("without_choice", quality.withoutChoice);
    });
  json.attributeArray("rule", [&] {
    for (const SizeRule::Node &node : product.rule.nodes)
      writeNode(node, json);
  });
  if (product.rule.formulas.empty())
    return;
  json.attributeArray("formulas", [&] {
    for (const TimeFormula &formula : product.rule.formulas)
      writeFormula(formula, json);
  });
}

void writeSizeLogic(const SizeLogic &logic, raw_ostream &out) {
  json::OStream json(out, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("format", kFormat);
    json.attribute("version", kVersion);
    json.attribute("chip", logic.chip);
    json.attribute("device", logic.device);
    json.attributeArray("configs", [&] {
      for (const KernelConfig &config : logic.configs)
        json.value(config.str());
    });
    json.attributeArray("products", [&] {
      for (const ProductLogic &product : logic.products)
        json.object([&] { writeProduct(product, json); });
    });
  });
  out << '\n';
}

} // namespace tcgemm
