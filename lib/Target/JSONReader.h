//===- JSONReader.h - Strict reading of JSON --------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cursors over a JSON document. The first error and its place in the document
// are stored, and reading continues with default values. Each reader is
// therefore a plain list of its fields. Unknown keys are errors, because most
// of them are misspelt.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TARGET_JSONREADER_H
#define TCGEMM_LIB_TARGET_JSONREADER_H

#include "tcgemm/Target/Expr.h"
#include "tcgemm/Target/ScalarType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <limits>

namespace tcgemm {

/// The first error of a document.
struct JSONProblem {
  std::string text;
  void report(llvm::StringRef path, const llvm::Twine &rule) {
    if (text.empty())
      text = path.empty() ? rule.str() : (path + ": " + rule).str();
  }
};

/// A value of the document, with its place.
struct JSONNode {
  const llvm::json::Value *value;
  std::string path;
  JSONProblem &problem;

  void fail(const llvm::Twine &rule) const { problem.report(path, rule); }

  std::string getString() const {
    if (std::optional<llvm::StringRef> string = value->getAsString())
      return string->str();
    fail("must be a string");
    return "";
  }

  int64_t getInteger(int64_t minimum, int64_t maximum) const {
    std::optional<int64_t> integer = value->getAsInteger();
    if (integer && *integer >= minimum && *integer <= maximum)
      return *integer;
    fail("must be an integer from " + llvm::Twine(minimum) + " to " +
         llvm::Twine(maximum));
    return minimum;
  }

  bool getBool() const {
    if (std::optional<bool> boolean = value->getAsBoolean())
      return *boolean;
    fail("must be true or false");
    return false;
  }

  unsigned getUnsigned(unsigned minimum, unsigned maximum) const {
    return static_cast<unsigned>(getInteger(minimum, maximum));
  }

  std::optional<int64_t> getOptionalInteger() const {
    if (value->getAsNull())
      return std::nullopt;
    return getInteger(0, std::numeric_limits<int64_t>::max());
  }

  Expr getExpr() const {
    std::string text = getString();
    llvm::Expected<Expr> expr = Expr::parse(text);
    if (expr)
      return *expr;
    fail(llvm::toString(expr.takeError()));
    return Expr();
  }

  ScalarType getType() const {
    std::string name = getString();
    if (std::optional<ScalarType> type = parseScalarType(name))
      return *type;
    fail("'" + name + "' is not a type");
    return ScalarType::F32;
  }

  /// One of the `count` values of an enumeration, by its name.
  template <typename Enum>
  Enum getEnum(unsigned count, llvm::StringRef (*getName)(Enum)) const {
    std::string name = getString();
    std::string known;
    for (unsigned i = 0; i != count; ++i) {
      if (getName(Enum(i)) == name)
        return Enum(i);
      known += (i ? ", " : "") + getName(Enum(i)).str();
    }
    fail("'" + name + "' is none of " + known);
    return Enum(0);
  }

  template <typename Function>
  auto getArray(Function &&read) const
      -> std::vector<decltype(read(std::declval<const JSONNode &>()))> {
    std::vector<decltype(read(*this))> result;
    const llvm::json::Array *array = value->getAsArray();
    if (!array) {
      fail("must be an array");
      return result;
    }
    result.reserve(array->size());
    for (auto [index, item] : llvm::enumerate(*array))
      result.push_back(read(
          JSONNode{&item, path + "[" + std::to_string(index) + "]", problem}));
    return result;
  }

  /// An array of exactly three items.
  template <typename T, typename Function>
  std::array<T, 3> getTriple(Function &&read) const {
    std::vector<T> items = getArray(read);
    if (items.size() != 3) {
      fail("must have 3 entries, has " + llvm::Twine(items.size()));
      items.resize(3, T(1));
    }
    return {items[0], items[1], items[2]};
  }
};

/// An object of the document; the destructor reports keys that were not read.
class JSONObjectReader {
public:
  explicit JSONObjectReader(const JSONNode &node)
      : node(node), object(node.value->getAsObject()) {
    if (!object)
      node.fail("must be an object");
  }
  JSONObjectReader(const JSONObjectReader &) = delete;
  JSONObjectReader &operator=(const JSONObjectReader &) = delete;
  ~JSONObjectReader() {
    if (!object)
      return;
    for (const auto &entry : *object)
      if (!llvm::is_contained(known, llvm::StringRef(entry.first)))
        node.fail("unknown key '" + llvm::StringRef(entry.first) + "'");
  }

  /// The value of an optional key.
  std::optional<JSONNode> find(llvm::StringRef key) {
    known.push_back(key);
    const llvm::json::Value *value = object ? object->get(key) : nullptr;
    if (!value)
      return std::nullopt;
    return JSONNode{value, join(key), node.problem};
  }

  /// The value of a required key.
  JSONNode get(llvm::StringRef key) {
    if (std::optional<JSONNode> found = find(key))
      return *found;
    if (object)
      node.fail("missing key '" + key + "'");
    return JSONNode{&null, join(key), node.problem};
  }

  std::optional<int64_t> findInteger(llvm::StringRef key) {
    std::optional<JSONNode> found = find(key);
    if (!found)
      return std::nullopt;
    return found->getInteger(0, std::numeric_limits<int64_t>::max());
  }

private:
  std::string join(llvm::StringRef key) const {
    return node.path.empty() ? key.str() : (node.path + "." + key).str();
  }

  const JSONNode &node;
  const llvm::json::Object *object;
  llvm::SmallVector<llvm::StringRef, 12> known;
  const llvm::json::Value null = nullptr;
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TARGET_JSONREADER_H
