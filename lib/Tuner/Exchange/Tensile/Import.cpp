//===- Import.cpp - A benchmark file of Tensile as a space ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/Tensile/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tcgemm::tensile {
namespace {

/// The letters of a product of matrices, and whether it has a batch.
struct ProblemType {
  std::string dtype = "f32";
  std::string layout; ///< A's, B's and C's letter.
  bool isBatched = false;
};

class Importer {
public:
  Importer(const Document &document, StringRef name)
      : document(document), name(name) {}

  Expected<TensileBenchmark> import(const Node &root);

private:
  Error fail(const Node &node, const Twine &message) const {
    return document.fail(node, message);
  }
  /// Fails for a key of `mapping` that is not in `known`.
  Error checkKeys(const Node &mapping, StringRef what,
                  ArrayRef<StringRef> known) const;
  Error readType(const Node &node);
  Error readIndices(const Node &node, StringRef key,
                    SmallVectorImpl<int64_t> &indices) const;
  Error readGroup(const Node &node);
  Error takeParameters(const Node &node, bool isForked);
  Error takeParameter(const Node &entry, bool isForked);
  Error refuseSteps(const Node &node) const;
  Error convert(const Node &group);
  Error readSizes(const Node &node);
  Error addRange(const Node &node);
  Error addExact(const Node &node);
  Expected<std::vector<int64_t>> expand(const Node &node) const;
  bool hasParameter(StringRef key) const {
    return llvm::any_of(parameters,
                        [&](const Node &each) { return each.key == key; });
  }
  Error addSize(const Node &node, StringRef tag, ArrayRef<int64_t> size);
  std::string writeSpace() const;

  const Document &document;
  StringRef name;
  ProblemType type;
  SpaceDraft draft;
  /// The values of the parameters, initial ones first.
  std::vector<Node> parameters;
  TensileBenchmark result;
};

constexpr int64_t kMostSize = (int64_t(1) << 31) - 1;
constexpr size_t kMostSizes = 1 << 20;

const Node *find(const Node &mapping, StringRef key) {
  for (const Node &item : mapping.items)
    if (item.key == key)
      return &item;
  return nullptr;
}

} // namespace

Error Importer::checkKeys(const Node &mapping, StringRef what,
                          ArrayRef<StringRef> known) const {
  if (!mapping.isMapping())
    return fail(mapping, what + " must be a mapping");
  for (const Node &item : mapping.items)
    if (!is_contained(known, item.key))
      return fail(item, "unknown key '" + item.key + "' of " + what +
                            "; known are " + join(known, ", "));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Problem type
//===----------------------------------------------------------------------===//

Error Importer::readIndices(const Node &node, StringRef key,
                            SmallVectorImpl<int64_t> &indices) const {
  const Node *found = find(node, key);
  if (!found || !found->isSequence())
    return fail(found ? *found : node,
                "the problem type needs a list of integers '" + key + "'");
  for (const Node &item : found->items) {
    Expected<int64_t> index = document.readInteger(item, key, 0, 15);
    if (!index)
      return index.takeError();
    indices.push_back(*index);
  }
  return Error::success();
}

Error Importer::readType(const Node &node) {
  if (Error error = checkKeys(node, "the problem type",
                              {"Precision", "IndexAssignmentsA",
                               "IndexAssignmentsB", "NumIndicesC"}))
    return error;
  if (const Node *precision = find(node, "Precision")) {
    type.dtype = StringSwitch<std::string>(precision->text)
                     .Case("S", "f32")
                     .Case("D", "f64")
                     .Default("");
    if (type.dtype.empty())
      return fail(*precision, "Precision must be S or D, which schedule simt "
                              "multiplies, but is '" +
                                  precision->text + "'");
  } else {
    return fail(node, "the problem type needs 'Precision'");
  }
  draft.elementBytes = type.dtype == "f64" ? 8 : 4;
  const Node *numNode = find(node, "NumIndicesC");
  if (!numNode)
    return fail(node, "the problem type needs 'NumIndicesC'");
  Expected<int64_t> numIndices =
      document.readInteger(*numNode, "NumIndicesC", 2, 3);
  if (!numIndices)
    return numIndices.takeError();
  type.isBatched = *numIndices == 3;
  int64_t summed = *numIndices;
  // C is column-major: i has its shortest stride.
  for (auto [key, free, letters] : {std::tuple("IndexAssignmentsA", 0, "nt"),
                                    std::tuple("IndexAssignmentsB", 1, "tn")}) {
    SmallVector<int64_t> indices;
    if (Error error = readIndices(node, key, indices))
      return error;
    SmallVector<int64_t> freeFirst{free, summed}, summedFirst{summed, free};
    if (type.isBatched)
      for (SmallVector<int64_t> *order : {&freeFirst, &summedFirst})
        order->push_back(2);
    if (indices != freeFirst && indices != summedFirst)
      return fail(
          *find(node, key),
          Twine(key) + " must have index " + Twine(free) +
              ", the summation index " + Twine(summed) +
              (type.isBatched ? " and the batch index 2 at the end" : "") +
              ": only products of matrices are imported");
    type.layout += letters[indices == freeFirst ? 0 : 1];
  }
  type.layout += 'n';
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Error Importer::takeParameter(const Node &entry, bool isForked) {
  if (!findConverter(entry.key)) {
    SmallVector<StringRef> known;
    for (const TensileParameter &parameter : getTensileParameters())
      known.push_back(parameter.name);
    return fail(entry, "unknown parameter '" + entry.key + "'; known are " +
                           join(known, ", "));
  }
  if (!entry.isSequence() || entry.items.empty())
    return fail(entry, entry.key + " must be a list of values");
  if (!isForked && entry.items.size() > 1)
    return fail(entry, entry.key + " has " + Twine(entry.items.size()) +
                           " values, but only ForkParameters may have several");
  auto known = llvm::find_if(
      parameters, [&](const Node &other) { return other.key == entry.key; });
  // A later step replaces the value of an earlier one.
  if (known != parameters.end())
    parameters.erase(known);
  parameters.push_back(entry);
  return Error::success();
}

/// A list of mappings, or one mapping, from parameters to lists of values.
Error Importer::takeParameters(const Node &node, bool isForked) {
  if (node.isEmpty())
    return Error::success();
  if (node.isSequence()) {
    for (const Node &item : node.items) {
      if (!item.isMapping())
        return fail(item, "the items of " + node.key +
                              " must be mappings from a parameter to values");
      if (Error error = takeParameters(item, isForked))
        return error;
    }
    return Error::success();
  }
  if (!node.isMapping())
    return fail(node, node.key + " must be a list of parameters");
  for (const Node &entry : node.items)
    if (Error error = takeParameter(entry, isForked))
      return error;
  return Error::success();
}

/// A space has no steps: only kernels that no step has removed.
Error Importer::refuseSteps(const Node &node) const {
  for (StringRef key :
       {"BenchmarkForkParameters", "JoinParameters", "BenchmarkJoinParameters"})
    if (const Node *found = find(node, key); found && !found->isEmpty())
      return fail(*found, key + " must be empty: a space has no steps that "
                                "benchmark or join; write a strategy file");
  return Error::success();
}

Error Importer::convert(const Node &group) {
  auto findParameter = [&](StringRef key) -> const Node * {
    auto found = llvm::find_if(
        parameters, [&](const Node &each) { return each.key == key; });
    return found == parameters.end() ? nullptr : &*found;
  };
  for (StringRef key : {"ThreadTile", "WorkGroup"})
    if (!findParameter(key))
      return fail(group, "the group lacks the parameter " + key);
  const Node *unroll = findParameter("LoopUnroll");
  const Node *depth = findParameter("DepthU");
  if (!unroll == !depth)
    return fail(unroll ? *unroll : group,
                "the group needs one of LoopUnroll and DepthU, which is its "
                "product with LocalSplitU");
  const Node *split = findParameter("LocalSplitU");
  const Node &first = findParameter("WorkGroup")->items.front();
  if (split && first.isSequence() && first.items.size() == 3)
    return fail(*split, "LocalSplitU is also the third integer of WorkGroup: "
                        "give one of them");
  for (const Node &parameter : parameters)
    if (Error error = findConverter(parameter.key)(document, parameter, draft))
      return error;
  // The space computes them in order, and tiles depend on threads.
  std::vector<ParameterValue> ordered;
  for (bool isOfThreads : {true, false})
    for (const ParameterValue &derived : draft.derived)
      if (StringRef(derived.name).starts_with("threads.") == isOfThreads)
        ordered.push_back(derived);
  draft.derived = std::move(ordered);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The sizes of an index: [size], [first, step, last] or [first, step, growth
/// of the step, last].
Expected<std::vector<int64_t>> Importer::expand(const Node &node) const {
  SmallVector<int64_t> numbers;
  if (!node.isSequence() || !is_contained({1, 3, 4}, node.items.size()))
    return fail(node, "the sizes of an index are [size], [first, step, last] "
                      "or [first, step, growth of the step, last]");
  for (const Node &item : node.items) {
    Expected<int64_t> number =
        document.readInteger(item, "a size", 0, kMostSize);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  if (numbers.size() == 1)
    return std::vector<int64_t>{numbers[0]};
  int64_t step = numbers[1], growth = numbers.size() == 4 ? numbers[2] : 0;
  if (step == 0 && growth == 0)
    return fail(node, "the step must be more than 0");
  std::vector<int64_t> sizes;
  for (int64_t size = numbers[0]; size <= numbers.back(); size += step) {
    if (sizes.size() == kMostSizes)
      return fail(node, "more than " + Twine(kMostSizes) + " sizes");
    sizes.push_back(size);
    // The first step is the one that is given.
    if (sizes.size() > 1)
      step += growth;
  }
  if (sizes.empty())
    return fail(node, "the first size exceeds the last one");
  return sizes;
}

Error Importer::addSize(const Node &node, StringRef tag,
                        ArrayRef<int64_t> size) {
  if (result.numSizes == kMostSizes)
    return fail(node, "more than " + Twine(kMostSizes) + " sizes");
  ++result.numSizes;
  int64_t batch = type.isBatched ? size[2] : 1;
  raw_string_ostream os(result.sizes);
  os << tag << ' ' << size[0] << ' ' << size[1] << ' ' << size.back() << ' '
     << batch << ' ' << type.layout << '\n';
  return Error::success();
}

Error Importer::addRange(const Node &node) {
  size_t numIndices = type.isBatched ? 4 : 3;
  if (!node.isSequence() || node.items.size() != numIndices)
    return fail(node, "Range must be a list for each of the " +
                          Twine(numIndices) + " indices");
  std::vector<std::vector<int64_t>> lists;
  for (const Node &item : node.items) {
    Expected<std::vector<int64_t>> sizes = expand(item);
    if (!sizes)
      return sizes.takeError();
    lists.push_back(std::move(*sizes));
  }
  // The last index varies fastest.
  std::vector<size_t> at(numIndices);
  while (true) {
    SmallVector<int64_t> size;
    for (size_t i = 0; i != numIndices; ++i)
      size.push_back(lists[i][at[i]]);
    if (Error error = addSize(node, "range", size))
      return error;
    size_t i = numIndices;
    while (i > 0 && ++at[i - 1] == lists[i - 1].size())
      at[--i] = 0;
    if (i == 0)
      return Error::success();
  }
}

Error Importer::addExact(const Node &node) {
  size_t numIndices = type.isBatched ? 4 : 3;
  if (!node.isSequence() || node.items.size() != numIndices)
    return fail(node, "Exact must be a size for each of the " +
                          Twine(numIndices) + " indices");
  SmallVector<int64_t> size;
  for (const Node &item : node.items) {
    Expected<int64_t> number =
        document.readInteger(item, "a size", 0, kMostSize);
    if (!number)
      return number.takeError();
    size.push_back(*number);
  }
  return addSize(node, "exact", size);
}

Error Importer::readSizes(const Node &node) {
  if (!node.isSequence())
    return fail(node, node.key + " must be a list with ProblemSizes");
  for (const Node &item : node.items) {
    if (Error error = checkKeys(item, node.key, {"ProblemSizes"}))
      return error;
    for (const Node &sizes : item.items) {
      if (!sizes.isSequence())
        return fail(sizes, "ProblemSizes must be a list of Range and Exact");
      for (const Node &each : sizes.items) {
        if (Error error = checkKeys(each, "ProblemSizes", {"Range", "Exact"}))
          return error;
        for (const Node &entry : each.items)
          if (Error error =
                  entry.key == "Range" ? addRange(entry) : addExact(entry))
            return error;
      }
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// File
//===----------------------------------------------------------------------===//

Error Importer::readGroup(const Node &node) {
  if (Error error = checkKeys(
          node, "a group of problem sizes",
          {"InitialSolutionParameters", "BenchmarkCommonParameters",
           "ForkParameters", "BenchmarkForkParameters", "JoinParameters",
           "BenchmarkJoinParameters", "BenchmarkFinalParameters"}))
    return error;
  if (Error error = refuseSteps(node))
    return error;
  // A common parameter with one value is determined without a benchmark.
  for (StringRef key : {"InitialSolutionParameters",
                        "BenchmarkCommonParameters", "ForkParameters"})
    if (const Node *found = find(node, key))
      if (Error error = takeParameters(*found, key == "ForkParameters"))
        return error;
  if (Error error = convert(node))
    return error;
  const Node *final = find(node, "BenchmarkFinalParameters");
  return final && !final->isEmpty() ? readSizes(*final) : Error::success();
}

std::string Importer::writeSpace() const {
  std::string text;
  raw_string_ostream os(text);
  auto writeAxes = [&](StringRef key, ArrayRef<SpaceAxis> axes) {
    os << key << (axes.empty() ? ": []\n" : ":\n");
    for (const SpaceAxis &axis : axes)
      os << "  - {name: " << axis.name << ", values: ["
         << join(axis.values, ", ") << "]}\n";
  };
  os << "# Kernels of a benchmark file of Tensile. Its C is column-major, so "
        "that M and N\n# change places: see docs/guide/tensile.md.\n";
  os << "name: " << name << '\n';
  os << "description: \"Imported from a benchmark file of Tensile\"\n";
  os << "fixed:\n  - {name: schedule, value: simt}\n";
  os << "  - {name: unaligned, value: copy_" << draft.elementBytes << "}\n";
  if (!hasParameter("NumLoadsCoalesced"))
    os << "  - {name: row_copies_a, value: 0}\n"
          "  - {name: row_copies_b, value: 0}\n";
  writeAxes("parameters", draft.parameters);
  if (!draft.variables.empty())
    writeAxes("variables", draft.variables);
  os << "derived:\n";
  for (const ParameterValue &derived : draft.derived)
    os << "  - {name: " << derived.name << ", value: " << derived.value
       << "}\n";
  return text;
}

Expected<TensileBenchmark> Importer::import(const Node &root) {
  if (Error error = checkKeys(root, "the file", {"BenchmarkProblems"}))
    return std::move(error);
  const Node *problems = find(root, "BenchmarkProblems");
  if (!problems || !problems->isSequence() || problems->items.size() != 1)
    return fail(problems ? *problems : root,
                "BenchmarkProblems must be a list of one problem");
  const Node &problem = problems->items.front();
  if (!problem.isSequence() || problem.items.size() != 2)
    return fail(problem, "a problem must be a list of its type and one group "
                         "of problem sizes");
  if (Error error = readType(problem.items[0]))
    return std::move(error);
  if (Error error = readGroup(problem.items[1]))
    return std::move(error);
  result.space = writeSpace();
  result.dtype = type.dtype;
  result.notes = draft.notes;
  return result;
}

} // namespace tcgemm::tensile

bool tcgemm::isTensileBenchmark(StringRef text) {
  constexpr StringLiteral key = "BenchmarkProblems:";
  return text.starts_with(key) || text.contains(("\n" + key).str());
}

Expected<tcgemm::TensileBenchmark>
tcgemm::importTensileBenchmark(StringRef text, StringRef fileName,
                               StringRef name) {
  tensile::Document document{fileName};
  Expected<tensile::Node> root = tensile::readTree(text, document);
  if (!root)
    return root.takeError();
  return tensile::Importer(document, name).import(*root);
}
