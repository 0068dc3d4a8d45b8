//===- ManifestFunctionVerifier.cpp - Functions and constants -------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that references to buffers have a target of the right type and rank,
// and that read-only memory is not written. Sizes are known only at a call;
// Problem checks them.
//
//===----------------------------------------------------------------------===//

#include "ManifestChecks.h"
#include "tcgemm/Target/CopyKernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tcgemm;
using namespace tcgemm::manifest;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

Error manifest::fail(const Twine &path, const Twine &rule) {
  return llvm::createStringError("manifest: " + path + ": " + rule);
}

Error manifest::checkFileName(StringRef name, const Twine &path) {
  if (!name.empty() && name != "." && name != ".." &&
      name.find_first_of("/\\") == StringRef::npos &&
      name.find('\0') == StringRef::npos)
    return Error::success();
  return fail(path, "must be a file name without a directory");
}

Error manifest::checkSHA256(StringRef digits, const Twine &path) {
  if (digits.size() == 64 &&
      llvm::all_of(digits, [](char c) { return llvm::isHexDigit(c); }))
    return Error::success();
  return fail(path, "must be 64 hexadecimal digits");
}

Error manifest::verifyConstant(const PackConstant &constant,
                               const std::string &path) {
  if (!constant.getNumBytes())
    return fail(path + ".shape", "has more than 2^63 - 1 bytes");
  bool isSplat = !std::holds_alternative<std::monostate>(constant.splat);
  if (isSplat && constant.file.empty())
    return Error::success();
  if (isSplat)
    return fail(path + ".file", "must not be there, since there is a value");
  if (Error error = checkFileName(constant.file, path + ".file"))
    return error;
  return checkSHA256(constant.sha256, path + ".sha256");
}

namespace {

/// The buffer or view that a name denotes.
struct Target {
  ScalarType type = ScalarType::F32;
  size_t rank = 0;
  bool isScalar = false;
  bool isReadOnly = false;
};

class FunctionVerifier {
public:
  FunctionVerifier(const Manifest &manifest, const FunctionInfo &function)
      : manifest(manifest), function(function) {}

  Error verify(const std::string &path) const;

private:
  Expected<Target> find(StringRef text, const Twine &path) const;
  Expected<Target> findMemory(StringRef text, const Twine &path,
                              bool isWritten) const;
  size_t count(BufferKind kind) const;
  Error verifyExprs(const std::vector<Expr> &exprs, const Twine &path) const;
  Error verify(const ViewInfo &view, const std::string &path) const;
  Error verify(const LaunchInfo &launch, const std::string &path) const;
  Error verify(const FillInfo &fill, const std::string &path) const;
  Error verify(const CopyInfo &copy, const std::string &path) const;
  Error verify(const Step &step, const std::string &path) const;
  Error verifyOperand(const OperandInfo &operand, StringRef text,
                      const std::string &path) const;

  const Manifest &manifest;
  const FunctionInfo &function;
};

} // namespace

size_t FunctionVerifier::count(BufferKind kind) const {
  switch (kind) {
  case BufferKind::Argument:
    return function.arguments.size();
  case BufferKind::Temporary:
    return function.temporaries.size();
  case BufferKind::Constant:
    return manifest.constants.size();
  case BufferKind::View:
    return function.views.size();
  }
  return 0;
}

Expected<Target> FunctionVerifier::find(StringRef text,
                                        const Twine &path) const {
  std::optional<BufferRef> ref = parseBufferRef(text);
  if (!ref)
    return fail(path, "'" + text +
                          "' is none of arg<i>, tmp<i>, const<i> and view<i>");
  if (ref->index >= count(ref->kind))
    return fail(path, "there is no '" + text + "'");
  switch (ref->kind) {
  case BufferKind::Argument: {
    const FunctionArgument &argument = function.arguments[ref->index];
    return Target{argument.type, argument.shape.size(),
                  argument.access == AccessKind::Scalar,
                  argument.access == AccessKind::Read};
  }
  case BufferKind::Temporary: {
    const Temporary &temporary = function.temporaries[ref->index];
    return Target{temporary.type, temporary.shape.size()};
  }
  case BufferKind::Constant: {
    const PackConstant &constant = manifest.constants[ref->index];
    return Target{constant.type, constant.shape.size(), false, true};
  }
  case BufferKind::View:
    break;
  }
  // Views precede their users, and a view's source is not a view.
  const ViewInfo &view = function.views[ref->index];
  Expected<Target> target = find(view.buffer, path);
  if (target)
    target->rank = view.sizes.size();
  return target;
}

Expected<Target> FunctionVerifier::findMemory(StringRef text, const Twine &path,
                                              bool isWritten) const {
  Expected<Target> target = find(text, path);
  if (!target)
    return target;
  if (target->isScalar)
    return fail(path, "'" + text + "' is a scalar");
  if (isWritten && target->isReadOnly)
    return fail(path, "'" + text + "' is read-only, and is written");
  return target;
}

Error FunctionVerifier::verifyExprs(const std::vector<Expr> &exprs,
                                    const Twine &path) const {
  for (auto [i, expr] : llvm::enumerate(exprs))
    for (const std::string &symbol : expr.collectSymbols())
      if (!parseArgumentDim(function, symbol))
        return fail(path + "[" + Twine(i) + "]",
                    "unknown symbol '" + symbol + "'");
  return Error::success();
}

Error FunctionVerifier::verify(const ViewInfo &view,
                               const std::string &path) const {
  std::optional<BufferRef> ref = parseBufferRef(view.buffer);
  if (ref && ref->kind == BufferKind::View)
    return fail(path + ".buffer", "'" + view.buffer +
                                      "' is a view, must be arg<i>, tmp<i> or "
                                      "const<i>");
  Expected<Target> target =
      findMemory(view.buffer, path + ".buffer", /*isWritten=*/false);
  if (!target)
    return target.takeError();
  if (view.sizes.size() != view.strides.size())
    return fail(path + ".strides", "has " + Twine(view.strides.size()) +
                                       " entries, must have " +
                                       Twine(view.sizes.size()) + ", as sizes");
  for (const std::string &symbol : view.offset.collectSymbols())
    if (!parseArgumentDim(function, symbol))
      return fail(path + ".offset", "unknown symbol '" + symbol + "'");
  if (Error error = verifyExprs(view.sizes, path + ".sizes"))
    return error;
  return verifyExprs(view.strides, path + ".strides");
}

Error FunctionVerifier::verifyOperand(const OperandInfo &operand,
                                      StringRef text,
                                      const std::string &path) const {
  Expected<Target> target = find(text, path);
  if (!target)
    return target.takeError();
  // Signs of integers and the precision of f32 are the kernel's. A buffer of i1
  // has other bytes than one of ui1.
  ScalarType buffer = operand.type == ScalarType::U1
                          ? ScalarType::U1
                          : getBufferType(operand.type);
  if (target->type != operand.type && target->type != buffer)
    return fail(path, "'" + text + "' has type '" + getTypeName(target->type) +
                          "', operand '" + operand.name + "' has '" +
                          getTypeName(operand.type) + "'");
  if (target->isScalar != (operand.role == OperandUse::Scalar))
    return fail(path, "a scalar stands where '" + operand.name +
                          "' wants a buffer, or the reverse");
  if (target->rank != operand.dims.size())
    return fail(path, "'" + text + "' has " + Twine(target->rank) +
                          " dimensions, operand '" + operand.name + "' has " +
                          Twine(operand.dims.size()));
  if (operand.role == OperandUse::Output && target->isReadOnly)
    return fail(path, "'" + text + "' is read-only, and an output");
  return Error::success();
}

Error FunctionVerifier::verify(const LaunchInfo &launch,
                               const std::string &path) const {
  const KernelInfo *kernel = manifest.findKernel(launch.kernel);
  if (!kernel)
    return fail(path + ".kernel", "no kernel '" + launch.kernel + "'");
  if (launch.operands.size() != kernel->operands.size())
    return fail(path + ".operands", "kernel '" + launch.kernel + "' has " +
                                        Twine(kernel->operands.size()) +
                                        " operands, not " +
                                        Twine(launch.operands.size()));
  for (auto [i, text] : llvm::enumerate(launch.operands))
    if (Error error =
            verifyOperand(kernel->operands[i], text,
                          path + ".operands[" + std::to_string(i) + "]"))
      return error;
  return Error::success();
}

Error FunctionVerifier::verify(const FillInfo &fill,
                               const std::string &path) const {
  Expected<Target> target =
      findMemory(fill.target, path + ".fill", /*isWritten=*/true);
  if (!target)
    return target.takeError();
  if (std::holds_alternative<std::monostate>(fill.value))
    return fail(path + ".value", "must be there");
  if (target->type != fill.type)
    return fail(path + ".type", "'" + getTypeName(fill.type) + "', but '" +
                                    fill.target + "' has '" +
                                    getTypeName(target->type) + "'");
  return Error::success();
}

Error FunctionVerifier::verify(const CopyInfo &copy,
                               const std::string &path) const {
  Expected<Target> source =
      findMemory(copy.source, path + ".copy", /*isWritten=*/false);
  if (!source)
    return source.takeError();
  Expected<Target> target =
      findMemory(copy.target, path + ".to", /*isWritten=*/true);
  if (!target)
    return target.takeError();
  if (source->type != target->type)
    return fail(path + ".to", "'" + copy.target + "' has type '" +
                                  getTypeName(target->type) + "', '" +
                                  copy.source + "' has '" +
                                  getTypeName(source->type) + "'");
  if (source->rank != target->rank)
    return fail(path + ".to", "'" + copy.target + "' has " +
                                  Twine(target->rank) + " dimensions, '" +
                                  copy.source + "' has " + Twine(source->rank));
  return copy.step ? verify(*copy.step, path + ".step") : Error::success();
}

/// The launch of a copy.
Error FunctionVerifier::verify(const Step &step,
                               const std::string &path) const {
  if (!manifest.findModule(step.module))
    return fail(path + ".module", "no module '" + step.module + "'");
  unsigned threads = step.block[0] * step.block[1] * step.block[2];
  if (threads == 0 || threads > 1024)
    return fail(path + ".block",
                "must have 1 to 1024 threads, has " + Twine(threads));
  if (Error error = verifyExprs({step.grid[0]}, path + ".grid"))
    return error;
  if (!step.grid[1].isConstant(1) || !step.grid[2].isConstant(1) ||
      step.cluster != std::array<unsigned, 3>{1, 1, 1} || step.when ||
      step.dependent || !step.tensorMaps.empty() || step.sharedMemory)
    return fail(path, "the launch of a copy has one dimension, and neither a "
                      "cluster, 'when', 'dependent', tensor maps nor dynamic "
                      "shared memory");
  for (auto [i, argument] : llvm::enumerate(step.arguments)) {
    std::string at = path + ".arguments[" + std::to_string(i) + "]";
    if (argument.kind == ArgumentKind::Pointer &&
        argument.operand != kCopySource && argument.operand != kCopyTarget)
      return fail(at + ".operand",
                  "'" + argument.operand + "' is neither 'from' nor 'to'");
    if (argument.kind != ArgumentKind::Pointer &&
        argument.kind != ArgumentKind::I32 &&
        argument.kind != ArgumentKind::I64)
      return fail(at + ".kind",
                  "'" + getArgumentKindName(argument.kind) +
                      "', must be pointer, i32 or i64 in the launch of a copy");
    if (Error error = verifyExprs({argument.value}, at + ".value"))
      return error;
  }
  return Error::success();
}

Error FunctionVerifier::verify(const std::string &path) const {
  for (auto [i, temporary] : llvm::enumerate(function.temporaries))
    if (Error error = verifyExprs(temporary.shape, path + ".temporaries[" +
                                                       Twine(i) + "].shape"))
      return error;
  for (auto [i, view] : llvm::enumerate(function.views))
    if (Error error = verify(view, path + ".views[" + std::to_string(i) + "]"))
      return error;
  for (auto [i, launch] : llvm::enumerate(function.launches)) {
    std::string at = path + ".launches[" + std::to_string(i) + "]";
    if (Error error = std::visit(
            [&](const auto &item) { return verify(item, at); }, launch))
      return error;
  }
  return Error::success();
}

Error manifest::verifyFunction(const Manifest &manifest,
                               const FunctionInfo &function,
                               const std::string &path) {
  return FunctionVerifier(manifest, function).verify(path);
}
