//===- Manifest.cpp - The contract of a kernel pack -----------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, lookups and the JSON writer. ManifestReader.cpp reads, and
// ManifestVerifier.cpp checks.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Manifest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace tcgemm;
using llvm::StringRef;
namespace json = llvm::json;

StringRef tcgemm::getRoleName(OperandUse role) {
  constexpr StringRef names[] = {"a",      "b",       "input",   "scalar",
                                 "output", "scale_a", "scale_b", "zero_a",
                                 "zero_b", "offsets", "b2",      "counts"};
  return names[static_cast<unsigned>(role)];
}

StringRef tcgemm::getAccessName(AccessKind access) {
  constexpr StringRef names[] = {"read", "write", "readwrite", "scalar"};
  return names[static_cast<unsigned>(access)];
}

const BlockScales *OperandInfo::getScales() const {
  return findBlockScales(role);
}

int64_t OperandInfo::getBlock(Dim dim) const {
  if (representation)
    return dim == dims[dims.size() - 2] ? representation->getComponents() : 1;
  const BlockScales *scales = getScales();
  return scales ? scales->getBlock(getDimName(dim)[0], group) : 1;
}

int64_t OperandInfo::getExtent(Dim dim, int64_t size) const {
  if (convolution && dim == Dim::M)
    return size / convolution->getOutputPixels() *
           convolution->getImagePixels();
  if (convolution && dim == Dim::K)
    return convolution->channels;
  int64_t block = getBlock(dim);
  return size / block + (size % block > 0);
}

template <typename T>
static const T *findByName(const std::vector<T> &items, StringRef name) {
  auto it = llvm::find_if(items, [&](const T &t) { return t.name == name; });
  return it == items.end() ? nullptr : &*it;
}

const Convolution *KernelInfo::findConvolution() const {
  for (const OperandInfo &operand : operands)
    if (operand.convolution)
      return &*operand.convolution;
  return nullptr;
}

const OperandInfo *KernelInfo::findGroupSizes() const {
  auto found = llvm::find_if(operands, [](const OperandInfo &operand) {
    return operand.role == OperandUse::Offsets ||
           operand.role == OperandUse::Counts;
  });
  return found == operands.end() ? nullptr : &*found;
}

std::optional<GroupKind> KernelInfo::findGroupKind() const {
  const OperandInfo *sizes = findGroupSizes();
  auto b = llvm::find_if(operands, [](const OperandInfo &operand) {
    return operand.role == OperandUse::B;
  });
  if (!sizes || b == operands.end())
    return std::nullopt;
  return tcgemm::findGroupKind(sizes->role == OperandUse::Counts,
                               llvm::is_contained(b->dims, Dim::Batch));
}

bool KernelInfo::hasDividedGroups() const {
  std::optional<GroupKind> kind = findGroupKind();
  return kind && getGroupKindInfo(*kind).divided;
}

const OperandInfo *KernelInfo::findSecond() const {
  auto found = llvm::find_if(operands, [](const OperandInfo &operand) {
    return operand.role == OperandUse::B2;
  });
  return found == operands.end() ? nullptr : &*found;
}

bool KernelInfo::hasDim(Dim dim) const {
  return llvm::any_of(operands, [&](const OperandInfo &operand) {
    return llvm::is_contained(operand.dims, dim);
  });
}

std::optional<Dim> KernelInfo::findSummedDim() const {
  for (Dim dim : {Dim::BatchD, Dim::BatchC})
    if (hasDim(dim)) {
      bool isSummed = llvm::all_of(operands, [&](const OperandInfo &operand) {
        bool isMatrix =
            operand.role == OperandUse::A || operand.role == OperandUse::B;
        return llvm::is_contained(operand.dims, dim) == isMatrix;
      });
      return isSummed ? std::optional(dim) : std::nullopt;
    }
  return std::nullopt;
}

const OperandInfo *KernelInfo::findOperand(StringRef wanted) const {
  return findByName(operands, wanted);
}

const ModuleInfo *Manifest::findModule(StringRef name) const {
  return findByName(modules, name);
}

const KernelInfo *Manifest::findKernel(StringRef name) const {
  return findByName(kernels, name);
}

const FunctionInfo *Manifest::findFunction(StringRef name) const {
  return findByName(functions, name);
}

StringRef tcgemm::getBufferPrefix(BufferKind kind) {
  constexpr StringRef names[] = {"arg", "tmp", "const", "view"};
  return names[static_cast<unsigned>(kind)];
}

std::optional<BufferRef> tcgemm::parseBufferRef(StringRef text) {
  BufferRef ref;
  for (unsigned i = 0; i != kNumBufferKinds; ++i) {
    ref.kind = BufferKind(i);
    StringRef number = text;
    if (!number.consume_front(getBufferPrefix(ref.kind)))
      continue;
    if (number.empty() || !llvm::all_of(number, llvm::isDigit) ||
        number.getAsInteger(10, ref.index))
      return std::nullopt;
    return ref;
  }
  return std::nullopt;
}

std::optional<ArgumentDim>
tcgemm::parseArgumentDim(const FunctionInfo &function, StringRef symbol) {
  auto [name, field] = symbol.split('.');
  std::optional<BufferRef> ref = parseBufferRef(name);
  ArgumentDim result;
  if (!ref || ref->kind != BufferKind::Argument ||
      ref->index >= function.arguments.size() || !field.consume_front("dim") ||
      field.getAsInteger(10, result.dim) ||
      result.dim >= function.arguments[ref->index].shape.size())
    return std::nullopt;
  result.argument = ref->index;
  return result;
}

std::optional<int64_t> PackConstant::getNumBytes() const {
  int64_t elements = 1, bytes = 0;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(elements, size, elements))
      return std::nullopt;
  if (llvm::MulOverflow(elements, int64_t(getByteSize(type)), bytes))
    return std::nullopt;
  return getByteCount(type, elements);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// json::Value asserts on text that is not UTF-8, and ptxas may print any.
static json::Value text(StringRef string) { return json::fixUTF8(string); }

static json::Value optionalInteger(std::optional<int64_t> value) {
  return value ? json::Value(*value) : json::Value(nullptr);
}

template <typename Range, typename Function>
static json::Value array(const Range &range, Function &&function) {
  json::Array result;
  for (const auto &item : range)
    result.push_back(function(item));
  return result;
}

static json::Value exprText(const Expr &expr) { return expr.str(); }

static json::Value write(const ModuleInfo &module) {
  json::Object object{{"name", text(module.name)},
                      {"chip", text(module.chip)},
                      {"ptx", text(module.ptx)}};
  if (!module.cubin.empty()) {
    object["cubin"] = text(module.cubin);
    object["cubin_sha256"] = text(module.cubinSHA256);
  }
  if (!module.log.empty())
    object["log"] = text(module.log);
  return object;
}

static json::Value write(const ScalarConstant &constant);

static json::Value write(const Convolution &convolution) {
  json::Object object;
  Convolution own = convolution;
  for (const ConvolutionField &field : getConvolutionFields())
    if (isWritten(field, convolution))
      object[field.name] = json::Array(field.get(own));
  return object;
}

/// The rows of the block.
static json::Value write(const Representation &representation) {
  json::Array rows;
  size_t count = representation.getComponents();
  auto elements = representation.getElements();
  for (size_t row = 0; row != count; ++row)
    rows.push_back(
        json::Array(llvm::ArrayRef(elements).slice(row * count, count)));
  return rows;
}

static json::Value write(const OperandInfo &operand) {
  json::Object object{{"name", text(operand.name)},
                      {"role", getRoleName(operand.role)},
                      {"type", getTypeName(operand.type)},
                      {"dims", array(operand.dims, [](Dim d) -> json::Value {
                         return getDimName(d);
                       })}};
  if (operand.group)
    object["group"] = operand.group;
  if (operand.reduction)
    object["reduction"] =
        json::Object{{"combiner", getCombinerName(operand.reduction->combiner)},
                     {"initial", write(operand.reduction->initial)}};
  if (operand.band)
    object["band"] = operand.band->str();
  if (operand.convolution)
    object["convolution"] = write(*operand.convolution);
  if (operand.representation)
    object["representation"] = write(*operand.representation);
  return object;
}

static json::Value write(const ScalarConstant &constant) {
  if (const auto *integer = std::get_if<int64_t>(&constant))
    return *integer;
  double value = std::get<double>(constant);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value > 0 ? "inf" : "-inf";
  return value;
}

static json::Value write(const EpilogueOpInfo &op) {
  json::Object object{{"op", text(op.op)}, {"type", getTypeName(op.type)}};
  if (!op.operands.empty())
    object["operands"] =
        array(op.operands, [](unsigned i) { return json::Value(i); });
  if (!op.predicate.empty())
    object["predicate"] = text(op.predicate);
  if (!std::holds_alternative<std::monostate>(op.value))
    object["value"] = write(op.value);
  if (op.dim)
    object["dim"] = getDimName(*op.dim);
  return object;
}

static json::Value write(const Argument &argument) {
  json::Object object{{"kind", getArgumentKindName(argument.kind)}};
  if (argument.takesOperand())
    object["operand"] = text(argument.operand);
  else if (argument.kind == ArgumentKind::TensorMap)
    object["index"] = argument.index;
  else
    object["value"] = argument.value.str();
  return object;
}

static json::Value number(unsigned value) { return value; }

static json::Value write(const TensorMapInfo &map) {
  json::Object object{{"name", text(map.name)},
                      {"type", getTypeName(map.type)},
                      {"base", write(map.base)},
                      {"dims", array(map.dims, exprText)},
                      {"strides", array(map.strides, exprText)},
                      {"box", array(map.box, number)},
                      {"swizzle", map.swizzle},
                      {"l2_promotion", map.l2Promotion}};
  if (map.window)
    object["window"] = json::Object{{"lower", json::Array(map.window->lower)},
                                    {"upper", json::Array(map.window->upper)},
                                    {"steps", json::Array(map.window->steps)}};
  return object;
}

static json::Value write(const Step &step) {
  json::Object object{
      {"module", text(step.module)},
      {"symbol", text(step.symbol)},
      {"grid", array(step.grid, exprText)},
      {"block", array(step.block, number)},
      {"cluster", array(step.cluster, number)},
      {"shared_memory", step.sharedMemory},
      {"arguments",
       array(step.arguments, [](const Argument &a) { return write(a); })},
      {"remarks",
       array(step.remarks, [](const std::string &r) { return text(r); })}};
  // Omitted if there are none, so that older readers accept the manifest.
  if (!step.tensorMaps.empty())
    object["tensor_maps"] = array(
        step.tensorMaps, [](const TensorMapInfo &map) { return write(map); });
  if (step.dependent)
    object["dependent"] = true;
  if (step.when)
    object["when"] = step.when->str();
  auto add = [&](StringRef key, std::optional<int64_t> value) {
    if (value)
      object[key] = *value;
  };
  add("registers", step.registers);
  add("spill_bytes", step.spillBytes);
  add("stack_bytes", step.stackBytes);
  add("static_shared_memory", step.staticSharedMemory);
  return object;
}

static json::Value write(const Variant &variant) {
  return json::Object{
      {"name", text(variant.name)},
      {"guard", variant.guard.str()},
      {"config", text(variant.config)},
      {"workspace", variant.workspace.str()},
      {"steps", array(variant.steps, [](const Step &s) { return write(s); })}};
}

static json::Value write(const EpilogueProgram &program) {
  return json::Object{
      {"ops",
       array(program.ops, [](const EpilogueOpInfo &op) { return write(op); })},
      {"yields",
       array(program.yields, [](unsigned i) { return json::Value(i); })}};
}

static json::Value write(const KernelInfo &kernel) {
  json::Object sizes;
  for (unsigned i = 0; i != kNumDims; ++i)
    if (i < kNumPlainDims || kernel.hasDim(Dim(i)))
      sizes[getSizeName(Dim(i))] = optionalInteger(kernel.sizes[i]);
  json::Object object{
      {"name", text(kernel.name)},
      {"sizes", std::move(sizes)},
      {"operands",
       array(kernel.operands, [](const OperandInfo &o) { return write(o); })},
      {"epilogue", write(kernel.epilogue)},
      {"variants",
       array(kernel.variants, [](const Variant &v) { return write(v); })}};
  for (auto [key, program] : llvm::zip_equal(kTransformKeys, kernel.transforms))
    if (!program.ops.empty())
      object[key] = write(program);
  if (!kernel.algebra.isDefault())
    object["algebra"] = kernel.algebra.str();
  if (kernel.isSymmetric)
    object["symmetric"] = true;
  return object;
}

static json::Value write(const PackConstant &constant) {
  json::Object object{{"name", text(constant.name)},
                      {"type", getTypeName(constant.type)},
                      {"shape", array(constant.shape, [](int64_t size) {
                         return json::Value(size);
                       })}};
  if (constant.file.empty()) {
    object["value"] = write(constant.splat);
  } else {
    object["file"] = text(constant.file);
    object["sha256"] = text(constant.sha256);
  }
  return object;
}

static json::Value write(const FunctionArgument &argument) {
  json::Object object{{"type", getTypeName(argument.type)},
                      {"access", getAccessName(argument.access)}};
  if (argument.access != AccessKind::Scalar)
    object["shape"] = array(argument.shape, optionalInteger);
  return object;
}

static json::Value write(const Temporary &temporary) {
  return json::Object{{"type", getTypeName(temporary.type)},
                      {"shape", array(temporary.shape, exprText)}};
}

static json::Value write(const ViewInfo &view) {
  return json::Object{{"buffer", text(view.buffer)},
                      {"offset", view.offset.str()},
                      {"sizes", array(view.sizes, exprText)},
                      {"strides", array(view.strides, exprText)}};
}

static json::Value write(const LaunchInfo &launch) {
  return json::Object{
      {"kernel", text(launch.kernel)},
      {"operands", array(launch.operands, [](const std::string &operand) {
         return text(operand);
       })}};
}

static json::Value write(const FillInfo &fill) {
  return json::Object{{"fill", text(fill.target)},
                      {"type", getTypeName(fill.type)},
                      {"value", write(fill.value)}};
}

static json::Value write(const CopyInfo &copy) {
  json::Object object{{"copy", text(copy.source)}, {"to", text(copy.target)}};
  if (copy.step)
    object["step"] = write(*copy.step);
  return object;
}

static json::Value write(const FunctionInfo &function) {
  auto writeItem = [](const auto &item) { return write(item); };
  json::Object object{
      {"name", text(function.name)},
      {"arguments", array(function.arguments, writeItem)},
      {"temporaries", array(function.temporaries, writeItem)},
      {"launches", array(function.launches, [&](const FunctionLaunch &launch) {
         return std::visit(writeItem, launch);
       })}};
  if (!function.views.empty())
    object["views"] = array(function.views, writeItem);
  return object;
}

json::Value tcgemm::toJSON(const Manifest &manifest) {
  json::Object producer;
  for (const auto &[key, value] : manifest.producer)
    producer[json::fixUTF8(key)] = text(value);
  json::Object object{
      {"tcgemm_manifest", kManifestVersion},
      {"producer", std::move(producer)},
      {"modules",
       array(manifest.modules, [](const ModuleInfo &m) { return write(m); })},
      {"kernels",
       array(manifest.kernels, [](const KernelInfo &k) { return write(k); })},
      {"functions", array(manifest.functions,
                          [](const FunctionInfo &f) { return write(f); })}};
  if (!manifest.constants.empty())
    object["constants"] = array(manifest.constants,
                                [](const PackConstant &c) { return write(c); });
  if (!manifest.leftOut.empty())
    object["left_out"] =
        array(manifest.leftOut, [](const LeftOutFunction &function) {
          return json::Object{{"name", text(function.name)},
                              {"reason", text(function.reason)}};
        });
  return object;
}
