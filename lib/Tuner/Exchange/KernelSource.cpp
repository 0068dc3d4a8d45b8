//===- KernelSource.cpp - Compiled kernels as C++ -------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/KernelSource.h"
#include "Exchange/ProgramFiles.h"
#include "Exchange/SourceParts.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The C++ type of a scalar operand; empty if there is none.
StringRef getScalarType(ScalarType type) {
  switch (type) {
  case ScalarType::F32:
    return "float";
  case ScalarType::F64:
    return "double";
  case ScalarType::I32:
    return "int32_t";
  case ScalarType::I64:
    return "int64_t";
  default:
    return "";
  }
}

/// Writes the parts of the header that depend on the pack.
class HeaderParts {
public:
  HeaderParts(const ExportedKernel &exported, const KernelInfo &kernel)
      : pack(exported.pack), kernel(kernel), record(exported.record),
        problem(exported.problem), name(exported.name),
        functions(pack.manifest, kernel) {}

  SourceParts take();

private:
  std::string printFacts() const;
  std::string printOperands() const;
  std::string printStrides() const;
  std::string printValues() const;
  std::string printSetValues() const;
  std::string printModules() const;
  std::string printFunctions() const;
  std::string printSizes() const;
  std::string printGuards() const;
  std::string printWorkspaces() const;
  std::string printLaunches() const;
  std::string printDeclarations() const;

  /// Operands that are arrays.
  void forEachArray(function_ref<void(const OperandInfo &)> visit) const {
    for (const OperandInfo &operand : kernel.operands)
      if (operand.role != OperandUse::Scalar)
        visit(operand);
  }

  const KernelPack &pack;
  const KernelInfo &kernel;
  const Record &record;
  StringRef problem, name;
  FunctionTable functions;
};

std::string HeaderParts::printFacts() const {
  std::string text;
  raw_string_ostream os(text);
  auto add = [&](StringRef what, StringRef value) {
    os << "inline constexpr char " << what << "[] =\n    " << quote(value)
       << ";\n";
  };
  auto addNumber = [&](StringRef what, double value) {
    os << "inline constexpr double " << what << " = " << format("%.9g", value)
       << ";\n";
  };
  add("kProblem", problem);
  add("kConfig", record.config.str());
  add("kChip", record.platform.chip);
  add("kDevice", record.platform.device);
  add("kCompiler",
      "tcgemm " + getGeneratorVersion() +
          (record.platform.ptxas.empty() ? ""
                                         : ", ptxas " + record.platform.ptxas));
  os << "/// Microseconds with cold caches, and their 95 % interval; 0: not "
        "measured.\n";
  bool isMeasured = record.isSuccess() &&
                    record.timing.stage != TimingStage::Model &&
                    record.timing.median > 0;
  addNumber("kMicroseconds", isMeasured ? record.timing.median : 0);
  addNumber("kLow", isMeasured ? record.timing.low : 0);
  addNumber("kHigh", isMeasured ? record.timing.high : 0);
  text.pop_back();
  return text;
}

/// The operand's extent along `dim` in C++: `M`, or the number of blocks.
std::string getExtentText(const OperandInfo &operand, Dim dim) {
  int64_t block = operand.getBlock(dim);
  StringRef size = getSizeName(dim);
  return block == 1 ? size.str()
                    : formatv("(({0} + {1}) / {2})", size, block - 1, block);
}

std::string HeaderParts::printOperands() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  for (const OperandInfo &operand : kernel.operands) {
    os << lines << "  ";
    if (operand.role == OperandUse::Scalar) {
      os << getScalarType(operand.type) << ' ' << operand.name << " = 1;";
      continue;
    }
    SmallVector<std::string> dims;
    for (Dim dim : operand.dims)
      dims.push_back(getExtentText(operand, dim));
    os << "Array " << operand.name << "; ///< " << getTypeName(operand.type)
       << " [" << join(dims, ", ") << ']';
    if (operand.role == OperandUse::Output)
      os << ", written";
  }
  return text;
}

std::string HeaderParts::printStrides() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  forEachArray([&](const OperandInfo &operand) {
    for (size_t i = 0; i != operand.dims.size(); ++i) {
      os << lines << "    p." << operand.name << ".strides[" << i << "] = ";
      ListSeparator times(" * ");
      for (Dim inner : ArrayRef(operand.dims).drop_front(i + 1))
        os << times << getExtentText(operand, inner);
      os << (i + 1 == operand.dims.size() ? "1;" : ";");
    }
  });
  return text;
}

std::string HeaderParts::printValues() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  forEachArray([&](const OperandInfo &operand) {
    os << lines << "    int64_t " << operand.name << "_base";
    for (size_t i = 0; i != operand.dims.size(); ++i)
      os << ", " << operand.name << "_stride" << i;
    os << ';';
  });
  return text;
}

std::string HeaderParts::printSetValues() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  forEachArray([&](const OperandInfo &operand) {
    os << lines
       << formatv("  v.{0}_base = static_cast<int64_t>(p.{0}.base);",
                  operand.name);
    for (size_t i = 0; i != operand.dims.size(); ++i)
      os << lines
         << formatv("  v.{0}_stride{1} = p.{0}.strides[{1}];", operand.name, i);
  });
  return text;
}

std::string HeaderParts::printModules() const {
  std::string text;
  raw_string_ostream os(text);
  for (auto [index, image] : enumerate(pack.images)) {
    const std::string &code = image.cubin.empty() ? image.ptx : image.cubin;
    // Words make the source shorter than bytes. PTX needs a terminating zero.
    std::string padded = code;
    padded.resize((code.size() / 8 + 1) * 8);
    os << "/// " << pack.manifest.modules[index].name << ": " << code.size()
       << " bytes of " << (image.cubin.empty() ? "PTX" : "a cubin") << ".\n"
       << "alignas(16) inline constexpr uint64_t kModule" << index << "[] = {";
    for (size_t at = 0; at != padded.size(); at += 8)
      os << (at % 32 == 0 ? "\n    " : " ")
         << format_hex(support::endian::read64le(padded.data() + at), 1) << ',';
    os << "};\n";
  }
  os << "inline constexpr const void *kModules[] = {";
  ListSeparator separator;
  for (size_t i = 0; i != pack.images.size(); ++i)
    os << separator << "kModule" << i;
  os << "};";
  return text;
}

std::string HeaderParts::printFunctions() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  for (const FunctionTable::Entry &entry : functions.entries)
    os << lines << "    {" << entry.module << ", " << quote(entry.symbol)
       << ", " << entry.sharedMemory << ", "
       << (entry.hasLargeCluster ? "true" : "false") << "},";
  return text;
}

std::string HeaderParts::printSizes() const {
  std::string text;
  raw_string_ostream os(text);
  os << "  if (v.M < 0 || v.N < 0 || v.K < 0 || v.batch < 0)\n"
        "    return -1;";
  bool isBatched = false;
  for (const OperandInfo &operand : kernel.operands)
    isBatched |= is_contained(operand.dims, Dim::Batch);
  for (unsigned i = 0; i != kNumPlainDims; ++i) {
    std::optional<int64_t> size = kernel.sizes[i];
    if (Dim(i) == Dim::Batch && !isBatched)
      size = 1;
    if (size)
      os << "\n  if (v." << getSizeName(Dim(i)) << " != " << *size
         << ") // Compiled in.\n    return -1;";
  }
  return text;
}

std::string HeaderParts::printGuards() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  for (auto [index, variant] : enumerate(kernel.variants)) {
    os << lines << "  // " << variant.name << '\n';
    if (variant.guard.isConstant(1))
      os << "  return " << index << ';';
    else
      os << "  if (" << printExpr(variant.guard) << ")\n    return " << index
         << ';';
  }
  return text;
}

std::string HeaderParts::printWorkspaces() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  for (auto [index, variant] : enumerate(kernel.variants))
    os << lines << "  case " << index << ":\n    bytes = static_cast<size_t>("
       << printExpr(variant.workspace) << ");\n    break;";
  return text;
}

std::string HeaderParts::printLaunches() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  for (size_t i = 0; i != kernel.variants.size(); ++i)
    os << lines << "  case " << i << ":\n    return launchVariant" << i
       << "(problem, v, workspace, stream);";
  return text;
}

std::string HeaderParts::printDeclarations() const {
  std::string text;
  raw_string_ostream os(text);
  ListSeparator lines("\n");
  for (size_t i = 0; i != kernel.variants.size(); ++i)
    os << lines << "  CUresult launchVariant" << i
       << "(const Problem &p, const Values &v, CUdeviceptr workspace,\n"
          "                          CUstream stream) const;";
  return text;
}

SourceParts HeaderParts::take() {
  std::string guard = "TCGEMM_EXPORTED_" + name.upper() + "_H";
  return {{"TITLE", (problem + ", for " + record.platform.chip).str()},
          {"NAME", name.str()},
          {"GUARD", guard},
          {"FACTS", printFacts()},
          {"OPERANDS", printOperands()},
          {"STRIDES", printStrides()},
          {"VALUES", printValues()},
          {"SET_VALUES", printSetValues()},
          {"NUM_MODULES", std::to_string(pack.images.size())},
          {"NUM_FUNCTIONS", std::to_string(functions.entries.size())},
          {"MODULES", printModules()},
          {"FUNCTIONS", printFunctions()},
          {"SIZES", printSizes()},
          {"GUARDS", printGuards()},
          {"WORKSPACES", printWorkspaces()},
          {"LAUNCHES", printLaunches()},
          {"VARIANT_DECLARATIONS", printDeclarations()},
          {"VARIANTS", printVariants(kernel, functions)}};
}

/// The only kernel that the pack's function launches.
Expected<const KernelInfo *> findKernel(const KernelPack &pack,
                                        StringRef name) {
  if (!isIdentifier(name))
    return createStringError("name '" + name + "' is not a C++ identifier");
  const Manifest &manifest = pack.manifest;
  if (manifest.kernels.size() != 1 || manifest.functions.size() != 1 ||
      manifest.functions[0].launches.size() != 1 ||
      !manifest.functions[0].temporaries.empty() ||
      !manifest.functions[0].views.empty() || !manifest.constants.empty())
    return createStringError("the pack has " + Twine(manifest.kernels.size()) +
                             " kernels and " +
                             Twine(manifest.functions.size()) +
                             " functions: expected one function that is one "
                             "launch of a kernel");
  const KernelInfo &kernel = manifest.kernels[0];
  if (kernel.findConvolution())
    return createStringError("the kernel is a convolution, which a header does "
                             "not describe: launch it by its manifest");
  if (any_of(kernel.operands, [](const OperandInfo &operand) {
        return operand.representation.has_value();
      }))
    return createStringError("the kernel reads numbers as blocks, which a "
                             "header does not describe: launch it by its "
                             "manifest");
  if (kernel.isSymmetric)
    return createStringError("the kernel has a symmetric result, which a "
                             "header does not describe: launch it by its "
                             "manifest");
  if (any_of(kernel.operands, [](const OperandInfo &operand) {
        return is_contained(operand.dims, Dim::BatchC);
      }))
    return createStringError("the kernel has several outer dimensions; a "
                             "header has one batch dimension");
  for (const OperandInfo &operand : kernel.operands)
    if (operand.role == OperandUse::Scalar &&
        getScalarType(operand.type).empty())
      return createStringError("scalar '" + operand.name + "' is of type " +
                               getTypeName(operand.type) +
                               ", which a header cannot take");
  return &kernel;
}

} // namespace

Error writeKernelHeader(const ExportedKernel &exported, raw_ostream &os) {
  Expected<const KernelInfo *> kernel =
      findKernel(exported.pack, exported.name);
  if (!kernel)
    return kernel.takeError();
  fillIn(getFileText(getProgramFiles(), "kernel.h.in"),
         HeaderParts(exported, **kernel).take(), os);
  return Error::success();
}

/// Fails if a program cannot check the kernel's results.
static Error checkProgram(const KernelInfo &kernel) {
  if (any_of(kernel.operands,
             [](const OperandInfo &operand) { return operand.reduction; }))
    return createStringError("the kernel has an output with a reduction, which "
                             "a program cannot check: export a header");
  for (auto [key, transform] : zip_equal(kTransformKeys, kernel.transforms))
    if (!transform.ops.empty())
      return createStringError("the kernel has a " + key +
                               ", which a program cannot check: export a "
                               "header");
  return Error::success();
}

Error writeKernelProgram(const ExportedKernel &exported, raw_ostream &os) {
  Expected<const KernelInfo *> kernel =
      findKernel(exported.pack, exported.name);
  if (!kernel)
    return kernel.takeError();
  Expected<std::string> epilogue = printEpilogue(**kernel);
  if (!epilogue)
    return epilogue.takeError();
  if (Error error = checkProgram(**kernel))
    return error;
  std::string operands, scalars;
  raw_string_ostream table(operands), values(scalars);
  // Arbitrary values other than 0 and 1.
  double scalar = 1.25;
  for (const OperandInfo &operand : (*kernel)->operands) {
    if (operand.role == OperandUse::Scalar) {
      values << "  p." << operand.name << " = " << format("%g", scalar)
             << (operand.type == ScalarType::F64 ? ";\n" : "f;\n");
      scalar = 0.5;
      continue;
    }
    if (!is_contained({ScalarType::BF16, ScalarType::F16, ScalarType::F32,
                       ScalarType::F64},
                      operand.type))
      return createStringError("operand '" + operand.name + "' is of type " +
                               getTypeName(operand.type) +
                               ", which a program cannot check: export a "
                               "header");
    StringRef role = operand.role == OperandUse::A       ? "A"
                     : operand.role == OperandUse::B     ? "B"
                     : operand.role == OperandUse::Input ? "Input"
                                                         : "Output";
    table << "    {" << quote(operand.name) << ", Role::" << role
          << ", Type::" << getTypeName(operand.type).upper() << ", \"";
    for (Dim dim : operand.dims)
      table << getDimName(dim);
    table << "\", &Problem::" << operand.name << "},\n";
  }
  fillIn(getFileText(getProgramFiles(), "kernel.h.in"),
         HeaderParts(exported, **kernel).take(), os);
  auto [m, n, k, batch] = exported.record.problem.sizes;
  std::string sizes = join(ArrayRef{std::to_string(m), std::to_string(n),
                                    std::to_string(k), std::to_string(batch)},
                           ", ");
  os << '\n';
  SourceParts parts = {{"NAME", exported.name},
                       {"OPERAND_TABLE", StringRef(operands).rtrim().str()},
                       {"SCALARS", StringRef(scalars).rtrim().str()},
                       {"EPILOGUE", StringRef(*epilogue).rtrim().str()},
                       {"TUNED_SIZES", sizes}};
  for (StringRef file : {"host.cpp.in", "main.cpp.in"})
    fillIn(getFileText(getProgramFiles(), file), parts, os);
  return Error::success();
}

} // namespace tcgemm
