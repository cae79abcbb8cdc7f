"""Streams: the bits of one call, however the data is cut, also after a pickle."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import upsweep
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import FLOATS, INTEGERS, prefixes, same_bits, scattered, tree_sums

OPERATORS = {"sum": "sum", "product": "prod", "min": "min", "max": "max"}


def chunks(x, cuts):
    return np.split(x, sorted(cut % (len(x) + 1) for cut in cuts))


@pytest.mark.parametrize("op", OPERATORS)
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ["bool"])
def test_results_are_those_of_one_call(op, dtype):
    x = scattered(5000, "int8") > 0 if dtype == "bool" else scattered(5000, dtype)
    if op == "product" and np.dtype(dtype).kind == "f":
        x = np.sign(x) * (1 + np.abs(x) % 1 / 64).astype(dtype)
    for cuts in ([], [1, 2, 3], [4096], [10, 10, 4999], range(0, 5000, 77)):
        pushed, scanned = upsweep.Stream(op, dtype), upsweep.Stream(op, dtype)
        scans = []
        for chunk in chunks(x, cuts):
            pushed.push(chunk)
            scans.append(scanned.scan(chunk))
        total = getattr(upsweep, OPERATORS[op])(x)
        assert same_bits(pushed.result(), total), cuts
        assert same_bits(scanned.result(), total), cuts
        assert same_bits(np.concatenate(scans), upsweep.scan(x, op)), cuts
        assert len(pushed) == len(scanned) == len(x)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 300),
    st.lists(st.tuples(st.integers(0, 300), st.sampled_from(["push", "scan", "exclusive"]))),
    st.booleans(),
)
def test_pushes_scans_and_pickles_mix(n, steps, with_initial):
    x = scattered(n, "float32", seed=n)
    initial = 2.5 if with_initial else None
    stream = upsweep.Stream("sum", "float32", initial=initial)
    left = np.float32(2.5) if with_initial else None
    prefixes = np.concatenate([[0], tree_sums(x)]).astype("float32")
    if with_initial:
        prefixes = np.concatenate([[left], left + prefixes[1:]])
    at = 0
    for length, how in steps + [(n, "push")]:
        chunk = x[at : at + length]
        if how == "push":
            stream.push(chunk)
        else:
            result = stream.scan(chunk, exclusive=how == "exclusive")
            shift = how != "exclusive"
            assert same_bits(result, prefixes[at + shift : at + len(chunk) + shift])
        at += len(chunk)
        stream = pickle.loads(pickle.dumps(stream))
        assert len(stream) == at
    assert same_bits(stream.result(), prefixes[n])


OTHERS = ["bit_and", "bit_or", "bit_xor", "gcd", "checked_sum", "checked_product"]
OTHERS += ["all", "any", "parity", "min_number", "max_number", "exact_sum"]


@pytest.mark.parametrize("op", OTHERS)
@pytest.mark.parametrize(
    "dtype", ["int8", "int64", "uint16", "uint64", "float16", "float64", "bool"]
)
def test_the_other_operators_have_the_results_of_one_call(op, dtype):
    x = scattered(1000, dtype) if dtype != "bool" else scattered(1000, "int8") > 0
    if op.startswith("checked"):
        x = np.sign(x) if dtype != "bool" else x
    if op in ("min_number", "max_number") and x.dtype.kind == "f":
        x[::3] = np.nan
    try:
        expected = upsweep.scan(x, op)
    except TypeError:
        with pytest.raises(TypeError, match=f"{op} is not defined"):
            upsweep.Stream(op, dtype)
        return
    stream, scans = upsweep.Stream(op, dtype), []
    for chunk in chunks(x, [0, 1, 500, 999]):
        scans.append(stream.scan(chunk))
        stream = pickle.loads(pickle.dumps(stream))
        stream.push(chunk[:0])
    assert same_bits(np.concatenate(scans), expected)
    assert same_bits(stream.result(), upsweep.reduce(x, op))


def joined(a, b):
    return f"({a}{b})"


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["push", "scan", "exclusive"]))))
def test_operators_of_ones_own_follow_the_tree(steps):
    """A function that is not associative shows each bracket."""
    op = upsweep.monoid(joined, "")
    stream, begin = upsweep.Stream(op, initial="i"), 0
    expected = ["i"] + [f"(i{p})" for p in prefixes([f"{i}" for i in range(100)], joined)]
    for length, how in steps:
        chunk = [f"{i}" for i in range(begin, begin + length)]
        if how == "push":
            stream.push(chunk)
        else:
            first = begin if how == "exclusive" else begin + 1
            results = stream.scan(chunk, exclusive=how == "exclusive")
            assert results == expected[first : first + length]
        begin += length
        if begin > 90:
            break
        stream = pickle.loads(pickle.dumps(stream))
        assert stream.result() == expected[begin] and len(stream) == begin
    assert upsweep.Stream(op).result() == ""
    with pytest.raises(ValueError, match="max has no identity"):
        upsweep.Stream(max).result()


def test_exact_sums_stay_exact():
    x = np.tile([1e16, 1.0, -1e16], 100)
    stream = upsweep.Stream("exact_sum")
    for chunk in chunks(x, range(0, 300, 7)):
        stream = pickle.loads(pickle.dumps(stream.push(chunk)))
    assert stream.result() == 100.0


def test_another_process_continues(tmp_path):
    x = scattered(10_000)
    path = tmp_path / "stream.pickle"
    path.write_bytes(pickle.dumps(upsweep.Stream().push(x[:3333])))
    program = (
        "import pickle, sys, numpy as np; s = pickle.load(open(sys.argv[1], 'rb'))\n"
        "x = np.frombuffer(sys.stdin.buffer.read()); print(s.push(x).result().hex())"
    )
    rest = x[3333:].tobytes()
    done = subprocess.run([sys.executable, "-c", program, path], input=rest, capture_output=True)
    assert done.stdout.decode().strip() == tree_sums(x)[-1].item().hex()


def test_wrong_streams_are_refused():
    with pytest.raises(ValueError, match="no streams of argmax over int64"):
        upsweep.Stream("argmax", "int64")
    with pytest.raises(TypeError, match="chunk has the type float64, but.*float32"):
        upsweep.Stream("sum", "float32").push([1.5])
    with pytest.raises(ValueError, match="no elements, so there is no max"):
        upsweep.Stream("max").result()
    with pytest.raises(TypeError, match="complex128"):
        upsweep.Stream("sum", complex)
    make, (*arguments, state, version), _ = upsweep.Stream().push([1.0]).__reduce__()
    with pytest.raises(ValueError, match="combine tree 99"):
        make(*arguments, state, 99)
    with pytest.raises(ValueError, match="damaged"):
        make(*arguments, state[:-1], version)
    assert upsweep.Stream("sum").result() == 0


def test_copies_go_on_by_themselves():
    for begun in (upsweep.Stream, upsweep.Partial):
        for op in ("max", max):
            first = begun(op).push([1.0, 5.0])
            copy.copy(first).push([9.0])
            copy.deepcopy(first).push([9.0])
            assert first.push([6.0, 7.0]).result() == 7, begun


@pytest.mark.parametrize("begun", [upsweep.Stream, upsweep.Partial])
def test_what_a_function_refuses_is_not_appended(begun):
    for size in range(1, 9):
        words = [chr(97 + i) for i in range(size)]
        good = begun(lambda a, b: a + b).push(words)
        for refused in ([None] * 3, ["x", None, None, None]):
            with pytest.raises(TypeError):
                good.push(refused)
        assert len(good) == size and good.push(["z"]).result() == "".join(words) + "z"


def test_streams_of_bfloat16_can_be_pickled():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    stream = upsweep.Stream("sum", bfloat16).push(np.array([1.5, 2.0], bfloat16))
    other = pickle.loads(pickle.dumps(stream))
    assert other.push(np.array([4.0], bfloat16)).result() == 7.5


def test_classes_may_be_derived():
    class Running(upsweep.Stream):
        def push(self, chunk):
            self.last = chunk[-1]
            return super().push(chunk)

    class Piece(upsweep.Partial):
        pass

    for op, expected in ((max, 7), ("max", 7.0)):
        stream = Running(op).push([3, 7, 1])
        assert stream.result() == expected and stream.last == 1 and isinstance(stream, Running)
        first, rest = Piece(op).push([3, 7]), Piece(op, begin=2).push([1])
        assert isinstance(first, Piece) and (first + rest).result() == expected


class Named(upsweep.Stream):
    __slots__ = ("unit",)

    def __init__(self, name, op):
        super().__init__(op)
        self.name, self.notes = name, ["new"]


class NamedPiece(upsweep.Partial):
    def __init__(self, name, op):
        super().__init__(op, threads=1)
        self.name, self.notes = name, ["new"]


class Reopened(upsweep.Stream):
    def __getstate__(self):
        return {**vars(self), "file": None}

    def __setstate__(self, state):
        vars(self).update(state, reopened=True)


def test_derived_classes_are_copied_and_pickled_as_themselves():
    for derived in Named, NamedPiece:
        for op in "max", max:
            first = derived.__new__(derived, op)
            first.__init__("depth", op)
            first.push([3.0, 7.0])
            for copied in copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)):
                other = copied(first)
                assert type(other) is type(first) and isinstance(other, derived)
                assert other.name == "depth" and len(other) == 2
                assert (other.notes is first.notes) == (copied is copy.copy)
                assert copied(other).push([9.0]).result() == 9 and first.result() == 7
                assert getattr(other, "_threads", None) == getattr(first, "_threads", None)
    first = Named("depth", "sum")
    first.unit = "m"
    if sys.version_info >= (3, 11):
        assert pickle.loads(pickle.dumps(first)).unit == "m"
    other = pickle.loads(pickle.dumps(Reopened("sum").push([1.0])))
    assert other.reopened and other.file is None and other.push([2.0]).result() == 3
    assert type(NamedPiece.from_bytes(bytes(upsweep.Partial()))) is NamedPiece


def test_calls_inside_of_a_call_are_refused():
    for made in (upsweep.Stream, upsweep.Partial):
        calls = []

        def larger(a, b):
            calls.append(b)
            if len(calls) == 1:
                running.push([100])  # noqa: B023
            return max(a, b)

        running = made(larger)
        with pytest.raises(ValueError, match="another call has changed it meanwhile"):
            running.push([3, 7])
        assert running.result() == 100 and len(running) == 1


def test_positions_of_partials_end_at_2_to_64():
    for op in ("max", max):
        with pytest.raises(ValueError, match="would end beyond position 2\\^64"):
            upsweep.Partial(op, begin=2**64 - 1).push([1, 2])
