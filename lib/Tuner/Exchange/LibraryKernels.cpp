//===- LibraryKernels.cpp - A manifest's kernels in C ---------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/LibraryParts.h"
#include "tcgemm/Target/AddressDependence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

struct CheckedPrinter : ExprVisitor<CheckedPrinter, std::string> {
  explicit CheckedPrinter(function_ref<std::string(StringRef)> rename)
      : rename(rename) {}

  std::string visitLiteral(int64_t value) { return std::to_string(value); }
  std::string visitSymbol(StringRef name) { return rename(name); }
  std::string visitNode(ExprKind kind, ArrayRef<std::string> operands) {
    switch (kind) {
    case ExprKind::Add:
      return call("tcgemmAdd(p, ", operands);
    case ExprKind::Sub:
      return call("tcgemmSub(p, ", operands);
    case ExprKind::Mul:
      return call("tcgemmMul(p, ", operands);
    case ExprKind::Div:
      return call("tcgemmFloorDiv(p, ", operands);
    case ExprKind::Mod:
      return call("tcgemmFloorMod(p, ", operands);
    case ExprKind::CeilDiv:
      return call("tcgemmCeilDiv(p, ", operands);
    case ExprKind::Min:
      return call("tcgemmMin(", operands);
    case ExprKind::Max:
      return call("tcgemmMax(", operands);
    case ExprKind::Not:
      return "!" + operands[0];
    case ExprKind::Select:
      return "(" + operands[0] + " ? " + operands[1] + " : " + operands[2] +
             ")";
    default: // The same as in C.
      return "(" + operands[0] + " " + getExprSpelling(kind).str() + " " +
             operands[1] + ")";
    }
  }

private:
  static std::string call(StringRef begin, ArrayRef<std::string> operands) {
    return begin.str() + join(operands, ", ") + ")";
  }
  function_ref<std::string(StringRef)> rename;
};

constexpr StringLiteral kDimNames[] = {"TCGEMM_DIM_M",
                                       "TCGEMM_DIM_N",
                                       "TCGEMM_DIM_K",
                                       "TCGEMM_DIM_BATCH",
                                       "4",
                                       "5"};
static_assert(std::size(kDimNames) == kNumDims);

/// `{1, 2, 3}`.
template <typename Range> std::string printNumbers(const Range &values) {
  SmallVector<std::string> texts;
  for (auto value : values)
    texts.push_back(std::to_string(value));
  return "{" + join(texts, ", ") + "}";
}

/// Writes the file of a kernel.
class KernelWriter {
public:
  KernelWriter(const SourceKernel &source, raw_ostream &os)
      : source(source), kernel(*source.kernel),
        functions(*source.manifest, kernel), os(os) {}
  Error write();

private:
  Error check() const;
  Error checkOperand(const OperandInfo &operand) const;
  void writeOperands();
  void writeFunctions();
  void writeSymbols(ArrayRef<Expr> exprs);
  void writeVariant(size_t index, const Variant &variant);
  void writePlan();
  void writeTable();

  unsigned getOperand(StringRef name) const {
    return static_cast<unsigned>(kernel.findOperand(name) -
                                 kernel.operands.data());
  }
  static std::string print(const Expr &expr) {
    return printCheckedExpr(expr, getVariable);
  }
  std::string getSymbolValue(StringRef symbol) const;

  const SourceKernel &source;
  const KernelInfo &kernel;
  FunctionTable functions;
  raw_ostream &os;
};

} // namespace

std::string printCheckedExpr(const Expr &expr,
                             function_ref<std::string(StringRef)> rename) {
  return CheckedPrinter(rename).visit(expr);
}

std::string getVariable(StringRef symbol) {
  std::string name = symbol.str();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

static std::string printOfVariables(const Expr &expr) {
  return printCheckedExpr(expr, getVariable);
}

namespace {

/// Writes the arguments of a step.
class ArgumentWriter {
public:
  ArgumentWriter(const Step &step, function_ref<unsigned(StringRef)> getOperand,
                 raw_ostream &os)
      : step(step), getOperand(getOperand), os(os) {}
  void write(const Argument &argument);

private:
  void writeMap(const TensorMapInfo &map);

  const Step &step;
  function_ref<unsigned(StringRef)> getOperand;
  raw_ostream &os;
};

} // namespace

void ArgumentWriter::writeMap(const TensorMapInfo &map) {
  os << "    tcgemmBeginMap(p, " << quote(map.name) << ", "
     << getTensorMapTypeCode(map.type) << ", "
     << getTensorMapSwizzleCode(map.swizzle) << ", "
     << getTensorMapPromotionCode(map.l2Promotion) << ");\n";
  for (auto [i, dim] : enumerate(map.dims))
    os << "    tcgemmAddMapDim(p, " << printOfVariables(dim) << ", "
       << (i ? printOfVariables(map.strides[i - 1]) : "0") << ", " << map.box[i]
       << ");\n";
  if (map.base.kind == ArgumentKind::Pointer)
    os << "    tcgemmEndMapOfOperand(p, " << getOperand(map.base.operand)
       << ");\n";
  else
    os << "    tcgemmEndMapOfWorkspace(p, " << printOfVariables(map.base.value)
       << ");\n";
}

void ArgumentWriter::write(const Argument &argument) {
  switch (argument.kind) {
  case ArgumentKind::Pointer:
    os << "    tcgemmAddPointer(p, " << getOperand(argument.operand);
    break;
  case ArgumentKind::Scalar:
    os << "    tcgemmAddScalarOperand(p, " << getOperand(argument.operand);
    break;
  case ArgumentKind::I32:
    os << "    tcgemmAddInt32(p, " << printOfVariables(argument.value);
    break;
  case ArgumentKind::I64:
    os << "    tcgemmAddInt64(p, " << printOfVariables(argument.value);
    break;
  case ArgumentKind::Workspace:
    os << "    tcgemmAddWorkspace(p, " << printOfVariables(argument.value);
    break;
  case ArgumentKind::TensorMap:
    writeMap(step.tensorMaps[argument.index]);
    return;
  }
  os << ");\n";
}

void printStep(const Step &step, size_t shape, size_t function,
               function_ref<unsigned(StringRef)> getOperand, raw_ostream &os) {
  os << "  static const struct tcgemmLaunchShape shape" << shape
     << " = {{1, 1, 1}, " << printNumbers(step.block) << ", "
     << printNumbers(step.cluster) << ", " << step.sharedMemory << ", "
     << step.dependent << "};\n  if (";
  if (step.when)
    os << printOfVariables(*step.when) << " &&\n      ";
  os << "tcgemmBeginLaunch(p, " << function;
  for (const Expr &grid : step.grid)
    os << ", " << printOfVariables(grid);
  os << ", &shape" << shape << ")) {\n";
  for (const Argument &argument : step.arguments)
    ArgumentWriter(step, getOperand, os).write(argument);
  os << "  }\n";
}

void printFunctionRow(unsigned image, const FunctionTable::Entry &entry,
                      raw_ostream &os) {
  os << "    {" << image << ", " << quote(entry.symbol) << ", "
     << entry.sharedMemory << ", " << entry.hasLargeCluster << "},\n";
}

Error KernelWriter::checkOperand(const OperandInfo &operand) const {
  auto fail = [&](const Twine &what) {
    return createStringError("kernel '" + kernel.name + "': operand '" +
                             operand.name + "' " + what +
                             ", which a library cannot take");
  };
  if (operand.convolution)
    return fail("is the images of a convolution");
  if (operand.role == OperandUse::Scalar &&
      !is_contained({ScalarType::F16, ScalarType::F32, ScalarType::F64},
                    operand.type))
    return fail("is a scalar of type " + getTypeName(operand.type));
  return Error::success();
}

Error KernelWriter::check() const {
  for (const OperandInfo &operand : kernel.operands)
    if (Error error = checkOperand(operand))
      return error;
  for (const Variant &variant : kernel.variants) {
    if (!dependsOnAlignmentOnly(variant))
      return createStringError("kernel '" + kernel.name + "': variant '" +
                               variant.name +
                               "' depends on addresses, which a library "
                               "learns after it has planned");
    for (const Step &step : variant.steps)
      if (any_of(step.tensorMaps,
                 [](const TensorMapInfo &map) { return map.window; }))
        return createStringError("kernel '" + kernel.name +
                                 "' has a tensor map with a window, which a "
                                 "library cannot encode");
  }
  return Error::success();
}

void KernelWriter::writeOperands() {
  os << "static const struct tcgemmOperandInfo operands[] = {\n";
  for (const OperandInfo &operand : kernel.operands) {
    bool isScalar = operand.role == OperandUse::Scalar;
    tcgemmType type = isScalar ? *library::findType(operand.type) : TCGEMM_F32;
    SmallVector<StringRef> dims;
    SmallVector<int64_t> blocks;
    for (Dim dim : operand.dims) {
      dims.push_back(kDimNames[static_cast<unsigned>(dim)]);
      blocks.push_back(operand.getBlock(dim));
    }
    if (dims.empty()) { // ISO C has no empty lists.
      dims.push_back("0");
      blocks.push_back(0);
    }
    os << "    {" << quote(operand.name) << ", " << isScalar << ", "
       << getEnumName(type) << ", " << operand.dims.size() << ", {"
       << join(dims, ", ") << "}, " << printNumbers(blocks) << "},\n";
  }
  os << "};\n";
  if (!source.arguments.empty())
    os << "static const unsigned char arguments[] = "
       << printNumbers(source.arguments) << ";\n";
}

void KernelWriter::writeFunctions() {
  os << "static const struct tcgemmFunctionInfo functions[] = {\n";
  for (const FunctionTable::Entry &entry : functions.entries)
    printFunctionRow(source.images[entry.module], entry, os);
  os << "};\n";
}

std::string KernelWriter::getSymbolValue(StringRef symbol) const {
  if (symbol == "sm_count")
    return "p->device->processors";
  for (unsigned i = 0; i != kNumDims; ++i)
    if (symbol == getSizeName(Dim(i)))
      return ("p->sizes[" + kDimNames[i] + "]").str();
  auto [name, field] = symbol.split('.');
  std::string operand = std::to_string(getOperand(name));
  if (field == "base")
    return "tcgemmBase(p, " + operand + ")";
  field.consume_front("stride");
  return ("p->bindings[" + operand + "].strides[" + field + "]").str();
}

/// The variables of the symbols that the expressions have.
void KernelWriter::writeSymbols(ArrayRef<Expr> exprs) {
  StringSet<> known;
  for (const Expr &expr : exprs)
    for (const std::string &symbol : expr.collectSymbols())
      if (known.insert(symbol).second)
        os << "  const int64_t " << getVariable(symbol) << " = "
           << getSymbolValue(symbol) << ";\n";
}

void collectExprs(const Step &step, std::vector<Expr> &exprs) {
  append_range(exprs, step.grid);
  if (step.when)
    exprs.push_back(*step.when);
  for (const Argument &argument : step.arguments)
    exprs.push_back(argument.value);
  for (const TensorMapInfo &map : step.tensorMaps) {
    append_range(exprs, map.dims);
    append_range(exprs, map.strides);
    exprs.push_back(map.base.value);
  }
}

void KernelWriter::writeVariant(size_t index, const Variant &variant) {
  os << "\n/* " << variant.name << " */\nstatic void planVariant" << index
     << "(struct tcgemmPlanner *p) {\n";
  std::vector<Expr> exprs = {variant.workspace};
  for (const Step &step : variant.steps)
    collectExprs(step, exprs);
  writeSymbols(exprs);
  os << "  tcgemmSetWorkspace(p, " << print(variant.workspace) << ");\n";
  for (auto [i, step] : enumerate(variant.steps))
    printStep(
        step, i, functions.find(step),
        [&](StringRef name) { return getOperand(name); }, os);
  os << "}\n";
}

void KernelWriter::writePlan() {
  os << "\nstatic void plan(struct tcgemmPlanner *p) {\n";
  std::vector<Expr> guards;
  guards.reserve(kernel.variants.size());
  for (const Variant &variant : kernel.variants)
    guards.push_back(variant.guard);
  writeSymbols(guards);
  for (auto [i, guard] : enumerate(guards))
    os << "  if (" << print(guard) << ") {\n    planVariant" << i
       << "(p);\n    return;\n  }\n";
  os << "  tcgemmFailVariant(p);\n}\n";
}

void KernelWriter::writeTable() {
  SmallVector<int64_t> sizes;
  for (const std::optional<int64_t> &size : kernel.sizes)
    sizes.push_back(size.value_or(-1));
  os << "\nconst struct tcgemmKernel tcgemmKernel" << source.number
     << " = {\n    " << quote(kernel.name) << ",\n    " << quote(source.config)
     << ",\n    " << source.chip << ", operands, " << kernel.operands.size()
     << ", " << (source.arguments.empty() ? "0" : "arguments") << ",\n    "
     << printNumbers(sizes) << ", functions, " << functions.entries.size()
     << ", plan};\n";
}

Error KernelWriter::write() {
  if (Error error = check())
    return error;
  os << "/* " << kernel.name << ", for " << source.chipName
     << ".\n   Written by tcgemm-tune: changes are lost. */\n\n"
        "#include \"runtime.h\"\n\n";
  writeOperands();
  writeFunctions();
  for (auto [i, variant] : enumerate(kernel.variants))
    writeVariant(i, variant);
  writePlan();
  os << "\nextern const struct tcgemmKernel tcgemmKernel" << source.number
     << ";\n";
  writeTable();
  return Error::success();
}

Error printKernel(const SourceKernel &kernel, raw_ostream &os) {
  return KernelWriter(kernel, os).write();
}

} // namespace tcgemm
