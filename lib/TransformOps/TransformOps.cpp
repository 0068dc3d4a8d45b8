//===- TransformOps.cpp - Operations of transform scripts -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/TransformOps/TransformOps.h"
#include "tcgemm/Store/Problems.h"
#include "tcgemm/Transforms/Passes.h"
#include <map>

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Products and their configurations
//===----------------------------------------------------------------------===//

/// Returns the product that a kernel's name in records and sizes describe.
static llvm::Expected<TuningProblem> readProduct(StringRef kernel,
                                                 ArrayRef<int64_t> sizes) {
  llvm::Expected<KernelSpec> spec = KernelSpec::parse(kernel);
  if (!spec)
    return spec.takeError();
  constexpr size_t numSizes = 4;
  if (sizes.size() != numSizes)
    return llvm::createStringError("the sizes are the batch, M, N and K, but "
                                   "there are " +
                                   Twine(sizes.size()));
  for (int64_t size : sizes)
    if (size < 1 || size > kMaxSize)
      return llvm::createStringError("the size " + Twine(size) +
                                     " is out of the range 1 to " +
                                     Twine(kMaxSize));
  TuningProblem product;
  product.kernel = std::move(*spec);
  product.sizes.batch = sizes[0];
  product.sizes.m = sizes[1];
  product.sizes.n = sizes[2];
  product.sizes.k = sizes[3];
  return product;
}

/// The reason why an operation gets no configuration; empty if it can.
static std::string findObstacle(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  bool isProduct = kernel || isa<GroupedMatmulOp>(op) ||
                   op->getName().getDialectNamespace() == "linalg";
  if (!isProduct)
    return "is neither a tcgemm.kernel nor an operation that becomes one";
  if (kernel ? kernel.getConfigAttr() != nullptr : op->hasAttr(kConfigAttrName))
    return "has a configuration already";
  if (op->hasAttr(kSkipAttrName))
    return ("has the attribute " + kSkipAttrName).str();
  return "";
}

/// Sets the configuration of an operation that findObstacle accepts.
static void setConfig(Operation *op, ConfigAttr config) {
  auto kernel = dyn_cast<KernelOp>(op);
  if (!kernel) {
    op->setAttr(kConfigAttrName, config);
    return;
  }
  kernel.setConfigAttr(config);
  // As a configuration by records: the kernel may spill in other variants.
  kernel.setProvided(true);
}

//===----------------------------------------------------------------------===//
// configure_op
//===----------------------------------------------------------------------===//

LogicalResult ConfigureOp::verify() {
  if (bool(getParam()) == bool(getConfigAttr()))
    return emitOpError() << "takes a configuration either as an attribute or "
                            "as a parameter";
  return success();
}

void ConfigureOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure
ConfigureOp::apply(transform::TransformRewriter &rewriter,
                   transform::TransformResults &results,
                   transform::TransformState &state) {
  ConfigAttr config = getConfigAttr();
  if (Value param = getParam()) {
    ArrayRef<Attribute> values = state.getParams(param);
    if (values.size() != 1)
      return emitDefiniteFailure()
             << "the parameter has " << values.size() << " values, not one";
    config = dyn_cast<ConfigAttr>(values.front());
    if (!config)
      return emitDefiniteFailure()
             << "the parameter is no #tcgemm.config, but " << values.front();
  }
  for (Operation *target : state.getPayloadOps(getTarget())) {
    std::string obstacle = findObstacle(target);
    if (!obstacle.empty()) {
      DiagnosedSilenceableFailure failure =
          emitSilenceableError()
          << "cannot configure an operation that " << obstacle;
      failure.attachNote(target->getLoc()) << "this operation";
      return failure;
    }
    setConfig(target, config);
  }
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// match_product
//===----------------------------------------------------------------------===//

LogicalResult MatchProductOp::verify() {
  llvm::Expected<TuningProblem> product = readProduct(getKernel(), getSizes());
  if (!product)
    return emitOpError() << llvm::toString(product.takeError());
  return success();
}

DiagnosedSilenceableFailure
MatchProductOp::matchOperation(Operation *current,
                               transform::TransformResults &results,
                               transform::TransformState &state) {
  auto kernel = dyn_cast<KernelOp>(current);
  if (!kernel || kernel.getConfigAttr())
    return emitSilenceableError()
           << "the operation is no tcgemm.kernel without a configuration";
  TuningProblem product = llvm::cantFail(readProduct(getKernel(), getSizes()));
  if (!isProductOf(product, getProblemInfo(kernel)))
    return emitSilenceableError() << "the kernel computes another product";
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// configure_products
//===----------------------------------------------------------------------===//

namespace {

/// A line of the table.
struct TableEntry {
  TuningProblem product;
  ConfigAttr config;
};

} // namespace

static llvm::Expected<TableEntry> readEntry(Attribute attribute) {
  auto entry = dyn_cast<DictionaryAttr>(attribute);
  if (!entry)
    return llvm::createStringError("it is no dictionary");
  auto kernel = entry.getAs<StringAttr>("kernel");
  auto sizes = entry.getAs<DenseI64ArrayAttr>("sizes");
  auto config = entry.getAs<ConfigAttr>("config");
  constexpr size_t numKeys = 3;
  if (!kernel || !sizes || !config || entry.size() != numKeys)
    return llvm::createStringError("it must have the keys kernel (a string), "
                                   "sizes (an array<i64>) and config (a "
                                   "#tcgemm.config), and no others");
  llvm::Expected<TuningProblem> product =
      readProduct(kernel.getValue(), sizes.asArrayRef());
  if (!product)
    return product.takeError();
  return TableEntry{std::move(*product), config};
}

LogicalResult ConfigureProductsOp::verify() {
  for (auto [index, attribute] : llvm::enumerate(getTable()))
    if (llvm::Expected<TableEntry> entry = readEntry(attribute); !entry)
      return emitOpError() << "entry " << index << " of the table: "
                           << llvm::toString(entry.takeError());
  return success();
}

void ConfigureProductsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure
ConfigureProductsOp::applyToOne(transform::TransformRewriter &rewriter,
                                Operation *target,
                                transform::ApplyToEachResultList &results,
                                transform::TransformState &state) {
  std::map<std::array<int64_t, 4>, std::vector<TableEntry>> bySizes;
  for (Attribute attribute : getTable()) {
    TableEntry entry = llvm::cantFail(readEntry(attribute));
    ProblemInfo info = entry.product.getInfo();
    bySizes[{info.batch, info.m, info.n, info.k}].push_back(std::move(entry));
  }
  target->walk([&](KernelOp kernel) {
    if (!findObstacle(kernel).empty())
      return;
    ProblemInfo asked = getProblemInfo(kernel);
    auto found = bySizes.find({asked.batch, asked.m, asked.n, asked.k});
    if (found == bySizes.end())
      return;
    auto entry = llvm::find_if(found->second, [&](const TableEntry &entry) {
      return isProductOf(entry.product, asked);
    });
    if (entry != found->second.end())
      setConfig(kernel, entry->config);
  });
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

namespace {

class TransformExtension
    : public transform::TransformDialectExtension<TransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TransformExtension)

  void init() {
    // For the attributes of scripts and what the operations set.
    declareGeneratedDialect<TcgemmDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "tcgemm/TransformOps/TransformOps.cpp.inc"
        >();
  }
};

} // namespace

void tcgemm::registerTransformOps(DialectRegistry &registry) {
  registry.addExtensions<TransformExtension>();
}

#define GET_OP_CLASSES
#include "tcgemm/TransformOps/TransformOps.cpp.inc"
