//===- Ptxas.cpp - NVIDIA's assembler ---------------------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/Ptxas.h"
#include "ToolProcess.h"
#include "tcgemm/Target/FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <cstring>
#include <sys/wait.h>
#include <thread>

using namespace llvm;

namespace tcgemm {
namespace {

/// Runs a program, without a shell; returns what it printed. `status` is its
/// exit status.
Expected<std::string> execute(ArrayRef<StringRef> arguments, unsigned timeout,
                              int &status) {
  Expected<AnonymousFile> log = AnonymousFile::create("tcgemm.log");
  if (!log)
    return log.takeError();
  Expected<ToolProcess> process = ToolProcess::start(arguments, *log);
  if (!process)
    return process.takeError();
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + std::chrono::seconds(timeout);
  std::optional<int> ended;
  while (!(ended = process->poll())) {
    if (Clock::now() >= end) {
      process->kill();
      return formatError("'{0}' was killed after {1} seconds", arguments[0],
                         timeout);
    }
    // A short time, because a kernel takes a few milliseconds.
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  Expected<std::string> text = log->read();
  if (!text)
    return text.takeError();
  if (WIFSIGNALED(*ended))
    return formatError("'{0}' crashed: {1}\n{2}", arguments[0],
                       strsignal(WTERMSIG(*ended)), StringRef(*text).trim());
  status = WEXITSTATUS(*ended);
  if (status == ToolProcess::kCannotExecute)
    return formatError("cannot run '{0}'\n{1}", arguments[0],
                       StringRef(*text).trim());
  return text;
}

std::optional<std::string> getProcessEnvironment(StringRef name) {
  return sys::Process::GetEnv(name);
}

} // namespace

PtxasSearch::PtxasSearch() : getEnvironment(getProcessEnvironment) {}

//===----------------------------------------------------------------------===//
// The output of ptxas
//===----------------------------------------------------------------------===//

const PtxasEntry *PtxasLog::find(StringRef name) const {
  for (const PtxasEntry &entry : entries)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

/// The text between the first pair of quotes after `before`.
static StringRef takeQuoted(StringRef line, StringRef before) {
  size_t start = line.find(before);
  if (start == StringRef::npos)
    return {};
  return line.substr(start + before.size()).split('\'').first;
}

/// The number before `unit`, e.g. " bytes spill stores", or else 0.
static int64_t takeNumber(StringRef line, StringRef unit) {
  size_t end = line.find(unit);
  if (end == StringRef::npos)
    return 0;
  StringRef head = line.take_front(end);
  StringRef digits = head.drop_front(head.find_last_not_of("0123456789") + 1);
  int64_t value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

/// A numbered remark such as "(C7515) …", or nothing.
static StringRef takeRemark(StringRef line) {
  for (size_t at = line.find("(C"); at != StringRef::npos;
       at = line.find("(C", at + 1)) {
    StringRef digits = line.substr(at + 2, 4);
    if (digits.size() == 4 && all_of(digits, isDigit) &&
        line.substr(at + 6).starts_with(")"))
      return line.substr(at).trim();
  }
  return {};
}

/// The entry that a remark names: "function 'k'" or "function k".
static PtxasEntry *findRemarkEntry(StringRef remark,
                                   std::vector<PtxasEntry> &entries) {
  for (PtxasEntry &entry : entries)
    if (remark.contains("'" + entry.name + "'"))
      return &entry;
  return nullptr;
}

PtxasLog parsePtxasLog(StringRef text) {
  PtxasLog log;
  std::vector<std::string> remarks;
  PtxasEntry *current = nullptr;
  SmallVector<StringRef> lines;
  text.split(lines, '\n');
  for (StringRef line : lines) {
    StringRef name = takeQuoted(line, "Compiling entry function '");
    if (!name.empty()) {
      log.entries.emplace_back();
      current = &log.entries.back();
      current->name = name.str();
      continue;
    }
    if (StringRef remark = takeRemark(line); !remark.empty())
      remarks.push_back(remark.str());
    else if (line.starts_with("ptxas warning") ||
             line.contains("; warning :") || line.contains(" warning :"))
      log.warnings.push_back(line.trim().str());
    if (!current)
      continue;
    // The stack of a called function counts for the entry.
    if (line.contains(" bytes stack frame")) {
      current->stackBytes += takeNumber(line, " bytes stack frame");
      current->spillStoreBytes += takeNumber(line, " bytes spill stores");
      current->spillLoadBytes += takeNumber(line, " bytes spill loads");
    } else if (line.contains(" registers") && line.contains("Used ")) {
      current->registers = takeNumber(line, " registers");
      current->barriers = takeNumber(line, " barriers");
      current->staticSharedBytes = takeNumber(line, " bytes smem");
    }
  }
  // Remarks may come before the entry that they name.
  for (std::string &remark : remarks) {
    PtxasEntry *entry = findRemarkEntry(remark, log.entries);
    (entry ? entry->remarks : log.remarks).push_back(std::move(remark));
  }
  return log;
}

//===----------------------------------------------------------------------===//
// Ptxas
//===----------------------------------------------------------------------===//

Expected<Ptxas> Ptxas::find(StringRef path, const PtxasSearch &search) {
  if (!path.empty()) {
    if (sys::fs::can_execute(path))
      return Ptxas(path.str());
    return formatError("ptxas path '{0}' is not an executable file", path);
  }
  if (auto given = search.getEnvironment("TCGEMM_PTXAS");
      given && !given->empty()) {
    if (sys::fs::can_execute(*given))
      return Ptxas(*given);
    return formatError("TCGEMM_PTXAS is '{0}', which is not an executable file",
                       *given);
  }
  SmallVector<std::string> candidates;
  if (auto list = search.getEnvironment("PATH")) {
    SmallVector<StringRef> folders;
    SplitString(*list, folders, ":");
    for (StringRef folder : folders)
      candidates.push_back((folder + "/ptxas").str());
  }
  for (StringRef variable : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = search.getEnvironment(variable); root && !root->empty())
      candidates.push_back(*root + "/bin/ptxas");
  if (!search.fallback.empty())
    candidates.push_back(search.fallback);
  for (const std::string &candidate : candidates)
    if (sys::fs::can_execute(candidate))
      return Ptxas(candidate);
  return formatError(
      "ptxas not found: looked at the option for its path, "
      "$TCGEMM_PTXAS, $PATH, $CUDA_HOME/bin, $CUDA_PATH/bin and {0}; "
      "it comes with the CUDA toolkit. PTX needs none of it.",
      search.fallback.empty() ? "no fixed place" : search.fallback);
}

Expected<StringRef> Ptxas::getVersion() {
  if (!version.empty())
    return StringRef(version);
  int status = 0;
  Expected<std::string> text = execute({path, "--version"}, 10, status);
  if (!text)
    return text.takeError();
  // "Cuda compilation tools, release 13.0, V13.0.88"
  size_t at = StringRef(*text).find(", V");
  if (status != 0 || at == StringRef::npos)
    return formatError("'{0} --version' does not give a version but '{1}'",
                       path, StringRef(*text).trim());
  version = StringRef(*text)
                .substr(at + 3)
                .take_while([](char c) { return isDigit(c) || c == '.'; })
                .str();
  return StringRef(version);
}

/// The output of ptxas without the notes that differ from run to run.
static std::string removeTimes(StringRef text, StringRef file) {
  std::string result;
  SmallVector<StringRef> lines;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (line.contains("Compile time = "))
      continue;
    std::string copy = line.rtrim().str();
    for (size_t at; (at = copy.find(file)) != std::string::npos;)
      copy.replace(at, file.size(), "<ptx>");
    result += copy + "\n";
  }
  return result;
}

Expected<PtxasResult> Ptxas::assemble(StringRef ptx, StringRef chip,
                                      const PtxasOptions &options) const {
  Expected<AnonymousFile> input = AnonymousFile::create("tcgemm.ptx");
  if (!input)
    return input.takeError();
  Expected<AnonymousFile> output = AnonymousFile::create("tcgemm.cubin");
  if (!output)
    return output.takeError();
  if (Error failure = input->write(ptx))
    return std::move(failure);

  std::string arch = ("-arch=" + chip).str();
  std::string level = "-O" + std::to_string(options.optLevel);
  SmallVector<StringRef> arguments{path, "-v", arch, level};
  for (const std::string &argument : options.extraArguments)
    arguments.push_back(argument);
  arguments.append({"-o", output->getPath(), input->getPath()});
  int status = 0;
  Expected<std::string> text = execute(arguments, options.timeout, status);
  if (!text)
    return text.takeError();
  PtxasResult result;
  result.text = removeTimes(*text, input->getPath());
  if (status != 0)
    return formatError("ptxas failed with status {0} for {1}:\n{2}", status,
                       chip, StringRef(result.text).rtrim());
  Expected<std::string> cubin = output->read();
  if (!cubin)
    return cubin.takeError();
  if (cubin->empty())
    return formatError("ptxas gave no cubin for {0}:\n{1}", chip, result.text);
  result.cubin = std::move(*cubin);
  result.log = parsePtxasLog(result.text);
  return result;
}

} // namespace tcgemm
