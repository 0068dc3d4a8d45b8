//===- TileState.h - State of a role in the protocol's check ----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The protocol's check interprets each role's code over the abstract state
// below. The end of a loop's body must have the state of its start, in terms of
// the values that the loop carries.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_DIALECT_VERIFIER_TILESTATE_H
#define TCGEMM_LIB_DIALECT_VERIFIER_TILESTATE_H

#include "Verifier/TileVerifier.h"
#include "llvm/ADT/DenseMap.h"

namespace tcgemm::tile_verifier {

/// A position in a ring: `offset` uses after the position of the value `root`.
/// The root of absolute positions is the ring.
struct Position {
  mlir::Value root;
  int64_t offset = 0;

  bool operator==(const Position &other) const {
    return root == other.root && offset == other.offset;
  }
};

enum class Access { Acquire, Wait };

/// An asynchronous product in flight.
struct Product {
  /// The token of the stage that it reads.
  mlir::Value stage;
  /// The fragments that it may read, which depends on the path.
  llvm::SmallVector<mlir::Value, 2> fragments;
};

struct State {
  /// For each ring and access, the positions at which the next one may be: the
  /// same position in terms of several values.
  llvm::DenseMap<std::pair<mlir::Value, unsigned>,
                 llvm::SmallVector<Position, 2>>
      next;
  /// Tokens that are alive.
  llvm::SmallVector<mlir::Value> held;
  /// Groups of copies in flight, the oldest first.
  llvm::SmallVector<mlir::Value> groups;
  /// Products in flight, the oldest first.
  llvm::SmallVector<Product> products;
  /// Stages of each cp_async ring that were released since the last barrier.
  llvm::SmallDenseMap<mlir::Value, int64_t, 2> unpublished;

  llvm::SmallVector<Position, 2> &getNext(mlir::Value ring, Access access) {
    return next[{ring, unsigned(access)}];
  }
  const llvm::SmallVector<Position, 2> *findNext(mlir::Value ring,
                                                 Access access) const {
    auto it = next.find({ring, unsigned(access)});
    return it == next.end() ? nullptr : &it->second;
  }
  bool isRead(mlir::Value stage) const {
    return llvm::any_of(products, [&](const Product &product) {
      return product.stage == stage;
    });
  }
  /// Renames the tokens `from` to `to`.
  void rename(mlir::ValueRange from, mlir::ValueRange to);
};

/// Facts about values that hold on every path.
class ValueFacts {
public:
  Position getPosition(mlir::Value state) const;
  void setPosition(mlir::Value state, Position position) {
    positions[state] = position;
  }
  /// The ring that the token is of; null if that is not known.
  mlir::Value getRing(mlir::Value token) const { return rings.lookup(token); }
  void setRing(mlir::Value token, mlir::Value ring) { rings[token] = ring; }
  /// The position at which the token was produced, if it is known.
  std::optional<Position> getStage(mlir::Value token) const;
  void setStage(mlir::Value token, Position position) {
    stages.try_emplace(token, position);
  }
  /// Notes that control takes `from` to `to`: loop or branch values.
  void pass(State &state, mlir::ValueRange from, mlir::ValueRange to);

private:
  llvm::DenseMap<mlir::Value, Position> positions;
  llvm::DenseMap<mlir::Value, mlir::Value> rings;
  llvm::DenseMap<mlir::Value, Position> stages;
};

/// Checks that the state `end` at the end of a loop's body equals `start`,
/// where `yields` become `arguments`. Sets `end` to the state, in terms of the
/// arguments, that holds before and after each iteration. Errors are reported
/// at `loop`.
mlir::LogicalResult closeLoop(mlir::Operation *loop, const ValueFacts &facts,
                              const State &start, State &end,
                              mlir::ValueRange yields,
                              mlir::ValueRange arguments);

/// Adds the products that are in flight at `end` to `state`, so that `state`
/// holds for both; `grows` is set if there were more, or more fragments that
/// they read.
mlir::LogicalResult joinProducts(mlir::Operation *op, State &state,
                                 const State &end, bool &grows);

/// Checks that both branches of `op` end with the same state and stores it in
/// `first`.
mlir::LogicalResult joinBranches(mlir::Operation *op, State &first,
                                 const State &second);

/// "acquire" or "wait".
llvm::StringRef getName(Access access);

} // namespace tcgemm::tile_verifier

#endif // TCGEMM_LIB_DIALECT_VERIFIER_TILESTATE_H
