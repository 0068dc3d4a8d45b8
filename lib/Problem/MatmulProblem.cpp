//===- MatmulProblem.cpp - The description of a matrix product ------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/MatmulProblem.h"
#include "tcgemm/Target/BlockScales.h"
#include "tcgemm/Target/GroupTypes.h"
#include "tcgemm/Target/Precision.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {

/// The names of `types`, by commas.
static std::string getNames(ArrayRef<ScalarType> types) {
  return join(map_range(types, getPtxTypeName), ", ");
}

/// Returns whether elements of the type have functions: floats of 16 bits or
/// more.
static bool hasElementTransforms(ScalarType type) {
  return isFloatType(type) && getBitWidth(getBufferType(type)) >= 16;
}

/// Reads one of `types`; `place` is for the error.
static Error readType(StringRef text, StringRef place,
                      ArrayRef<ScalarType> types, ScalarType &type) {
  std::optional<ScalarType> parsed = parseOperandType(text);
  if (!parsed || !is_contained(types, *parsed))
    return createStringError("type of " + place + ": '" + text +
                             "' is none of " + getNames(types));
  type = *parsed;
  return Error::success();
}

std::string MatmulKind::getLayout() const {
  return {aKContiguous ? 't' : 'n', bKContiguous ? 'n' : 't'};
}

Error MatmulKind::setLayout(StringRef text) {
  if (text != "tn" && text != "nn" && text != "nt" && text != "tt")
    return createStringError("layout: '" + text +
                             "' is none of tn, nn, nt, tt");
  aKContiguous = text[0] == 't';
  bKContiguous = text[1] == 'n';
  return Error::success();
}

Error MatmulKind::setOperandTypes(StringRef text) {
  std::vector<ScalarType> types = getOperandTypes();
  // The names of some types have an x.
  bool isOne = parseOperandType(text).has_value();
  auto [a, b] = isOne ? std::pair(text, StringRef()) : text.split('x');
  if (Error error = readType(a, "A and B", types, typeA))
    return error;
  typeB = typeA;
  if (a.size() != text.size())
    if (Error error = readType(b, "B", types, typeB))
      return error;
  ArrayRef<ScalarType> sums = getAccumulatorTypes(typeA, typeB);
  if (sums.empty())
    return createStringError("types of A and B: no instruction multiplies " +
                             getPtxTypeName(typeA) + " by " +
                             getPtxTypeName(typeB));
  accumulator = sums.front();
  return Error::success();
}

Error MatmulKind::checkPackedOperands() const {
  for (auto [name, type, alongK] : {std::tuple("A", typeA, aKContiguous),
                                    std::tuple("B", typeB, bKContiguous)})
    if (getPackedElements(type) > 1 && !alongK)
      return createStringError("layout: " + getLayout() + ", but " + name +
                               " of " + getPtxTypeName(type) +
                               " must have k innermost");
  return Error::success();
}

Error MatmulProblem::checkDepth() const {
  for (ScalarType type : {typeA, typeB})
    if (k % getRowUnit(type))
      return createStringError(
          "K is " + Twine(k) + ", but elements of " + getPtxTypeName(type) +
          (isInterleaved(type) ? " are interleaved" : " share bytes") +
          " along k: it must be a multiple of " + Twine(getRowUnit(type)));
  return Error::success();
}

Error MatmulKind::setPrecision(StringRef text) {
  Expected<Precision> precision = parsePrecision(text);
  if (!precision)
    return precision.takeError();
  for (ScalarType *type : {&typeA, &typeB}) {
    ScalarType changed = getOperandType(*type, *precision);
    if (*precision != Precision::IEEE && *precision != getPrecision(changed))
      return createStringError("precision: operands of " +
                               getPtxTypeName(*type) + " do not have " +
                               getPrecisionName(*precision));
    *type = changed;
  }
  return Error::success();
}

Error MatmulKind::setOutputType(StringRef text) {
  using T = ScalarType;
  if (text.empty()) {
    output = accumulator == T::I32 ? T::I32
             : getBitsA() <= 8     ? T::BF16
                                   : getBufferType(typeA);
    return Error::success();
  }
  SmallVector<ScalarType> types = {T::BF16, T::F16, T::F32};
  if (!is_contained(types, accumulator))
    types.push_back(accumulator);
  if (accumulator == T::I32)
    types.push_back(T::I8);
  if (accumulator == T::F32)
    types.append({T::E4M3, T::E5M2});
  return readType(text, "D", types, output);
}

Error MatmulKind::setBlockScales(StringRef text) {
  if (!is_contained({"none", "a", "b", "ab"}, text))
    return createStringError("block scales: '" + text +
                             "' is none of none, a, b, ab");
  hasScalesA = text == "a" || text == "ab";
  hasScalesB = text == "b" || text == "ab";
  if (hasBlockScales() && !(isFP8(typeA) && isFP8(typeB)))
    return createStringError("block scales: A and B are of " +
                             getOperandTypeText() +
                             ", but only e4m3 and e5m2 have them");
  return Error::success();
}

std::string GroupScales::str() const {
  if (!depth)
    return "none";
  std::string text = std::to_string(depth);
  if (type != ScalarType::F32 || zeroPoints)
    text += "x" + getPtxTypeName(type).str();
  if (zeroPoints)
    text += "x" + getPtxTypeName(*zeroPoints).str();
  return text;
}

Error MatmulKind::setGroupScales(StringRef text) {
  using T = ScalarType;
  groups = {};
  if (text == "none")
    return Error::success();
  SmallVector<StringRef> words;
  text.split(words, 'x');
  if (words.size() > 3 || words[0].getAsInteger(10, groups.depth) ||
      !isGroupDepth(groups.depth))
    return createStringError("group scales: '" + text +
                             "' is neither none nor one of 32, 64, 128 and "
                             "256, which the type of the scales and the type "
                             "of the zero points may follow: 128xf16xu8");
  if (words.size() > 1)
    if (Error error = readType(words[1], "group scales",
                               {T::F32, T::F16, T::BF16}, groups.type))
      return error;
  if (words.size() > 2)
    if (Error error = readType(words[2], "zero points", {T::I8, T::U8},
                               groups.zeroPoints.emplace()))
      return error;
  unsigned narrow = getGroupedOperand();
  auto [type, partner] =
      narrow ? std::pair(typeB, typeA) : std::pair(typeA, typeB);
  const GroupType *row = findGroupType(type, partner);
  if (!row)
    return createStringError(
        "group scales: A and B are of " + getOperandTypeText() +
        ", but only s4 and u4 by f16, bf16, e4m3 or e5m2 have them");
  if (groups.zeroPoints && !row->takesZeroPoints)
    return createStringError(
        "zero points: A and B are of " + getOperandTypeText() +
        ", but only s4 and u4 by f16 or bf16 have them: e4m3 would not "
        "represent the differences");
  if (groups.zeroPoints == T::U8 && !isUnsignedType(type))
    return createStringError(
        "zero points: u8, but those of s4 must be s8: their difference might "
        "have more bits than bf16");
  return Error::success();
}

Error MatmulKind::setTransforms(StringRef a, StringRef b) {
  for (auto [name, text, type, transform] :
       {std::tuple("A", a, typeA, &transformA),
        std::tuple("B", b, typeB, &transformB)}) {
    Expected<ElementTransform> parsed = ElementTransform::parse(text);
    if (!parsed)
      return parsed.takeError();
    *transform = std::move(*parsed);
    if (!transform->isIdentity() && !hasElementTransforms(type))
      return createStringError(Twine("element function: ") + name + " is " +
                               getPtxTypeName(type) +
                               ", but only f16, bf16, f32 and f64 have one");
  }
  return Error::success();
}

Error MatmulKind::setAlgebra(StringRef text) {
  Expected<Algebra> parsed = Algebra::parse(text);
  if (!parsed)
    return parsed.takeError();
  algebra = *parsed;
  if (algebra.isDefault())
    return Error::success();
  if (typeA != typeB || !hasAlgebra(typeA, algebra))
    return createStringError(
        "algebra: A and B are of " + getOperandTypeText() + ", but only " +
        listAlgebraTypes(algebra, getPtxTypeName) + " have " + text);
  return checkFeatures();
}

Error MatmulKind::setReductions(StringRef text) {
  Expected<NamedReductions> parsed = NamedReductions::parse(text);
  if (!parsed)
    return parsed.takeError();
  // Sums of integers stay integers if the result has them.
  bool isFloat = isFloatType(accumulator) || output != ScalarType::I32;
  for (const NamedReduction &reduction : parsed->list)
    if (!reduction.getCombiner(isFloat))
      return createStringError("reduction: " + reduction.str() +
                               " is of floats, but the result is s32");
    else if (!canCombine(*reduction.getCombiner(isFloat),
                         accumulator == ScalarType::F64 ? ScalarType::F64
                         : isFloat                      ? ScalarType::F32
                                                        : ScalarType::I32))
      return createStringError("reduction: " + reduction.str() +
                               " is of f32 and s32, but the sums are f64");
  reductions = std::move(*parsed);
  return checkFeatures();
}

Error MatmulKind::setDual(StringRef text) {
  Expected<DualKind> parsed = parseDual(text);
  if (!parsed)
    return parsed.takeError();
  dual = *parsed;
  return checkFeatures();
}

FeatureSet MatmulKind::getFeatures() const {
  FeatureSet features;
  features.add(Feature::Scales, hasScales());
  features.add(Feature::GroupsOfRows, hasGroupsOfRows());
  features.add(Feature::GroupsAlongK, hasGroupsAlongK());
  features.add(Feature::SecondB, isDual());
  features.add(Feature::OtherAlgebra, !algebra.isDefault());
  features.add(Feature::FunctionOfA, transforms(0));
  features.add(Feature::FunctionOfB, transforms(1));
  features.add(Feature::SplitOperands, splitsOperands());
  features.add(Feature::BandOfA, bands[0].has_value());
  features.add(Feature::BandOfB, bands[1].has_value());
  features.add(Feature::SymmetricResult, isSymmetric);
  features.add(Feature::Convolution, convolution.has_value());
  features.add(Feature::Representation, representation.has_value());
  features.add(Feature::Reductions, !reductions.empty());
  features.add(Feature::EpilogueTensors,
               hasBeta || any_of(epilogue.parts, readsOperand));
  return features;
}

Error MatmulKind::checkFeatures() const {
  for (EpiloguePart part : epilogue.parts)
    if (isOfGroups(part) && !isGrouped)
      return createStringError("epilogue: '" + getPartName(part) +
                               "' reads values of groups, and so it needs a "
                               "product with groups");
  std::string exclusion = findExclusion(getFeatures());
  return exclusion.empty() ? Error::success()
                           : createStringError("product: it " + exclusion);
}

Error MatmulKind::setBands(StringRef a, StringRef b) {
  constexpr StringLiteral names[] = {"A", "B"};
  StringRef texts[] = {a, b};
  for (unsigned operand : {0, 1}) {
    bands[operand].reset();
    if (texts[operand] == "none")
      continue;
    Expected<Band> parsed = Band::parse(texts[operand]);
    if (!parsed)
      return parsed.takeError();
    bands[operand] = *parsed;
    ScalarType type = operand ? typeB : typeA;
    if (getPackedElements(type) > 1 || isSplitType(type))
      return createStringError("band: elements of " + names[operand] + " are " +
                               getPtxTypeName(type) +
                               ", which share bytes or are split into parts");
  }
  if (bands[0] && bands[1] && bands[0]->isUnit && bands[1]->isUnit)
    return createStringError("band: A and B have ones on the diagonal, but at "
                             "most one of them may");
  return checkFeatures();
}

Error MatmulKind::setSymmetric() {
  // B is A transposed, in the same memory.
  if (aKContiguous != bKContiguous || typeA != typeB || bands[1])
    return createStringError("symmetric result: B is A transposed, so that the "
                             "layout must be tn or nt, both types equal, and "
                             "only A may have a band");
  if (bands[0] && bands[0]->isUnit)
    return createStringError("symmetric result: A has ones on the diagonal, "
                             "and so has B, but at most one of them may");
  bands[1] = bands[0];
  isSymmetric = true;
  return checkFeatures();
}

std::string MatmulKind::getOperandTypeText() const {
  std::string text = getPtxTypeName(typeA).str();
  return typeA == typeB ? text : text + "x" + getPtxTypeName(typeB).str();
}

std::string MatmulKind::str() const {
  return (getOperandTypeText() + " " + getLayout() + " " +
          getPtxTypeName(output) + " " + epilogue.str() +
          (hasAlpha ? " alpha" : "") + (hasBeta ? " beta" : ""))
      .str();
}

Error MatmulKind::read(StringRef type, StringRef layout, StringRef outputType,
                       StringRef epilogueText) {
  if (Error error = setLayout(layout))
    return error;
  if (Error error = setOperandTypes(type))
    return error;
  if (Error error = checkPackedOperands())
    return error;
  if (Error error = setOutputType(outputType))
    return error;
  Expected<NamedEpilogue> parsed = NamedEpilogue::parse(epilogueText);
  if (!parsed)
    return parsed.takeError();
  epilogue = std::move(*parsed);
  return Error::success();
}

void MatmulKind::writeAttributes(json::OStream &json) const {
  json.attribute("layout", getLayout());
  json.attribute("type", getOperandTypeText());
  json.attribute("out", getPtxTypeName(output));
  json.attribute("epilogue", epilogue.str());
  json.attribute("alpha", hasAlpha);
  json.attribute("beta", hasBeta);
  if (hasBlockScales())
    json.attribute("block_scales", std::string(hasScalesA ? "a" : "") +
                                       (hasScalesB ? "b" : ""));
  if (transforms(0))
    json.attribute("transform_a", transformA.str());
  if (transforms(1))
    json.attribute("transform_b", transformB.str());
  if (hasGroupScales())
    json.attribute("group_scales", groups.str());
  if (!algebra.isDefault())
    json.attribute("algebra", algebra.str());
  if (isDual())
    json.attribute("dual", getDualName(dual));
  for (unsigned operand : {0, 1})
    if (bands[operand] && !(operand && isSymmetric))
      json.attribute(operand ? "band_b" : "band_a", bands[operand]->str());
  if (isSymmetric)
    json.attribute("symmetric", true);
  if (!reductions.empty())
    json.attribute("reduce", reductions.str());
}

} // namespace tcgemm
