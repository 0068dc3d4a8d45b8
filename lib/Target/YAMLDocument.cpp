//===- YAMLDocument.cpp - Reading YAML with places in errors --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/YAMLDocument.h"
#include "tcgemm/Target/BoundedJSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

using namespace llvm;

namespace tcgemm {

/// Finds a node deeper than the limit. LLVM's parser creates inner nodes
/// lazily, so that it never recurses beyond the limit.
static yaml::Node *findTooDeep(yaml::Node *node, unsigned depth) {
  if (!node)
    return nullptr;
  if (depth > kMaxNesting)
    return node;
  if (auto *sequence = dyn_cast<yaml::SequenceNode>(node)) {
    for (yaml::Node &item : *sequence)
      if (yaml::Node *found = findTooDeep(&item, depth + 1))
        return found;
  } else if (auto *mapping = dyn_cast<yaml::MappingNode>(node)) {
    for (yaml::KeyValueNode &item : *mapping) {
      if (yaml::Node *found = findTooDeep(item.getKey(), depth + 1))
        return found;
      if (yaml::Node *found = findTooDeep(item.getValue(), depth + 1))
        return found;
    }
  }
  return nullptr;
}

Error checkYAMLNesting(StringRef text, StringRef fileName) {
  SourceMgr sources;
  // Other errors are reported when the document is read.
  sources.setDiagHandler([](const SMDiagnostic &, void *) {});
  yaml::Stream stream(text, sources);
  yaml::document_iterator document = stream.begin();
  if (document == stream.end())
    return Error::success();
  yaml::Node *found = findTooDeep(document->getRoot(), 0);
  if (!found)
    return Error::success();
  auto [line, column] = sources.getLineAndColumn(found->getSourceRange().Start);
  return createStringError(fileName + ":" + Twine(line) + ":" + Twine(column) +
                           ": nested deeper than " + Twine(kMaxNesting));
}

} // namespace tcgemm
