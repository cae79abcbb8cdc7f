"""upsweep.jax.cumsum and segment_sum: NumPy's bits and their gradients; and what they rest on."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads
from test_jax_recurrence import same

import upsweep
import upsweep.jax as uj

TYPES = ["float16", "bfloat16", "float32", "float64"]


def inputs(shape, dtype, seed=0):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape)).astype(dtype)


def wide(x):
    return np.asarray(x.astype(jnp.float32) if x.dtype.itemsize == 2 else x)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape", [(1000,), (3, 700), (2, 300, 5), (2, 3, 2, 260), (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", TYPES)
def test_running_sums_are_those_of_numpys_function(dtype, shape, reverse):
    x = inputs(shape, dtype)
    for axis in range(-len(shape), len(shape)):
        y = uj.cumsum(x, axis, reverse=reverse)
        expected = upsweep.scan(wide(x), "sum", axis=axis, reverse=reverse)
        assert same(y, jnp.asarray(expected).astype(dtype))
        assert same(jax.jit(uj.cumsum, static_argnums=1, static_argnames="reverse")(
            x, axis, reverse=reverse), y)  # fmt: skip


def test_the_axis_may_be_omitted_for_one_dimension():
    x = inputs(10, "float32")
    assert same(uj.cumsum(x), jnp.asarray(upsweep.cumulative_sum(np.asarray(x))))


def segments(n, seed):
    rng = np.random.default_rng(seed)
    return np.concatenate([[0], np.sort(rng.integers(0, n + 1, 6)), [n]])


@pytest.mark.parametrize("shape", [(1000,), (700, 3), (300, 2, 5), (0, 3), (7, 0)])
@pytest.mark.parametrize("dtype", TYPES)
def test_sums_of_segments_are_those_of_numpys_function(dtype, shape):
    x, offsets = inputs(shape, dtype), segments(shape[0], 3)
    y = uj.segment_sum(x, offsets)
    columns = wide(x).reshape(shape[0], int(np.prod(shape[1:])))
    expected = np.zeros((7, columns.shape[1]), columns.dtype)
    for i in range(columns.shape[1]):
        line = np.ascontiguousarray(columns[:, i])
        expected[:, i] = upsweep.segment_reduce(line, offsets, "sum")
    assert same(y, jnp.asarray(expected.reshape(7, *shape[1:])).astype(dtype))
    assert same(jax.jit(uj.segment_sum)(x, offsets.astype(np.int32)), y)


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="needs JAX 0.6")
def test_gradients_inside_of_shard_map_are_those_outside():
    """An argument that all devices share has the sum of their gradients."""
    a, b = inputs((1, 6, 3), "float64"), inputs((4, 6, 3), "float64", 1)
    cuts = np.array([0, 2, 2])

    def loss(a, b):
        sums = uj.segment_sum(uj.cumsum(b, 1), cuts)
        return (uj.linear_recurrence(a, b) ** 2).sum() + (sums**3).sum()

    def whole(a, b):
        return loss(a, b[:2]) + loss(a, b[2:])

    both, split = jax.sharding.PartitionSpec(), jax.sharding.PartitionSpec("i")
    gradient = jax.shard_map(
        jax.grad(lambda a, b: jax.lax.psum(loss(a, b), "i"), (0, 1)),
        mesh=jax.sharding.Mesh(np.array(jax.devices("cpu")[:2]), ("i",)),
        in_specs=(both, split),
        out_specs=(both, split),
    )
    for x, y in zip(jax.jit(gradient)(a, b), jax.grad(whole, (0, 1))(a, b), strict=True):
        assert jnp.allclose(x, y)


def test_calls_are_compiled_where_jit_is_disabled_and_nan_is_found():
    x = inputs(10, "float32")
    with jax.disable_jit():
        assert same(uj.cumsum(x), jnp.asarray(upsweep.cumulative_sum(np.asarray(x))))
    with jax.debug_nans(True):
        assert same(uj.cumsum(x), jnp.asarray(upsweep.cumulative_sum(np.asarray(x))))
        for call in uj.cumsum, jax.jit(uj.cumsum):
            with pytest.raises(FloatingPointError, match="invalid value"):
                call(jnp.asarray([jnp.inf, -jnp.inf]))


def test_arrays_of_numpy_in_another_byte_order():
    assert same(uj.cumsum(np.array([1.0, 2.0], ">f4")), jnp.asarray([1.0, 3.0], "float32"))


def test_no_segment():
    assert uj.segment_sum(jnp.zeros((0, 3)), np.array([0])).shape == (0, 3)
    x = jnp.zeros((0, 3))
    assert jax.grad(lambda x: uj.segment_sum(x, np.array([0])).sum())(x).shape == (0, 3)


def test_batches_have_the_bits_of_each_array():
    x, offsets = inputs((4, 300, 3), "float32"), np.stack([segments(300, s) for s in range(4)])
    sums = jax.vmap(uj.segment_sum)(x, offsets)
    same_cuts = jax.vmap(uj.segment_sum, (0, None))(x, offsets[1])
    running = jax.vmap(lambda x: uj.cumsum(x, 1))(x)
    twice = jax.vmap(jax.vmap(uj.cumsum, 1, 1))(x)
    grads = jax.vmap(jax.grad(lambda x, o: (uj.segment_sum(x, o) ** 2).sum()))(x, offsets)
    for k in range(4):
        assert same(sums[k], uj.segment_sum(x[k], offsets[k]))
        assert same(same_cuts[k], uj.segment_sum(x[k], offsets[1]))
        assert same(running[k], uj.cumsum(x[k], 1))
        assert same(twice[k, :, 2], uj.cumsum(x[k, :, 2]))
        assert jnp.allclose(grads[k][0], 2 * sums[k][np.searchsorted(offsets[k], 0, "right") - 1])


def test_derivatives_are_those_of_the_definition():
    x, offsets = inputs((12, 2), "float64"), segments(12, 1)
    check_grads(lambda x: uj.cumsum(x, 0), (x,), order=2, modes=("fwd", "rev"))
    check_grads(lambda x: uj.cumsum(x, 1, reverse=True), (x,), order=2, modes=("fwd", "rev"))
    check_grads(lambda x: uj.segment_sum(x, offsets), (x,), order=2, modes=("fwd", "rev"))
    square = lambda x: (uj.segment_sum(x, offsets) ** 2).sum()
    rows = np.repeat(np.arange(7), np.diff(offsets))
    expected = jax.grad(lambda x: (jax.ops.segment_sum(x, rows, 7) ** 2).sum())(x)
    assert jnp.allclose(jax.grad(square)(x), expected)
    in_batch = jax.grad(lambda x: jax.vmap(square)(x).sum())(jnp.stack([x, x]))
    assert jnp.allclose(in_batch[1], expected)


def test_gradients_have_numpys_bits_twice():
    x, w = inputs((700,), "float32"), inputs((700,), "float32", 1)
    grad = jax.jit(jax.grad(lambda x: (uj.cumsum(x) * w).sum()))(x)
    assert same(grad, jnp.asarray(upsweep.scan(np.asarray(w), "sum", reverse=True)))
    offsets = segments(700, 2)
    pull = jax.linear_transpose(lambda x: uj.segment_sum(x, offsets), x)
    back = jax.linear_transpose(lambda y: pull(y)[0], inputs((7,), "float32"))
    assert same(back(x)[0], uj.segment_sum(x, offsets))
    assert same(pull(uj.segment_sum(x, offsets))[0],
                jnp.repeat(uj.segment_sum(x, offsets), np.diff(offsets)))  # fmt: skip


@pytest.mark.parametrize("f", [uj.cumsum, lambda x: uj.segment_sum(x, np.array([0, 2, 50]))])
def test_numbers_of_16_bits_are_rounded_between_xlas_operators(f):
    x = inputs((50,), "float32")
    g = lambda x: f(x.astype(jnp.bfloat16)).astype(jnp.float32)
    assert same(jax.jit(g)(x), g(x))


def test_subnormal_numbers_are_kept():
    x, offsets = np.full(3, 1e-40, np.float32), np.array([0, 2, 3])
    sums = [
        np.asarray(jax.jit(f)(*of)) for f, *of in ((uj.cumsum, x), (uj.segment_sum, x, offsets))
    ]
    assert sums[0].tolist() == [x[0], 2 * x[0], 3 * x[0]] and sums[1].tolist() == [2 * x[0], x[0]]


X = jnp.zeros((4, 3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: uj.cumsum([1.0]), TypeError, "cumsum: x is a list"),
        (lambda: uj.cumsum(jnp.arange(3)), TypeError, "x has elements of int64"),
        (lambda: uj.cumsum(X), ValueError, "x has 2 dimensions; give axis"),
        (lambda: uj.cumsum(X, 2), IndexError, "axis=2, but x has 2"),
        (lambda: uj.cumsum(X, -3), IndexError, "axis=-3, but x has 2"),
        (lambda: uj.cumsum(X[0, 0], 0), IndexError, "axis=0, but x has 0"),
        (lambda: uj.segment_sum(X > 0, np.array([0, 4])), TypeError, "x has elements of bool"),
        (lambda: uj.segment_sum(X[0, 0], np.array([0])), ValueError, "x has no dimension"),
        (lambda: uj.segment_sum(X, [0, 4]), TypeError, "offsets is a list"),
        (lambda: uj.segment_sum(X, np.array([0.0, 4.0])), TypeError, "offsets has elements of fl"),
        (lambda: uj.segment_sum(X, np.array([[0, 4]])), ValueError, "offsets has the shape [1, 2]"),
        (
            lambda: uj.segment_sum(X, np.array([0])),
            ValueError,
            "offsets has no segment, but x has 4",
        ),
        (lambda: uj.segment_sum(X, np.array([], np.int32)), ValueError, "offsets has the shape [0"),
    ],
)
def test_refusals_name_the_argument(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([1, 4], "offsets[0] is 1; offsets must ascend from 0 to 4"),
        ([-1, 4], "offsets[0] is -1"),
        ([0, 3], "offsets[1] is 3"),
        ([0, 5], "offsets[1] is 5"),
        ([0, 3, 2, 4], "offsets[2] is 2"),
        ([0, 2**32 + 4], "offsets[1] is 2147483647"),
    ],
)
def test_wrong_offsets_are_refused_with_and_without_jit(offsets, message):
    for f in (uj.segment_sum, jax.jit(uj.segment_sum)):
        if jax.default_backend() == "gpu":
            assert jnp.isnan(f(X, np.array(offsets))).all()
            continue
        with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=re.escape(message)):
            f(X, np.array(offsets)).block_until_ready()


def test_the_package_imports_without_jax():
    code = "import sys, upsweep; sys.exit('jax' in sys.modules or 'upsweep.jax' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


LAYOUT = """
#include <python/binding/xla_ffi.hpp>
#include "xla/ffi/api/c_api.h"
namespace ours = upsweep::python::xla;
#define SAME(mine, my, theirs, their) static_assert(offsetof(ours::mine, my) == \\
  offsetof(theirs, their) && sizeof(ours::mine::my) == sizeof(theirs::their))
SAME(call_frame, extensions, XLA_FFI_CallFrame, extension_start);
SAME(call_frame, api, XLA_FFI_CallFrame, api);
SAME(call_frame, arguments, XLA_FFI_CallFrame, args);
SAME(call_frame, results, XLA_FFI_CallFrame, rets);
SAME(call_frame, attributes, XLA_FFI_CallFrame, attrs);
SAME(functions, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME(functions, get_stream, XLA_FFI_Api, XLA_FFI_Stream_Get);
SAME(stream_arguments, context, XLA_FFI_Stream_Get_Args, ctx);
SAME(stream_arguments, stream, XLA_FFI_Stream_Get_Args, stream);
static_assert(sizeof(ours::stream_arguments) >= XLA_FFI_Stream_Get_Args_STRUCT_SIZE);
SAME(call_frame, context, XLA_FFI_CallFrame, ctx);
SAME(error_arguments, message, XLA_FFI_Error_Create_Args, message);
SAME(error_arguments, code, XLA_FFI_Error_Create_Args, errc);
static_assert(sizeof(ours::error_arguments) >= XLA_FFI_Error_Create_Args_STRUCT_SIZE);
SAME(buffers, size, XLA_FFI_Args, size);
SAME(buffers, values, XLA_FFI_Args, args);
SAME(buffers, size, XLA_FFI_Rets, size);
SAME(buffers, values, XLA_FFI_Rets, rets);
SAME(attributes, size, XLA_FFI_Attrs, size);
SAME(attributes, types, XLA_FFI_Attrs, types);
SAME(attributes, names, XLA_FFI_Attrs, names);
SAME(attributes, values, XLA_FFI_Attrs, attrs);
SAME(buffer, type, XLA_FFI_Buffer, dtype);
SAME(buffer, data, XLA_FFI_Buffer, data);
SAME(buffer, rank, XLA_FFI_Buffer, rank);
SAME(buffer, dims, XLA_FFI_Buffer, dims);
SAME(text, first, XLA_FFI_ByteSpan, ptr);
SAME(text, size, XLA_FFI_ByteSpan, len);
SAME(scalar, type, XLA_FFI_Scalar, dtype);
SAME(scalar, value, XLA_FFI_Scalar, value);
SAME(extension, type, XLA_FFI_Extension_Base, type);
SAME(metadata_extension, metadata, XLA_FFI_Metadata_Extension, metadata);
SAME(metadata, version, XLA_FFI_Metadata, api_version);
SAME(version, major_version, XLA_FFI_Api_Version, major_version);
SAME(version, minor_version, XLA_FFI_Api_Version, minor_version);
#define EQUAL(mine, theirs) static_assert(int(ours::mine) == int(theirs))
EQUAL(s64, XLA_FFI_DataType_S64);
EQUAL(f16, XLA_FFI_DataType_F16);
EQUAL(bf16, XLA_FFI_DataType_BF16);
EQUAL(f32, XLA_FFI_DataType_F32);
EQUAL(f64, XLA_FFI_DataType_F64);
EQUAL(c64, XLA_FFI_DataType_C64);
EQUAL(c128, XLA_FFI_DataType_C128);
EQUAL(scalar_attribute, XLA_FFI_AttrType_SCALAR);
EQUAL(invalid_argument, XLA_FFI_Error_Code_INVALID_ARGUMENT);
EQUAL(metadata_extension_type, XLA_FFI_Extension_Metadata);
EQUAL(major_version, XLA_FFI_API_MAJOR);
static_assert(ours::minor_version <= XLA_FFI_API_MINOR);
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="needs a C++ compiler")
def test_the_layout_of_calls_is_that_of_jaxs_header():
    root = Path(__file__).parents[3]
    options = ["-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", f"-I{root}"]
    command = ["c++", *options, f"-I{jax.ffi.include_dir()}", "-x", "c++", "-"]
    header = Path(jax.ffi.include_dir(), "xla/ffi/api/c_api.h").read_text()
    base = next(x for x in ("XLA_FFI_Extension_Base", "XLA_FFI_InternalExtension") if x in header)
    text = LAYOUT.replace("XLA_FFI_Extension_Base", base)
    result = subprocess.run(command, input=text, text=True, capture_output=True)
    assert result.returncode == 0, result.stderr
