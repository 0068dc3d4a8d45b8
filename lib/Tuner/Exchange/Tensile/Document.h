//===- Document.h - The tree of a benchmark file ----------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensile's lists have items of different kinds, which LLVM's YAML I/O cannot
// map. So a file is read to a tree first.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TUNER_EXCHANGE_TENSILE_DOCUMENT_H
#define TCGEMM_LIB_TUNER_EXCHANGE_TENSILE_DOCUMENT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tcgemm::tensile {

enum class NodeKind { Null, Scalar, Sequence, Mapping };

struct Node {
  NodeKind kind = NodeKind::Null;
  std::string text;        ///< Of a scalar, or of the key that has this value.
  std::vector<Node> items; ///< Of a sequence, or the values of a mapping.
  std::string key;         ///< In a mapping.
  unsigned line = 0, column = 0;

  bool isSequence() const { return kind == NodeKind::Sequence; }
  bool isMapping() const { return kind == NodeKind::Mapping; }
  /// Returns whether the node is empty: no value, or a list or mapping without
  /// items.
  bool isEmpty() const { return kind != NodeKind::Scalar && items.empty(); }
};

/// A file, for errors.
struct Document {
  llvm::StringRef fileName;

  /// `file:line:column: message`.
  llvm::Error fail(const Node &node, const llvm::Twine &message) const;
  /// Reads an integer in [least, most]; `what` names it in errors.
  llvm::Expected<int64_t> readInteger(const Node &node, llvm::StringRef what,
                                      int64_t least, int64_t most) const;
  /// Reads True or False.
  llvm::Expected<bool> readTruth(const Node &node, llvm::StringRef what) const;
};

/// Reads the first document of a YAML text.
llvm::Expected<Node> readTree(llvm::StringRef text, const Document &document);

} // namespace tcgemm::tensile

#endif // TCGEMM_LIB_TUNER_EXCHANGE_TENSILE_DOCUMENT_H
