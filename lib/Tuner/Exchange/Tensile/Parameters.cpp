//===- Parameters.cpp - Tensile's kernel parameters -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of the paper's parameters. Pairs of values that belong together
// (the two sides of a thread tile) are one variable of the space, side 1 times
// kSide plus side 0, because an axis of a space has one value at a time.
//
//===----------------------------------------------------------------------===//

#include "Exchange/Tensile/Conversion.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tcgemm::tensile {
namespace {

constexpr int64_t kSide = 1024;
/// The largest value of a parameter's part that fits half a variable.
constexpr int64_t kMostInPair = kSide - 1;

std::string text(int64_t value) { return std::to_string(value); }

/// Adds `name` with the values, in the order of the file.
Error addIntegers(const Document &document, const Node &values, StringRef key,
                  std::vector<SpaceAxis> &axes, StringRef name, int64_t least,
                  int64_t most) {
  SpaceAxis axis{name.str(), {}};
  for (const Node &value : values.items) {
    Expected<int64_t> number = document.readInteger(value, key, least, most);
    if (!number)
      return number.takeError();
    axis.values.push_back(text(*number));
  }
  axes.push_back(std::move(axis));
  return Error::success();
}

/// The integers of a value that is a list of `least` to `most` of them.
Expected<SmallVector<int64_t>> readTuple(const Document &document,
                                         const Node &value, StringRef key,
                                         size_t least, size_t most) {
  if (!value.isSequence() || value.items.size() < least ||
      value.items.size() > most)
    return document.fail(value, key + " must be a list of " + Twine(least) +
                                    (least == most ? "" : " or " + text(most)) +
                                    " integers");
  SmallVector<int64_t> numbers;
  for (const Node &item : value.items) {
    Expected<int64_t> number = document.readInteger(item, key, 1, kMostInPair);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return numbers;
}

/// Adds a variable of pairs, each of Tensile's d0 and d1.
Error addPairs(const Document &document, const Node &values, StringRef key,
               SpaceDraft &draft, StringRef name) {
  SpaceAxis axis{name.str(), {}};
  for (const Node &value : values.items) {
    auto pair = readTuple(document, value, key, 2, 2);
    if (!pair)
      return pair.takeError();
    axis.values.push_back(text((*pair)[1] * kSide + (*pair)[0]));
  }
  draft.variables.push_back(std::move(axis));
  return Error::success();
}

Error convertThreadTile(const Document &document, const Node &values,
                        SpaceDraft &draft) {
  if (Error error =
          addPairs(document, values, "ThreadTile", draft, "thread_tile"))
    return error;
  draft.derived.push_back({"cta.m", "thread_tile / 1024 * threads.m"});
  draft.derived.push_back({"cta.n", "thread_tile % 1024 * threads.n"});
  return Error::success();
}

/// Two integers are completed by LocalSplitU.
Error convertWorkGroup(const Document &document, const Node &values,
                       SpaceDraft &draft) {
  bool hasSplit = values.items.front().isSequence() &&
                  values.items.front().items.size() == 3;
  if (!hasSplit) {
    if (Error error =
            addPairs(document, values, "WorkGroup", draft, "work_group"))
      return error;
    draft.derived.push_back({"threads.m", "work_group / 1024"});
    draft.derived.push_back({"threads.n", "work_group % 1024"});
    return Error::success();
  }
  SpaceAxis axis{"threads", {}};
  for (const Node &value : values.items) {
    auto sizes = readTuple(document, value, "WorkGroup", 3, 3);
    if (!sizes)
      return sizes.takeError();
    axis.values.push_back(text((*sizes)[1]) + "x" + text((*sizes)[0]) + "x" +
                          text((*sizes)[2]));
  }
  draft.parameters.push_back(std::move(axis));
  return Error::success();
}

Error convertLocalSplit(const Document &document, const Node &values,
                        SpaceDraft &draft) {
  return addIntegers(document, values, "LocalSplitU", draft.parameters,
                     "threads.k", 1, kMostInPair);
}

Error refuseMacroTile(const Document &document, const Node &values,
                      SpaceDraft &) {
  return document.fail(values, "MacroTile is the product of ThreadTile and "
                               "WorkGroup: give these");
}

/// -1 is the paper's min(4, TT[0], TT[1]): the lengths of runs that tcgemm
/// derives from the thread tile, and copies of 16 bytes.
Error convertVectorWidth(const Document &document, const Node &values,
                         SpaceDraft &draft) {
  const Node &first = values.items.front();
  if (values.items.size() == 1 && first.text == "-1")
    return Error::success();
  SpaceAxis axis{"vector_bytes", {}};
  for (const Node &value : values.items) {
    Expected<int64_t> width = document.readInteger(value, "VectorWidth", 1, 4);
    if (!width)
      return width.takeError();
    int64_t bytes = *width * draft.elementBytes;
    if (!is_contained({4, 8, 16}, bytes))
      return document.fail(value, "VectorWidth = " + value.text + " makes " +
                                      text(bytes) +
                                      " bytes, but copies have 4, 8 or 16");
    axis.values.push_back(text(bytes));
  }
  draft.variables.push_back(std::move(axis));
  draft.derived.push_back({"copy_a", "vector_bytes"});
  draft.derived.push_back({"copy_b", "vector_bytes"});
  return Error::success();
}

Error convertGlobalSplit(const Document &document, const Node &values,
                         SpaceDraft &draft) {
  return addIntegers(document, values, "GlobalSplitU", draft.parameters,
                     "split_k", 1, 65535);
}

/// Adds `name` with a value for each True or False.
Error addTruths(const Document &document, const Node &values, StringRef key,
                SpaceDraft &draft, StringRef name, StringRef ofFalse,
                StringRef ofTrue) {
  SpaceAxis axis{name.str(), {}};
  for (const Node &value : values.items) {
    Expected<bool> isTrue = document.readTruth(value, key);
    if (!isTrue)
      return isTrue.takeError();
    axis.values.push_back((*isTrue ? ofTrue : ofFalse).str());
  }
  draft.parameters.push_back(std::move(axis));
  return Error::success();
}

Error convertSplitMap(const Document &document, const Node &values,
                      SpaceDraft &draft) {
  SpaceAxis axis{"slice_order", {}};
  for (const Node &value : values.items) {
    if (value.text != "RoundRobin" && value.text != "Contiguous")
      return document.fail(value, "GlobalSplitUWorkGroupMap must be RoundRobin "
                                  "or Contiguous, but is '" +
                                      value.text + "'");
    axis.values.push_back(value.text == "RoundRobin" ? "outer" : "inner");
  }
  draft.parameters.push_back(std::move(axis));
  return Error::success();
}

Error convertGlobalPrefetch(const Document &document, const Node &values,
                            SpaceDraft &draft) {
  return addTruths(document, values, "PrefetchGlobalRead", draft, "stages", "1",
                   "2");
}

Error convertLocalPrefetch(const Document &document, const Node &values,
                           SpaceDraft &draft) {
  return addTruths(document, values, "PrefetchLocalRead", draft,
                   "fragment_buffers", "1", "2");
}

Error convertMapping(const Document &document, const Node &values,
                     SpaceDraft &draft) {
  return addIntegers(document, values, "WorkGroupMapping", draft.parameters,
                     "raster_group", 1, 65535);
}

Error convertUnroll(const Document &document, const Node &values,
                    SpaceDraft &draft) {
  draft.derived.push_back({"cta.k", "loop_unroll * threads.k"});
  return addIntegers(document, values, "LoopUnroll", draft.variables,
                     "loop_unroll", 1, 64);
}

Error convertDepth(const Document &document, const Node &values,
                   SpaceDraft &draft) {
  return addIntegers(document, values, "DepthU", draft.parameters, "cta.k", 1,
                     64);
}

Error convertCoalescedLoads(const Document &document, const Node &values,
                            SpaceDraft &draft) {
  draft.derived.push_back({"row_copies_a", "row_copies"});
  draft.derived.push_back({"row_copies_b", "row_copies"});
  // 0: as few as suffice, which holds where a file does not have the parameter.
  return addIntegers(document, values, "NumLoadsCoalesced", draft.variables,
                     "row_copies", 0, 64);
}

Error convertCoalesceGroup(const Document &document, const Node &values,
                           SpaceDraft &draft) {
  for (const Node &value : values.items) {
    Expected<bool> isTrue =
        document.readTruth(value, "GlobalReadCoalesceGroup");
    if (!isTrue)
      return isTrue.takeError();
    if (!*isTrue)
      return document.fail(value, "GlobalReadCoalesceGroup = False has no "
                                  "counterpart: neighbouring threads always "
                                  "read neighbouring addresses");
  }
  draft.notes.push_back("GlobalReadCoalesceGroup = True holds for all kernels");
  return Error::success();
}

Error convertCoalesceVector(const Document &document, const Node &values,
                            SpaceDraft &draft) {
  return addTruths(document, values, "GlobalReadCoalesceVector", draft,
                   "transpose_staging", "true", "false");
}

Error convertLanguage(const Document &document, const Node &values,
                      SpaceDraft &draft) {
  for (const Node &value : values.items)
    if (value.text != "Assembly" && value.text != "Source")
      return document.fail(value, "KernelLanguage must be Assembly or Source, "
                                  "but is '" +
                                      value.text + "'");
  if (values.items.size() > 1)
    return document.fail(values, "KernelLanguage has " +
                                     Twine(values.items.size()) +
                                     " values, but tcgemm has one generator");
  draft.notes.push_back("KernelLanguage has no effect: tcgemm has one "
                        "generator");
  return Error::success();
}

struct Row {
  TensileParameter parameter;
  Converter convert;
};

constexpr Row rows[] = {
    {{"WorkGroup", "WG", "`threads`",
      "[d0, d1, s] → d1 × d0 × s; [d0, d1] leaves s to LocalSplitU"},
     convertWorkGroup},
    {{"LocalSplitU", "LSU", "`threads.k`",
      "groups of threads, each with a part of every k-tile: 1, 2, 4, 8"},
     convertLocalSplit},
    {{"ThreadTile", "TT", "`cta.m`, `cta.n`",
      "[t0, t1] → `cta.m` = t1 · `threads.m`, `cta.n` = t0 · `threads.n`"},
     convertThreadTile},
    {{"MacroTile", "MT", "`cta.m`, `cta.n`",
      "the product of ThreadTile and WorkGroup; not a key of its own"},
     refuseMacroTile},
    {{"VectorWidth", "VW", "`copy_a`, `copy_b`",
      "v elements → v · the element's bytes; -1, min(4, t0, t1): 16 bytes. "
      "The widths of reads from shared memory and of stores follow from "
      "ThreadTile"},
     convertVectorWidth},
    {{"GlobalSplitU", "GSU", "`split_k`",
      "slices of k; their sums go through a workspace, without atomics"},
     convertGlobalSplit},
    {{"GlobalSplitUWorkGroupMap", "GSUWGM", "`slice_order`",
      "RoundRobin → `outer`, Contiguous → `inner`"},
     convertSplitMap},
    {{"PrefetchGlobalRead", "PGR", "`stages`", "False → 1, True → 2"},
     convertGlobalPrefetch},
    {{"PrefetchLocalRead", "PLR", "`fragment_buffers`", "False → 1, True → 2"},
     convertLocalPrefetch},
    {{"WorkGroupMapping", "WGM", "`raster_group`",
      "the width, in tiles, of the bands in which CTAs are numbered"},
     convertMapping},
    {{"LoopUnroll", "LU", "`cta.k`", "u → `cta.k` = u · `threads.k`"},
     convertUnroll},
    {{"DepthU", "DU", "`cta.k`", "the same; LoopUnroll or DepthU is given"},
     convertDepth},
    {{"NumLoadsCoalesced", "NLC", "`row_copies_a`, `row_copies_b`",
      "copies that a thread makes of each row of a tile; 0, also without the "
      "key: as few as suffice"},
     convertCoalescedLoads},
    {{"GlobalReadCoalesceGroup", "GRCG", "none",
      "True only: neighbouring threads always read neighbouring addresses"},
     convertCoalesceGroup},
    {{"GlobalReadCoalesceVector", "GRCV", "`transpose_staging`",
      "True → `false`: vectors are copied as they lie; False → `true`: "
      "elements are transposed while they are copied"},
     convertCoalesceVector},
    {{"KernelLanguage", "KL", "none", "one of Assembly and Source; no effect"},
     convertLanguage},
};

} // namespace

Converter findConverter(StringRef name) {
  for (const Row &row : rows)
    if (row.parameter.name == name)
      return row.convert;
  return nullptr;
}

} // namespace tcgemm::tensile

llvm::ArrayRef<tcgemm::TensileParameter> tcgemm::getTensileParameters() {
  static const std::vector<TensileParameter> parameters = [] {
    std::vector<TensileParameter> list;
    for (const tensile::Row &row : tensile::rows)
      list.push_back(row.parameter);
    return list;
  }();
  return parameters;
}
