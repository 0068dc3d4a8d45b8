//===- GlibcFloor.c - Lets static tools run on glibc 2.34 -----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's Support calls arc4random, which glibc has since 2.36; the static
// unwinder of GCC 12 calls _dl_find_object, which it has since 2.35. Both are
// given here in terms of older functions. They are hidden: a shared library
// loaded later still gets the C library's. test/Tools/glibc-floor.test holds
// the result.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): asked for by glibc
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN uint32_t arc4random(void) {
  uint32_t value;
  // Such a small request is never answered partially, except at early boot.
  while (getrandom(&value, sizeof value, 0) != sizeof value)
    ;
  return value;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE

struct Search {
  uintptr_t address;
  struct dl_find_object *result;
};

static int visitObject(struct dl_phdr_info *info, size_t size, void *data) {
  struct Search *search = data;
  const ElfW(Phdr) *frames = NULL;
  int found = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME)
      frames = header;
    if (header->p_type == PT_LOAD &&
        search->address - start < header->p_memsz) {
      found = 1;
      search->result->dlfo_map_start = (void *)start;
      search->result->dlfo_map_end = (void *)(start + header->p_memsz);
    }
  }
  if (!found || !frames)
    return 0;
  search->result->dlfo_eh_frame = (void *)(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

// On the supported machines the unwinder reads dlfo_eh_frame only.
HIDDEN int _dl_find_object(void *address, struct dl_find_object *result) {
  struct Search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(visitObject, &search) ? 0 : -1;
}

#endif
