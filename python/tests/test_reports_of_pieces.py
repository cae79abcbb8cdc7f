"""What users reported of sums that change with chunks, partitions and ranks: the right values."""

import itertools
import math
import pickle

import numpy as np
import pytest
import upsweep


def joined(op, pieces):
    """The total of pieces that follow each other."""
    begins = itertools.accumulate((len(p) for p in pieces[:-1]), initial=0)
    parts = [
        upsweep.Partial(op, p.dtype, begin=b).push(p) for b, p in zip(begins, pieces, strict=True)
    ]
    return upsweep.Partial.join(reversed(parts)).result()


def test_running_sums_along_an_axis_do_not_depend_on_its_chunks():
    """https://github.com/dask/dask/issues/12359"""
    x = 1000 * np.random.default_rng(1).random((20, 1500))
    chunks = np.split(x, [500, 1000], axis=1)
    lines = [upsweep.Partial() for _ in x]  # each goes on with the next chunk
    results = [
        [front.scan(line) for front, line in zip(lines, chunk, strict=True)] for chunk in chunks
    ]
    assert np.array_equal(np.concatenate(results, axis=1), upsweep.cumulative_sum(x, axis=1))


def test_exact_sums_do_not_depend_on_the_shape_of_chunks():
    """https://github.com/pydata/xarray/issues/2902: such chunks are no pieces in order."""
    x = np.full((32, 32, 32), 1.9)
    for rows, columns in itertools.product([2, 8, 32], repeat=2):
        chunks = [
            x[i : i + rows, j : j + columns].ravel()
            for i in range(0, 32, rows)
            for j in range(0, 32, columns)
        ]
        assert joined("exact_sum", chunks) == upsweep.exact_sum(x) == math.fsum(x.ravel())


def test_weighted_means_do_not_depend_on_the_chunks_of_a_series():
    """https://github.com/pola-rs/polars/issues/21016"""
    pl = pytest.importorskip("polars")
    random = np.random.default_rng(42)
    x = pl.concat(
        [pl.Series(random.integers(0, 2, 1000), dtype=pl.Float64) for _ in range(10)], rechunk=False
    )
    y = pl.concat(
        [pl.Series(random.choice([1 / 3, 2 / 3, 1], 1000), dtype=pl.Float32) for _ in range(10)],
        rechunk=False,
    )
    assert y.n_chunks() == 10
    of_chunks = upsweep.sum(x * y) / upsweep.sum(y)
    assert of_chunks == upsweep.sum(x.rechunk() * y.rechunk()) / upsweep.sum(y.rechunk())
    assert upsweep.sum(y) == joined(
        "sum", [y[i : i + 999].to_numpy() for i in range(0, 10000, 999)]
    )


@pytest.mark.parametrize("down, across", [(1, 1), (2, 3), (4, 4), (7, 5)])
def test_sums_do_not_depend_on_the_layout_of_processes(down, across):
    """https://github.com/E3SM-Project/E3SM/pull/8722, ESCOMP/CMEPS/issues/650: each process has a
    rectangle of a grid, of which each row is a piece of the whole."""
    grid = np.random.default_rng(7).standard_normal((60, 84)) * 10.0 ** np.arange(84)
    sent = []
    for rows in np.array_split(np.arange(60), down):
        for columns in np.array_split(np.arange(84), across):
            for i in rows:
                piece = upsweep.Partial(begin=int(i * 84 + columns[0]))
                sent.append(bytes(piece.push(grid[i, columns])))
    np.random.default_rng(8).shuffle(sent)
    total = upsweep.Partial.join(map(upsweep.Partial.from_bytes, sent)).result()
    assert total == upsweep.sum(grid)


def test_sums_of_float32_do_not_depend_on_partitions():
    """https://github.com/dask/dask/issues/10527"""
    x = np.arange(5794, dtype=np.float32)
    for partitions in (1, 2, 3, 8):
        assert joined("sum", np.array_split(x, partitions)) == upsweep.sum(x) == 16782321


@pytest.mark.parametrize("size", [1, 2, 4, 7])
def test_ranks_may_take_every_nth_value(size):
    """https://github.com/mpi4py/mpi4py/issues/5: rank r has the values r, r + size, ..."""
    x = np.exp(np.random.default_rng(3).normal(-9, 4, 3000)).astype(np.float32)
    each = [upsweep.Partial(dtype=x.dtype, begin=i).push(x[i : i + 1]) for i in range(len(x))]
    in_any_order = [part for r in range(size) for part in each[r::size]]
    assert upsweep.Partial.join(in_any_order).result() == upsweep.sum(x)
    ranks = [x[r::size] for r in range(size)]
    assert joined("exact_sum", ranks) == np.float32(math.fsum(x.astype(float)))


@pytest.mark.parametrize("partitions", [1, 2, 3, 5])
def test_running_sums_of_groups_do_not_depend_on_partitions(partitions):
    """https://github.com/dask/dask/issues/9313"""
    random = np.random.default_rng(0)
    keys, x = random.integers(0, 5, 500), random.normal(size=500)
    fronts = {key: upsweep.Partial() for key in range(5)}  # each goes on in the next partition
    sums = np.empty_like(x)
    for rows in np.array_split(np.arange(500), partitions):
        for key, front in fronts.items():
            mine = rows[keys[rows] == key]
            sums[mine] = front.scan(x[mine])
    assert np.array_equal(sums, upsweep.group_scan(keys, x))


@pytest.mark.parametrize("rows, columns", [(1, 36), (5, 12), (18, 36), (18, 7)])
def test_sums_of_scaled_integers_do_not_depend_on_chunks(rows, columns):
    """https://github.com/pydata/xarray/issues/3686: temperatures as float32, from int16."""
    packed = np.random.default_rng(2).integers(-3000, 4500, (18, 36)).astype(np.int16)
    kelvin = packed.astype(np.float32) * np.float32(0.001) + np.float32(298.15)
    parts = [
        upsweep.Partial(dtype=np.float32, begin=i * 36 + j).push(kelvin[i, j : j + columns])
        for first in range(0, 18, rows)
        for j in range(0, 36, columns)
        for i in range(first, min(18, first + rows))
    ]
    assert upsweep.Partial.join(parts).result() == upsweep.sum(kelvin)


@pytest.mark.parametrize("partitions", [1, 4, 6, 7])
def test_deviations_from_a_large_mean_do_not_depend_on_partitions(partitions):
    """https://github.com/dask/dask/pull/297: 0 or 0.66666666655540463; NVIDIA/cudf/issues/7402: NaN
    for equal values.
    """
    x = np.array([1.0, 2.0, 3.0] * 100) + 1e8
    found = joined("moments", np.array_split(x, partitions))
    assert found.var == upsweep.var(x) == pytest.approx(2 / 3, rel=1e-10)
    equal = joined("moments", np.array_split(np.full(20, 22642751.0), partitions))
    assert (equal.mean, equal.std, equal.sample_std) == (22642751.0, 0, 0)


@pytest.mark.parametrize("op", ["argmin", "argmax"])
def test_positions_among_chunks_of_unknown_size(op):
    """https://github.com/dask/dask/issues/2793 and 3108: count, then reduce."""
    x = np.random.default_rng(4).integers(0, 100_000, 1000)
    chunks = [chunk[chunk % 7 < 2] for chunk in np.array_split(x, 13)]
    assert joined(op, chunks) == getattr(np, op)(np.concatenate(chunks))


@pytest.mark.parametrize("tasks", [1, 2, 7, 64])
def test_exact_sums_are_rounded_once(tasks):
    """https://github.com/E3SM-Project/E3SM/pull/5560: another last bit in 200 of 3669 sums."""
    random = np.random.default_rng(tasks)
    for _ in range(20):
        x = random.lognormal(0, 20, 300) * random.choice([-1, 1], 300)
        assert joined("exact_sum", np.array_split(random.permutation(x), tasks)) == math.fsum(x)


@pytest.mark.parametrize("ranks", [1, 6, 21])
def test_nodes_that_elements_share_are_counted(ranks):
    """https://github.com/Nek5000/Nek5000/issues/653: each share of a node counts 1 / shares; the
    sum was 11620 on 6 ranks, and 11621 on 1 and 21.
    """
    shares = np.random.default_rng(5).choice([1, 2, 3, 4, 6, 8], 11621)
    parts = np.random.default_rng(ranks).permutation(np.repeat(1 / shares, shares))
    total = joined("exact_sum", np.array_split(parts, ranks))
    assert total == math.fsum(parts) and round(total) == 11621


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_particles_give_their_mass_to_cells_in_any_order(ranks):
    """https://github.com/AMReX-Codes/amrex/issues/4669, quokka-astro/quokka/pull/1328"""
    random = np.random.default_rng(6)
    cells, mass = random.integers(0, 9, 2000), random.lognormal(0, 9, 2000)
    want = [math.fsum(mass[cells == c]) for c in range(9)]
    order = np.random.default_rng(ranks).permutation(2000)
    assert upsweep.group_reduce(cells[order], mass[order], "exact_sum").values.tolist() == want
    of_ranks = np.array_split(order, ranks)
    assert [
        joined("exact_sum", [mass[r[cells[r] == c]] for r in of_ranks]) for c in range(9)
    ] == want


@pytest.mark.parametrize("chunks", [1, 3, 7])
def test_gaps_are_filled_from_earlier_chunks(chunks):
    """https://github.com/cubed-dev/cubed/issues/277: ffill as a scan by a user's operator."""
    x = np.random.default_rng(9).normal(size=500)
    x[x > 0] = math.nan
    front = upsweep.Partial(lambda a, b: a if math.isnan(b) else b)
    filled = [front.scan(chunk) for chunk in np.array_split(x, chunks)]
    assert np.array_equal(np.concatenate(filled), upsweep.ffill(x), equal_nan=True)


@pytest.mark.parametrize("ranks", [2, 3, 8])
def test_operators_keep_the_order_of_ranks(ranks):
    """https://github.com/open-mpi/ompi/pull/12258 and faasm/faabric/issues/33: each rank in its
    own order; mpi4py/mpi4py/issues/156: of any size."""
    texts = np.array([f"<{i}>" * (i % 3) for i in range(40)], object)
    sent, begin = [], 0
    for piece in np.array_split(texts, ranks):
        sent.append(upsweep.Partial(lambda a, b: a + b, begin=begin).push(piece))
        begin += len(piece)
    np.random.default_rng(ranks).shuffle(sent)
    assert upsweep.Partial.join(sent).result() == "".join(texts)


@pytest.mark.parametrize("rows", [1, 7, 64, 512])
def test_sums_of_a_raster_do_not_depend_on_the_rows_read_at_once(rows):
    """https://github.com/quantifyearth/yirgacheffe/pull/8: float32 summed in float64, by blocks."""
    x = np.random.default_rng(10).lognormal(0, 5, (300, 70)).astype(np.float32)
    total = upsweep.Partial(dtype=np.float64)
    for i in range(0, len(x), rows):
        total.push(x[i : i + rows])
    assert total.result() == upsweep.sum(x, dtype=np.float64)


@pytest.mark.parametrize("ranks", [1, 4, 9])
def test_sums_of_glaciers_do_not_depend_on_processes(ranks):
    """https://github.com/ESCOMP/CISM/pull/78: a sum for each glacier, wherever its cells are."""
    random = np.random.default_rng(11)
    glaciers, ice = random.integers(0, 6, 3000), random.lognormal(0, 9, 3000)
    cells = np.array_split(random.permutation(3000), ranks)
    sums = [joined("exact_sum", [ice[c[glaciers[c] == g]] for c in cells]) for g in range(6)]
    assert sums == [math.fsum(ice[glaciers == g]) for g in range(6)]


def test_layers_add_up_to_the_whole():
    """https://github.com/mom-ocean/MOM6/pull/1099: sums of layers and of all, by one message."""
    layers = np.random.default_rng(12).normal(size=(5, 900)) * 10.0 ** np.arange(0, 20, 4)[:, None]
    message = pickle.dumps([
        [upsweep.Partial("exact_sum", begin=b + from_).push(part) for from_ in (0, 900 * k)]
        for k, layer in enumerate(layers)
        for b, part in zip((0, 400), np.split(layer, [400]), strict=True)
    ])  # fmt: skip
    of_layers, of_all = zip(*pickle.loads(message), strict=True)
    sums = [upsweep.Partial.join(of_layers[i : i + 2]).result() for i in range(0, 10, 2)]
    assert sums == [math.fsum(layer) for layer in layers]
    assert upsweep.Partial.join(of_all).result() == math.fsum(layers.ravel())
