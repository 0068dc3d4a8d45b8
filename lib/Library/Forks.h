//===- Forks.h - Forked processes ----------------------------- -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_LIBRARY_FORKS_H
#define TCGEMM_LIB_LIBRARY_FORKS_H

namespace tcgemm::library {

/// How often the process and its ancestors were forked since the library was
/// first used. CUDA does not work in a process that was forked after cuInit,
/// and a mutex that another thread held is never released there. So objects
/// remember the number of their process, and are refused in others.
unsigned countForks();

} // namespace tcgemm::library

#endif // TCGEMM_LIB_LIBRARY_FORKS_H
