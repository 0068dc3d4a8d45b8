//===- Observed.cpp - Output of the emulator's observations ---------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As text and as JSON.
//
//===----------------------------------------------------------------------===//

#include "Observed.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

using namespace tcgemm;
namespace json = llvm::json;

/// Prints the text that kernels have printed.
static void printIndented(llvm::StringRef text, llvm::raw_ostream &os) {
  if (text.empty())
    return;
  os << "  printed:\n";
  text.consume_back("\n");
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  for (llvm::StringRef line : lines)
    os << "    " << line << '\n';
}

void tcgemm::printObservations(const Observations &observed,
                               llvm::raw_ostream &os) {
  if (observed.instructions == 0 && !observed.hasFindings())
    return;
  printIndented(observed.printed, os);
  size_t count = observed.findings.size();
  size_t warnings = llvm::count_if(observed.findings, [](const auto &finding) {
    return emu::isWarning(finding.kind);
  });
  size_t defects = count - warnings;
  os << "  emulated " << observed.instructions << " instructions of warps, "
     << (defects ? std::to_string(defects) : "no")
     << (defects == 1 ? " finding" : " findings");
  if (warnings)
    os << " and " << warnings << (warnings == 1 ? " warning" : " warnings");
  os << '\n';
  // One defect may cause a finding at every instruction of a loop; the first
  // few suffice.
  constexpr size_t kMaxPrinted = 10;
  for (const emu::Finding &finding :
       llvm::ArrayRef(observed.findings).take_front(kMaxPrinted)) {
    std::string text = emu::toString(finding);
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(text).split(lines, '\n');
    for (llvm::StringRef line : lines)
      os << "  " << line << '\n';
  }
  if (size_t more = observed.suppressed + count - std::min(count, kMaxPrinted))
    os << "  and " << more << " more findings; --format=json has up to 100\n";
  for (const ProfiledLaunch &launch : observed.profiles)
    emu::printTable(launch.profile, os);
}

static json::Value asJSON(const emu::Finding &finding) {
  json::Object object{{"kind", emu::getName(finding.kind)},
                      {"kernel", json::fixUTF8(finding.kernel)},
                      {"line", finding.line},
                      {"instruction", json::fixUTF8(finding.instruction)},
                      {"block", json::Array(finding.block)},
                      {"thread", json::Array(finding.thread)},
                      {"message", json::fixUTF8(finding.message)},
                      {"count", static_cast<int64_t>(finding.count)}};
  if (finding.address)
    object["address"] = static_cast<int64_t>(finding.address);
  return object;
}

void tcgemm::addObservations(const Observations &observed,
                             json::Object &object) {
  if (observed.instructions == 0 && !observed.hasFindings())
    return;
  json::Array findings, profiles;
  for (const emu::Finding &finding : observed.findings)
    findings.push_back(asJSON(finding));
  for (const ProfiledLaunch &launch : observed.profiles)
    profiles.push_back(emu::toJSON(launch.profile));
  object["instructions"] = static_cast<int64_t>(observed.instructions);
  object["findings"] = std::move(findings);
  object["suppressed_findings"] = static_cast<int64_t>(observed.suppressed);
  if (!observed.printed.empty())
    object["printed"] = json::fixUTF8(observed.printed);
  if (!profiles.empty())
    object["profiles"] = std::move(profiles);
}

void tcgemm::printAnnotated(const Observations &observed,
                            llvm::raw_ostream &os) {
  for (const ProfiledLaunch &launch : observed.profiles)
    emu::printAnnotated(launch.profile, *launch.ptx, os);
}

llvm::Error AnnotatedFile::write(const Observations &observed) {
  if (path.empty())
    return llvm::Error::success();
  std::error_code code;
  llvm::raw_fd_ostream os(path, code,
                          isStarted ? llvm::sys::fs::OF_Append
                                    : llvm::sys::fs::OF_None);
  if (code)
    return llvm::createStringError("cannot write '" + path +
                                   "': " + code.message());
  isStarted = true;
  printAnnotated(observed, os);
  return llvm::Error::success();
}
