//===- ManifestVerifier.cpp - Rules of a manifest -------------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of docs/reference/manifest.md that the types do not ensure. The
// compiler's output and every manifest that is read are checked here, so that
// the runtime can rely on the rules.
//
//===----------------------------------------------------------------------===//

#include "ManifestChecks.h"
#include "tcgemm/Target/Instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tcgemm;
using namespace tcgemm::manifest;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

/// Checks that names are present and unique.
template <typename T>
static Error checkNames(const std::vector<T> &items, const std::string &path) {
  llvm::StringSet<> seen;
  for (auto [i, item] : llvm::enumerate(items)) {
    std::string at = path + "[" + std::to_string(i) + "].name";
    if (item.name.empty())
      return fail(at, "must not be empty");
    if (!seen.insert(item.name).second)
      return fail(at, "'" + item.name + "' is used twice");
  }
  return Error::success();
}

static Error verify(const ModuleInfo &module, const std::string &path) {
  if (Error error = checkFileName(module.ptx, path + ".ptx"))
    return error;
  if (module.cubin.empty())
    return Error::success();
  if (Error error = checkFileName(module.cubin, path + ".cubin"))
    return error;
  return checkSHA256(module.cubinSHA256, path + ".cubin_sha256");
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// Returns whether a kernel defines `symbol`.
static bool isKernelSymbol(const KernelInfo &kernel, StringRef symbol) {
  if (symbol == "sm_count")
    return true;
  for (unsigned i = 0; i != kNumDims; ++i)
    if (symbol == getSizeName(Dim(i)))
      return true;
  auto [name, field] = symbol.split('.');
  const OperandInfo *operand = kernel.findOperand(name);
  if (!operand || operand->role == OperandUse::Scalar)
    return false;
  if (field == "base")
    return true;
  unsigned index = 0;
  return field.consume_front("stride") && !field.getAsInteger(10, index) &&
         index < operand->dims.size();
}

static Error verifyExpr(const KernelInfo &kernel, const Expr &expr,
                        const Twine &path) {
  for (const std::string &symbol : expr.collectSymbols())
    if (!isKernelSymbol(kernel, symbol))
      return fail(path,
                  "unknown symbol '" + symbol + "' in '" + expr.str() + "'");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Checks the second B of a dual product.
static Error verifySecond(const KernelInfo &kernel, const std::string &path) {
  const OperandInfo *second = kernel.findSecond();
  if (!second)
    return Error::success();
  const OperandInfo &b = kernel.operands[1];
  if (second != &kernel.operands[2] || b.role != OperandUse::B ||
      second->type != b.type || second->dims != b.dims)
    return fail(path + ".operands", "'b2' must be directly behind 'a' and 'b', "
                                    "once, with the type and dims of 'b'");
  if (llvm::any_of(llvm::ArrayRef(kernel.operands).drop_front(3),
                   [](const OperandInfo &operand) {
                     return operand.role == OperandUse::B2;
                   }))
    return fail(path + ".operands", "has 'b2' more than once");
  return Error::success();
}

static Error verifyOperands(const KernelInfo &kernel, const std::string &path) {
  if (Error error = checkNames(kernel.operands, path + ".operands"))
    return error;
  unsigned numA = 0, numB = 0, numOutputs = 0, numSizes = 0;
  const BlockScales *lastScales = nullptr;
  for (auto [i, operand] : llvm::enumerate(kernel.operands)) {
    if (Error error = verifyOperand(operand, path + ".operands[" +
                                                 std::to_string(i) + "]"))
      return error;
    // Sizes are those of A and B; scales are checked against them.
    if (const BlockScales *scales = operand.getScales()) {
      if (!numA || !numB || (lastScales && lastScales >= scales))
        return fail(path + ".operands",
                    "'" + getRoleName(operand.role) +
                        "' must be behind 'a' and 'b', once, and in the order "
                        "scale_a, scale_b, zero_a, zero_b");
      lastScales = scales;
    }
    numA += operand.role == OperandUse::A;
    numB += operand.role == OperandUse::B;
    numOutputs += operand.isStored();
    numSizes += operand.role == OperandUse::Offsets ||
                operand.role == OperandUse::Counts;
  }
  if (numSizes > 1)
    return fail(path + ".operands",
                "has 'offsets' and 'counts' more than once in all");
  if (Error error = verifyGroups(kernel, path))
    return error;
  for (const OperandInfo &operand : kernel.operands)
    if (operand.reduction &&
        getStateKind(operand.reduction->combiner) == StateKind::Index &&
        !numSizes && kernel.sizes[unsigned(Dim::Batch)] != 1 &&
        !llvm::is_contained(operand.dims, Dim::Batch))
      return fail(path + ".operands",
                  "'" + operand.name + "' is an index, and so it needs b");
  if (numA != 1 || numB != 1 || numOutputs == 0)
    return fail(path + ".operands",
                "must have one 'a', one 'b' and at least one 'output' without "
                "a reduction");
  return verifySecond(kernel, path);
}

/// The type of A·B, which an epilogue's first argument has.
static ScalarType getSumType(const KernelInfo &kernel) {
  std::optional<ScalarType> a, b;
  for (const OperandInfo &operand : kernel.operands)
    if (operand.role == OperandUse::A)
      a = operand.type;
    else if (operand.role == OperandUse::B)
      b = operand.type;
  // Each kernel has both, as verifyOperands knows.
  if (!a || !b)
    return ScalarType::F32;
  llvm::ArrayRef<ScalarType> types = getAccumulatorTypes(*a, *b);
  return types.empty() ? ScalarType::F32 : types.front();
}

/// Checks a program with arguments and results of these types. `names` are the
/// arguments' and `results` the results', for messages.
static Error verifyProgram(const EpilogueProgram &program,
                           llvm::ArrayRef<ScalarType> arguments,
                           llvm::ArrayRef<ScalarType> results, StringRef names,
                           const std::string &path) {
  size_t numArguments =
      llvm::count_if(program.ops, [](const EpilogueOpInfo &op) {
        return op.op == "argument";
      });
  if (numArguments != arguments.size())
    return fail(path + ".ops", "must have " + Twine(arguments.size()) +
                                   " arguments (" + names + "), has " +
                                   Twine(numArguments));
  for (auto [i, op] : llvm::enumerate(program.ops)) {
    std::string at = path + ".ops[" + std::to_string(i) + "]";
    bool isArgument = op.op == "argument";
    if (isArgument != (i < numArguments))
      return fail(at, "arguments come first");
    if (isArgument && op.type != arguments[i])
      return fail(at + ".type",
                  "the operand has type '" + getTypeName(arguments[i]) + "'");
    for (auto [j, operand] : llvm::enumerate(op.operands))
      if (operand >= i)
        return fail(at + ".operands[" + Twine(j) + "]",
                    Twine(operand) + " is not an earlier value");
    if (op.dim == Dim::K)
      return fail(at + ".dim", "must be b, m or n");
  }
  if (program.yields.size() != results.size())
    return fail(path + ".yields", "must have one entry per output (" +
                                      Twine(results.size()) + "), has " +
                                      Twine(program.yields.size()));
  for (auto [i, yield] : llvm::enumerate(program.yields)) {
    std::string at = path + ".yields[" + std::to_string(i) + "]";
    if (yield >= program.ops.size())
      return fail(at, Twine(yield) + " is not a value");
    if (program.ops[yield].type != results[i])
      return fail(at, "the value has type '" +
                          getTypeName(program.ops[yield].type) +
                          "', the output '" + getTypeName(results[i]) + "'");
  }
  return Error::success();
}

/// Checks that a program reads no input with the dimension `dim`.
static Error verifyReads(const KernelInfo &kernel,
                         const EpilogueProgram &program, Dim dim,
                         const std::string &path) {
  auto reads = [&](unsigned argument) {
    return llvm::is_contained(program.yields, argument) ||
           llvm::any_of(program.ops, [&](const EpilogueOpInfo &op) {
             return llvm::is_contained(op.operands, argument);
           });
  };
  unsigned argument = 0;
  for (const OperandInfo &operand : kernel.operands) {
    argument += operand.isEpilogueArgument();
    if (operand.role == OperandUse::Input &&
        llvm::is_contained(operand.dims, dim) && reads(argument))
      return fail(path, "reads '" + operand.name +
                            "', which has the dimension " + getDimName(dim));
  }
  return Error::success();
}

static Error verifyEpilogue(const KernelInfo &kernel, const std::string &path) {
  std::vector<ScalarType> arguments = {getSumType(kernel)}, outputs;
  for (const OperandInfo &operand : kernel.operands) {
    if (operand.isEpilogueArgument())
      arguments.push_back(operand.role == OperandUse::B2 ? arguments.front()
                                                         : operand.type);
    if (operand.role != OperandUse::Output)
      continue;
    outputs.push_back(getYieldType(operand, kernel.epilogue, outputs.size()));
  }
  if (Error error = verifyProgram(kernel.epilogue, arguments, outputs,
                                  "acc, inputs, scalars", path + ".epilogue"))
    return error;
  if (Error error =
          verifyReads(kernel, kernel.epilogue, Dim::K, path + ".epilogue"))
    return error;
  for (auto [number, program] : llvm::enumerate(kernel.transforms)) {
    if (program.ops.empty())
      continue;
    std::string at = path + "." + kTransformKeys[number].str();
    OperandUse use = number ? OperandUse::B : OperandUse::A;
    arguments.front() = getBufferType(
        llvm::find_if(kernel.operands, [&](const OperandInfo &operand) {
          return operand.role == use;
        })->type);
    if (Error error = verifyProgram(program, arguments, arguments.front(),
                                    "element, inputs, scalars", at))
      return error;
    if (Error error =
            verifyReads(kernel, program, number ? Dim::M : Dim::N, at))
      return error;
    if (llvm::any_of(program.ops, [](const EpilogueOpInfo &op) {
          return op.dim.has_value();
        }))
      return fail(at + ".ops", "have no coordinates");
  }
  return Error::success();
}

/// Checks a constant against the rule of its field. Values that depend on the
/// problem are checked when they are known.
static Error verifyTensorMapValue(
    const KernelInfo &kernel, const Expr &expr, const Twine &path,
    llvm::function_ref<std::optional<std::string>(int64_t)> findViolation) {
  if (Error error = verifyExpr(kernel, expr, path))
    return error;
  if (std::optional<int64_t> constant = expr.getConstant())
    if (std::optional<std::string> text = findViolation(*constant))
      return fail(path, *text);
  return Error::success();
}

static Error verifyTensorMap(const KernelInfo &kernel, const TensorMapInfo &map,
                             const std::string &path) {
  if (auto found = findTensorMapViolation(
          map.type, map.dims.size(), map.strides.size(), map.box, map.swizzle,
          map.l2Promotion, map.window))
    return fail(path + "." + found->field, found->text);
  for (auto [i, dim] : llvm::enumerate(map.dims))
    if (Error error =
            verifyTensorMapValue(kernel, dim, path + ".dims[" + Twine(i) + "]",
                                 findTensorMapDimViolation))
      return error;
  for (auto [i, stride] : llvm::enumerate(map.strides))
    if (Error error = verifyTensorMapValue(kernel, stride,
                                           path + ".strides[" + Twine(i) + "]",
                                           findTensorMapStrideViolation))
      return error;
  std::string base = path + ".base";
  // The workspace itself is aligned to 256 bytes.
  if (map.base.kind == ArgumentKind::Workspace)
    return verifyTensorMapValue(kernel, map.base.value, base + ".value",
                                findTensorMapBaseViolation);
  if (map.base.kind != ArgumentKind::Pointer)
    return fail(base + ".kind", "'" + getArgumentKindName(map.base.kind) +
                                    "' must be pointer or workspace");
  const OperandInfo *operand = kernel.findOperand(map.base.operand);
  if (!operand)
    return fail(base + ".operand", "no operand '" + map.base.operand + "'");
  if (operand->role == OperandUse::Scalar)
    return fail(base + ".operand", "'" + map.base.operand + "' is a scalar");
  // A map of elements that share bytes counts bytes.
  ScalarType type = getPackedElements(operand->type) > 1
                        ? ScalarType::I8
                        : getPartType(operand->type);
  if (type != map.type)
    return fail(path + ".type",
                "'" + getTypeName(map.type) + "', must be that of operand '" +
                    operand->name + "', '" + getTypeName(operand->type) + "'");
  return Error::success();
}

static Error verifyArgument(const KernelInfo &kernel, const Step &step,
                            const Argument &argument, const std::string &path) {
  if (argument.kind == ArgumentKind::TensorMap) {
    if (argument.index >= step.tensorMaps.size())
      return fail(path + ".index", Twine(argument.index) + ", but there are " +
                                       Twine(step.tensorMaps.size()) +
                                       " tensor maps");
    return Error::success();
  }
  bool isScalar = argument.kind == ArgumentKind::Scalar;
  if (!isScalar && argument.kind != ArgumentKind::Pointer)
    return verifyExpr(kernel, argument.value, path + ".value");
  const OperandInfo *operand = kernel.findOperand(argument.operand);
  if (!operand)
    return fail(path + ".operand", "no operand '" + argument.operand + "'");
  if (isScalar != (operand->role == OperandUse::Scalar))
    return fail(path + ".operand",
                isScalar ? "'" + argument.operand + "' is not a scalar"
                         : "'" + argument.operand + "' is a scalar");
  return Error::success();
}

static Error verifyCluster(const Step &step, const std::string &path) {
  if (llvm::is_contained(step.cluster, 0u))
    return fail(path, "must not have a zero");
  // The maximum of sm_90; sizes above 8 need an attribute.
  constexpr uint64_t limit = 16;
  uint64_t blocks = 1;
  for (unsigned size : step.cluster)
    blocks *= size;
  if (blocks > limit)
    return fail(path, "has " + Twine(blocks) + " blocks, must have 1 to " +
                          Twine(limit));
  for (unsigned i = 0; i != 3; ++i) {
    std::optional<int64_t> size = step.grid[i].getConstant();
    if (size && *size % step.cluster[i] != 0)
      return fail(path + "[" + Twine(i) + "]", Twine(step.cluster[i]) +
                                                   ", must divide the grid's " +
                                                   Twine(*size));
  }
  return Error::success();
}

static Error verifyStep(const Manifest &manifest, const KernelInfo &kernel,
                        const Step &step, const std::string &path) {
  if (!manifest.findModule(step.module))
    return fail(path + ".module", "no module '" + step.module + "'");
  if (step.symbol.empty())
    return fail(path + ".symbol", "must not be empty");
  unsigned threads = step.block[0] * step.block[1] * step.block[2];
  if (threads == 0 || threads > 1024)
    return fail(path + ".block",
                "must have 1 to 1024 threads, has " + Twine(threads));
  if (Error error = verifyCluster(step, path + ".cluster"))
    return error;
  for (unsigned i = 0; i != 3; ++i)
    if (Error error =
            verifyExpr(kernel, step.grid[i], path + ".grid[" + Twine(i) + "]"))
      return error;
  if (step.when)
    if (Error error = verifyExpr(kernel, *step.when, path + ".when"))
      return error;
  if (Error error = checkNames(step.tensorMaps, path + ".tensor_maps"))
    return error;
  for (auto [i, map] : llvm::enumerate(step.tensorMaps))
    if (Error error = verifyTensorMap(
            kernel, map, path + ".tensor_maps[" + std::to_string(i) + "]"))
      return error;
  for (auto [i, argument] : llvm::enumerate(step.arguments))
    if (Error error =
            verifyArgument(kernel, step, argument,
                           path + ".arguments[" + std::to_string(i) + "]"))
      return error;
  return Error::success();
}

static Error verifyAlgebra(const KernelInfo &kernel, const std::string &path) {
  if (kernel.algebra.isDefault())
    return Error::success();
  ScalarType type = kernel.operands.front().type;
  auto fits = [&](const OperandInfo &operand) {
    return operand.role > OperandUse::B || operand.type == type;
  };
  if (hasAlgebra(type, kernel.algebra) && llvm::all_of(kernel.operands, fits))
    return Error::success();
  return fail(path, "needs A and B of the same of " +
                        listAlgebraTypes(kernel.algebra));
}

/// The depth of a convolution is known, and there is one product.
static Error verifyConvolution(const KernelInfo &kernel,
                               const std::string &path) {
  const Convolution *convolution = kernel.findConvolution();
  if (!convolution)
    return Error::success();
  if (kernel.sizes[unsigned(Dim::K)] != convolution->getDepth())
    return fail(path + ".sizes.K",
                "must be that of the filter of the convolution, " +
                    Twine(convolution->getDepth()));
  for (const OperandInfo &operand : kernel.operands)
    if (llvm::any_of(operand.dims, [](Dim dim) { return isOuter(dim); }))
      return fail(path + ".operands",
                  "'" + operand.name +
                      "' has an outer dimension, which convolutions do not "
                      "have");
  return Error::success();
}

static Error verifyKernel(const Manifest &manifest, const KernelInfo &kernel,
                          const std::string &path) {
  for (unsigned i = 0; i != kNumDims; ++i)
    if (kernel.sizes[i] && *kernel.sizes[i] < 0)
      return fail(path + ".sizes." + getSizeName(Dim(i)),
                  "must not be negative");
  if (Error error = verifyOperands(kernel, path))
    return error;
  if (Error error = verifyFeatures(kernel, path))
    return error;
  if (Error error = verifyConvolution(kernel, path))
    return error;
  if (Error error = verifyNumbers(kernel, path))
    return error;
  // The size of one may be fixed and that of the other free.
  if (kernel.isSymmetric &&
      kernel.sizes[unsigned(Dim::M)] != kernel.sizes[unsigned(Dim::N)])
    return fail(path + ".sizes",
                "M and N must be equal: the result is symmetric");
  if (Error error = verifyEpilogue(kernel, path))
    return error;
  if (Error error = verifyAlgebra(kernel, path + ".algebra"))
    return error;
  if (kernel.variants.empty())
    return fail(path + ".variants", "must not be empty");
  if (Error error = checkNames(kernel.variants, path + ".variants"))
    return error;
  for (auto [i, variant] : llvm::enumerate(kernel.variants)) {
    std::string at = path + ".variants[" + std::to_string(i) + "]";
    if (Error error = verifyExpr(kernel, variant.guard, at + ".guard"))
      return error;
    if (Error error = verifyExpr(kernel, variant.workspace, at + ".workspace"))
      return error;
    for (auto [j, step] : llvm::enumerate(variant.steps))
      if (Error error = verifyStep(manifest, kernel, step,
                                   at + ".steps[" + std::to_string(j) + "]"))
        return error;
  }
  return Error::success();
}

Error tcgemm::verifyManifest(const Manifest &manifest) {
  if (Error error = checkNames(manifest.modules, "modules"))
    return error;
  if (Error error = checkNames(manifest.kernels, "kernels"))
    return error;
  if (Error error = checkNames(manifest.constants, "constants"))
    return error;
  if (Error error = checkNames(manifest.functions, "functions"))
    return error;
  if (Error error = checkNames(manifest.leftOut, "left_out"))
    return error;
  for (auto [i, module] : llvm::enumerate(manifest.modules))
    if (Error error = verify(module, "modules[" + std::to_string(i) + "]"))
      return error;
  for (auto [i, kernel] : llvm::enumerate(manifest.kernels))
    if (Error error = verifyKernel(manifest, kernel,
                                   "kernels[" + std::to_string(i) + "]"))
      return error;
  for (auto [i, constant] : llvm::enumerate(manifest.constants))
    if (Error error =
            verifyConstant(constant, "constants[" + std::to_string(i) + "]"))
      return error;
  for (auto [i, function] : llvm::enumerate(manifest.functions))
    if (Error error = verifyFunction(manifest, function,
                                     "functions[" + std::to_string(i) + "]"))
      return error;
  return Error::success();
}
