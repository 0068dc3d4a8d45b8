//===- ExportTransform.cpp - Records as a transform script ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of the script is that of IREE's tuning specifications: a matcher for
// each product, which also yields the configuration, and one action that sets
// it.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Tuner/Exchange.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

#include <tuple>

using namespace llvm;

namespace tcgemm {
namespace {

constexpr StringLiteral kHead =
    "module attributes {transform.with_named_sequence} {\n";

constexpr StringLiteral kAction =
    R"(  transform.named_sequence @configure(
      %kernel: !transform.any_op {transform.readonly},
      %config: !transform.any_param {transform.readonly}) {
    transform.tcgemm.configure_op %kernel with %config : !transform.any_op, !transform.any_param
    transform.yield
  }
)";

/// The fastest record of each product, the fastest of all first. Of two that
/// match the same kernel, the first one counts.
std::vector<const Record *> selectFastest(ArrayRef<Record> records) {
  std::vector<const Record *> sorted;
  for (const Record &record : records)
    if (record.isSuccess() && record.timing.stage != TimingStage::Model)
      sorted.push_back(&record);
  llvm::sort(sorted, [](const Record *a, const Record *b) {
    return std::tuple(a->timing.median, a->problem.str(), a->config.str()) <
           std::tuple(b->timing.median, b->problem.str(), b->config.str());
  });
  StringSet<> seen;
  llvm::erase_if(sorted, [&](const Record *record) {
    return !seen.insert(record->problem.str()).second;
  });
  return sorted;
}

/// The chip of all records; fails if there are several.
Expected<StringRef> getChip(ArrayRef<const Record *> records) {
  StringRef chip = records.front()->platform.chip;
  for (const Record *record : records)
    if (record->platform.chip != chip)
      return createStringError(
          "a transform script is for one chip, but there are records of " +
          chip + " and " + record->platform.chip + ": give --chip");
  return chip;
}

std::string getSizes(const Record &record) {
  const MatmulSizes &s = record.problem.sizes;
  return formatv("{0}, {1}, {2}, {3}", s.batch, s.m, s.n, s.k);
}

void writeMatcher(const Record &record, size_t index, raw_ostream &os) {
  os << formatv(R"(  // {0}: {1:f2} us on {2}
  transform.named_sequence @match_{3}(%kernel: !transform.any_op {{transform.readonly})
      -> (!transform.any_op, !transform.any_param) {{
    transform.tcgemm.match_product %kernel "{4}" sizes [{5}] : !transform.any_op
    %config = transform.param.constant
      #tcgemm.config<{6}> -> !transform.any_param
    transform.yield %kernel, %config : !transform.any_op, !transform.any_param
  }
)",
                record.problem.str(), record.timing.median,
                record.platform.device, index, record.problem.kernel.str(),
                getSizes(record), record.config.str());
}

void writeMatchers(ArrayRef<const Record *> records, raw_ostream &os) {
  os << kAction;
  for (auto [index, record] : enumerate(records))
    writeMatcher(*record, index, os);
  os << R"(  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.consumed}) {
    transform.foreach_match in %module
)";
  ListSeparator separator(",\n");
  for (size_t index : seq(records.size()))
    os << separator << "      @match_" << index << " -> @configure";
  os << R"(
      : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
)";
}

void writeTable(ArrayRef<const Record *> records, raw_ostream &os) {
  os << R"(  transform.named_sequence @__transform_main(
      %module: !transform.any_op {transform.readonly}) {
    transform.tcgemm.configure_products %module from [
)";
  ListSeparator separator(",\n");
  for (const Record *record : records)
    os << separator
       << formatv("      {{kernel = \"{0}\", sizes = array<i64: {1}>,\n"
                  "       config = #tcgemm.config<{2}>}",
                  record->problem.kernel.str(), getSizes(*record),
                  record->config.str());
  os << R"(
    ] : !transform.any_op
    transform.yield
  }
)";
}

} // namespace

Error writeTransformScript(ArrayRef<Record> all, TransformForm form,
                           raw_ostream &os) {
  std::vector<const Record *> records = selectFastest(all);
  if (records.empty())
    return createStringError("no record has a measured time");
  Expected<StringRef> chip = getChip(records);
  if (!chip)
    return chip.takeError();
  os << formatv("// The fastest configurations of {0} products for {1}, "
                "written by tcgemm-tune export.\n",
                records.size(), *chip)
     << kHead;
  if (form == TransformForm::Matchers)
    writeMatchers(records, os);
  else
    writeTable(records, os);
  os << "}\n";
  return Error::success();
}

} // namespace tcgemm
