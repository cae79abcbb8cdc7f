"""Arrays on a GPU: refused in a sentence without one, and with one the CPU's bits, in the
stream of the library that owns the array.
"""

import sys
import types

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered

try:
    import upsweep_cuda13 as gpu
except ImportError:
    gpu = None


class OnGpu:
    """An array on a device of which nothing is read."""

    def __init__(self, device_type=2):
        self.device_type = device_type

    def __dlpack_device__(self):
        return self.device_type, 0


def test_without_the_distribution_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "upsweep_cuda13", None)
    for verb in (upsweep.sum, upsweep.cummax, upsweep.sort, upsweep.var):
        with pytest.raises(TypeError, match="the package upsweep-cuda13"):
            verb(OnGpu())
    with pytest.raises(TypeError, match="not an NVIDIA GPU"):
        upsweep.sum(OnGpu(device_type=10))


def test_verbs_without_kernels_say_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "upsweep_cuda13", types.ModuleType("upsweep_cuda13"))
    with pytest.raises(TypeError, match="var: x is on a GPU, and this function has no GPU kernels"):
        upsweep.var(OnGpu())


def _has_gpu():
    try:
        gpu.available()
    except RuntimeError:
        return False
    return True


HAS_GPU = gpu is not None and _has_gpu()


@pytest.mark.skipif(gpu is None or HAS_GPU, reason="needs upsweep-cuda13 and no GPU")
def test_without_a_gpu_calls_say_so():
    with pytest.raises(RuntimeError, match="no NVIDIA GPU"):
        gpu.available()


class Torch:
    """Arrays of PyTorch, and what the tests do with its streams."""

    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("this PyTorch has no CUDA")

    def array(self, x):
        return self.torch.from_numpy(x.copy()).cuda()

    def numbers(self, result):
        assert isinstance(result, self.torch.Tensor) and result.is_cuda
        return result.cpu().numpy()

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def sleep(self):
        self.torch.cuda._sleep(200_000_000)  # a tenth of a second

    def fill(self, x, values):
        x.copy_(values)


class CuPy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        source = 'extern "C" __global__ void nap(long long n)' + (
            "{ long long t = clock64(); while (clock64() - t < n) {} }"
        )
        self.nap = self.cupy.RawKernel(source, "nap")

    def array(self, x):
        return self.cupy.asarray(x)

    def numbers(self, result):
        assert isinstance(result, self.cupy.ndarray)
        return result.get()

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def sleep(self):
        self.nap((1,), (1,), (np.int64(200_000_000),))

    def fill(self, x, values):
        x[...] = values


class Jax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        self.jax.config.update("jax_enable_x64", True)
        if self.jax.default_backend() != "gpu":
            pytest.skip("this JAX has no GPU")

    def array(self, x):
        return self.jax.numpy.asarray(x)

    def numbers(self, result):
        assert isinstance(result, self.jax.Array)
        return np.asarray(result)


@pytest.fixture(params=[Torch, CuPy, Jax])
def library(request):
    if not HAS_GPU:
        pytest.skip("no GPU")
    return request.param()


SIZES = [0, 1, 2, 31, 33, 1000, 4095, 4097, 65_537, (1 << 20) + 7]
TYPES = ["int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64"]


def with_one_nan(x):
    return np.where(np.isnan(x), x.dtype.type(np.nan), x) if x.dtype.kind == "f" else x


def check(library, call, x, *arguments, **options):
    """Both calls have the same bits. Which NaN a result is, is not specified."""
    given = [library.array(a) if isinstance(a, np.ndarray) else a for a in arguments]
    ours = library.numbers(call(library.array(x), *given, **options))
    expected = np.asarray(call(x, *arguments, **options))
    assert same_bits(*map(with_one_nan, (ours, expected))), (x.shape, x.dtype, arguments, options)


@pytest.mark.parametrize("name", TYPES)
def test_sums_and_scans_have_the_bits_of_the_processor(library, name):
    for n in SIZES:
        x = scattered(n, name, seed=n)
        check(library, upsweep.sum, x)
        check(library, upsweep.cumulative_sum, x)
        if n:
            check(library, upsweep.max, x)
            check(library, upsweep.cummin, x)
    check(library, upsweep.prod, x[:100])


def test_options_have_the_bits_of_the_processor(library):
    x = scattered(100_003, "float32")
    check(library, upsweep.cumulative_sum, x, include_initial=True, initial=3)
    check(library, upsweep.scan, x, "sum", exclusive=True, reverse=True)
    check(library, upsweep.reduce, x, "sum", reverse=True, initial=1e6)
    check(library, upsweep.sum, x, dtype="float64")
    check(library, upsweep.sum, scattered(1001, "int16"), dtype="float32")
    check(library, upsweep.sum, scattered(1001) > 0)
    check(library, upsweep.max, np.array([-0.0, 0.0, np.inf], "float32"))


SHAPES = [(3, 5), (100, 257), (2, 40_000), (33, 20_000), (4, 0), (7, 6, 50), (1, 3000), (300, 1)]


@pytest.mark.parametrize("name", ["float32", "float64", "int32", "int64"])
def test_lines_have_the_bits_of_the_processor(library, name):
    for shape in SHAPES:
        x = scattered(int(np.prod(shape)), name).reshape(shape)
        for axis in range(x.ndim):
            check(library, upsweep.sum, x, axis=axis)
            check(library, upsweep.cumulative_sum, x, axis=axis)
            if shape[axis]:
                check(library, upsweep.max, x, axis=axis, keepdims=True)
                check(library, upsweep.cummax, x, axis=axis)
    check(library, upsweep.sum, scattered(24_000, name).reshape(20, 30, 40), axis=(0, 2))


@pytest.fixture
def only_single_launches(monkeypatch):
    """Calls fail that would be a launch for each line."""
    if HAS_GPU:
        monkeypatch.setattr(gpu._core, "scan", None)


@pytest.mark.parametrize("size", [16_384, 16_385, 20_003, 131_071])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_few_long_lines_are_one_launch(library, only_single_launches, name, size):
    x = scattered(3 * size, name).reshape(3, size)  # products leave the range of numbers
    x[0, size // 2], x[1, 5], x[1, -5], x[2, size // 3] = 0, np.inf, -0.0, np.nan
    zeros = np.where(np.arange(3 * size) % 7, -0.0, 0.0).astype(name).reshape(3, size)
    for op in ("sum", "product", "min", "max"):
        for reverse in (False, True):
            for given in (x, x[:2], zeros, 1 + x[::2] / 2**40):
                check(library, upsweep.scan, given, op, axis=1, reverse=reverse)
            check(library, upsweep.scan, x, op, axis=1, reverse=reverse, initial=-np.inf)
            check(library, upsweep.scan, x.T.copy(), op, axis=0, reverse=reverse)


@pytest.mark.parametrize("name", ["int32", "int64", "uint8"])
def test_running_extrema_of_integers_are_one_launch(library, only_single_launches, name):
    for shape in ((2, 40_000), (300, 1000), (2, 3, 513), (1000, 2)):
        x = scattered(int(np.prod(shape)), name).reshape(shape)
        for axis in range(x.ndim):
            for op in ("min", "max"):
                for reverse in (False, True):
                    check(library, upsweep.scan, x, op, axis=axis, reverse=reverse)
        check(library, upsweep.cummax, x, axis=-1, initial=100)


def test_products_after_an_infinite_initial_value(library):
    """Infinity times zero is NaN if the infinity is no product."""
    for shape in ((40, 300), (2, 20_000)):
        x = np.ones(shape, "float32")
        x[1, 50] = 0
        check(library, upsweep.scan, x, "product", axis=1, initial=np.inf)
        assert np.isnan(upsweep.scan(x, "product", axis=1, initial=np.inf)[1, 50:]).all()


def test_views_are_read_as_they_lie(library):
    x = scattered(60_000, "float32").reshape(200, 300)
    y = library.array(x)
    for theirs, mine in ((y.T, x.T), (y[::2], x[::2]), (y[:, 5], x[:, 5])):
        axis = mine.ndim - 1
        assert same_bits(
            library.numbers(upsweep.cumulative_sum(theirs, axis=axis)),
            upsweep.cumulative_sum(mine, axis=axis),
        )
        assert same_bits(library.numbers(upsweep.sum(theirs)), np.asarray(upsweep.sum(mine)))


@pytest.mark.parametrize("name", ["int32", "int64", "float32", "float64"])
def test_orders_and_selections_have_the_bits_of_the_processor(library, name):
    for n in [0, 1, 1000, 4097, 100_003]:
        x = scattered(n, name)
        check(library, upsweep.sort, x)
        check(library, upsweep.argsort, x, descending=True)
        check(library, upsweep.select, x, x > 0)
        offsets = np.unique(np.r_[0, np.random.default_rng(n).integers(0, n + 1, 50), n])
        check(library, upsweep.segment_reduce, x, offsets)
        check(library, upsweep.segment_scan, x, offsets)


@pytest.mark.parametrize("name", ["uint8", "int32", "float32", "float64"])
def test_histograms_have_the_counts_of_the_processor(library, name):
    x = scattered(100_003, name)
    for bins, limits in ((17, (-1, 50)), (5, (0.5, 9)), ([0, 1, 10, 100], None)):
        counts, edges = upsweep.histogram(library.array(x), bins, limits)
        expected, same_edges = upsweep.histogram(x, bins, limits)
        assert same_bits(library.numbers(counts), expected)
        assert same_bits(library.numbers(edges), same_edges)


def test_histograms_refuse_edges_that_float64_does_not_hold(library):
    x = library.array(scattered(1000, "int32"))
    for bins, limits in ((4, (2**53, 2**53 + 4)), ([0, 2**53 + 1], None)):
        with pytest.raises(TypeError, match="^histogram: float64 does not hold these edges"):
            upsweep.histogram(x, bins, limits)


@pytest.fixture(params=[Torch, CuPy])
def streams(request):
    if not HAS_GPU:
        pytest.skip("no GPU")
    return request.param()


def test_calls_run_in_the_current_stream_and_do_not_wait(streams):
    import time

    new, old = scattered(1 << 20, "float32", seed=2), scattered(1 << 20, "float32", seed=3)
    x, values = streams.array(old), streams.array(new)
    upsweep.sum(x), upsweep.cumulative_sum(x)  # loads the kernels, which waits
    with streams.stream():
        upsweep.sum(x), upsweep.cumulative_sum(x)  # makes the stream's temporary storage
        streams.sleep()
        streams.fill(x, values)
        start = time.perf_counter()
        total, sums = upsweep.sum(x), upsweep.cumulative_sum(x)
        seconds = time.perf_counter() - start
        assert same_bits(streams.numbers(sums), upsweep.cumulative_sum(new))
        assert same_bits(streams.numbers(total), np.asarray(upsweep.sum(new)))
    assert seconds < 0.05


def test_results_go_to_out_and_in_place(streams):
    x = scattered(70_001, "float64")
    given, out = streams.array(x), streams.array(np.full_like(x, np.nan))
    assert upsweep.cumulative_sum(given, out=out) is out
    assert same_bits(streams.numbers(out), upsweep.cumulative_sum(x))
    upsweep.cummax(given, out=given)
    assert same_bits(streams.numbers(given), upsweep.cummax(x))
    few_long = x[:70_000].reshape(2, 35_000)
    for call in (upsweep.cumulative_sum, upsweep.cumulative_prod, upsweep.cummax, upsweep.cummin):
        lines = streams.array(few_long)
        call(lines, axis=1, out=lines)
        assert same_bits(streams.numbers(lines), call(few_long, axis=1))
    with pytest.raises(ValueError, match="out has the shape"):
        upsweep.cumulative_sum(given[:-1], out=out)


def test_what_has_no_kernels_is_refused_in_a_sentence(library):
    x = library.array(scattered(10, "float32"))
    with pytest.raises(TypeError, match="bit_xor has no kernels on a GPU"):
        upsweep.reduce(x, "bit_xor")
    with pytest.raises(TypeError, match="var: x is on a GPU"):
        upsweep.var(x)
    with pytest.raises(TypeError, match="flags must be on the device"):
        upsweep.select(x, np.ones(10, bool))
    with pytest.raises(ValueError, match="no elements"):
        upsweep.max(x[:0])
    with pytest.raises(ValueError, match="give the axis"):
        upsweep.cumulative_sum(x.reshape(2, 5))


@pytest.mark.skipif(not HAS_GPU, reason="no GPU")
def test_gradients_are_refused_by_their_library():
    x = Torch().array(np.ones(3, "float32")).requires_grad_()
    with pytest.raises((BufferError, RuntimeError), match="gradient"):
        upsweep.sum(x)


@pytest.mark.skipif(not HAS_GPU, reason="no GPU")
def test_unknown_libraries_get_arrays_by_dlpack():
    torch = pytest.importorskip("torch")

    class Foreign:
        """An array of a library without a namespace."""

        def __init__(self, x):
            self.x = x

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.x.__dlpack__(stream=stream)

    x = scattered(100_003, "float32")
    result = upsweep.cumulative_sum(Foreign(torch.from_numpy(x).cuda()))
    assert isinstance(result, gpu.DeviceArray) and result.shape == x.shape
    assert same_bits(torch.from_dlpack(result).cpu().numpy(), upsweep.cumulative_sum(x))
    total = upsweep.sum(result)
    assert same_bits(torch.from_dlpack(total).cpu().numpy(), upsweep.sum(upsweep.cumulative_sum(x)))


@pytest.mark.skipif(not HAS_GPU, reason="no GPU")
def test_arrays_of_jax_live_until_they_are_read():
    torch, jax = Torch().torch, Jax().jax
    fill = jax.jit(lambda value: jax.numpy.full(1 << 22, value, "float32"))
    values = scattered(1 << 22, "float32")
    upsweep.cumulative_sum(fill(0.0)).block_until_ready()  # loads the kernels, which waits
    x = jax.numpy.asarray(values).block_until_ready()
    torch.cuda._sleep(400_000_000)  # a fifth of a second, in the default stream
    sums = upsweep.cumulative_sum(x)
    del x
    jax.block_until_ready([fill(float(i)) for i in range(8)])  # would reuse the memory of x
    assert same_bits(np.asarray(sums), upsweep.cumulative_sum(values))
