//===- ContractionTest.cpp - Tests of Contraction ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Problem/Contraction.h"
#include "tcgemm/Problem/IndexLetters.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace tcgemm;

namespace {

std::string getParseError(llvm::StringRef indices, llvm::StringRef sizes) {
  return llvm::toString(Contraction::parse(indices, sizes).takeError());
}

Contraction parse(llvm::StringRef indices, llvm::StringRef sizes) {
  return llvm::cantFail(Contraction::parse(indices, sizes));
}

/// The letters of the tiled m, n and k, then those of each outer index; or the
/// reason why there are none.
std::string describe(const Contraction &contraction) {
  llvm::Expected<FoldedContraction> folded = fold(contraction);
  if (!folded)
    return llvm::toString(folded.takeError());
  std::string text = folded->m ? folded->m->letters : "-";
  text +=
      " " + (folded->n ? folded->n->letters : "-") + " " + folded->k.letters;
  if (folded->summed)
    text += " + " + folded->summed->letters;
  for (const FoldedIndex &index : folded->outer)
    text += " | " + index.letters;
  return text;
}

TEST(Contraction, IsReadAndWritten) {
  Contraction c = parse("bqhd, bkhd -> bhqk", "b=2 q=3,h=4, k=5 d=6");
  EXPECT_EQ(c.str(), "bqhd,bkhd->bhqk");
  EXPECT_EQ(c.getShape(0), (std::vector<int64_t>{2, 3, 4, 6}));
  EXPECT_EQ(c.getKind('b'), IndexKind::Batch);
  EXPECT_EQ(c.getKind('q'), IndexKind::M);
  EXPECT_EQ(c.getKind('k'), IndexKind::N);
  EXPECT_EQ(c.getKind('d'), IndexKind::K);
  EXPECT_EQ(c.getStride(0, 'q'), 24);
  EXPECT_EQ(c.getStride(0, 'k'), 0);
  EXPECT_EQ(c.getFlops(), 2.0 * 2 * 3 * 4 * 5 * 6);
}

TEST(Contraction, TextErrors) {
  EXPECT_EQ(getParseError("mk,kn", "m=1"),
            "index string 'mk,kn': expected the letters of A, B and D, as in "
            "'mk,kn->mn'");
  EXPECT_EQ(getParseError("m2,kn->mn", "m=1"),
            "index string 'm2,kn->mn': expected the letters of A, B and D, as "
            "in 'mk,kn->mn'");
  EXPECT_EQ(getParseError("mmk,kn->mn", ""),
            "'mmk,kn->mn': index 'm' is repeated in A; diagonals are not "
            "supported");
  EXPECT_EQ(getParseError("mk,kn->mnx", ""),
            "'mk,kn->mnx': index 'x' of D is neither in A nor in B");
  EXPECT_EQ(getParseError("mk,knx->mn", ""),
            "'mk,knx->mn': index 'x' is only in B; sums of one operand are not "
            "supported");
  EXPECT_EQ(getParseError("abcdefghijklmnopq,q->abcdefghijklmnop", ""),
            "'abcdefghijklmnopq,q->abcdefghijklmnop': A has 17 indices, but "
            "must have from 1 to 16");
  EXPECT_EQ(getParseError("mk,kn->mn", "m=1,n=2"),
            "'mk,kn->mn': index 'k' has no size");
  EXPECT_EQ(getParseError("mk,kn->mn", "m=1,n=2,k=3,z=4"),
            "'mk,kn->mn': size z=4 is of an index that no operand has");
  EXPECT_EQ(getParseError("mk,kn->mn", "m=1,n=2,m=3"),
            "size 'm=3': index 'm' has a size already");
  for (const char *size : {"m=0", "m=2147483648", "m=-1", "m=x", "m", "mn=3"})
    EXPECT_EQ(getParseError("mk,kn->mn", size),
              std::string("size '") + size +
                  "': expected a letter, '=' and an extent from 1 to "
                  "2147483647");
}

TEST(Contraction, FoldsNeighbours) {
  EXPECT_EQ(describe(parse("mk,kn->mn", "m=2 n=3 k=4")), "m n k");
  EXPECT_EQ(describe(parse("abc,cd->abd", "a=2 b=3 c=4 d=5")), "ab d c");
  EXPECT_EQ(describe(parse("bhwc,ck->bhwk", "b=2 h=3 w=4 c=5 k=6")), "bhw k c");
  EXPECT_EQ(describe(parse("xyzmk,xyzkn->xyzmn", "x=2 y=3 z=4 m=5 n=6 k=7")),
            "m n k | xyz");
  EXPECT_EQ(describe(parse("mab,nab->mn", "m=2 n=3 a=4 b=5")), "m n ab");
}

TEST(Contraction, OtherIndicesAreOuter) {
  EXPECT_EQ(describe(parse("bqhd,bkhd->bhqk", "b=2 q=3 h=4 k=5 d=6")),
            "q k d | b | h");
  // A's innermost index must be tiled.
  EXPECT_EQ(describe(parse("bda,dc->abc", "a=2 b=300 c=4 d=5")), "a c d | b");
  // Among several, the largest is.
  EXPECT_EQ(describe(parse("kab,kn->anb", "a=2 b=3 k=4 n=5")), "b n k | a");
  EXPECT_EQ(describe(parse("abk,kn->anb", "a=200 b=3 k=4 n=5")), "b n k | a");
  EXPECT_EQ(describe(parse("abk,kn->ban", "a=2 b=3 k=4 n=5")), "b n k | a");
  EXPECT_EQ(describe(parse("abk,kn->ban", "a=3 b=2 k=4 n=5")), "a n k | b");
}

TEST(Contraction, VectorsHaveNoMOrN) {
  EXPECT_EQ(describe(parse("mk,k->m", "m=2 k=3")), "m - k");
  EXPECT_EQ(describe(parse("bk,bkn->bn", "b=2 n=4 k=3")), "- n k | b");
}

TEST(Contraction, NumbersHaveNeither) {
  EXPECT_EQ(describe(parse("k,k->", "k=3")), "- - k");
  EXPECT_EQ(describe(parse("jk,jk->", "j=2 k=3")), "- - jk");
  EXPECT_EQ(describe(parse("bk,bk->b", "b=2 k=3")), "- - k | b");
  EXPECT_EQ(describe(parse("bck,bck->bc", "b=2 c=5 k=3")), "- - k | bc");
  EXPECT_EQ(describe(parse("jk,kj->", "j=2 k=3")),
            "'jk,kj->': the k indices 'j' and 'k' are not one index in memory; "
            "transpose an operand so that they are neighbours in the same "
            "order");
  EXPECT_EQ(toString(Contraction::parse("k,->", "k=3").takeError()),
            "index string 'k,->': expected the letters of A, B and D, as in "
            "'mk,kn->mn'");
}

TEST(Contraction, BlanksHaveNoMeaning) {
  EXPECT_EQ(parse(" m k ,\tkn - > m n", "m=1 k=2 n=3").str(), "mk,kn->mn");
  EXPECT_EQ(parse("k, k -> ", "k=3").str(), "k,k->");
}

TEST(Contraction, ReasonsForNone) {
  EXPECT_EQ(describe(parse("m,n->mn", "m=2 n=3")),
            "'m,n->mn': no index is summed over (in A and B, not in D)");
  EXPECT_EQ(describe(parse("mab,anb->mn", "m=2 a=3 b=4 n=5")),
            "'mab,anb->mn': the k indices 'a' and 'b' are not one index in "
            "memory; transpose an operand so that they are neighbours in the "
            "same order");
  EXPECT_EQ(describe(parse("mkb,nkb->bmn", "m=2 n=3 k=4 b=5")),
            "'mkb,nkb->bmn': the innermost index 'b' of A is not one that a "
            "kernel tiles; transpose A");
  EXPECT_EQ(
      describe(parse("avbwcxdyek,nk->vawbxcyden", "a=2 b=2 c=2 d=2 e=2 v=2 "
                                                  "w=2 x=2 y=2 n=9 k=4")),
      "'avbwcxdyek,nk->vawbxcyden': 8 indices are left besides a tiled m, n "
      "and k, but at most 3 are supported");
}

/// The index string after transpositions, and the tiled and outer indices.
std::string describeTransposed(const Contraction &contraction) {
  llvm::Expected<TransposedContraction> result = foldTransposed(contraction);
  if (!result)
    return llvm::toString(result.takeError());
  std::string text = result->contraction.str() + " ";
  for (bool isTransposed : result->isTransposed)
    text += isTransposed ? "t" : "-";
  return text + " " + describe(result->contraction);
}

/// A second k would have the stride 2 in A, also if A is transposed: both are
/// one k then.
TEST(Contraction, StridesOfASecondKAreThoseBehindTranspositions) {
  Contraction contraction =
      parse("weqm,wyqmg->yge", "m=2 y=1 w=8 g=16 q=8 e=24");
  contraction.mayHaveSummed = true;
  EXPECT_EQ(describeTransposed(contraction), "ewqm,ygwqm->yge tt- e yg wqm");
}

/// D's indices of a kind, in D's order.
TEST(Contraction, VectorsHaveAllIndicesOfAKind) {
  Contraction contraction =
      parse("bxky,bzkw->bxwyz", "b=2 x=3 k=4 y=5 z=6 w=7");
  EXPECT_EQ(getResultIndices(contraction, IndexKind::M), "xy");
  EXPECT_EQ(getResultIndices(contraction, IndexKind::N), "wz");
  EXPECT_EQ(getResultIndices(contraction, IndexKind::Batch), "b");
  EXPECT_EQ(getResultIndices(contraction, IndexKind::K), "");
}

TEST(Contraction, TransposesTheFewestElements) {
  EXPECT_EQ(describeTransposed(parse("mk,kn->mn", "m=2 n=3 k=4")),
            "mk,kn->mn --- m n k");
  // The paper's contraction: A has its unit stride on an m that is not D's.
  EXPECT_EQ(describeTransposed(parse("adb,cd->cba", "a=64 b=32 c=2048 d=2048")),
            "bad,cd->cba t-- ba c d");
  EXPECT_EQ(describeTransposed(parse("mab,anb->mn", "m=64 n=64 a=8 b=8")),
            "mab,nab->mn -t- m n ab");
  EXPECT_EQ(describeTransposed(parse("mkb,knb->mnb", "m=8 n=8 k=8 b=4")),
            "bmk,bnk->bmn ttt m n k | b");
  EXPECT_EQ(
      describeTransposed(parse("aebf,fdec->abcd", "a=4 b=4 c=4 d=4 e=2 f=2")),
      "abef,cdef->abcd tt- ab cd ef");
  EXPECT_EQ(
      describeTransposed(parse("mkab,nkcb->mnac", "m=4 n=4 k=4 a=4 b=4 c=4")),
      "makb,nckb->mnac tt- a c kb | m | n");
  EXPECT_EQ(describeTransposed(parse("m,n->mn", "m=2 n=3")),
            "'m,n->mn': no index is summed over (in A and B, not in D)");
}

/// The table in docs/guide/contractions.md.
TEST(Contraction, LayoutsOfCommonKinds) {
  EXPECT_EQ(describeTransposed(parse("adb,cd->cba", "a=64,b=32,c=2048,d=2048")),
            "bad,cd->cba t-- ba c d");
  EXPECT_EQ(describeTransposed(parse("bda,dc->abc", "a=64,b=32,c=2048,d=2048")),
            "abd,dc->abc t-- ab c d");
  EXPECT_EQ(describeTransposed(
                parse("bqhd,bkhd->bhqk", "b=16,q=2048,k=2048,h=32,d=128")),
            "bqhd,bkhd->bhqk --- q k d | b | h");
  EXPECT_EQ(describeTransposed(
                parse("bhqk,bkhd->bqhd", "b=16,q=2048,k=2048,h=32,d=128")),
            "bhqk,bkhd->bqhd --- q d k | b | h");
  EXPECT_EQ(describeTransposed(parse("mab,anb->mn", "m=4096,n=4096,a=64,b=64")),
            "mab,nab->mn -t- m n ab");
  EXPECT_EQ(
      describeTransposed(parse("xky,zkw->xyzw", "x=64,y=64,z=64,w=64,k=1024")),
      "xyk,zwk->xyzw tt- xy zw k");
  EXPECT_EQ(describeTransposed(parse("abc,cd->abd", "a=256,b=256,c=256,d=512")),
            "abc,cd->abd --- ab d c");
  EXPECT_EQ(describeTransposed(parse("mk,nk->nm", "m=4096,n=2048,k=4096")),
            "mk,nk->nm --- m n k");
  EXPECT_EQ(describeTransposed(parse("mkb,knb->mnb", "m=256,n=256,k=256,b=64")),
            "bmk,bnk->bmn ttt m n k | b");
  EXPECT_EQ(describeTransposed(
                parse("xyzmk,xyzkn->xyzmn", "x=4,y=8,z=4,m=512,n=512,k=128")),
            "xyzmk,xyzkn->xyzmn --- m n k | xyz");
  EXPECT_EQ(describeTransposed(
                parse("aebf,fdec->abcd", "a=48,b=48,c=48,d=48,e=32,f=32")),
            "abef,cdef->abcd tt- ab cd ef");
  EXPECT_EQ(describeTransposed(
                parse("mkab,nkcb->mnac", "m=64,n=64,k=64,a=64,c=64,b=64")),
            "makb,nckb->manc ttt ma nc kb");
  EXPECT_EQ(
      describeTransposed(parse("bhwc,ck->bhwk", "b=32,h=56,w=56,c=256,k=512")),
      "bhwc,ck->bhwk --- bhw k c");
  EXPECT_EQ(describeTransposed(parse("lmjino,lkmjno->lkji",
                                     "l=4,m=8,j=8,i=512,n=8,o=8,k=512")),
            "ljimno,ljkmno->lkji tt- i k mno | l | j");
}

/// The same where kernels can have a second k.
Contraction parseSummed(llvm::StringRef indices, llvm::StringRef sizes) {
  Contraction contraction = parse(indices, sizes);
  contraction.mayHaveSummed = true;
  return contraction;
}

TEST(Contraction, SecondKIsSummedOver) {
  EXPECT_EQ(describe(parseSummed("mab,anb->mn", "m=64,n=64,a=8,b=64")),
            "m n b + a");
  // That in the innermost place of an operand is tiled.
  EXPECT_EQ(describe(parseSummed("abm,bna->mn", "m=64,n=64,a=8,b=64")),
            "m n a + b");
  // Otherwise it is the longer one.
  EXPECT_EQ(describe(parseSummed("abm,ban->mn", "m=64,n=64,a=8,b=64")),
            "m n b + a");
  EXPECT_EQ(describeTransposed(parseSummed("lmjino,lkmjno->lkji",
                                           "l=4,m=8,j=8,i=512,n=8,o=8,k=512")),
            "lmjino,lkmjno->lkji --- i k no + m | l | j");
  EXPECT_EQ(
      describeTransposed(parseSummed("mab,anb->mn", "m=4096,n=4096,a=64,b=64")),
      "mab,anb->mn --- m n b + a");
  FoldedContraction folded =
      llvm::cantFail(fold(parseSummed("mab,anb->mn", "m=6,n=5,a=3,b=8")));
  EXPECT_EQ(folded.getSizes().k, 24);
  EXPECT_EQ(folded.str(), "m6:24:0:5 n5:0:8:1 k8:1:1:0 s3:8:40:0");
}

TEST(Contraction, SecondKIsTransposedWhereThatIsFaster) {
  // Half of each tile along k would be empty.
  EXPECT_EQ(describeTransposed(parseSummed("aebf,fdec->abcd",
                                           "a=48,b=48,c=48,d=48,e=32,f=32")),
            "abef,cdef->abcd tt- ab cd ef");
  // Extents are unknown.
  Contraction c = parseSummed("mab,anb->mn", "m=6,n=5,a=3,b=8");
  for (auto &[letter, extent] : c.extents)
    extent = -1;
  EXPECT_EQ(describeTransposed(c), "mab,nab->mn -t- m n ab");
  EXPECT_EQ(describe(c), "m n b + a");
}

TEST(Contraction, ReasonsAgainstASecondK) {
  EXPECT_EQ(describe(parseSummed("mab,anb->mn", "m=64,n=64,a=8,b=12")),
            "'mab,anb->mn': there are two k indices that are not one index in "
            "memory, and so the stride 12 of 'a' in A must be a multiple of 8; "
            "transpose A");
  EXPECT_EQ(describe(parseSummed("macb,bnca->mn", "m=8,n=8,a=8,b=8,c=8")),
            "'macb,bnca->mn': the k indices 'a' and 'c' are not one index in "
            "memory; transpose an operand so that they are neighbours in the "
            "same order");
  EXPECT_EQ(
      describe(
          parseSummed("xmyazb,xanyzb->xyzmn", "m=8,n=8,a=8,b=8,x=8,y=8,z=8")),
      "'xmyazb,xanyzb->xyzmn': 4 indices are left besides a tiled m, n and k, "
      "but at most 3 are supported");
}

TEST(Contraction, StridesDecideWhatFolds) {
  Contraction c = parse("abk,kn->abn", "a=2 b=3 k=4 n=5");
  EXPECT_EQ(describe(c), "ab n k");
  c.operands[0].strides = {12, 4, 1};
  EXPECT_EQ(describe(c), "ab n k");
  c.operands[0].strides = {16, 4, 1}; // A gap behind each b.
  EXPECT_EQ(describe(c), "b n k | a");
}

TEST(Contraction, StridesThatComposeInAnyOrder) {
  // Broadcast along both indices of m and both of k.
  Contraction c = parse("abkl,kln->abn", "a=2 b=3 k=4 l=7 n=5");
  c.operands[0].strides = {0, 0, 0, 0};
  c.operands[1].strides = {0, 0, 1};
  EXPECT_EQ(describe(c), "ab n kl");
  c.operands[2].strides = {0, 0, 0};
  EXPECT_EQ(describe(c), "ab n kl");
  // Both b and c follow a; b has an extent of 1.
  c = parse("abck,kn->abcn", "a=2 b=1 c=3 k=4 n=5");
  c.operands[0].strides = {12, 12, 4, 1};
  c.operands[2].strides = {15, 15, 5, 1};
  std::string letters;
  for (char letter : fold(c)->m->letters)
    letters += letter;
  for (const FoldedIndex &index : fold(c)->outer)
    letters += index.letters;
  llvm::sort(letters);
  EXPECT_EQ(letters, "abc");
}

TEST(Contraction, UnknownExtents) {
  Contraction c = parse("abk,kn->abn", "a=2 b=3 k=4 n=5");
  for (auto &[letter, extent] : c.extents)
    extent = -1;
  EXPECT_EQ(describe(c), "ab n k");
  EXPECT_EQ(fold(c)->m->extent, -1);
  EXPECT_EQ(fold(c)->m->strides[0], std::nullopt);
  EXPECT_EQ(fold(c)->m->strides[1], 0);
}

TEST(Contraction, EqualProductsHaveOneText) {
  auto text = [](const char *indices, const char *sizes) {
    return llvm::cantFail(fold(parse(indices, sizes))).str();
  };
  EXPECT_EQ(text("mk,kn->mn", "m=6 n=5 k=4"), "m6:4:0:5 n5:0:1:1 k4:1:5:0");
  EXPECT_EQ(text("abc,cd->abd", "a=2 b=3 c=4 d=5"),
            text("mk,kn->mn", "m=6 n=5 k=4"));
  EXPECT_NE(text("mk,nk->mn", "m=6 n=5 k=4"), text("mk,kn->mn", "m=6 n=5 k=4"));
  EXPECT_EQ(text("bqhd,bkhd->bhqk", "b=2 q=3 h=4 k=5 d=6"),
            "m3:24:0:5 n5:0:24:1 k6:1:1:0 b2:72:120:60 b4:6:6:15");
}

//===----------------------------------------------------------------------===//
// Random contractions
//===----------------------------------------------------------------------===//

using Values = std::vector<int64_t>;

/// Calls `body` with the values of all indices.
template <typename Body>
void forEach(const std::map<char, int64_t> &extents, Body body) {
  std::map<char, int64_t> at;
  for (auto [letter, extent] : extents)
    at[letter] = 0;
  while (true) {
    body(at);
    auto it = extents.begin();
    while (it != extents.end() && ++at[it->first] == it->second)
      at[(it++)->first] = 0;
    if (it == extents.end())
      return;
  }
}

/// D as the index string says.
Values evaluate(const Contraction &c, const Values &a, const Values &b,
                size_t size) {
  Values d(size);
  forEach(c.extents, [&](const std::map<char, int64_t> &at) {
    int64_t offsets[kNumContracted] = {};
    for (unsigned operand = 0; operand < kNumContracted; ++operand)
      for (auto [letter, value] : at)
        offsets[operand] += value * *c.getStride(operand, letter);
    d[offsets[2]] += a[offsets[0]] * b[offsets[1]];
  });
  return d;
}

/// D as the folded indices say.
Values evaluate(const FoldedContraction &folded, const Values &a,
                const Values &b, size_t size) {
  std::vector<FoldedIndex> indices = folded.outer;
  indices.push_back(folded.k);
  for (const std::optional<FoldedIndex> &index :
       {folded.m, folded.n, folded.summed})
    if (index)
      indices.push_back(*index);
  std::map<char, int64_t> extents;
  for (const FoldedIndex &index : indices)
    extents[index.letters.front()] = index.extent;
  Values d(size);
  forEach(extents, [&](const std::map<char, int64_t> &at) {
    int64_t offsets[kNumContracted] = {};
    for (const FoldedIndex &index : indices)
      for (unsigned operand = 0; operand < kNumContracted; ++operand)
        offsets[operand] +=
            at.at(index.letters.front()) * *index.strides[operand];
    d[offsets[2]] += a[offsets[0]] * b[offsets[1]];
  });
  return d;
}

/// An index string with `count` indices of random kinds in random orders.
Contraction draw(std::mt19937 &random, unsigned count) {
  Contraction c;
  for (unsigned i = 0; i < count; ++i) {
    char letter = static_cast<char>('a' + i);
    c.extents[letter] = 1 + random() % 4;
    // One m, n and k at least.
    unsigned kind = i < 3 ? 1 + i : random() % 4;
    for (unsigned operand = 0; operand < kNumContracted; ++operand)
      if (kind == 0 || operand != 3 - kind)
        c.operands[operand].letters += letter;
  }
  // Neighbours stay together often enough to fold.
  for (IndexedOperand &operand : c.operands)
    for (size_t i = 0; i < operand.letters.size() && random() % 2; ++i)
      std::swap(operand.letters[random() % operand.letters.size()],
                operand.letters[random() % operand.letters.size()]);
  return c;
}

TEST(Contraction, RandomFoldsMeanTheSame) {
  unsigned numFolded = 0, numJoined = 0, numSummed = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    Contraction c = draw(random, 3 + seed % 5);
    ASSERT_FALSE(c.verify()) << "seed " << seed;
    // Strides that TMA takes.
    c.mayHaveSummed = seed % 2;
    for (auto &[letter, extent] : c.extents)
      if (c.mayHaveSummed && random() % 4 == 0)
        extent = 8;
    llvm::Expected<FoldedContraction> folded = fold(c);
    if (!folded) {
      llvm::consumeError(folded.takeError());
      continue;
    }
    ++numFolded;
    numSummed += folded->summed.has_value();
    size_t numIndices = folded->outer.size() + 1 + bool(folded->m) +
                        bool(folded->n) + bool(folded->summed);
    numJoined += numIndices < c.extents.size();
    auto count = [&](unsigned operand) {
      size_t elements = 1;
      for (int64_t size : c.getShape(operand))
        elements *= size;
      return elements;
    };
    Values a(count(0)), b(count(1));
    for (int64_t &value : a)
      value = random() % 7;
    for (int64_t &value : b)
      value = random() % 7;
    EXPECT_EQ(evaluate(c, a, b, count(2)), evaluate(*folded, a, b, count(2)))
        << "seed " << seed << ": " << c.str();
  }
  EXPECT_GT(numFolded, 500u);
  EXPECT_GT(numJoined, 100u);
  EXPECT_GT(numSummed, 20u);
}

} // namespace
