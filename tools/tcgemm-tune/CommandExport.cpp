//===- CommandExport.cpp - tcgemm-tune export -----------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExchangeFlags.h"
#include "Screen.h"
#include "Selection.h"
#include "tcgemm/Tuner/Exchange.h"
#include "tcgemm/Tuner/Tensile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tcgemm;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// `bf16_tn_bf16_none_4096x4096x4096`.
static std::string getFileStem(const Record &record) {
  std::string stem = record.problem.str();
  std::replace(stem.begin(), stem.end(), ' ', '_');
  return stem;
}

/// A format of one problem: a file for each in a folder, or one problem only.
static int exportGroups(
    const ExchangeFlags &flags, llvm::ArrayRef<Record> records,
    llvm::function_ref<void(const RecordGroup &, llvm::raw_ostream &)> write) {
  std::vector<RecordGroup> groups = groupRecords(records);
  StringRef output = flags.exportOutput;
  bool isFolder = output.ends_with("/") || llvm::sys::fs::is_directory(output);
  if (!isFolder && groups.size() != 1)
    return fail(llvm::createStringError(
                    "the format is for one problem on one platform, but there "
                    "are " +
                    llvm::Twine(groups.size()) +
                    ": give a shape, or a folder by -o FOLDER/"),
                kExitBadInput);
  if (!isFolder)
    return writeOutput(
        output, [&](llvm::raw_ostream &os) { write(groups.front(), os); });
  if (std::error_code code = llvm::sys::fs::create_directories(output))
    return fail(llvm::createStringError("cannot make '" + output +
                                        "': " + code.message()),
                kExitBadInput);
  for (auto [index, group] : llvm::enumerate(groups)) {
    std::string stem = getFileStem(group.front());
    // Platforms of the same problem are counted.
    size_t same = llvm::count_if(
        llvm::ArrayRef(groups).take_front(index),
        [&](const RecordGroup &g) { return getFileStem(g.front()) == stem; });
    if (same)
      stem += "-" + std::to_string(same + 1);
    llvm::SmallString<128> path(output);
    llvm::sys::path::append(path, stem + ".json");
    if (int code =
            writeOutput(path, [&, &group = group](llvm::raw_ostream &os) {
              write(group, os);
            }))
      return code;
  }
  return kExitSuccess;
}

static int exportTransform(const ExchangeFlags &flags,
                           llvm::ArrayRef<Record> records, TransformForm form) {
  std::string script;
  llvm::raw_string_ostream os(script);
  if (llvm::Error error = writeTransformScript(records, form, os))
    return fail(std::move(error), kExitBadInput);
  return writeOutput(flags.exportOutput,
                     [&](llvm::raw_ostream &os) { os << script; });
}

//===----------------------------------------------------------------------===//
// Spaces
//===----------------------------------------------------------------------===//

static int exportSpace(const ExchangeFlags &flags) {
  const Flags &shared = flags.shared;
  Expected<const ChipInfo &> chip = lookupChip(
      shared.device.chip.empty() ? "sm_90a" : shared.device.chip.getValue());
  if (!chip)
    return fail(chip.takeError(), kExitBadInput);
  Expected<std::vector<TuningProblem>> problems = readGivenProblems(shared);
  if (!problems)
    return fail(problems.takeError(), kExitBadInput);
  if (problems->size() != 1 || shared.space.spaceNames.size() != 1)
    return fail(llvm::createStringError(
                    "t1 describes one space for one problem: give one shape "
                    "and one --space"),
                kExitBadInput);
  Expected<Space> space = readSpace(shared.space.spaceNames.front());
  if (!space)
    return fail(space.takeError(), kExitBadInput);
  Expected<SearchSpace> bound =
      SearchSpace::create(*space, *chip, problems->front());
  if (!bound)
    return fail(bound.takeError(), kExitBadInput);
  std::vector<std::string> leftOut;
  int code = writeOutput(flags.exportOutput, [&](llvm::raw_ostream &os) {
    leftOut = writeT1Input(*bound, os);
  });
  for (const std::string &name : leftOut)
    llvm::errs()
        << "tcgemm-tune: note: restriction '" << name
        << "' uses values that only tcgemm computes, and is left out\n";
  return code;
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

int tcgemm::runExport(const ExchangeFlags &flags) {
  if (flags.exportFormat != ExportFormat::Library)
    for (const cl::Option *option :
         {static_cast<const cl::Option *>(&flags.scaling),
          static_cast<const cl::Option *>(&flags.anySize)})
      if (option->getNumOccurrences() > 0)
        return fail(llvm::createStringError("--" + option->ArgStr +
                                            " is for --as=library"),
                    kExitBadInput);
  if (flags.exportFormat == ExportFormat::T1)
    return exportSpace(flags);
  if (flags.exportFormat == ExportFormat::Header ||
      flags.exportFormat == ExportFormat::Program)
    return exportKernel(flags);
  if (flags.exportFormat == ExportFormat::Library)
    return exportLibrary(flags);
  Expected<std::vector<TuningProblem>> problems =
      readGivenProblems(flags.shared);
  if (!problems)
    return fail(problems.takeError(), kExitBadInput);
  Expected<std::vector<Record>> records =
      selectRecords(flags.shared, *problems);
  if (!records)
    return fail(records.takeError(), kExitBadInput);
  if (records->empty())
    return fail(llvm::createStringError(
                    "no record in '" + flags.shared.output.database + "' fits"),
                kExitNoConfig);
  switch (flags.exportFormat) {
  case ExportFormat::KernelTuner:
    return exportGroups(flags, *records, writeKernelTunerCache);
  case ExportFormat::T4:
    return exportGroups(flags, *records, writeT4Results);
  case ExportFormat::CutlassCSV:
    return writeOutput(flags.exportOutput, [&](llvm::raw_ostream &os) {
      writeCutlassCSV(*records, os);
    });
  case ExportFormat::JSON:
    return writeOutput(flags.exportOutput, [&](llvm::raw_ostream &os) {
      writeRecordArray(*records, os);
    });
  case ExportFormat::Transform:
    return exportTransform(flags, *records, TransformForm::Matchers);
  case ExportFormat::TransformTable:
    return exportTransform(flags, *records, TransformForm::Table);
  default:
    return writeOutput(flags.exportOutput, [&](llvm::raw_ostream &os) {
      writeRecordLines(*records, os);
    });
  }
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

/// A file's text; the error is reported.
static std::unique_ptr<llvm::MemoryBuffer> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  fail(llvm::createStringError("cannot read '" + path +
                               "': " + buffer.getError().message()),
       kExitBadInput);
  return nullptr;
}

/// Writes a benchmark file's space, and its sizes if a file for them is given.
static int importTensile(const ExchangeFlags &flags, StringRef path,
                         StringRef text) {
  // `x.benchmark.yaml` is space `x`. Characters that YAML reads otherwise do
  // not belong to names.
  std::string name = llvm::sys::path::filename(path).split('.').first.str();
  for (char &letter : name)
    if (!llvm::isAlnum(letter) && letter != '-')
      letter = '_';
  Expected<TensileBenchmark> benchmark =
      importTensileBenchmark(text, path, name);
  if (!benchmark)
    return fail(benchmark.takeError(), kExitBadInput);
  if (int code = writeOutput(flags.importOutput, [&](llvm::raw_ostream &os) {
        os << benchmark->space;
      }))
    return code;
  if (!flags.sizesOutput.empty())
    if (int code = writeOutput(flags.sizesOutput, [&](llvm::raw_ostream &os) {
          os << benchmark->sizes;
        }))
      return code;
  for (const std::string &note : benchmark->notes)
    llvm::errs() << "tcgemm-tune: note: " << note << '\n';
  llvm::errs() << "tcgemm-tune: note: " << path << ": " << benchmark->numSizes
               << " problem sizes of " << benchmark->dtype << '\n';
  return kExitSuccess;
}

/// Adds the records of all files to the database.
static int importRecordFiles(const ExchangeFlags &flags) {
  ImportDefaults defaults;
  Expected<KernelSpec> kernel = flags.shared.problem.readKernel();
  if (!kernel)
    return fail(kernel.takeError(), kExitBadInput);
  defaults.kernel = *kernel;
  defaults.chip = flags.shared.device.chip;
  if (!defaults.chip.empty())
    if (Expected<const ChipInfo &> chip = lookupChip(defaults.chip); !chip)
      return fail(chip.takeError(), kExitBadInput);
  if (!flags.importSizes.empty()) {
    Expected<MatmulSizes> sizes = MatmulSizes::parse(flags.importSizes);
    if (!sizes)
      return fail(sizes.takeError(), kExitBadInput);
    defaults.sizes = *sizes;
  }
  // All files are read before anything is written.
  std::vector<std::vector<Record>> files;
  for (const std::string &path : flags.imported) {
    std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(path);
    if (!buffer)
      return kExitBadInput;
    Expected<std::vector<Record>> records =
        importRecords(buffer->getBuffer(), path, defaults);
    if (!records)
      return fail(records.takeError(), kExitBadInput);
    files.push_back(std::move(*records));
  }
  Expected<std::unique_ptr<Store>> store =
      Store::open(flags.shared.output.database, Store::Mode::ReadWrite);
  if (!store)
    return fail(store.takeError(), kExitBadInput);
  for (auto [path, records] : llvm::zip_equal(flags.imported, files)) {
    Expected<uint64_t> added = (*store)->merge(records);
    if (!added)
      return fail(added.takeError(), kExitRunFailed);
    llvm::outs() << path << ": " << records.size() << " records, " << *added
                 << " added\n";
  }
  return kExitSuccess;
}

int tcgemm::runImport(const ExchangeFlags &flags) {
  for (const std::string &path : flags.imported) {
    std::unique_ptr<llvm::MemoryBuffer> buffer = readFile(path);
    if (!buffer)
      return kExitBadInput;
    if (!isTensileBenchmark(buffer->getBuffer()))
      continue;
    if (flags.imported.size() == 1)
      return importTensile(flags, path, buffer->getBuffer());
    return fail(llvm::createStringError("'" + path +
                                        "' is a benchmark file of Tensile, "
                                        "which is imported alone"),
                kExitBadInput);
  }
  for (const cl::Option *option :
       {static_cast<const cl::Option *>(&flags.importOutput),
        static_cast<const cl::Option *>(&flags.sizesOutput)})
    if (option->getNumOccurrences() > 0)
      return fail(llvm::createStringError("--" + option->ArgStr +
                                          " is for a benchmark file of "
                                          "Tensile"),
                  kExitBadInput);
  return importRecordFiles(flags);
}
