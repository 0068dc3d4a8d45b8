"""Counts the instructions of one kernel in the PTX of a gpu.binary on stdin.

Prints the directives of the entry and, a line each, how often a pattern
occurs: for checks on a whole kernel, where FileCheck would have to list all of
its lines.
"""

import re
import sys

COUNTED = [
    ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",) * 2,
    ("mma.sync", "mma.sync"),
    ("ldmatrix.sync.aligned.m8n8.x4.shared.b16",) * 2,
    ("cp.async.cg.shared.global",) * 2,
    ("cp.async.ca.shared.global",) * 2,
    ("cp.async.commit_group",) * 2,
    ("cp.async.wait_group",) * 2,
    ("bar.sync", r"\bbar(rier)?\.(cta\.)?sync"),
    ("bar.warp.sync", r"bar\.warp\.sync"),
    ("ldmatrix.trans", r"ldmatrix\.\S*\.trans"),
    ("ld.global.v4", r"ld\.global\.v4\."),
    ("st.global.v4", r"st\.global\.v4\."),
    ("ld.global.b16", r"\bld\.global\.b16\b"),
    ("st.global.b16", r"\bst\.global\.b16\b"),
    ("shf.r.wrap", r"\bshf\.r\.wrap\b"),
    ("div.u32", r"\bdiv\.u32\b"),
    ("div.u64", r"\bdiv\.u64\b"),
    ("fma.rn.f32", r"\bfma\.rn\.f32\b"),
    ("ld.shared.v4", r"\bld\.shared\.v4\."),
    ("other ld.shared", r"\bld\.shared\.(?!v4\.)"),
    ("st.shared", r"\bst\.shared\."),
    ("wgmma.mma_async", r"wgmma\.mma_async\.sync"),
    ("wgmma.fence", r"wgmma\.fence"),
    ("wgmma.commit_group", r"wgmma\.commit_group"),
    ("wgmma.wait_group", r"wgmma\.wait_group"),
    ("tensor load", r"bulk\.tensor\.2d\.shared::cluster\.global"),
    ("of these multicast", r"\.multicast::cluster\b"),
    ("tensor store", r"bulk\.tensor\.2d\.global\.shared::cta"),
    ("stmatrix", r"\bstmatrix\."),
    ("mbarrier.init", r"mbarrier\.init"),
    ("mbarrier.arrive.expect_tx", r"mbarrier\.arrive\.expect_tx"),
    ("mbarrier.arrive", r"mbarrier\.arrive\.shared"),
    ("mbarrier.try_wait", r"mbarrier\.try_wait"),
    ("fence.proxy.async", r"fence\.proxy\.async"),
    ("mapa", r"\bmapa\."),
    ("cluster barrier", r"barrier\.cluster\.wait"),
    ("setmaxnreg.dec", r"setmaxnreg\.dec"),
    ("setmaxnreg.inc", r"setmaxnreg\.inc"),
    ("elect.sync", r"elect\.sync"),
    ("nounroll", r'\.pragma\s+"nounroll"'),
    ("prefetch.global", r"prefetch\.global\.L2"),
    ("wmma.load.a.shared", r"wmma\.load\.a\.\S*\.row\.\S*\.shared\.f16"),
    ("wmma.load.b.global", r"wmma\.load\.b\.\S*\.col\.\S*\.global\.f16"),
    ("wmma.mma", r"wmma\.mma\.\S*\.row\.col\.m\d+n\d+k16\.f32\.f32"),
    ("m8n32k16", r"wmma\.\S*\.m8n32k16\."),
    ("wmma.store.global", r"wmma\.store\.d\.\S*\.row\.\S*\.global\.f32"),
    ("wmma.store.shared", r"wmma\.store\.d\.\S*\.row\.\S*\.shared\.f32"),
    ("large ld.global.v4",
     r"\bld\.global\.nc\.L1::no_allocate\.L2::128B\.v4\.b32"),
    ("of these predicated",
     r"@\w+ +ld\.global\.nc\.L1::no_allocate\.L2::128B\.v4\.b32"),
    ("small ld.global.v4", r"\bld\.global\.nc\.v4\.b32"),
    ("shfl.sync.bfly", r"shfl\.sync\.bfly"),
    ("call", r"\bcall\b"),
    ("local", r"\.local\b"),
    ("f64", r"\.f64\b"),
]


def main():
    ir = sys.stdin.read()
    ptx = re.sub(r"\\([0-9A-F]{2})", lambda m: chr(int(m.group(1), 16)), ir)
    # Inline assembly has braces at the start of lines, too.
    body = re.search(r"\.entry %s\(.*?\n\}(?!\s*// end inline)" %
                     re.escape(sys.argv[1]), ptx, re.S).group(0)
    print("entry", sys.argv[1])
    for directive in re.findall(r"^\.(?:maxntid|minnctapersm|maxnreg).*$",
                                body, re.M):
        print(directive)
    for name, pattern in COUNTED:
        if name == pattern:
            pattern = re.escape(name)
        print(len(re.findall(pattern, body)), name)


if __name__ == "__main__":
    main()
