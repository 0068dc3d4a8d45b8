"""Tests of explain and tune on the emulated driver. The environment is set by
integration_test/python-emulator.test: the chip is sm_90a, and TEST_TUNER is the path of tcgemm-tune."""

import json
import os
import pathlib
import tempfile
import unittest

import numpy
import tcgemm
from arrays import draw

# A database of its own.
DATA = tempfile.TemporaryDirectory()
os.environ["XDG_DATA_HOME"] = DATA.name

RECORDS = pathlib.Path(__file__).parents[2] / "tuning" / "nvidia-h200.jsonl"


class ExplainTest(unittest.TestCase):
    def test_products(self):
        a, b = draw((24, 64)), draw((64, 40))
        text = tcgemm.explain(tcgemm.matmul, a, b, bias=draw((40,)))
        lines = dict(line.split(": ", 1) for line in text.splitlines())
        self.assertEqual(list(lines), ["product", "configuration", "chosen by",
                                       "launches", "workspace"])
        self.assertEqual(lines["product"], "f32 tt f32 bias 24x40x64")
        self.assertTrue(lines["configuration"].startswith("schedule = "))
        self.assertEqual(lines["workspace"], "0 bytes")
        text = tcgemm.explain(tcgemm.einsum, "mkb,knb->mnb", draw((8, 8, 3)),
                              draw((8, 12, 3)))
        self.assertIn("product: f32 tn f32 none batched 3x8x12x8\n", text)
        self.assertIn("\nlaunches: copy of A, copy of B, ", text)
        self.assertIn(", copy of D\n", text)

    def test_groups(self):
        a, b = draw((3, 8, 64), "float16"), draw((3, 64, 40), "float16")
        sizes = numpy.array([3, 5, 8], "int32")
        for function, left, right, product in (
                (tcgemm.grouped_matmul, a[0], b, "tt f16 none grouped 3x8x40x64"),
                (tcgemm.grouped_matmul_padded, a, b,
                 "tt f16 none grouped groups=padded 3x8x40x64"),
                (tcgemm.grouped_matmul_along_k, a[0].T, b[0, :8],
                 "nt f16 none grouped groups=ragged-k 3x64x40x8")):
            self.assertIn("product: f16 %s\n" % product,
                          tcgemm.explain(function, left, right, sizes))

    def test_config(self):
        text = tcgemm.explain(tcgemm.matmul, draw((24, 64)), draw((64, 40)),
                              config="schedule=simt cta=32x32x16 threads=8x8x1")
        self.assertIn("\nconfiguration: schedule = simt, cta = [32, 32, 16],", text)

    def test_nothing_runs(self):
        out = numpy.full((24, 40), 77, "float32")
        tcgemm.explain(tcgemm.matmul, draw((24, 64)), draw((64, 40)), out)
        self.assertEqual(set(out.flat), {77})

    def test_empty(self):
        self.assertEqual(
            tcgemm.explain(tcgemm.matmul, draw((0, 4)), draw((4, 4))),
            "a product without elements\nworkspace: 0 bytes\n")

    def test_errors(self):
        a, b = draw((24, 64)), draw((64, 40))
        with self.assertRaisesRegex(
                TypeError, "must be one of tcgemm.einsum, tcgemm.grouped_matmul, "
                "tcgemm.grouped_matmul_along_k, tcgemm.grouped_matmul_padded, "
                "tcgemm.matmul, not"):
            tcgemm.explain(numpy.matmul, a, b)
        with self.assertRaisesRegex(TypeError, "missing a required argument: 'b'"):
            tcgemm.explain(tcgemm.matmul, a)
        with self.assertRaisesRegex(ValueError, "a has 64 columns, but b has 24"):
            tcgemm.explain(tcgemm.matmul, a, a)


class TuneTest(unittest.TestCase):
    def set_tuner(self, script):
        path = os.path.join(self.folder, "tuner")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nfor word; do case $word in --db=*) "
                       "db=$word;; esac; done\n" + script + "\n")
        os.chmod(path, 0o755)
        os.environ["TCGEMM_TUNER"] = path

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_tune(self):
        # A record of another product, with a configuration that no model chooses.
        with open(RECORDS, encoding="utf-8") as file:
            record = json.loads(file.readline())
        record.update(kernel="f16 tt f16 none", sizes="24x40x64")
        record["config"] = record["config"].replace("stages = 6", "stages = 5")
        path = os.path.join(self.folder, "tuned.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        a, b = draw((24, 64), "float16"), draw((64, 40), "float16", seed=1)
        before = tcgemm.explain(tcgemm.matmul, a, b)
        self.assertNotIn("stages = 5", before)
        self.set_tuner("exec %s import %s $db"
                       % (os.environ["TEST_TUNER"], path))
        after = tcgemm.tune(tcgemm.matmul, a, b)
        self.assertIn(record["config"], after)
        self.assertEqual(after, tcgemm.explain(tcgemm.matmul, a, b))
        numpy.testing.assert_array_equal(tcgemm.matmul(a, b), a @ b)
        # The equal contraction has the same record, and is not tuned again.
        self.set_tuner("exit 1")
        self.assertIn(record["config"],
                      tcgemm.tune(tcgemm.einsum, "xy,yz->xz", a, b))

    def refuse(self, status, message, *arguments, **named):
        with self.assertRaises(tcgemm.Error) as caught:
            tcgemm.tune(*arguments, **named)
        self.assertEqual(str(caught.exception), "%s: %s" % (status, message))
        self.assertEqual(caught.exception.status, status)

    def test_errors(self):
        a, b = draw((32, 64)), draw((64, 40))
        self.set_tuner("echo 'no GPU' >&2; exit 3")
        self.refuse("TCGEMM_TUNING", "tuning of f32 tt f32 none 32x40x64 failed: "
                    "exit code 3: no GPU", tcgemm.matmul, a, b)
        self.set_tuner("exit 0")
        self.refuse("TCGEMM_TUNING", "no record of f32 tt f32 none 32x40x64 has a "
                    "measured time", tcgemm.matmul, a, b)
        self.refuse("TCGEMM_INVALID_VALUE", "the descriptor has a config, so that "
                    "nothing is to be tuned", tcgemm.matmul, a, b,
                    config="schedule=simt")
        self.refuse("TCGEMM_TUNING", "no record of f16 tt f16 none grouped "
                    "32x40x64 has a measured time",
                    tcgemm.grouped_matmul, a.astype("float16"),
                    draw((1, 64, 40), "float16"), numpy.array([32], "int32"))


if __name__ == "__main__":
    unittest.main()
