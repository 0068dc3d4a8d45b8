//===- GenerateReduction.cpp - Reductions as MLIR text --------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenerateReduction.h"
#include "GenerateBody.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <vector>

using namespace tcgemm;
using llvm::StringRef;

namespace {
/// One result of the operation.
struct Part {
  std::string element; ///< Its type.
  std::string initial; ///< A constant, as MLIR writes it.
  std::string next;    ///< The value that the body yields for it.
};

/// The body of a reduction. It reads `%v` and the results so far, which are
/// `%t0` and following.
struct Body {
  std::string text;
  std::vector<Part> parts;
  unsigned result = 0; ///< The part that is wanted.
};
} // namespace

/// The value that changes no other one.
static std::string getNeutralText(Combiner combiner, StringRef element) {
  ScalarType type = element == "f64"   ? ScalarType::F64
                    : element == "f32" ? ScalarType::F32
                                       : ScalarType::I32;
  return writeConstant(getNeutral(combiner, type), type);
}

namespace {
/// Writes the lines of a body of values of one type.
struct BodyWriter {
  explicit BodyWriter(const std::string &element) : element(element) {}
  void emit(const std::string &operation) {
    text += "    " + operation + " : " + element + "\n";
  }
  std::string element, text;
};
} // namespace

/// A value, perhaps of a function of the element, and the result so far.
static Body writeValue(const NamedReduction &reduction, Combiner combiner,
                       const std::string &element, const GeneratedReduction &) {
  bool isFloat = StringRef(element).starts_with("f");
  std::string kind = isFloat ? "f" : "i", value = "%w";
  BodyWriter w(element);
  switch (reduction.getFunction()) {
  case ReducedFunction::Identity:
    value = "%v";
    break;
  case ReducedFunction::Square:
    w.emit("%w = arith.mul" + kind + " %v, %v");
    break;
  case ReducedFunction::Absolute:
    w.emit("%w = math.abs" + kind + " %v");
    break;
  }
  w.emit("%u = arith." + getCombinerName(combiner).str() + " %t0, " + value);
  std::string zero = isFloat ? "0.0" : "0";
  std::string initial =
      reduction.startsWithZero() ? zero : getNeutralText(combiner, element);
  return {w.text, {{element, initial, "%u"}}};
}

/// Writes `%j`, the index of an element, of type `type`.
static std::string writeCoordinate(const GeneratedReduction &r,
                                   const std::string &type) {
  auto getLoop = [](const char *name, unsigned loop) {
    return std::string("    ") + name + " = linalg.index " +
           std::to_string(loop) + " : index\n";
  };
  if (r.rowLength.empty())
    return getLoop("%i", r.loop) + "    %j = arith.index_cast %i : index to " +
           type + "\n";
  std::string length = r.rowLength, constant;
  if (!StringRef(length).starts_with("%")) {
    constant = "    %length = arith.constant " + length + " : index\n";
    length = "%length";
  }
  return getLoop("%row", r.loop) + getLoop("%column", r.loop + 1) + constant +
         "    %before = arith.muli %row, " + length +
         " : index\n    %i = arith.addi %before, %column : index\n"
         "    %j = arith.index_cast %i : index to " +
         type + "\n";
}

/// The greatest value, of which NaN is the greatest, and its index.
static Body writeIndex(const NamedReduction &, Combiner combiner,
                       const std::string &element,
                       const GeneratedReduction &r) {
  BodyWriter w(element);
  // All elements may be more than an i32 can count.
  std::string type = r.rowLength.empty() ? "i32" : "i64";
  w.text = writeCoordinate(r, type);
  bool isFloat = combiner != Combiner::ArgMaxSI;
  if (isFloat) {
    w.emit("%g = arith.cmpf ugt, %v, %t0");
    w.emit("%o = arith.cmpf ord, %t0, %t0");
    w.text += "    %c = arith.andi %g, %o : i1\n";
  } else {
    w.emit("%c = arith.cmpi sgt, %v, %t0");
  }
  w.emit("%greatest = arith.select %c, %v, %t0");
  w.text += "    %next = arith.select %c, %j, %t1 : " + type + "\n";
  Combiner ofValues = isFloat ? Combiner::MaximumF : Combiner::MaxSI;
  return {w.text,
          {{element, getNeutralText(ofValues, element), "%greatest"},
           {type, "0", "%next"}},
          1};
}

static Body writeSumExp(const NamedReduction &, Combiner,
                        const std::string &element,
                        const GeneratedReduction &) {
  BodyWriter w(element);
  for (const char *operation :
       {"%greatest = arith.maximumf %v, %t0", "%d = arith.subf %t0, %greatest",
        "%e = math.exp %d", "%s = arith.mulf %t1, %e",
        "%f = arith.subf %v, %greatest", "%g = math.exp %f",
        "%next = arith.addf %s, %g"})
    w.emit(operation);
  return {w.text,
          {{element, getNeutralText(Combiner::MaximumF, element), "%greatest"},
           {element, "0.0", "%next"}},
          1};
}

static Body writeMoments(const NamedReduction &, Combiner combiner,
                         const std::string &element,
                         const GeneratedReduction &) {
  BodyWriter w(element);
  for (const char *operation :
       {"%one = arith.constant 1.0", "%number = arith.addf %t0, %one",
        "%d = arith.subf %v, %t1", "%q = arith.divf %d, %number",
        "%mean = arith.addf %t1, %q"})
    w.emit(operation);
  Body body{"", {{element, "0.0", "%number"}, {element, "0.0", "%mean"}}, 1};
  if (combiner == Combiner::VarianceF) {
    for (const char *operation :
         {"%e = arith.subf %v, %mean", "%f = arith.mulf %d, %e",
          "%g = arith.subf %f, %t2", "%h = arith.divf %g, %number",
          "%w = arith.addf %t2, %h"})
      w.emit(operation);
    body.parts.push_back({element, "0.0", "%w"});
    body.result = 2;
  }
  body.text = w.text;
  return body;
}

/// By StateKind.
using Writer = Body (*)(const NamedReduction &, Combiner, const std::string &,
                        const GeneratedReduction &);
static constexpr Writer kWriters[] = {writeValue, writeIndex, writeSumExp,
                                      writeMoments};

GeneratedReduction::Text
GeneratedReduction::write(const NamedReduction &reduction) const {
  // The problem's reductions have a combiner of its type.
  Combiner combiner =
      *reduction.getCombiner(StringRef(element).starts_with("f"));
  Body body = kWriters[static_cast<size_t>(getStateKind(combiner))](
      reduction, combiner, element, *this);
  std::string before, inits, types, arguments, yields, elements, maps;
  for (auto [i, part] : llvm::enumerate(body.parts)) {
    std::string own = name + "_" + std::to_string(i);
    std::string type = "tensor<" + shape + part.element + ">";
    before += "  " + own + "_c = arith.constant " + part.initial + " : " +
              part.element + "\n  " + own + "_e = tensor.empty(" + sizes +
              ") : " + type + "\n  " + own + "_i = linalg.fill ins(" + own +
              "_c : " + part.element + ") outs(" + own + "_e : " + type +
              ") -> " + type + "\n";
    std::string comma = i ? ", " : "";
    inits += comma + own + "_i";
    types += comma + type;
    yields += comma + part.next;
    elements += comma + part.element;
    arguments += ", %t" + std::to_string(i) + ": " + part.element;
    maps += ", " + map;
  }
  bool isOne = body.parts.size() == 1;
  std::string number = std::to_string(body.parts.size());
  Text text;
  text.result = isOne ? name : name + "#" + std::to_string(body.result);
  text.type = "tensor<" + shape + body.parts[body.result].element + ">";
  text.operation = before + "  " + name + (isOne ? "" : ":" + number) +
                   " = linalg.generic {\n    indexing_maps = [" + sourceMap +
                   maps + "],\n    iterator_types = [" + iteratorTypes +
                   "]}\n    ins(" + source + " : " + sourceType + ") outs(" +
                   inits + " : " + types + ") {\n  ^bb0(%v: " + element +
                   arguments + "):\n" + body.text + "    linalg.yield " +
                   yields + " : " + elements + "\n  } -> " +
                   (isOne ? types : "(" + types + ")") + "\n";
  return text;
}
