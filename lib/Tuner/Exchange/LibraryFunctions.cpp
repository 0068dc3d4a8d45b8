//===- LibraryFunctions.cpp - A manifest's functions in C -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/LibraryParts.h"
#include "tcgemm/Runtime/HostTensor.h"
#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm {
namespace {

/// The limits of lib/Library/Generated/function.c.
constexpr size_t kMaxArguments = 32, kMaxBuffers = 128, kMaxRank = 6;

/// The word that an element consists of, once or twice.
struct FillWord {
  unsigned bytes = 4, words = 1;
  uint32_t value = 0;
};

class FunctionWriter {
public:
  FunctionWriter(const SourceFunction &source, raw_ostream &os)
      : source(source), function(*source.function), os(os) {
    for (const ViewInfo &view : function.views)
      noteConstant(view.buffer);
    for (const FunctionLaunch &launch : function.launches)
      if (const auto *info = std::get_if<LaunchInfo>(&launch))
        for (const std::string &operand : info->operands)
          noteConstant(operand);
      else if (const auto *copy = std::get_if<CopyInfo>(&launch))
        noteConstant(copy->source);
  }
  Error write();

private:
  Error fail(const Twine &what) const {
    return createStringError("function '" + function.name + "' " + what +
                             ", which a library cannot do");
  }
  void noteConstant(StringRef buffer);
  Error check() const;
  void writeArguments();
  void writeSymbols();
  void writeTemporary(const Temporary &temporary);
  void writeConstant(unsigned index);
  void writeView(const ViewInfo &view);
  void writeLaunch(const LaunchInfo &launch);
  void writeCopyTable();
  void writeCopy(const CopyInfo &copy, unsigned index);
  void writeFill(const FillInfo &fill);
  void writeLaunches();
  /// The number of a buffer, in the order of struct tcgemmFunctionPlanner.
  unsigned getBuffer(StringRef name) const;

  static std::string print(const Expr &expr) {
    return printCheckedExpr(expr, getVariable);
  }
  /// A list with one number at least, because ISO C has no empty ones.
  void writeList(StringRef name, ArrayRef<Expr> values);

  const SourceFunction &source;
  const FunctionInfo &function;
  /// The constants that the function reads, by their numbers in the manifest.
  std::vector<unsigned> constants;
  raw_ostream &os;
};

} // namespace

/// The driver fills words of 2 and 4 bytes.
static std::optional<FillWord> findFillWord(const FillInfo &fill) {
  std::vector<uint8_t> bytes = encodeScalar(fill.type, fill.value);
  FillWord word;
  if (bytes.size() != 2 && bytes.size() != 4 && bytes.size() != 8)
    return std::nullopt;
  word.bytes = static_cast<unsigned>(std::min<size_t>(bytes.size(), 4));
  word.words = static_cast<unsigned>(bytes.size()) / word.bytes;
  for (unsigned i = 0; i != word.bytes; ++i)
    word.value |= static_cast<uint32_t>(bytes[i]) << 8 * i;
  if (word.words == 2 &&
      !std::equal(bytes.begin(), bytes.begin() + 4, bytes.begin() + 4))
    return std::nullopt;
  return word;
}

void FunctionWriter::noteConstant(StringRef buffer) {
  std::optional<BufferRef> found = parseBufferRef(buffer);
  if (found && found->kind == BufferKind::Constant &&
      !is_contained(constants, found->index))
    constants.push_back(found->index);
}

Error FunctionWriter::check() const {
  auto isPacked = [](ScalarType type) { return getPackedElements(type) != 1; };
  if (function.arguments.size() > kMaxArguments)
    return fail("has more than " + Twine(kMaxArguments) + " arguments");
  if (function.arguments.size() + function.temporaries.size() +
          constants.size() + function.views.size() >
      kMaxBuffers)
    return fail("has more than " + Twine(kMaxBuffers) + " buffers");
  for (const FunctionArgument &argument : function.arguments)
    if (argument.shape.size() > kMaxRank)
      return fail("has an argument with more than " + Twine(kMaxRank) +
                  " dimensions");
  for (const Temporary &temporary : function.temporaries)
    if (temporary.shape.size() > kMaxRank || isPacked(temporary.type))
      return fail("has a temporary of " + Twine(temporary.shape.size()) +
                  " dimensions of " + getTypeName(temporary.type));
  for (unsigned index : constants) {
    const PackConstant &constant = source.manifest->constants[index];
    if (constant.shape.size() > kMaxRank || isPacked(constant.type))
      return fail("reads a constant of " + Twine(constant.shape.size()) +
                  " dimensions of " + getTypeName(constant.type));
  }
  for (const ViewInfo &view : function.views)
    if (view.sizes.size() > kMaxRank)
      return fail("has a view with more than " + Twine(kMaxRank) +
                  " dimensions");
  for (const FunctionLaunch &launch : function.launches) {
    const auto *fill = std::get_if<FillInfo>(&launch);
    if (fill && !findFillWord(*fill))
      return fail("fills a buffer of " + getTypeName(fill->type) +
                  " with a number that is no repeated word");
    const auto *copy = std::get_if<CopyInfo>(&launch);
    if (copy && !copy->step)
      return fail("copies a buffer without a launch of the pack");
  }
  return Error::success();
}

void FunctionWriter::writeArguments() {
  os << "static const struct tcgemmArgument arguments[] = {\n";
  for (const FunctionArgument &argument : function.arguments) {
    SmallVector<std::string> sizes;
    for (const std::optional<int64_t> &size : argument.shape)
      sizes.push_back(std::to_string(size.value_or(-1)));
    if (sizes.empty())
      sizes.push_back("0");
    os << "    {" << (argument.access == AccessKind::Scalar) << ", "
       << getByteSize(argument.type) << ", " << argument.shape.size() << ", {"
       << join(sizes, ", ") << "}},\n";
  }
  os << "};\n";
}

void FunctionWriter::writeSymbols() {
  StringSet<> known;
  auto add = [&](ArrayRef<Expr> exprs) {
    for (const Expr &expr : exprs)
      for (const std::string &symbol : expr.collectSymbols())
        if (std::optional<ArgumentDim> dim = parseArgumentDim(function, symbol);
            dim && known.insert(symbol).second)
          os << "  const int64_t " << getVariable(symbol) << " = f->buffers["
             << dim->argument << "].sizes[" << dim->dim << "];\n";
  };
  for (const Temporary &temporary : function.temporaries)
    add(temporary.shape);
  for (const ViewInfo &view : function.views) {
    add(view.offset);
    add(view.sizes);
    add(view.strides);
  }
  for (const FunctionLaunch &launch : function.launches)
    if (const auto *copy = std::get_if<CopyInfo>(&launch)) {
      std::vector<Expr> exprs;
      collectExprs(*copy->step, exprs);
      add(exprs);
    }
}

void FunctionWriter::writeList(StringRef name, ArrayRef<Expr> values) {
  SmallVector<std::string> texts;
  for (const Expr &value : values)
    texts.push_back(print(value));
  if (texts.empty())
    texts.push_back("0");
  os << "    const int64_t " << name << "[] = {" << join(texts, ", ") << "};\n";
}

void FunctionWriter::writeTemporary(const Temporary &temporary) {
  os << "  {\n";
  writeList("sizes", temporary.shape);
  os << "    tcgemmAddTemporary(f, " << getByteSize(temporary.type) << ", "
     << temporary.shape.size() << ", sizes);\n  }\n";
}

void FunctionWriter::writeConstant(unsigned index) {
  const PackConstant &constant = source.manifest->constants[index];
  std::vector<Expr> sizes(constant.shape.begin(), constant.shape.end());
  os << "  {\n";
  writeList("sizes", sizes);
  os << "    tcgemmAddConstant(f, " << source.constants[index] << ", "
     << getByteSize(constant.type) << ", " << sizes.size()
     << ", sizes);\n  }\n";
}

unsigned FunctionWriter::getBuffer(StringRef name) const {
  BufferRef buffer = *parseBufferRef(name);
  size_t first = 0;
  if (buffer.kind != BufferKind::Argument)
    first += function.arguments.size();
  if (buffer.kind == BufferKind::Constant || buffer.kind == BufferKind::View)
    first += function.temporaries.size();
  if (buffer.kind == BufferKind::View)
    first += constants.size();
  size_t index = buffer.index;
  if (buffer.kind == BufferKind::Constant)
    index = llvm::find(constants, buffer.index) - constants.begin();
  return static_cast<unsigned>(first + index);
}

void FunctionWriter::writeView(const ViewInfo &view) {
  os << "  {\n";
  writeList("sizes", view.sizes);
  writeList("strides", view.strides);
  os << "    tcgemmAddView(f, " << getBuffer(view.buffer) << ", "
     << print(view.offset) << ", " << view.sizes.size()
     << ", sizes, strides);\n  }\n";
}

void FunctionWriter::writeLaunch(const LaunchInfo &launch) {
  const KernelInfo *kernel = source.manifest->findKernel(launch.kernel);
  size_t index = kernel - source.manifest->kernels.data();
  SmallVector<std::string> buffers;
  for (const std::string &operand : launch.operands)
    buffers.push_back(std::to_string(getBuffer(operand)));
  os << "  {\n    static const unsigned operands[] = {" << join(buffers, ", ")
     << "};\n    tcgemmLaunchKernel(f, " << source.kernels[index]
     << ", operands);\n  }\n";
}

bool hasCopies(const FunctionInfo &function) {
  return any_of(function.launches, [](const FunctionLaunch &launch) {
    return std::holds_alternative<CopyInfo>(launch);
  });
}

/// The functions of the copies, as those of a kernel that is never planned.
void FunctionWriter::writeCopyTable() {
  os << "\nstatic const struct tcgemmFunctionInfo copies[] = {\n";
  unsigned count = 0;
  for (const FunctionLaunch &launch : function.launches)
    if (const auto *copy = std::get_if<CopyInfo>(&launch)) {
      const ModuleInfo *module =
          source.manifest->findModule(copy->step->module);
      size_t index = module - source.manifest->modules.data();
      printFunctionRow(source.images[index],
                       {static_cast<unsigned>(index), copy->step->symbol,
                        copy->step->sharedMemory, false},
                       os);
      ++count;
    }
  os << "};\nextern const struct tcgemmKernel tcgemmKernel" << source.copyKernel
     << ";\nconst struct tcgemmKernel tcgemmKernel" << source.copyKernel
     << " = {\n    " << quote("copies of " + function.name) << ", \"\", "
     << source.chip << ", 0, 0, 0,\n    {-1, -1, -1, -1, -1, -1}, copies, "
     << count << ", 0};\n";
}

void FunctionWriter::writeCopy(const CopyInfo &copy, unsigned index) {
  os << "  tcgemmBeginCopy(f, " << source.copyKernel << ", "
     << getBuffer(copy.source) << ", " << getBuffer(copy.target) << ");\n";
  printStep(
      *copy.step, index, index,
      [](StringRef name) { return name == kCopySource ? 0U : 1U; }, os);
  os << "  tcgemmEndCopy(f);\n";
}

void FunctionWriter::writeFill(const FillInfo &fill) {
  FillWord word = *findFillWord(fill);
  os << "  tcgemmFillBuffer(f, " << getBuffer(fill.target) << ", " << word.bytes
     << ", " << word.words << ", " << word.value << "U);\n";
}

void FunctionWriter::writeLaunches() {
  unsigned numCopies = 0;
  for (const FunctionLaunch &launch : function.launches)
    if (const auto *info = std::get_if<LaunchInfo>(&launch))
      writeLaunch(*info);
    else if (const auto *fill = std::get_if<FillInfo>(&launch))
      writeFill(*fill);
    else
      writeCopy(std::get<CopyInfo>(launch), numCopies++);
}

Error FunctionWriter::write() {
  if (Error error = check())
    return error;
  os << "/* " << function.name
     << ".\n   Written by tcgemm-tune: changes are lost. */\n\n"
        "#include \"runtime.h\"\n\n";
  writeArguments();
  if (hasCopies(function))
    writeCopyTable();
  os << "\nstatic void plan(struct tcgemmFunctionPlanner *f) {\n"
        "  struct tcgemmPlanner *p = &f->numbers;\n";
  writeSymbols();
  for (const Temporary &temporary : function.temporaries)
    writeTemporary(temporary);
  for (unsigned index : constants)
    writeConstant(index);
  for (const ViewInfo &view : function.views)
    writeView(view);
  writeLaunches();
  os << "  (void)p;\n}\n\nextern const struct tcgemmFunction tcgemmFunction"
     << source.number << ";\nconst struct tcgemmFunction tcgemmFunction"
     << source.number << " = {" << quote(function.name) << ", " << source.chip
     << ", arguments, " << function.arguments.size() << ", plan};\n";
  return Error::success();
}

Error printFunction(const SourceFunction &function, raw_ostream &os) {
  return FunctionWriter(function, os).write();
}

ArrayRef<StringLiteral> getLibraryExports() {
  static constexpr StringLiteral names[] = {
      "tcgemmContractionDescInitSized",
      "tcgemmCreate",
      "tcgemmDestroy",
      "tcgemmGemmEx",
      "tcgemmGetFunction",
      "tcgemmGetFunctionCount",
      "tcgemmGetLastErrorMessage",
      "tcgemmGetStatusName",
      "tcgemmGetVersion",
      "tcgemmGroupedDescInitSized",
      "tcgemmInterleave",
      "tcgemmMatmulDescInitSized",
      "tcgemmOperandsInitSized",
      "tcgemmPlan",
      "tcgemmPlanConfig",
      "tcgemmPlanContraction",
      "tcgemmPlanDestroy",
      "tcgemmPlanExplain",
      "tcgemmPlanFunction",
      "tcgemmPlanGrouped",
      "tcgemmPlanWorkspaceSize",
      "tcgemmRun",
      "tcgemmRunFunction",
      "tcgemmRunOperands",
      "tcgemmSetPointerMode",
      "tcgemmTunePlan",
  };
  return names;
}

} // namespace tcgemm
