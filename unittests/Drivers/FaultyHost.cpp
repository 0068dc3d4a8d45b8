//===- FaultyHost.cpp - A host whose clock jumps and whose disk is full ---===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For LD_PRELOAD. FAULTY_HOST names a file with two integers of 64 bits, which
// a test changes while the program runs:
//
//   the seconds by which the wall clock is wrong; negative: it is slow
//   the bytes that fit on the disk, less one; negative: there is no limit
//
// The limit concerns regular files only. Each written byte is counted.
//
//===----------------------------------------------------------------------===//

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

namespace {

struct Settings {
  std::atomic<int64_t> clockSeconds;
  std::atomic<int64_t> bytesLeft;
};

Settings usual{{0}, {-1}};
Settings *settings = &usual;

[[gnu::constructor]] void openSettings() {
  const char *path = std::getenv("FAULTY_HOST");
  if (!path)
    return;
  int descriptor = ::open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0)
    std::abort();
  void *memory = ::mmap(nullptr, sizeof(Settings), PROT_READ | PROT_WRITE,
                        MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (memory == MAP_FAILED) // NOLINT(performance-no-int-to-ptr)
    std::abort();
  settings = static_cast<Settings *>(memory);
}

/// The bytes of a write that fit on the disk. Sets errno if there are none.
size_t takeSpace(int descriptor, size_t wanted) {
  struct stat status{};
  if (settings->bytesLeft.load() < 0 || wanted == 0 ||
      ::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    return wanted;
  int64_t left = settings->bytesLeft.load();
  while (left >= 0) {
    auto size = static_cast<int64_t>(wanted) < left
                    ? static_cast<int64_t>(wanted)
                    : left;
    if (!settings->bytesLeft.compare_exchange_weak(left, left - size))
      continue;
    if (size == 0)
      errno = ENOSPC;
    return static_cast<size_t>(size);
  }
  return wanted;
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec *time) noexcept {
  auto result =
      static_cast<int>(::syscall(SYS_clock_gettime, long(clock), time));
  if (result == 0 && clock == CLOCK_REALTIME)
    time->tv_sec += settings->clockSeconds.load();
  return result;
}

time_t time(time_t *target) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (target)
    *target = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(timeval *target, void *) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  target->tv_sec = now.tv_sec;
  target->tv_usec = now.tv_nsec / 1000;
  return 0;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
  size_t fits = takeSpace(descriptor, size);
  if (size != 0 && fits == 0)
    return -1;
  return ::syscall(SYS_write, descriptor, bytes, fits);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size,
                 off64_t offset) {
  size_t fits = takeSpace(descriptor, size);
  if (size != 0 && fits == 0)
    return -1;
  return ::syscall(SYS_pwrite64, descriptor, bytes, fits, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset) {
  return pwrite64(descriptor, bytes, size, offset);
}

} // extern "C"
