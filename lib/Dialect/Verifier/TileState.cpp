//===- TileState.cpp - Loops and branches of the protocol's check ---------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verifier/TileState.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tcgemm;
using namespace tcgemm::tile_verifier;

StringRef tile_verifier::getName(Access access) {
  return access == Access::Acquire ? "acquire" : "wait";
}

//===----------------------------------------------------------------------===//
// Names of values
//===----------------------------------------------------------------------===//

void State::rename(ValueRange from, ValueRange to) {
  llvm::SmallDenseMap<Value, Value> names;
  for (auto [old, renamed] : llvm::zip(from, to))
    if (isLinear(old.getType()))
      names[old] = renamed;
  auto renameOne = [&](Value &value) {
    if (Value renamed = names.lookup(value))
      value = renamed;
  };
  for (SmallVector<Value> *list : {&held, &groups})
    llvm::for_each(*list, renameOne);
  for (Product &product : products)
    renameOne(product.stage);
}

Position ValueFacts::getPosition(Value state) const {
  auto it = positions.find(state);
  return it == positions.end() ? Position{state, 0} : it->second;
}

std::optional<Position> ValueFacts::getStage(Value token) const {
  auto it = stages.find(token);
  if (it == stages.end())
    return std::nullopt;
  return it->second;
}

/// Adds `position` unless it is there.
static void addPosition(SmallVectorImpl<Position> &list, Position position) {
  if (!llvm::is_contained(list, position))
    list.push_back(position);
}

void ValueFacts::pass(State &state, ValueRange from, ValueRange to) {
  for (auto [source, target] : llvm::zip(from, to)) {
    if (isa<TokenType>(source.getType()))
      setRing(target, getRing(source));
    if (!isa<RingStateType>(source.getType()))
      continue;
    Position position = getPosition(source);
    for (auto &entry : state.next) {
      auto list = entry.second;
      for (Position next : list)
        if (next.root == position.root)
          addPosition(entry.second, {target, next.offset - position.offset});
    }
    setPosition(target, {target, 0});
  }
  state.rename(from, to);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Explains why `access` of the ring does not continue in the next iteration.
static LogicalResult emitBrokenPhase(Operation *loop, const ValueFacts &facts,
                                     Access access, ArrayRef<Position> start,
                                     ArrayRef<Position> end, ValueRange yields,
                                     ValueRange arguments) {
  for (auto [yield, argument] : llvm::zip(yields, arguments)) {
    auto isArgument = [&, argument = argument](Position position) {
      return position.root == argument;
    };
    Position last = facts.getPosition(yield);
    const Position *from = llvm::find_if(start, isArgument);
    const Position *to = llvm::find_if(end, isArgument);
    if (from == start.end() || to == end.end() || last.root != argument)
      continue;
    int64_t uses = to->offset - from->offset;
    return loop->emitOpError()
           << (last.offset > uses ? "phase is skipped" : "phase is repeated")
           << ": the ring's state advances by " << last.offset
           << " an iteration, which makes " << uses << " "
           << tile_verifier::getName(access) << (uses == 1 ? "" : "s");
  }
  return loop->emitOpError()
         << "phase is repeated: the position of the ring's next "
         << tile_verifier::getName(access) << " is not carried round the loop";
}

static LogicalResult closePhases(Operation *loop, const ValueFacts &facts,
                                 const State &start, State &end,
                                 ValueRange yields, ValueRange arguments) {
  llvm::SmallDenseMap<Value, Position> carried;
  for (auto [yield, argument] : llvm::zip(yields, arguments))
    if (isa<RingStateType>(argument.getType()))
      carried[argument] = facts.getPosition(yield);
  for (auto &[key, positions] : end.next) {
    auto it = start.next.find(key);
    if (it == start.next.end())
      continue;
    SmallVector<Position, 2> kept;
    for (Position position : it->second) {
      Position last = position;
      if (auto found = carried.find(position.root); found != carried.end())
        last = {found->second.root, found->second.offset + position.offset};
      if (llvm::is_contained(positions, last))
        kept.push_back(position);
    }
    if (kept.empty())
      return emitBrokenPhase(loop, facts, Access(key.second), it->second,
                             positions, yields, arguments);
    positions = std::move(kept);
  }
  return success();
}

/// The groups of `state` that are among `values`, the oldest first.
static SmallVector<Value> filterGroups(const State &state, ValueRange values) {
  SmallVector<Value> groups;
  for (Value group : state.groups)
    if (llvm::is_contained(values, group))
      groups.push_back(group);
  return groups;
}

LogicalResult tile_verifier::closeLoop(Operation *loop, const ValueFacts &facts,
                                       const State &start, State &end,
                                       ValueRange yields,
                                       ValueRange arguments) {
  if (failed(closePhases(loop, facts, start, end, yields, arguments)))
    return failure();
  end.rename(yields, arguments);
  if (filterGroups(start, arguments) != filterGroups(end, arguments))
    return loop->emitOpError()
           << "tokens of copies in flight change their order round the loop: "
              "carry them from the oldest to the youngest";
  return success();
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

LogicalResult tile_verifier::joinProducts(Operation *op, State &state,
                                          const State &end, bool &grows) {
  // Only the oldest products may be missing on one of the paths. Awaiting all
  // except the youngest is then valid on both paths.
  auto getStages = [](ArrayRef<Product> products) {
    return llvm::map_to_vector(products,
                               [](const Product &each) { return each.stage; });
  };
  ArrayRef<Product> second = end.products;
  size_t common = std::min(state.products.size(), second.size());
  if (getStages(ArrayRef(state.products).take_back(common)) !=
      getStages(second.take_back(common)))
    return op->emitOpError() << "products in flight differ between its paths";
  size_t more = second.size() - common;
  state.products.insert(state.products.begin(), second.begin(),
                        second.begin() + more);
  grows |= more > 0;
  for (auto [product, other] :
       llvm::zip(MutableArrayRef(state.products).take_back(common),
                 second.take_back(common)))
    for (Value fragment : other.fragments)
      if (!llvm::is_contained(product.fragments, fragment)) {
        product.fragments.push_back(fragment);
        grows = true;
      }
  return success();
}

LogicalResult tile_verifier::joinBranches(Operation *op, State &first,
                                          const State &second) {
  for (auto &[key, positions] : first.next) {
    const auto *others = second.findNext(key.first, Access(key.second));
    if (!others)
      continue;
    llvm::erase_if(positions, [&](Position position) {
      return !llvm::is_contained(*others, position);
    });
    if (positions.empty())
      return op->emitOpError() << "phase is skipped: its branches do not make "
                                  "the same number of "
                               << getName(Access(key.second)) << "s";
  }
  if (first.groups != second.groups)
    return op->emitOpError() << "copies in flight differ between its branches";
  bool grows = false;
  if (failed(joinProducts(op, first, second, grows)))
    return failure();
  for (auto [ring, count] : second.unpublished)
    first.unpublished[ring] = std::max(first.unpublished[ring], count);
  return success();
}
