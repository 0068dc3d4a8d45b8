//===- ExportSpace.cpp - Spaces as T1 -------------------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/FlatConfig.h"
#include "Space/SpaceSymbols.h"
#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Tuner/Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// A parameter of T1: an axis, or a parameter that is fixed to another value
/// than its default.
struct Parameter {
  std::string name;
  std::vector<FlatValue> values;
};

std::string flattenName(StringRef name) {
  std::string flat = name.str();
  std::replace(flat.begin(), flat.end(), '.', '_');
  return flat;
}

Expr getProduct(StringRef key) {
  auto part = [&](StringRef name) {
    return Expr::symbol((key + "." + name).str());
  };
  return part("m") * part("n") * part("k");
}

/// Threads of a CTA; none if the schedule is not fixed.
std::optional<Expr> getThreads(const Space &space) {
  if (any_of(space.getAxes(),
             [](const SpaceAxis &axis) { return axis.name == "schedule"; }))
    return std::nullopt;
  ThreadCount count =
      getFamily(space.getBase().schedule).getThreadCount(space.getBase());
  return Expr(count.each) * getProduct(count.key) + Expr(count.extra);
}

/// Prints an expression of tcgemm in Python.
class PythonPrinter : public ExprVisitor<PythonPrinter, std::string> {
public:
  PythonPrinter(const SearchSpace &space, ArrayRef<Parameter> parameters)
      : space(space), parameters(parameters) {}

  std::string visitLiteral(int64_t value) { return std::to_string(value); }
  std::string visitSymbol(StringRef name);
  std::string visitNode(ExprKind kind, ArrayRef<std::string> operands);

  bool isWhole = true; ///< True if the whole expression was printed.
  SmallVector<std::string> used;

private:
  /// Records the use of a parameter of T1.
  std::string use(StringRef name);

  const SearchSpace &space;
  ArrayRef<Parameter> parameters;
};

std::string PythonPrinter::use(StringRef name) {
  if (!is_contained(used, name))
    used.push_back(name.str());
  return name.str();
}

std::string PythonPrinter::visitSymbol(StringRef name) {
  if (name == "threads")
    if (std::optional<Expr> threads = getThreads(space.getSpace()))
      return visit(*threads);
  std::string flat = flattenName(name);
  auto isParameter = [&](StringRef wanted) {
    return any_of(parameters,
                  [&](const Parameter &p) { return p.name == wanted; });
  };
  if (isParameter(flat))
    return use(flat);
  auto [key, part] = name.split('.');
  if (!part.empty() && isParameter(key)) // The axis has complete triples.
    return "int(" + use(key) + ".split('x')[" +
           std::to_string(StringRef("mnk").find(part)) + "])";
  // Values that the space and the problem fix are numbers; others are computed.
  std::optional<ParameterName> parameter = parseParameterName(name);
  bool isProblem = is_contained({"M", "N", "K", "batch", "sm_count"}, name);
  if (!parameter && !isProblem && isSpaceKeyword(name))
    return FlatValue{name.str()}.getPythonLiteral();
  if (!parameter && !isProblem) {
    isWhole = false;
    return "";
  }
  if (parameter && !parameter->part)
    return FlatValue{space.getSpace().getBase().get(parameter->key)}
        .getPythonLiteral();
  std::optional<int64_t> value =
      getSpaceSymbol(name, space.getSpace().getBase(), space.getChip(),
                     space.getProblem().getInfo());
  isWhole &= value.has_value();
  return std::to_string(value.value_or(0));
}

std::string PythonPrinter::visitNode(ExprKind kind,
                                     ArrayRef<std::string> operands) {
  auto call = [&](StringRef name) {
    return (name + "(" + join(operands, ", ") + ")").str();
  };
  auto join2 = [&](StringRef word) {
    return ("(" + operands[0] + " " + word + " " + operands[1] + ")").str();
  };
  switch (kind) {
  case ExprKind::Div:
    return join2("//");
  case ExprKind::CeilDiv:
    return "(-(-" + operands[0] + " // " + operands[1] + "))";
  case ExprKind::And:
    return join2("and");
  case ExprKind::Or:
    return join2("or");
  case ExprKind::Not:
    return "(not " + operands[0] + ")";
  case ExprKind::Min:
    return call("min");
  case ExprKind::Max:
    return call("max");
  case ExprKind::Select:
    return "(" + operands[1] + " if " + operands[0] + " else " + operands[2] +
           ")";
  default: // The same in Python.
    return join2(getExprSpelling(kind));
  }
}

std::vector<Parameter> getParameters(const Space &space) {
  std::vector<Parameter> parameters;
  KernelConfig standard;
  auto isAxis = [&](StringRef key) {
    return any_of(space.getAxes(), [&](const SpaceAxis &axis) {
      return StringRef(axis.name).split('.').first == key;
    });
  };
  for (StringRef key : KernelConfig::keys()) {
    std::string value = space.getBase().get(key);
    erase(value, ' ');
    bool isDefault = space.getBase().get(key) == standard.get(key);
    if (isAxis(key) || (isDefault && key != "schedule"))
      continue;
    StringRef text = value;
    bool isTriple = text.consume_front("[") && text.consume_back("]");
    std::string flat = text.str();
    if (isTriple)
      std::replace(flat.begin(), flat.end(), ',', 'x');
    parameters.push_back({key.str(), {{flat}}});
  }
  for (const SpaceAxis &axis : space.getAxes()) {
    Parameter parameter{flattenName(axis.name), {}};
    for (const std::string &value : axis.values)
      parameter.values.push_back({value});
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

StringRef getType(const Parameter &parameter) {
  if (all_of(parameter.values, [](const FlatValue &v) { return v.isTruth(); }))
    return "bool";
  if (all_of(parameter.values,
             [](const FlatValue &v) { return v.getNumber().has_value(); }))
    return "int";
  return "string";
}

void writeParameter(json::OStream &json, const Parameter &parameter) {
  json.object([&] {
    SmallVector<std::string> values;
    for (const FlatValue &value : parameter.values)
      values.push_back(value.getPythonLiteral());
    json.attribute("Name", parameter.name);
    json.attribute("Type", getType(parameter));
    json.attribute("Values", "[" + join(values, ", ") + "]");
  });
}

/// Writes the restrictions, and adds the names of those that cannot be
/// expressed in Python to `leftOut`.
void writeConditions(json::OStream &json, const SearchSpace &space,
                     ArrayRef<Parameter> parameters,
                     std::vector<std::string> &leftOut) {
  json.attributeArray("Conditions", [&] {
    for (const Restriction &restriction : space.getSpace().getRestrictions()) {
      PythonPrinter printer(space, parameters);
      std::string text = printer.visit(restriction.condition);
      if (!printer.isWhole) {
        leftOut.push_back(restriction.name);
        continue;
      }
      json.object([&] {
        json.attribute("Expression", text);
        json.attributeArray("Parameters", [&] {
          for (const std::string &name : printer.used)
            json.value(name);
        });
      });
    }
  });
}

/// Writes the kernel's name and its launch. A program that runs it must get the
/// kernel from tcgemm, because it differs with each configuration. The launch
/// has one CTA for each output tile.
void writeKernel(json::OStream &json, const SearchSpace &space,
                 ArrayRef<Parameter> parameters) {
  const TuningProblem &problem = space.getProblem();
  const MatmulSizes &sizes = problem.sizes;
  auto print = [&](const Expr &expr) {
    return PythonPrinter(space, parameters).visit(expr);
  };
  Expr m = Expr::symbol("cta.m"), n = Expr::symbol("cta.n");
  json.attribute("Language", "CUDA");
  json.attribute("KernelName", "main_0_main");
  json.attribute("KernelFile", "tcgemm:" + problem.str());
  json.attribute("GlobalSizeType", "CUDA");
  json.attributeObject("GlobalSize", [&] {
    json.attribute("X",
                   print(ceilDiv(Expr(sizes.m), m) * ceilDiv(Expr(sizes.n), n) *
                         Expr::symbol("split_k") * Expr(sizes.batch)));
  });
  json.attributeObject("LocalSize", [&] {
    std::optional<Expr> threads = getThreads(space.getSpace());
    json.attribute("X", print(threads.value_or(Expr(1))));
  });
  json.attributeArray("ProblemSize", [&] {
    for (int64_t size : {sizes.m, sizes.n, sizes.k})
      json.value(size);
  });
}

} // namespace

std::vector<std::string> writeT1Input(const SearchSpace &space,
                                      raw_ostream &os) {
  std::vector<std::string> leftOut;
  std::vector<Parameter> parameters = getParameters(space.getSpace());
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attributeObject("General", [&] {
      json.attribute("BenchmarkName", space.getProblem().kernel.str());
      json.attribute("FormatVersion", 1);
      json.attribute("TimeUnit", "Microseconds");
      json.attribute("OutputFormat", "JSON");
    });
    json.attributeObject("ConfigurationSpace", [&] {
      json.attributeArray("TuningParameters", [&] {
        for (const Parameter &parameter : parameters)
          writeParameter(json, parameter);
      });
      writeConditions(json, space, parameters, leftOut);
    });
    json.attributeObject("KernelSpecification",
                         [&] { writeKernel(json, space, parameters); });
  });
  os << '\n';
  return leftOut;
}

} // namespace tcgemm
