//===- ReportColumns.cpp - Columns of a page's data -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/ReportColumns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;

namespace tcgemm {

void TextDictionary::write(json::OStream &json, StringRef name) const {
  json.attributeArray(name, [&] {
    for (const std::string &text : texts)
      json.value(json::fixUTF8(text));
  });
}

void writeNumbers(json::OStream &json, StringRef name, ArrayRef<double> values,
                  int digits) {
  json.attributeBegin(name);
  json.rawValue([&](raw_ostream &os) {
    os << '[';
    ListSeparator separator(",");
    for (double value : values) {
      os << separator;
      bool isInteger = std::abs(value) < 1e15 && value == std::floor(value);
      if (isInteger)
        os << static_cast<int64_t>(value);
      else
        os << format("%.*g", digits, value);
    }
    os << ']';
  });
  json.attributeEnd();
}

void ConfigColumns::add(const KernelConfig &config) {
  hashes.push_back(config.hash().substr(0, kHashDigits));
  ArrayRef<StringRef> keys = KernelConfig::keys();
  values.resize(keys.size());
  indices.resize(keys.size());
  for (auto [key, dictionary, column] : zip_equal(keys, values, indices))
    column.push_back(dictionary.getIndex(config.get(key)));
}

void ConfigColumns::write(json::OStream &json) const {
  json.attributeObject("configs", [&] {
    json.attributeArray("hash", [&] {
      for (const std::string &hash : hashes)
        json.value(hash);
    });
    json.attributeObject("values", [&] {
      if (hashes.empty())
        return;
      for (auto [i, key] : enumerate(KernelConfig::keys()))
        json.attributeObject(key, [&, i = i] {
          values[i].write(json, "names");
          writeNumbers(json, "index",
                       values[i].size() > 1 ? indices[i] : NumberColumn());
        });
    });
  });
}

GroupDetails::GroupDetails(std::vector<Record> all, uint64_t most) {
  // Records with their hashes, which favour no parameter.
  std::vector<std::pair<std::string, Record *>> keyed;
  keyed.reserve(all.size());
  for (Record &record : all)
    keyed.emplace_back(record.config.hash(), &record);
  if (keyed.size() > most) {
    // Failures, which have no time, are behind all others.
    auto rank = [](const std::pair<std::string, Record *> &entry) {
      const Record &r = *entry.second;
      bool isTimed = r.isSuccess() && r.timing.median > 0;
      return std::tuple(!isTimed, r.timing.median, StringRef(entry.first));
    };
    llvm::sort(keyed,
               [&](const auto &a, const auto &b) { return rank(a) < rank(b); });
    keyed.resize(most);
  }
  // Within a second the order is not known.
  llvm::sort(keyed, [](const auto &a, const auto &b) {
    return std::tie(a.second->timestamp, a.first) <
           std::tie(b.second->timestamp, b.first);
  });
  for (auto &[hash, record] : keyed)
    records.push_back(std::move(*record));
}

std::string GroupDetails::write() const {
  ConfigColumns configs;
  TextDictionary messages, variants;
  MapVector<StringRef, NumberColumn> columns;
  int64_t before = records.empty() ? 0 : records.front().timestamp;
  for (const Record &record : records) {
    auto put = [&](StringRef name, auto value) {
      columns[name].push_back(static_cast<double>(value));
    };
    configs.add(record.config);
    put("outcome", record.outcome);
    put("stage", record.timing.stage);
    put("time", record.timing.median);
    // The distances from the median have fewer digits than the limits; -1: the
    // limits are not known.
    const Timing &timing = record.timing;
    put("below", timing.low > 0 ? timing.median - timing.low : -1);
    put("above", timing.high > 0 ? timing.high - timing.median : -1);
    put("registers", record.resources.registers);
    put("spill", record.resources.spillBytes);
    put("shared", record.resources.sharedMemory);
    put("threads", record.resources.threads);
    put("workspace", record.resources.workspace);
    put("compile", record.costs.compile);
    put("verify", record.costs.verify);
    put("measure", record.costs.measure);
    put("seconds", record.timestamp - before);
    before = record.timestamp;
    // Messages of compilers can be long; the first lines suffice.
    put("message",
        messages.getIndex(StringRef(record.message).take_front(400)));
    put("variant", variants.getIndex(record.variant));
  }
  std::string text;
  raw_string_ostream stream(text);
  json::OStream json(stream);
  json.object([&] {
    json.attribute("start", records.empty() ? 0 : records.front().timestamp);
    configs.write(json);
    messages.write(json, "messages");
    variants.write(json, "variants");
    json.attributeObject("records", [&] {
      for (const auto &[name, column] : columns)
        writeNumbers(json, name, column, name == "time" ? 5 : 3);
    });
  });
  return text;
}

std::string encodeBlock(StringRef data) {
  if (!compression::zlib::isAvailable())
    return "plain:" + encodeBase64(data);
  SmallVector<uint8_t> bytes;
  compression::zlib::compress(arrayRefFromStringRef(data), bytes);
  return "deflate:" + encodeBase64(bytes);
}

} // namespace tcgemm
