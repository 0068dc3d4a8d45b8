//===- ThreadsTest.h - Many threads with ThreadSanitizer ------ -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ThreadsTest.cpp multiplies by one of these implementations, which is built
// with ThreadSanitizer: LibraryThreads.cpp of the C library, and
// CublasThreads.cpp of the replaced functions of cuBLAS.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_LIBRARY_THREADSTEST_H
#define TCGEMM_UNITTESTS_LIBRARY_THREADSTEST_H

namespace tcgemm {

/// Makes what all threads use. The primary context is current.
bool openMultiplier();
/// C = A·B' of f32 in device memory, all size x size and column-major. Prints
/// errors.
bool multiply(int size, const void *a, const void *b, void *c);
/// Returns whether a thread's errors are its own.
bool checkErrors();
bool closeMultiplier();

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_LIBRARY_THREADSTEST_H
