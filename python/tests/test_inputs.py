"""What is not an array of numbers: a right answer, or a sentence that says what to do."""

import array
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import upsweep
from reference import same_bits, scattered, tree_sums


class OnlyDlpack:
    """An array of a library that has DLPack and nothing else."""

    def __init__(self, array, device=None):
        self.array = array
        self.device = device

    def __dlpack_device__(self):
        return self.device or self.array.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_buffers_dlpack_and_lists_are_arrays():
    x = scattered(1000)
    expected = tree_sums(x)[-1]
    frozen = x.copy()
    frozen.flags.writeable = False
    for a in (
        array.array("d", x),
        memoryview(x),
        memoryview(x.tobytes()).cast("d"),
        x.tolist(),
        tuple(x),
        OnlyDlpack(x),
        OnlyDlpack(frozen),
        np.asmatrix(x),
        x.view(np.recarray),
    ):
        assert upsweep.sum(a) == expected, type(a)
    assert upsweep.sum(bytearray(b"\1\2\3")) == 6


def test_arrays_on_devices_are_refused():
    with pytest.raises(TypeError, match="on a GPU; install the package upsweep-cuda13"):
        upsweep.sum(OnlyDlpack(np.ones(3), device=(2, 0)))
    with pytest.raises(TypeError, match="on a device that is not an NVIDIA GPU"):
        upsweep.sum(OnlyDlpack(np.ones(3), device=(10, 0)))


@pytest.mark.parametrize("op, expected", [("min_number", -2), ("max_number", 3)])
def test_bfloat16_has_extrema_that_ignore_nan(op, expected):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1, np.nan, -2, 3, np.nan], ml_dtypes.bfloat16)
    assert float(upsweep.reduce(x, op)) == expected
    assert float(upsweep.scan(x, op)[-1]) == expected


def test_bfloat16_is_summed_in_float32():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = scattered(1000, "float16").astype(ml_dtypes.bfloat16)
    expected = tree_sums(x.astype(np.float32))
    assert upsweep.sum(x) == expected[-1] and upsweep.sum(x).dtype == np.float32
    assert upsweep.cumulative_sum(x).tolist() == expected.tolist()
    assert upsweep.max(x) == np.max(x) and upsweep.max(x).dtype == x.dtype
    assert upsweep.mean(x).dtype == np.float32


@pytest.mark.parametrize(
    "x, sentence",
    [
        (np.array([1, None], dtype=object), "type object.*missing values"),
        (np.array(["a"]), "type <U1.*integers, floats or booleans"),
        (np.ones(3, np.longdouble), "x.astype"),
        (np.ma.masked_array([1, 2], [0, 1]), "masked arrays are not supported; give x.filled"),
        (np.zeros(3, [("a", int)]), "integers, floats or booleans"),
        ("text", "type <U4"),
        (None, "None is not an array of numbers; give an array or a list"),
        ({1, 2}, "a set is not an array of numbers"),
        (2**70, "type object"),
    ],
)
def test_what_is_no_number_is_refused_by_name(x, sentence):
    for verb in (upsweep.sum, upsweep.max, upsweep.cumulative_sum, upsweep.mean, upsweep.any):
        with pytest.raises(TypeError, match=f"^{verb.__name__}: .*{sentence}"):
            verb(x)


@pytest.mark.parametrize(
    "call, sentence",
    [
        (lambda x: upsweep.segment_reduce(None, [0, 1]), "segment_reduce: None is not an array"),
        (lambda x: upsweep.segment_reduce(x, None), "segment_reduce: offsets must be integers"),
        (lambda x: upsweep.segment_scan(None, [0, 1]), "segment_scan: None is not an array"),
        (lambda x: upsweep.add.reduceat(x, None), "add.reduceat: indices must be integers"),
        (lambda x: upsweep.sum(i for i in x), "sum: a generator is not an array of numbers"),
        (lambda x: upsweep.ema(x, None), "ema: weight=None is not a number"),
        (lambda x: upsweep.ema(x, [0.1, 0.2]), "ema: weight=.* is not a number"),
        (lambda x: upsweep.ema(x, 0.1, initial="a"), "ema: initial='a' is not a number"),
        (lambda x: upsweep.lfilter(None, [1], x), "lfilter: None is not an array"),
        (lambda x: upsweep.linear_recurrence(0.5, x, initial=None), "initial=None is not a number"),
        (lambda x: upsweep.bincount([1], minlength=None), "minlength=None is not an integer"),
        (lambda x: upsweep.var(x, correction=None), "correction=None is not a number"),
        (lambda x: upsweep.weighted_sample(x, None), "size=None is not an integer"),
        (lambda x: upsweep.quantile(x, "a"), "quantile: .* elements of type <U1"),
    ],
)
def test_arguments_of_other_kinds_are_refused_by_name(call, sentence):
    with pytest.raises(TypeError, match=sentence):
        call(np.ones(3))


@pytest.mark.parametrize("swapped", [False, True])
def test_dates_are_compared_and_spans_of_time_added(swapped):
    dates = np.array([["2020-03-01", "1999-01-01"], ["2021-05-05", "1969-12-31"]], "datetime64[D]")
    for x in (dates, dates - dates[0, 0]):
        a = x.astype(x.dtype.newbyteorder()) if swapped else x
        for name in ("min", "max", "argmin", "argmax", "sort", "argsort"):
            ours, theirs = getattr(upsweep, name), getattr(np, name)
            assert same_bits(ours(a, axis=0), theirs(x, axis=0)), name
        assert same_bits(upsweep.max(a), np.max(x))
        assert same_bits(upsweep.cummax(a, axis=1), np.maximum.accumulate(x, axis=1))
        assert upsweep.minmax(a) == (np.min(x), np.max(x))
        assert same_bits(upsweep.minimum.reduce(a), np.minimum.reduce(x))
    assert same_bits(upsweep.sum(a), np.sum(x))
    assert same_bits(upsweep.cumulative_sum(a, axis=0), np.cumsum(x, axis=0))
    for call in (upsweep.sum, upsweep.mean, upsweep.prod):
        with pytest.raises(TypeError, match=f"^{call.__name__}: .*min, max and sort accept"):
            call(dates)
    with pytest.raises(ValueError, match="^max: x has NaT"):
        upsweep.max(np.array(["NaT"], "datetime64[s]"))
    with pytest.raises(TypeError, match="^sum: dtype is not supported for timedelta64"):
        upsweep.sum(dates - dates[0], dtype="int64")


def test_numbers_are_arrays_without_dimensions():
    assert upsweep.sum(3) == 3
    assert upsweep.max(np.float32(2)) == 2
    assert upsweep.cumulative_sum(np.int64(3)).tolist() == [3]
    assert upsweep.add.reduce(5) == 5


def test_empty_arrays():
    assert upsweep.sum([]) == 0 and upsweep.prod([]) == 1
    assert upsweep.all([]) and not upsweep.any([])
    assert upsweep.cumulative_sum(np.empty(0, "int8")).tolist() == []
    assert upsweep.sum(np.empty((0, 3)), axis=0).tolist() == [0, 0, 0]
    assert upsweep.sum(np.empty((0, 3)), axis=1).tolist() == []
    assert upsweep.max(np.empty((0, 3)), axis=1).tolist() == []
    for verb in (upsweep.max, upsweep.min, upsweep.argmax, upsweep.argmin):
        with pytest.raises(ValueError, match=f"{verb.__name__}: x has no elements"):
            verb([])
        with pytest.raises(ValueError, match="no elements"):
            verb(np.empty((0, 3)), axis=0)
        with pytest.raises(ValueError, match="no elements"):  # and no lines
            verb(np.ones((0, 0)), axis=1)


@pytest.mark.parametrize(
    "error, sentence, call",
    [
        (ValueError, "axis 2 is out of bounds", lambda x: upsweep.sum(x, axis=2)),
        (ValueError, "axis -3 is out of bounds", lambda x: upsweep.cumulative_sum(x, axis=-3)),
        (ValueError, "out of bounds", lambda x: upsweep.sum(x, axis=10**9)),
        ((ValueError, OverflowError), "axis|int", lambda x: upsweep.sum(x, axis=10**30)),
        (ValueError, "repeated axis", lambda x: upsweep.sum(x, axis=(0, -2))),
        (TypeError, "float", lambda x: upsweep.sum(x, axis=0.5)),
        (TypeError, "one axis", lambda x: upsweep.cumulative_sum(x, axis=(0, 1))),
        (ValueError, "2 dimensions; give the axis", lambda x: upsweep.cumulative_sum(x)),
        (ValueError, "mode='quick'; give", lambda x: upsweep.sum(x, mode="quick")),
        (ValueError, "threads=-1 is negative", lambda x: upsweep.sum(x, threads=-1)),
        (TypeError, "threads=1.5 is not an integer", lambda x: upsweep.sum(x, threads=1.5)),
        (ValueError, "'median' is not an operator.*sum", lambda x: upsweep.reduce(x, "median")),
        (TypeError, "gcd is not defined.*float64", lambda x: upsweep.reduce(x, "gcd")),
        (TypeError, "width=1.5 is not an integer", lambda x: upsweep.windowed(x, 1.5, axis=0)),
        (TypeError, "count='a' is not an integer", lambda x: upsweep.top(x, "a")),
        (TypeError, "dtype=complex128", lambda x: upsweep.sum(x, dtype=complex)),
        (TypeError, "round the elements first", lambda x: upsweep.sum(x, dtype=int)),
        (TypeError, "initial='a'", lambda x: upsweep.sum(x, initial="a")),
        (ValueError, "initial has 1 dim", lambda x: upsweep.sum(x, initial=[1.0])),
        (ValueError, "no initial value", lambda x: upsweep.reduce(x, "argmax", initial=1)),
        (TypeError, "out is a list", lambda x: upsweep.sum(x, axis=0, out=[1])),
        (
            ValueError,
            r"shape \(2,\), but.*\(3,\)",
            lambda x: upsweep.sum(x, axis=0, out=np.empty(2)),
        ),
        (
            TypeError,
            "does not hold float64",
            lambda x: upsweep.sum(x, axis=0, out=np.empty(3, int)),
        ),
    ],
)
def test_wrong_arguments_are_refused(error, sentence, call):
    with pytest.raises(error, match=sentence):
        call(np.ones((4, 3)))


def test_integers_refuse_an_initial_value_that_does_not_fit():
    with pytest.raises(TypeError, match="is not of int64"):
        upsweep.sum([1, 2], initial=0.5)
    with pytest.raises(OverflowError):
        upsweep.max(np.array([1], np.int8), initial=1000)


def test_a_read_only_out_is_refused_and_left_alone():
    out = np.zeros(3)
    out.flags.writeable = False
    for verb in (upsweep.cumulative_sum, lambda x, out: upsweep.sum([x], axis=0, out=out)):
        with pytest.raises(ValueError, match="read-only"):
            verb([1.0, 2.0, 3.0], out=out)
        with pytest.raises(ValueError, match="read-only"):
            verb(np.ones(3), out=out)
    assert out.tolist() == [0, 0, 0]


def test_many_threads_of_python_may_call_at_once():
    x = scattered(200_000)
    expected = tree_sums(x)[-1]
    wrong = []

    def work():
        for _ in range(20):
            if upsweep.sum(x) != expected or upsweep.cumulative_sum(x)[-1] != expected:
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_other_threads_run_during_a_large_call():
    x = np.ones(20_000_000)
    stamps, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            stamps.append(time.perf_counter())
            time.sleep(0.0005)

    ticking = threading.Thread(target=tick)
    ticking.start()
    begin = time.perf_counter()
    upsweep.exact_cumulative_sum(x, threads=1)
    end = time.perf_counter()
    stop.set()
    ticking.join()
    quarter = (end - begin) / 4
    assert sum(begin + quarter < stamp < end - quarter for stamp in stamps) > 2


def in_python(program, **environment):
    import os

    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_a_forked_child_computes():
    program = (
        "import multiprocessing as m, numpy as np, upsweep\n"
        "x = np.ones(10**6); assert upsweep.sum(x) == 10**6\n"
        "with m.get_context('fork').Pool(2) as p: print(p.map(upsweep.sum, [x, x + 1]))"
    )
    assert "1000000" in in_python(program).stdout


def test_the_environment_sets_the_number_of_threads():
    program = (
        "import os, numpy as np, upsweep\n"
        "upsweep.sum(np.ones(10**7)); print(len(os.listdir('/proc/self/task')))"
    )
    one = in_python(program, UPSWEEP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    three = in_python(program, UPSWEEP_NUM_THREADS="3", OPENBLAS_NUM_THREADS="1")
    assert one.stdout.strip() == "1", one.stderr
    assert three.stdout.strip() in ("2", "3"), three.stderr
    wrong = in_python(program, UPSWEEP_NUM_THREADS="many")
    assert "UPSWEEP_NUM_THREADS is 'many'; give a whole number" in wrong.stderr


def test_sub_interpreters_are_refused():
    program = (
        "import sys, upsweep; upsweep.sum([1.0])\n"
        "try: import _interpreters as i; run = i.exec\n"
        "except ImportError: import _xxsubinterpreters as i; run = i.run_string\n"
        "program = f'import sys; sys.path={sys.path}; import upsweep; upsweep.sum'\n"
        "try: print(run(i.create(), program))\n"
        "except RuntimeError as failure: print(failure)  # before Python 3.13\n"
        "assert upsweep.sum([2.0]) == 2"
    )
    done = in_python(program)
    assert "upsweep: sub-interpreters are not supported; use threads" in done.stdout, done.stderr


def test_threadpoolctl_limits_the_threads_of_calls():
    threadpoolctl = pytest.importorskip("threadpoolctl")
    upsweep.register_threadpoolctl()
    upsweep.register_threadpoolctl()  # once more changes nothing

    def known():
        return [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "upsweep"]

    (before,) = known()
    assert before["version"] == upsweep.__version__
    x = scattered(10_000)
    expected = tree_sums(x)[-1]
    with threadpoolctl.threadpool_limits(1, user_api="upsweep"):
        assert known()[0]["num_threads"] == 1 and upsweep.sum(x) == expected
    assert known() == [before] and upsweep.sum(x) == expected


def test_importing_the_package_imports_nothing_else():
    program = "import sys, upsweep; print('numpy' in sys.modules, 'upsweep._core' in sys.modules)"
    assert in_python(program).stdout.split() == ["False", "False"]


def test_the_doctor_finds_nothing_wrong(capsys):
    assert upsweep.doctor()
    upsweep.show_versions()
    text = capsys.readouterr().out
    assert "threads that this process may use" in text and "WRONG" not in text
    assert upsweep.__version__ in text and np.__version__ in text


def test_every_name_exists():
    for name in upsweep.__all__:
        assert getattr(upsweep, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'cumsun'"):
        upsweep.cumsun


def test_masks_beside_the_elements_are_refused():
    masked = np.ma.array([True, True], mask=[False, True])
    for call in (
        lambda: upsweep.select([1, 2], masked),
        lambda: upsweep.sum([1, 2], where=masked),
        lambda: upsweep.segment_reduce([1], masked.astype(int)),
        lambda: upsweep.add.reduceat([1, 2], masked.astype(int)),
    ):
        with pytest.raises(TypeError, match="masked array"):
            call()


def test_integers_that_numpy_would_round_are_refused():
    for x in ([2**63 + 1, 2**63, -1], [[2**63], [-1]]):
        for call in (upsweep.sum, upsweep.sort, upsweep.exact_sum):
            with pytest.raises(TypeError, match="from -1 to .* no 64-bit integer type can hold"):
                call(x)
    assert upsweep.sum([2.0**63, 1]) == 2.0**63 and upsweep.max([2**64 - 1]) == 2**64 - 1
    with pytest.raises(OverflowError, match="initial=9223372036854775808 does not fit int64"):
        upsweep.sum([1], initial=2**63)


def test_types_of_results_have_the_byte_order_of_the_machine():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    assert upsweep.sum([1, 2], dtype=">f8").dtype == np.float64
    assert upsweep.sum(np.ones(3, bfloat16), dtype=bfloat16).dtype == bfloat16
    with pytest.raises(TypeError, match="sum: .* does not support elements of type StringDType"):
        upsweep.sum(np.array(["a"], np.dtypes.StringDType()))
