//===- ManifestReader.cpp - Strict reading of a manifest ------------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON to structs, field by field.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Manifest.h"

#include "JSONReader.h"
#include "tcgemm/Target/BoundedJSON.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>

using namespace tcgemm;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static std::string readString(const JSONNode &node) { return node.getString(); }
static Expr readExpr(const JSONNode &node) { return node.getExpr(); }

static ModuleInfo readModule(const JSONNode &node) {
  JSONObjectReader object(node);
  ModuleInfo module;
  module.name = object.get("name").getString();
  module.chip = object.get("chip").getString();
  module.ptx = object.get("ptx").getString();
  if (std::optional<JSONNode> cubin = object.find("cubin")) {
    module.cubin = cubin->getString();
    module.cubinSHA256 = object.get("cubin_sha256").getString();
  }
  if (std::optional<JSONNode> log = object.find("log"))
    module.log = log->getString();
  return module;
}

static ScalarConstant readScalar(const JSONNode &node, ScalarType type) {
  if (!isFloatType(type))
    return node.getInteger(std::numeric_limits<int64_t>::min(),
                           std::numeric_limits<int64_t>::max());
  if (std::optional<double> number = node.value->getAsNumber())
    return *number;
  std::optional<StringRef> name = node.value->getAsString();
  if (name && *name == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (name && (*name == "inf" || *name == "-inf"))
    return *name == "inf" ? std::numeric_limits<double>::infinity()
                          : -std::numeric_limits<double>::infinity();
  node.fail("must be a number, \"inf\", \"-inf\" or \"nan\"");
  return 0.0;
}

static Convolution readConvolution(const JSONNode &node) {
  JSONObjectReader object(node);
  Convolution convolution;
  for (const ConvolutionField &field : getConvolutionFields()) {
    std::optional<JSONNode> found = field.isAlwaysWritten
                                        ? object.get(field.name)
                                        : object.find(field.name);
    if (!found)
      continue;
    auto numbers = field.get(convolution);
    std::vector<int64_t> list = found->getArray([](const JSONNode &number) {
      return number.getInteger(0, kMaxConvolutionNumber);
    });
    if (list.size() == numbers.size())
      llvm::copy(list, numbers.begin());
    else
      found->fail("must have " + llvm::Twine(numbers.size()) + " numbers");
  }
  return convolution;
}

static std::optional<Representation> readRepresentation(const JSONNode &node) {
  std::vector<int64_t> elements;
  auto readRow = [&](const JSONNode &row) {
    std::vector<int64_t> numbers = row.getArray([](const JSONNode &number) {
      constexpr int64_t most = Representation::kMostComponents;
      return number.getInteger(-most, most);
    });
    llvm::append_range(elements, numbers);
    return numbers.size();
  };
  std::vector<size_t> lengths = node.getArray(readRow);
  if (llvm::any_of(lengths,
                   [&](size_t length) { return length != lengths.size(); })) {
    node.fail("must have as many columns as rows");
    return std::nullopt;
  }
  llvm::Expected<Representation> value = Representation::get(elements);
  if (value)
    return *value;
  node.fail(llvm::toString(value.takeError()));
  return std::nullopt;
}

static Band readBand(const JSONNode &node) {
  llvm::Expected<Band> band = Band::parse(node.getString());
  if (band)
    return *band;
  node.fail(llvm::toString(band.takeError()));
  return {};
}

static OperandInfo readOperand(const JSONNode &node) {
  JSONObjectReader object(node);
  OperandInfo operand;
  operand.name = object.get("name").getString();
  operand.role = object.get("role").getEnum(kNumOperandUses, getRoleName);
  operand.type = object.get("type").getType();
  operand.dims = object.get("dims").getArray(
      [](const JSONNode &dim) { return dim.getEnum(kNumDims, getDimName); });
  if (std::optional<JSONNode> group = object.find("group"))
    operand.group = group->getInteger(1, std::numeric_limits<int32_t>::max());
  if (std::optional<JSONNode> reduction = object.find("reduction")) {
    JSONObjectReader inner(*reduction);
    operand.reduction = ReductionInfo{
        inner.get("combiner").getEnum(kNumCombiners, getCombinerName),
        readScalar(inner.get("initial"), operand.type)};
  }
  if (std::optional<JSONNode> convolution = object.find("convolution"))
    operand.convolution = readConvolution(*convolution);
  if (std::optional<JSONNode> band = object.find("band"))
    operand.band = readBand(*band);
  if (std::optional<JSONNode> representation = object.find("representation"))
    operand.representation = readRepresentation(*representation);
  return operand;
}

static EpilogueOpInfo readEpilogueOp(const JSONNode &node) {
  JSONObjectReader object(node);
  EpilogueOpInfo op;
  op.op = object.get("op").getString();
  op.type = object.get("type").getType();
  if (std::optional<JSONNode> operands = object.find("operands"))
    op.operands = operands->getArray([](const JSONNode &operand) {
      return operand.getUnsigned(0, std::numeric_limits<int32_t>::max());
    });
  if (op.op == "arith.cmpf" || op.op == "arith.cmpi")
    op.predicate = object.get("predicate").getString();
  if (op.op == "arith.constant")
    op.value = readScalar(object.get("value"), op.type);
  if (op.op == "tcgemm.index")
    op.dim = object.get("dim").getEnum(kNumDims, getDimName);
  return op;
}

static Argument readArgument(const JSONNode &node) {
  JSONObjectReader object(node);
  Argument argument;
  argument.kind =
      object.get("kind").getEnum(kNumArgumentKinds, getArgumentKindName);
  if (argument.takesOperand())
    argument.operand = object.get("operand").getString();
  else if (argument.kind == ArgumentKind::TensorMap)
    argument.index =
        object.get("index").getUnsigned(0, std::numeric_limits<int32_t>::max());
  else
    argument.value = object.get("value").getExpr();
  return argument;
}

/// The numbers of W and H.
template <typename T>
static void readPair(const JSONNode &node, std::array<T, 2> &pair) {
  constexpr int64_t limit = std::numeric_limits<int32_t>::max();
  std::vector<int64_t> list = node.getArray([](const JSONNode &number) {
    return number.getInteger(std::is_signed_v<T> ? -limit : 0, limit);
  });
  if (list.size() != pair.size())
    return node.fail("must have 2 numbers");
  for (auto [number, value] : llvm::zip_equal(pair, list))
    number = static_cast<T>(value);
}

static TensorMapWindow readWindow(const JSONNode &node) {
  JSONObjectReader object(node);
  TensorMapWindow window;
  readPair(object.get("lower"), window.lower);
  readPair(object.get("upper"), window.upper);
  readPair(object.get("steps"), window.steps);
  return window;
}

static TensorMapInfo readTensorMap(const JSONNode &node) {
  JSONObjectReader object(node);
  auto readNumber = [](const JSONNode &number) {
    return number.getUnsigned(0, std::numeric_limits<int32_t>::max());
  };
  TensorMapInfo map;
  map.name = object.get("name").getString();
  map.type = object.get("type").getType();
  map.base = readArgument(object.get("base"));
  map.dims = object.get("dims").getArray(readExpr);
  map.strides = object.get("strides").getArray(readExpr);
  map.box = object.get("box").getArray(readNumber);
  map.swizzle = readNumber(object.get("swizzle"));
  map.l2Promotion = readNumber(object.get("l2_promotion"));
  if (std::optional<JSONNode> window = object.find("window"))
    map.window = readWindow(*window);
  return map;
}

static Step readStep(const JSONNode &node) {
  JSONObjectReader object(node);
  Step step;
  step.module = object.get("module").getString();
  step.symbol = object.get("symbol").getString();
  step.grid = object.get("grid").getTriple<Expr>(readExpr);
  auto readSize = [](const JSONNode &size) {
    return size.getUnsigned(1, 1024);
  };
  step.block = object.get("block").getTriple<unsigned>(readSize);
  step.cluster = object.get("cluster").getTriple<unsigned>(readSize);
  step.sharedMemory = object.get("shared_memory")
                          .getInteger(0, std::numeric_limits<int32_t>::max());
  step.arguments = object.get("arguments").getArray(readArgument);
  if (std::optional<JSONNode> maps = object.find("tensor_maps"))
    step.tensorMaps = maps->getArray(readTensorMap);
  if (std::optional<JSONNode> dependent = object.find("dependent"))
    step.dependent = dependent->getBool();
  if (std::optional<JSONNode> when = object.find("when"))
    step.when = when->getExpr();
  step.registers = object.findInteger("registers");
  step.spillBytes = object.findInteger("spill_bytes");
  step.stackBytes = object.findInteger("stack_bytes");
  step.staticSharedMemory = object.findInteger("static_shared_memory");
  if (std::optional<JSONNode> remarks = object.find("remarks"))
    step.remarks = remarks->getArray(readString);
  return step;
}

static Variant readVariant(const JSONNode &node) {
  JSONObjectReader object(node);
  Variant variant;
  variant.name = object.get("name").getString();
  variant.guard = object.get("guard").getExpr();
  variant.config = object.get("config").getString();
  variant.workspace = object.get("workspace").getExpr();
  variant.steps = object.get("steps").getArray(readStep);
  return variant;
}

static EpilogueProgram readProgram(const JSONNode &node) {
  JSONObjectReader object(node);
  EpilogueProgram program;
  program.ops = object.get("ops").getArray(readEpilogueOp);
  program.yields = object.get("yields").getArray([](const JSONNode &yield) {
    return yield.getUnsigned(0, std::numeric_limits<int32_t>::max());
  });
  return program;
}

static Algebra readAlgebra(const JSONNode &node) {
  llvm::Expected<Algebra> algebra = Algebra::parse(node.getString());
  if (algebra)
    return *algebra;
  node.fail(llvm::toString(algebra.takeError()));
  return {};
}

static KernelInfo readKernel(const JSONNode &node) {
  JSONObjectReader object(node);
  KernelInfo kernel;
  kernel.name = object.get("name").getString();
  {
    JSONNode sizes = object.get("sizes");
    JSONObjectReader sizesObject(sizes);
    for (unsigned i = 0; i != kNumPlainDims; ++i)
      kernel.sizes[i] =
          sizesObject.get(getSizeName(Dim(i))).getOptionalInteger();
    for (unsigned i = kNumPlainDims; i != kNumDims; ++i)
      if (std::optional<JSONNode> size = sizesObject.find(getSizeName(Dim(i))))
        kernel.sizes[i] = size->getOptionalInteger();
  }
  kernel.operands = object.get("operands").getArray(readOperand);
  kernel.epilogue = readProgram(object.get("epilogue"));
  for (auto [key, program] : llvm::zip_equal(kTransformKeys, kernel.transforms))
    if (std::optional<JSONNode> transform = object.find(key))
      program = readProgram(*transform);
  if (std::optional<JSONNode> algebra = object.find("algebra"))
    kernel.algebra = readAlgebra(*algebra);
  if (std::optional<JSONNode> symmetric = object.find("symmetric"))
    kernel.isSymmetric = symmetric->getBool();
  kernel.variants = object.get("variants").getArray(readVariant);
  return kernel;
}

static FunctionArgument readFunctionArgument(const JSONNode &node) {
  JSONObjectReader object(node);
  FunctionArgument argument;
  argument.type = object.get("type").getType();
  argument.access = object.get("access").getEnum(4, getAccessName);
  if (argument.access != AccessKind::Scalar)
    argument.shape = object.get("shape").getArray(
        [](const JSONNode &size) { return size.getOptionalInteger(); });
  return argument;
}

static PackConstant readConstant(const JSONNode &node) {
  JSONObjectReader object(node);
  PackConstant constant;
  constant.name = object.get("name").getString();
  constant.type = object.get("type").getType();
  constant.shape = object.get("shape").getArray([](const JSONNode &size) {
    return size.getInteger(0, std::numeric_limits<int64_t>::max());
  });
  if (std::optional<JSONNode> file = object.find("file")) {
    constant.file = file->getString();
    constant.sha256 = object.get("sha256").getString();
  } else {
    constant.splat = readScalar(object.get("value"), constant.type);
  }
  return constant;
}

static Temporary readTemporary(const JSONNode &node) {
  JSONObjectReader object(node);
  Temporary temporary;
  temporary.type = object.get("type").getType();
  temporary.shape = object.get("shape").getArray(readExpr);
  return temporary;
}

static ViewInfo readView(const JSONNode &node) {
  JSONObjectReader object(node);
  ViewInfo view;
  view.buffer = object.get("buffer").getString();
  view.offset = object.get("offset").getExpr();
  view.sizes = object.get("sizes").getArray(readExpr);
  view.strides = object.get("strides").getArray(readExpr);
  return view;
}

static FunctionLaunch readLaunch(const JSONNode &node) {
  JSONObjectReader object(node);
  if (std::optional<JSONNode> target = object.find("fill")) {
    FillInfo fill;
    fill.target = target->getString();
    fill.type = object.get("type").getType();
    fill.value = readScalar(object.get("value"), fill.type);
    return fill;
  }
  if (std::optional<JSONNode> source = object.find("copy")) {
    CopyInfo copy{source->getString(), object.get("to").getString()};
    if (std::optional<JSONNode> step = object.find("step"))
      copy.step = readStep(*step);
    return copy;
  }
  LaunchInfo launch;
  launch.kernel = object.get("kernel").getString();
  launch.operands = object.get("operands").getArray(readString);
  return launch;
}

static FunctionInfo readFunction(const JSONNode &node) {
  JSONObjectReader object(node);
  FunctionInfo function;
  function.name = object.get("name").getString();
  function.arguments = object.get("arguments").getArray(readFunctionArgument);
  function.temporaries = object.get("temporaries").getArray(readTemporary);
  if (std::optional<JSONNode> views = object.find("views"))
    function.views = views->getArray(readView);
  function.launches = object.get("launches").getArray(readLaunch);
  return function;
}

llvm::Expected<Manifest> tcgemm::parseManifest(StringRef text) {
  llvm::Expected<json::Value> document = parseBoundedJSON(text);
  if (!document)
    return llvm::createStringError("manifest: not JSON: " +
                                   llvm::toString(document.takeError()));
  JSONProblem problem;
  Manifest manifest;
  JSONNode root{&*document, "", problem};
  // The version first: in another version, everything else may differ.
  const json::Object *object = document->getAsObject();
  const json::Value *version =
      object ? object->get("tcgemm_manifest") : nullptr;
  if (!version)
    return llvm::createStringError(
        "manifest: must be an object with the key 'tcgemm_manifest'");
  if (version->getAsInteger() != kManifestVersion)
    return llvm::createStringError(
        "manifest: tcgemm_manifest: this program reads version " +
        Twine(kManifestVersion) + " only");
  {
    JSONObjectReader reader(root);
    reader.get("tcgemm_manifest");
    JSONNode producer = reader.get("producer");
    if (const json::Object *entries = producer.value->getAsObject()) {
      for (const auto &entry : *entries)
        manifest.producer[StringRef(entry.first).str()] =
            JSONNode{&entry.second, "producer." + StringRef(entry.first).str(),
                     problem}
                .getString();
    } else {
      producer.fail("must be an object");
    }
    manifest.modules = reader.get("modules").getArray(readModule);
    manifest.kernels = reader.get("kernels").getArray(readKernel);
    if (std::optional<JSONNode> constants = reader.find("constants"))
      manifest.constants = constants->getArray(readConstant);
    manifest.functions = reader.get("functions").getArray(readFunction);
    if (std::optional<JSONNode> functions = reader.find("left_out"))
      manifest.leftOut = functions->getArray([](const JSONNode &item) {
        JSONObjectReader inner(item);
        return LeftOutFunction{inner.get("name").getString(),
                               inner.get("reason").getString()};
      });
  }
  if (!problem.text.empty())
    return llvm::createStringError("manifest: " + problem.text);
  if (llvm::Error error = verifyManifest(manifest))
    return std::move(error);
  return manifest;
}
