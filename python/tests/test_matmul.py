"""Tests of the package on the emulated driver; its environment is set by
integration_test/python-emulator.test."""

import ctypes
import os
import subprocess
import sys
import unittest
from unittest import mock

import numpy
import tcgemm
from arrays import DeviceArray, DLPackArray, draw, driver
from tcgemm import _arrays, _context
from tcgemm._tools import make_call

HAS_DUAL = os.environ["TCGEMM_DRIVER_CHIP"] == "sm_90a"


class MatmulTest(unittest.TestCase):
    def check(self, expected, result):
        numpy.testing.assert_array_equal(result, expected)
        self.assertEqual(result.dtype, expected.dtype)

    def test_types(self):
        for dtype, result in (("float16", "float16"), ("float32", "float32"),
                              ("float64", "float64"), ("int8", "int32"),
                              ("uint8", "int32")):
            with self.subTest(dtype):
                a, b = draw((24, 64)), draw((64, 40), seed=3)
                if dtype == "uint8":
                    a, b = abs(a), abs(b)
                self.check((a @ b).astype(result),
                           tcgemm.matmul(a.astype(dtype), b.astype(dtype)))

    def test_result_types(self):
        a, b = draw((24, 64), "float16"), draw((64, 40), "float16")
        self.check(a.astype("float32") @ b.astype("float32"),
                   tcgemm.matmul(a, b, out_dtype="float32"))

    def test_layouts(self):
        a, b = draw((24, 64)), draw((64, 40), seed=1)
        for left in (a, numpy.asfortranarray(a), draw((24, 80))[:, 8:72]):
            for right in (b, numpy.asfortranarray(b), draw((64, 50))[:, 5:45]):
                self.check(left @ right, tcgemm.matmul(left, right))

    def test_batches(self):
        a, b = draw((3, 24, 64)), draw((3, 64, 40), seed=1)
        self.check(a @ b, tcgemm.matmul(a, b))
        self.check(a @ b[0], tcgemm.matmul(a, b[0]))
        self.check(a[1] @ b, tcgemm.matmul(a[1], b))
        self.check(a[::2] @ b[1:], tcgemm.matmul(a[::2], b[1:]))
        self.check(a[:1] @ b[:1], tcgemm.matmul(a[:1], b[:1]))

    def test_empty(self):
        for m, n, k in ((0, 4, 4), (4, 0, 4), (4, 4, 0), (1, 1, 1), (1, 5, 1)):
            a, b = draw((m, k)), draw((k, n))
            self.check(a @ b, tcgemm.matmul(a, b))
        self.check(numpy.empty((0, 4, 5), "float32"),
                   tcgemm.matmul(draw((0, 4, 4)), draw((4, 5))))

    def test_out(self):
        a, b = draw((24, 64)), draw((64, 40))
        whole = numpy.full((24, 50), 77, "float32")
        out = whole[:, 4:44]
        self.assertIs(tcgemm.matmul(a, b, out), out)
        expected = numpy.full((24, 50), 77, "float32")
        expected[:, 4:44] = a @ b
        self.check(expected, whole)

    def test_epilogues(self):
        a, b, bias = draw((24, 64)), draw((64, 40)), draw((40,), seed=2)
        self.check(a @ b + bias, tcgemm.matmul(a, b, bias=bias))
        self.check(numpy.maximum(a @ b + bias, 0),
                   tcgemm.matmul(a, b, bias=bias, epilogue="relu"))
        narrow = [x.astype("float16") for x in (a, b, bias)]
        self.check((a @ b + bias).astype("float16"),
                   tcgemm.matmul(*narrow[:2], bias=narrow[2]))
        self.check((a @ b + bias).astype("float16"),
                   tcgemm.matmul(*narrow[:2], bias=bias))
        # Vectors are those of sums in f32, whatever instructions add in.
        for each in (bias, narrow[2]):
            self.check((a @ b + bias).astype("float16"),
                       tcgemm.matmul(*narrow[:2], bias=each, precision="f16"))
        rows, residual = draw((24,), seed=4), draw((24, 40), seed=1)
        self.check((a @ b + bias) * rows[:, None] + residual,
                   tcgemm.matmul(a, b, bias=bias, epilogue="rowscale_residual",
                                 operands=(rows, residual)))
        self.check(a @ b * numpy.float32(3),
                   tcgemm.matmul(a, b, epilogue="scale",
                                 operands=(numpy.array(3, "float32"),)))

    def test_epilogue_bodies(self):
        a, b, bias = draw((24, 64)), draw((64, 40)), draw((40,), seed=2)
        double = ("%0 = arith.constant 2.0 : f32\n%1 = arith.addf %sum, %bias : f32\n"
                  "%result = arith.mulf %1, %0 : f32")
        self.check((a @ b + bias) * 2,
                   tcgemm.matmul(a, b, bias=bias, epilogue_body=double))
        absolute = "%result = math.absf %sum : f32"
        self.check(abs(a @ b), tcgemm.matmul(a, b, epilogue_body=absolute))
        self.check(abs(a @ b + a @ b),
                   tcgemm.matmul(a, b, alpha=2, epilogue_body=absolute))
        self.check(abs(a @ b).astype("int32"),
                   tcgemm.matmul(a.astype("int8"), b.astype("int8"),
                                 epilogue_body=absolute))
        half, first, second = (x.astype("float16") for x in
                               (a @ b, draw((24, 40), seed=3), draw((24, 40))))
        self.check(numpy.maximum(half, first * second),
                   tcgemm.matmul(a.astype("float16"), b.astype("float16"),
                                 epilogue="residual_residual",
                                 operands=(first, second), epilogue_body=
                                 "%0 = arith.mulf %residual, %residual1 : f32\n"
                                 "%result = arith.maximumf %sum, %0 : f32"))

    def test_scalars(self):
        a, b, c = draw((24, 64)), draw((64, 40)), draw((24, 40), seed=2)
        self.check(-2 * (a @ b), tcgemm.matmul(a, b, alpha=-2))
        self.check(2 * (a @ b) + 0.5 * c,
                   tcgemm.matmul(a, b, alpha=2, beta=0.5, c=c))

    def test_config(self):
        a, b = draw((64, 256), "float16"), draw((256, 64), "float16")
        config = "schedule=mma_sync cta=64x64x32 warps=2x2x1 split_k=2"
        self.check((a.astype("float32") @ b.astype("float32")).astype("float16"),
                   tcgemm.matmul(a, b, config=config))

    def test_dependent_launch(self):
        a, b = draw((24, 64), "float16"), draw((64, 40), "float16")
        self.check((a.astype("float32") @ b.astype("float32")).astype("float16"),
                   tcgemm.matmul(a, b, dependent_launch=True))
        expected = "true" if HAS_DUAL else "false"  # sm_90a and sm_80
        self.assertIn("dependent_launch = " + expected,
                      tcgemm.explain(tcgemm.matmul, a, b, dependent_launch=True))
        self.assertIn("dependent_launch = false",
                      tcgemm.explain(tcgemm.matmul, a, b))

    def test_dual(self):
        if not HAS_DUAL:
            return  # ErrorsTest.test_dual has this case.
        a, b, b2 = (draw(shape, "float16", seed) for shape, seed in
                    (((200, 72), 0), ((72, 136), 1), ((72, 136), 2)))
        x, y = (a.astype("float32") @ each.astype("float32") for each in (b, b2))
        def multiply(*arguments, **named):
            return tcgemm.matmul(*arguments, out_dtype="float32", **named)
        self.check(x * y, multiply(a, b, b2=b2, dual="mul"))
        self.check(x + y, multiply(a, b, b2=b2, dual="add"))
        self.check(numpy.maximum(x, 0) * y, multiply(a, b, b2=b2, dual="relu-mul"))
        columns = [numpy.asfortranarray(each) for each in (b, b2)]
        self.check(x + y, multiply(a, columns[0], b2=columns[1], dual="add"))
        bias = draw((136,), seed=3)
        self.check(numpy.maximum(2 * (x + y) + bias, 0),
                   multiply(a, b, b2=b2, dual="add", alpha=2, bias=bias,
                            epilogue="relu"))
        numpy.testing.assert_allclose(
            multiply(a, b, b2=b2, dual="silu-mul"), x / (1 + numpy.exp(-x)) * y,
            rtol=1e-5, atol=1e-4)
        self.check(numpy.zeros((5, 6), "float32"),
                   multiply(a[:5, :0], b[:0, :6], b2=b2[:0, :6], dual="add"))
        device = [DeviceArray(each) for each in (a, b, b2)]
        out = DeviceArray(numpy.zeros((200, 136), "float16"))
        tcgemm.matmul(device[0], device[1], out, b2=device[2], dual="add")
        self.check((x + y).astype("float16"), out.get())

    def test_workspace(self):
        """A caller's memory instead of the driver's."""
        class Memory:
            def __init__(self, size):
                self.size, self.address = size, driver.allocate(size)

            def data_ptr(self):
                return self.address

        a, b = draw((64, 256), "float16"), draw((256, 64), "float16")
        config = "schedule=mma_sync cta=64x64x32 warps=2x2x1 split_k=2"
        made = []
        call = make_call(tcgemm.matmul, (a, b), {"config": config})
        call.make_workspace = lambda size: made.append(Memory(size)) or made[0]
        self.check((a.astype("float32") @ b.astype("float32")).astype("float16"),
                   call.run())
        self.assertEqual([memory.size for memory in made], [2 * 64 * 64 * 4])
        driver.free(made[0].address)
        # None is made for products that need none.
        call = make_call(tcgemm.matmul, (a, b), {"config": config[:-10]})
        call.make_workspace = self.fail
        call.run()

    def test_cuda_array_interface(self):
        a, b, bias = draw((24, 64)), draw((64, 40)), draw((40,))
        out = DeviceArray(numpy.zeros((24, 40), "float32"))
        result = tcgemm.matmul(DeviceArray(a), DeviceArray(b), out,
                               bias=DeviceArray(bias))
        self.assertIs(result, out)
        self.check(a @ b + bias, out.get())

    def test_dlpack(self):
        a, b = draw((24, 64)), numpy.asfortranarray(draw((64, 40), seed=3))
        out = DLPackArray(numpy.zeros((24, 40), "float32"))
        # The copy below keeps the order of the elements in memory.
        tcgemm.matmul(DLPackArray(a), DLPackArray(b), out)
        self.check(a @ b, out.inner.get())
        self.assertEqual(out.streams, [1])


    def test_workspace_is_on_the_device(self):
        """The current context is that of device 0."""
        devices, allocate = [], driver.allocate

        def record(size, stream=None):
            device = ctypes.c_int()
            driver._call("cuCtxGetDevice", ctypes.byref(device))
            devices.append(device.value)
            return allocate(size, stream)

        a, b = draw((64, 256), "float16"), draw((256, 64), "float16")
        driver.push(driver.retain(1))
        out = DLPackArray(numpy.zeros((64, 64), "float16"), device=1)
        factors = [DLPackArray(x, device=1) for x in (a, b)]
        driver.pop()
        with mock.patch.object(_context.get_context(1).driver, "allocate", record):
            tcgemm.matmul(*factors, out, config="schedule=mma_sync cta=64x64x32 "
                          "warps=2x2x1 split_k=2")
        self.assertEqual(devices, [1])
        driver.push(driver.retain(1))
        result = out.inner.get()
        driver.pop()
        self.check((a.astype("float32") @ b.astype("float32")).astype("float16"),
                   result)

    def test_waits_for_streams_of_arrays(self):
        a, b = DeviceArray(draw((24, 64)), stream=2), DeviceArray(draw((64, 40)))
        out = DeviceArray(numpy.zeros((24, 40), "float32"), stream=1)
        with mock.patch.object(_context.get_context(0).driver,
                               "synchronize") as synchronize:
            tcgemm.matmul(a, b, out)
        synchronize.assert_called_once_with(2)


class ErrorsTest(unittest.TestCase):
    def refuse(self, kind, message, *arguments, **named):
        with self.assertRaises(kind) as caught:
            tcgemm.matmul(*arguments, **named)
        self.assertEqual(str(caught.exception), message)
        return caught.exception

    def test_shapes(self):
        a, b = draw((24, 64)), draw((64, 40))
        self.refuse(ValueError, "a has 64 columns, but b has 24 rows", a, a)
        self.refuse(ValueError, "the number of dimensions of a must be 2 or 3, not "
                    "1", a[0], b)
        self.refuse(ValueError, "a has 2 products, but b has 3",
                    draw((2, 4, 4)), draw((3, 4, 4)))
        self.refuse(ValueError, "the strides of a must be 1 along rows or along "
                    "columns, not (128, 2)", draw((24, 128))[:, ::2], b)
        self.refuse(ValueError, "the strides of a must be 0 or more, not (-64, 1)",
                    a[::-1], b)
        self.refuse(ValueError, "the shape of out must be (24, 40), not (24, 41)",
                    a, b, numpy.zeros((24, 41), "float32"))
        self.refuse(ValueError, "the strides of out must be 1 along rows, not "
                    "(1, 24)", a, b, numpy.zeros((24, 40), "float32", order="F"))
        constant = numpy.zeros((24, 40), "float32")
        constant.flags.writeable = False
        self.refuse(ValueError, "out is read-only", a, b, constant)
        self.refuse(ValueError, "the shape of bias must be (40,), not (24,)",
                    a, b, bias=draw((24,)))

    def test_types(self):
        a, b = draw((24, 64)), draw((64, 40))
        self.refuse(TypeError, "a is a list, which has neither __dlpack__ nor "
                    "__cuda_array_interface__, and is no NumPy array", [[1]], b)
        names = ", ".join(_arrays.TYPES)
        self.refuse(TypeError, "a has elements of type <U1, which is none of "
                    + names, a.astype("U1"), b)
        self.refuse(TypeError, "a has elements of type >f4, which is none of "
                    + names, a.astype(">f4"), b)
        self.refuse(ValueError, "the type of bias must be float32, not "
                    "float64", a, b, bias=draw((40,), "float64"))
        self.refuse(TypeError, "a is on a device of DLPack's type 1, but must be "
                    "on a GPU or a NumPy array", DLPackArray(a, device_type=1), b)
        self.refuse(TypeError, "a has elements of DLPack's type code 6 with 32 "
                    "bits, which is none of " + names, DLPackArray(a, code=6), b)
        self.refuse(TypeError, "a DeviceArray gives no new arrays: pass out=",
                    DeviceArray(a), DeviceArray(b))
        self.refuse(ValueError, "b are NumPy arrays, but the others are not",
                    DeviceArray(a), b, DeviceArray(draw((24, 40))))

    def test_unknown_interface(self):
        array = type("Flags", (), {"__array_interface__": {
            "shape": (2, 2), "typestr": "|b1", "data": (0, False)}})()
        self.refuse(TypeError, "a has elements of type |b1, which is none of "
                    + ", ".join(_arrays.TYPES), array, draw((2, 2)))

    def test_no_driver(self):
        program = ("import numpy, tcgemm\na = numpy.zeros((2, 2), 'float32')\n"
                   "try: tcgemm.matmul(a, a)\n"
                   "except tcgemm.Error as error: print(error.status)")
        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True,
            env={**os.environ, "TCGEMM_CUDA_DRIVER": "/no/such/driver"})
        self.assertEqual((result.stdout, result.stderr), ("TCGEMM_NO_DEVICE\n", ""))

    def test_options(self):
        a, b = draw((24, 64)), draw((64, 40))
        self.refuse(ValueError, "beta is 2, but there is no c", a, b, beta=2)
        self.refuse(ValueError, "device must be 0 or more, not -1", a, b, device=-1)
        with self.assertRaises(TypeError):
            tcgemm.matmul(a, b, device="cuda:0")
        self.refuse(ValueError, "epilogue gate reads 1 operands, but there are 0",
                    a, b, epilogue="gate")
        error = self.refuse(
            tcgemm.Error, "TCGEMM_INVALID_VALUE: precision: operands of f16 do not "
            "have tf32", a.astype("float16"), b.astype("float16"),
            precision="tf32")
        self.assertEqual(error.status, "TCGEMM_INVALID_VALUE")
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: epilogue 'bias_relu': with "
                    "epilogueBody it names operands only, but 'relu' has none", a, b,
                    bias=draw((40,)), epilogue="relu",
                    epilogue_body="%result = math.absf %sum : f32")
        for body, message in (
                ("%result = math.foo %sum : f32", "custom op 'math.foo' is unknown"),
                ("%0 = math.absf %sum : f32", "use of undeclared SSA value name"),
                ("%result = arith.addf %sum, %bias : f32",
                 "use of undeclared SSA value name")):
            with self.assertRaisesRegex(tcgemm.Error, "TCGEMM_COMPILER: .*"
                                        + message):
                tcgemm.matmul(a, b, epilogue_body=body)
        error = self.refuse(
            tcgemm.Error, "TCGEMM_NOT_SUPPORTED: types of A and B: no instruction "
            "multiplies f64 by s8", a.astype("float64"), b.astype("int8"))

    def test_dual(self):
        a, b = draw((24, 64), "float16"), draw((64, 40), "float16")
        self.refuse(ValueError, "dual is 'add', but there is no b2: both or neither "
                    "must be given", a, b, dual="add")
        self.refuse(ValueError, "dual is None, but there is a b2: both or neither "
                    "must be given", a, b, b2=b)
        self.refuse(ValueError, "the shape, strides and type of b2 must be those of "
                    "b, ((64, 40), (40, 1), 'float16'), not ((64, 40), (1, 64), "
                    "'float16')", a, b, b2=numpy.asfortranarray(b), dual="add")
        self.refuse(tcgemm.Error, "TCGEMM_INVALID_VALUE: dual product: 'div' is none "
                    "of none, silu-mul, gelu-mul, gelutanh-mul, relu-mul, mul, add",
                    a, b, b2=b, dual="div")
        with self.assertRaises(tcgemm.Error) as caught:
            tcgemm.matmul(a.astype("float64"), b.astype("float64"),
                          b2=b.astype("float64"), dual="add")
        self.assertEqual(caught.exception.status, "TCGEMM_NOT_SUPPORTED")
        if HAS_DUAL:
            return
        with self.assertRaises(tcgemm.Error) as caught:
            tcgemm.matmul(a, b, b2=b, dual="add")
        self.assertEqual(caught.exception.status, "TCGEMM_NOT_SUPPORTED")


if __name__ == "__main__":
    unittest.main()
