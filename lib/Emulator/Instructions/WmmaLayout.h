//===- WmmaLayout.h - Fragment layouts of wmma ------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX does not specify which lane has which elements, but some programs depend
// on it. The layout here is that of an H200: fragments are those of mma.sync,
// one after the other, with 16 rows of the longer side first; for m8n32k16,
// whose product is done transposed, that is B. Fragments of halves are filled
// up to 8 registers with copies.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WMMALAYOUT_H
#define TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WMMALAYOUT_H

#include "Machine/Code.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tcgemm::emu::wmma {

enum class Role : uint8_t { A, B, C };

struct WmmaShape {
  unsigned m = 0, n = 0, k = 0;
  /// Rows and columns change roles.
  bool isTransposed() const { return m == 8 && n == 32; }
};

/// A fragment: a matrix seen as lines of elements that lie next to each other
/// in a register: rows of A, columns of B.
struct WmmaFragment : Extra {
  unsigned bits = 0;     ///< Bits of an element.
  unsigned elements = 1; ///< In a register.
  unsigned step = 1;     ///< Elements from one lane to the next in its line.
  bool isContiguous = false; ///< Lines are contiguous in memory, too.
  struct Register {
    unsigned line, element; ///< Position of lane 0.
  };
  llvm::SmallVector<Register, 16> registers; ///< Without the copies.
  unsigned count = 0;                        ///< With them.
  ptx::Type type = ptx::Type::B32;           ///< Type of a register.

  /// Bytes from the matrix's start to element `e` of a lane's register.
  uint64_t getOffset(const Register &reg, unsigned lane, unsigned e,
                     uint64_t pitch) const {
    uint64_t line = reg.line + lane / 4;
    uint64_t element = reg.element + lane % 4 * step + e;
    uint64_t index =
        isContiguous ? line * pitch + element : element * pitch + line;
    return index * bits / 8;
  }
};

/// A or B, the lines being rows or columns and the elements k. A product of
/// mma.sync takes `group` lines.
inline void layOutFactor(WmmaFragment &fragment, unsigned lines, unsigned depth,
                         unsigned group) {
  fragment.elements = std::max(1u, 32 / fragment.bits);
  fragment.step = fragment.elements;
  for (unsigned first = 0; first < lines; first += group)
    for (unsigned k = 0; k != depth; k += 4 * fragment.elements)
      for (unsigned line = 0; line != group; line += 8)
        fragment.registers.push_back({first + line, k});
}

/// C or D, with lines of `width`; pairs of elements are in one register or two.
inline void layOutResult(WmmaFragment &fragment, unsigned lines,
                         unsigned width) {
  fragment.elements = fragment.bits == 16 ? 2 : 1;
  fragment.step = 2;
  for (unsigned element = 0; element != width; element += 8)
    for (unsigned line = 0; line != lines; line += 8)
      for (unsigned i = 0; i != 2; i += fragment.elements)
        fragment.registers.push_back({line, element + i});
}

inline bool hasShape(const WmmaShape &shape, unsigned m, unsigned n,
                     unsigned k) {
  return shape.m == m && shape.n == n && shape.k == k;
}

/// Returns whether products of this shape with this type of A exist.
inline bool isSupported(const WmmaShape &shape, ptx::Type type) {
  switch (type) {
  case ptx::Type::F16:
  case ptx::Type::BF16:
  case ptx::Type::S8:
  case ptx::Type::U8:
    return hasShape(shape, 16, 16, 16) || hasShape(shape, 32, 8, 16) ||
           hasShape(shape, 8, 32, 16);
  case ptx::Type::TF32:
    return hasShape(shape, 16, 16, 8);
  case ptx::Type::F64:
    return hasShape(shape, 8, 8, 4);
  case ptx::Type::S4:
  case ptx::Type::U4:
    return hasShape(shape, 8, 8, 32);
  case ptx::Type::B1:
    return hasShape(shape, 8, 8, 128);
  default:
    return false;
  }
}

/// The same for C or D.
inline bool isSupportedResult(const WmmaShape &shape, ptx::Type type) {
  auto isAny = [&](std::initializer_list<ptx::Type> factors) {
    return llvm::any_of(
        factors, [&](ptx::Type factor) { return isSupported(shape, factor); });
  };
  switch (type) {
  case ptx::Type::F16:
    return isAny({ptx::Type::F16});
  case ptx::Type::F32:
    return isAny({ptx::Type::F16, ptx::Type::TF32});
  case ptx::Type::S32:
    return isAny({ptx::Type::S8, ptx::Type::S4, ptx::Type::B1});
  case ptx::Type::F64:
    return isAny({ptx::Type::F64});
  default:
    return false;
  }
}

inline std::unique_ptr<WmmaFragment> layOut(Role role, const WmmaShape &shape,
                                            ptx::Type type, bool isRowMajor) {
  auto fragment = std::make_unique<WmmaFragment>();
  fragment->bits = getBitWidth(type);
  fragment->type = type == ptx::Type::F64   ? ptx::Type::F64
                   : type == ptx::Type::F32 ? ptx::Type::F32
                                            : ptx::Type::B32;
  bool isTransposed = shape.isTransposed();
  if (role == Role::C) {
    unsigned lines = isTransposed ? shape.n : shape.m;
    layOutResult(*fragment, lines, shape.m * shape.n / lines);
    fragment->isContiguous = isRowMajor != isTransposed;
  } else {
    unsigned lines = role == Role::A ? shape.m : shape.n;
    bool isFirst = (role == Role::A) != isTransposed;
    layOutFactor(*fragment, lines, shape.k, isFirst ? std::min(lines, 16u) : 8);
    fragment->isContiguous = isRowMajor == (role == Role::A);
  }
  fragment->count = fragment->registers.size();
  if (role != Role::C && type == ptx::Type::F16)
    fragment->count = 8;
  return fragment;
}

} // namespace tcgemm::emu::wmma

#endif // TCGEMM_LIB_EMULATOR_INSTRUCTIONS_WMMALAYOUT_H
