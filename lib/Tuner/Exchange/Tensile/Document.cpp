//===- Document.cpp - The tree of a benchmark file ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange/Tensile/Document.h"
#include "tcgemm/Target/YAMLDocument.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;

namespace tcgemm::tensile {

Error Document::fail(const Node &node, const Twine &message) const {
  return createStringError(fileName + ":" + Twine(node.line) + ":" +
                           Twine(node.column) + ": " + message);
}

Expected<int64_t> Document::readInteger(const Node &node, StringRef what,
                                        int64_t least, int64_t most) const {
  int64_t value = 0;
  if (node.kind == NodeKind::Scalar &&
      !StringRef(node.text).getAsInteger(10, value) && value >= least &&
      value <= most)
    return value;
  return fail(node, what + " must be an integer from " + Twine(least) + " to " +
                        Twine(most) +
                        (node.kind == NodeKind::Scalar
                             ? ", but is '" + node.text + "'"
                             : ", but is a list or mapping"));
}

Expected<bool> Document::readTruth(const Node &node, StringRef what) const {
  StringRef text = node.text;
  if (node.kind == NodeKind::Scalar) {
    if (text == "True" || text == "true" || text == "1")
      return true;
    if (text == "False" || text == "false" || text == "0")
      return false;
  }
  return fail(node, what + " must be True or False" +
                        (node.kind == NodeKind::Scalar
                             ? ", but is '" + node.text + "'"
                             : std::string()));
}

namespace {

class TreeReader {
public:
  TreeReader(const SourceMgr &sources, const Document &document)
      : sources(sources), document(document) {}

  Expected<Node> read(yaml::Node &from);

private:
  Expected<Node> readMapping(yaml::MappingNode &mapping, Node node);
  /// The line and column of a node; 1 and 1 if an error of the file has left it
  /// without a place.
  std::pair<unsigned, unsigned> getPlace(yaml::Node &from) const {
    SMLoc start = from.getSourceRange().Start;
    return start.isValid() ? sources.getLineAndColumn(start)
                           : std::pair(1U, 1U);
  }

  const SourceMgr &sources;
  const Document &document;
};

} // namespace

Expected<Node> TreeReader::readMapping(yaml::MappingNode &mapping, Node node) {
  node.kind = NodeKind::Mapping;
  for (yaml::KeyValueNode &entry : mapping) {
    auto *key = dyn_cast_or_null<yaml::ScalarNode>(entry.getKey());
    if (!key)
      return document.fail(node, "a key of the mapping is no word");
    SmallString<32> storage;
    std::string name = key->getValue(storage).str();
    yaml::Node *value = entry.getValue();
    if (!value)
      return document.fail(node, "key '" + name + "' has no value");
    Expected<Node> item = read(*value);
    if (!item)
      return item.takeError();
    item->key = name;
    // Errors of an entry name the place of its key.
    std::tie(item->line, item->column) = getPlace(*key);
    for (const Node &other : node.items)
      if (other.key == name)
        return document.fail(*item, "key '" + name + "' is there twice");
    node.items.push_back(std::move(*item));
  }
  return node;
}

Expected<Node> TreeReader::read(yaml::Node &from) {
  Node node;
  std::tie(node.line, node.column) = getPlace(from);
  if (isa<yaml::NullNode>(from))
    return node;
  if (auto *scalar = dyn_cast<yaml::ScalarNode>(&from)) {
    SmallString<32> storage;
    node.text = scalar->getValue(storage).str();
    node.kind = NodeKind::Scalar;
    return node;
  }
  if (auto *mapping = dyn_cast<yaml::MappingNode>(&from))
    return readMapping(*mapping, std::move(node));
  auto *sequence = dyn_cast<yaml::SequenceNode>(&from);
  if (!sequence)
    return document.fail(node, "neither a word, a list nor a mapping");
  node.kind = NodeKind::Sequence;
  for (yaml::Node &each : *sequence) {
    Expected<Node> item = read(each);
    if (!item)
      return item.takeError();
    node.items.push_back(std::move(*item));
  }
  return node;
}

Expected<Node> readTree(StringRef text, const Document &document) {
  if (Error error = checkYAMLNesting(text, document.fileName))
    return std::move(error);
  SourceMgr sources;
  std::string message;
  auto collect = [](const SMDiagnostic &diagnostic, void *context) {
    auto &first = *static_cast<std::string *>(context);
    if (first.empty())
      first = formatv("{0}:{1}: {2}", diagnostic.getLineNo(),
                      diagnostic.getColumnNo() + 1, diagnostic.getMessage());
  };
  sources.setDiagHandler(collect, &message);
  yaml::Stream stream(text, sources);
  yaml::document_iterator found = stream.begin();
  yaml::Node *root = found == stream.end() ? nullptr : found->getRoot();
  if (!root && message.empty())
    message = "1:1: the file is empty";
  if (root) {
    Expected<Node> tree = TreeReader(sources, document).read(*root);
    if (tree && !stream.failed() && ++found != stream.end())
      message = "1:1: the file has more than one document";
    // An error of the syntax explains what the tree lacks.
    if (!stream.failed() || !tree)
      if (message.empty())
        return tree;
    if (!tree)
      consumeError(tree.takeError());
  }
  return createStringError(document.fileName + ":" + message);
}

} // namespace tcgemm::tensile
