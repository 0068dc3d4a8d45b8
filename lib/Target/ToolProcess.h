//===- ToolProcess.h - A program that ends with its caller ------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs ptxas so that no process or file outlives the caller, even if the caller
// is killed. A library may neither install signal handlers nor have a global
// list of resources to clean up. Files have no name, so that none remains. The
// program runs in its own process group under a guard process, which kills the
// group when the thread that started it has ended.
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

/// A file in memory without a name, which is removed with its owner. Other
/// processes of the user can open it by its path.
class AnonymousFile {
public:
  /// `name` is only informative; it is visible in the process's open files.
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

/// A running program. It and all its child processes are killed when this
/// object is destroyed or the calling thread ends.
class ToolProcess {
public:
  /// The status if the program could not be executed.
  static constexpr int kCannotExecute = 127;

  /// Runs `arguments[0]` without input; its output is written to `output`.
  static llvm::Expected<ToolProcess>
  start(llvm::ArrayRef<llvm::StringRef> arguments, const AnonymousFile &output);
  ToolProcess(ToolProcess &&other) noexcept;
  ToolProcess &operator=(ToolProcess &&) = delete;
  ~ToolProcess() { kill(); }

  /// The status of waitpid, if the program has ended.
  std::optional<int> poll();
  void kill();

private:
  explicit ToolProcess(pid_t guard) : guard(guard) {}

  pid_t guard; ///< Leads the group; 0 once it has ended.
};

} // namespace tcgemm

#endif // TCGEMM_LIB_TARGET_TOOLPROCESS_H
