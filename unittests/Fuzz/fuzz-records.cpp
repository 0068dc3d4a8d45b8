//===- fuzz-records.cpp - Fuzzes records as text --------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines of JSON, and the files of other tuners that records are imported from.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "tcgemm/Store/RecordProvider.h"
#include "tcgemm/Tuner/Exchange.h"

using namespace tcgemm;
using namespace tcgemm::fuzz;
using llvm::StringRef;

static std::string write(llvm::ArrayRef<Record> records) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeRecordLines(records, stream);
  return text;
}

/// Asks for configurations as the compiler does.
static void lookUp(std::vector<Record> records) {
  RecordProvider provider("input", std::move(records));
  for (StringRef name : {"sm_80", "sm_90", "sm_90a"}) {
    const ChipInfo &chip = llvm::cantFail(lookupChip(name));
    TuningProblem problem;
    problem.sizes = {512, 512, 512, 1};
    ProblemInfo info = problem.getInfo();
    ConfigRequest request{chip, info, "kernel", ""};
    if (std::optional<KernelConfig> config = provider.lookup(request))
      require(findViolations(*config, chip, info).empty(),
              "an illegal configuration is answered: " + config->str());
  }
}

static void writeOthers(llvm::ArrayRef<Record> records) {
  llvm::raw_null_ostream null;
  for (const RecordGroup &group : groupRecords(records)) {
    writeKernelTunerCache(group, null);
    writeT4Results(group, null);
  }
  writeCutlassCSV(records, null);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef text = getText(data, size);
  ImportDefaults defaults;
  defaults.chip = "sm_90";
  if (auto imported = accept(importRecords(text, "input", defaults)))
    write(*imported);
  auto records = accept(parseRecords(text, "input"));
  if (!records)
    return 0;
  if (records->size() > 16)
    records->resize(16);
  std::string written = write(*records);
  require(write(acceptAgain(parseRecords(written, "written"), written)) ==
              written,
          "records change when they are written and read");
  writeOthers(*records);
  lookUp(std::move(*records));
  return 0;
}
