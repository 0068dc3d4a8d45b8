//===- ToolProcess.h - A program that ends with its caller ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ptxas such that nothing of it outlives the caller, however that ends: a
// library may neither install signal handlers nor keep a list of what they
// would have to clean up. Files have no name, so none can be left behind. The
// program runs in a process group of its own, under a guard process that kills
// the group when the thread that started it is gone.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_TARGET_TOOLPROCESS_H
#define TCGEMM_LIB_TARGET_TOOLPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <sys/types.h>

namespace tcgemm {

/// A file in memory without a name, which is gone when its owner is. Other
/// processes of the user open it by its path.
class AnonymousFile {
public:
  /// `name` is for people who look at the process only.
  static llvm::Expected<AnonymousFile> create(const std::string &name);
  AnonymousFile(AnonymousFile &&other) noexcept;
  AnonymousFile &operator=(AnonymousFile &&) = delete;
  ~AnonymousFile();

  int getDescriptor() const { return descriptor; }
  /// Its path as long as this object lives.
  llvm::StringRef getPath() const { return path; }
  llvm::Error write(llvm::StringRef text) const;
  llvm::Expected<std::string> read() const;

private:
  explicit AnonymousFile(int descriptor);

  int descriptor;
  std::string path;
};

/// A running program. It is killed with all that it has started when this
/// object goes, and when the calling thread ends.
class ToolProcess {
public:
  /// What the program's status is if it could not be executed.
  static constexpr int kCannotExecute = 127;

  /// Runs `arguments[0]` with no input; what it prints goes to `output`.
  static llvm::Expected<ToolProcess>
  start(llvm::ArrayRef<llvm::StringRef> arguments, const AnonymousFile &output);
  ToolProcess(ToolProcess &&other) noexcept;
  ToolProcess &operator=(ToolProcess &&) = delete;
  ~ToolProcess() { kill(); }

  /// The status, as waitpid gives it, once the program has ended.
  std::optional<int> poll();
  void kill();

private:
  explicit ToolProcess(pid_t guard) : guard(guard) {}

  pid_t guard; ///< Leads the group; 0 once it has ended.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TARGET_TOOLPROCESS_H
