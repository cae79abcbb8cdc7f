"""The costs that the patterns' heads state are what the emulator counts."""

import json
import os
import subprocess
import unittest

PATTERNS = os.path.join(os.path.dirname(__file__), "../../../upsweep/textbook/patterns")

# Sizes of the runs without arguments: n elements, in blocks or tiles of 256 unless said otherwise.
N, BLOCKS, WARPS = 1000, 4, 32
KOGGE_STONE = {128: 128 * 7 - 127, 256: 256 * 8 - 255}  # applications of a tile

# Program, arguments, kernel (the nth launch of that name), and its counters; BUFFER.loads and the
# like are those of one buffer.
COSTS = [
    ("coarsening", ["1024", "1"], "coarsened_sum", 0, {"barriers": 16, "atomics": 2}),
    ("coarsening", ["1024", "2"], "coarsened_sum", 0, {"barriers": 8, "in.loads": 1024}),
    (
        "compact_ballots",
        [],
        "compact",
        0,
        {"in.loads": N, "votes": WARPS, "shuffles": WARPS, "atomics": WARPS, "barriers": 0},
    ),
    ("compact_block_scan", [], "count_kept", 0, {"in.loads": N, "barriers": BLOCKS}),
    ("compact_block_scan", [], "scan_counts", 0, {"barriers": 3}),
    ("compact_block_scan", [], "place_kept", 0, {"in.loads": N, "barriers": 3 * BLOCKS}),
    ("convolution_1d", [], "direct", 0, {"in.loads": 5 * N - 6, "out.stores": N}),
    ("convolution_1d", [], "tiled", 0, {"in.loads": N + 4 * 7, "out.stores": N, "barriers": 8}),
    ("convolution_layer", ["3"], "unroll", 0, {"in.loads": 12 * 4, "matrix.stores": 12 * 4}),
    ("convolution_layer", ["3"], "multiply", 0, {"global_loads": 24 * 8, "out.stores": 8}),
    ("histogram", [], "global_atomics", 0, {"histogram.atomics": 3000, "in.loads": 3000}),
    ("histogram", [], "privatised", 0, {"shared:mine.atomics": 3000, "barriers": 2 * 12}),
    ("histogram", [], "privatised", 1, {"shared:mine.atomics": 3000, "barriers": 2 * 4}),
    ("lexing", [], "scan_tiles", 0, {"shared:tile.loads": 8 * KOGGE_STONE[128]}),
    ("list_ranking", [], "jump", 9, {"global_loads": 4 * N, "global_stores": 2 * N}),
    ("matrix_product", [], "straight", 0, {"global_loads": 2 * 50 * 28 * 55}),
    ("matrix_product", [], "tiled", 0, {"barriers": 16 * 2 * 2}),
    ("padding", [], "pad", 0, {"data.loads": 3000, "data.stores": 3000, "barriers": 3 * 6}),
    ("padding", [], "unpad", 0, {"data.loads": 3000, "data.stores": 3000, "fences": 6}),
    (
        "partition",
        [],
        "partition",
        0,
        {"in.loads": N, "out.stores": N, "atomics": 2 * BLOCKS, "barriers": 3 * BLOCKS},
    ),
    ("polynomial", [], "evaluate", 0, {"global_loads": N, "barriers": 2 * BLOCKS}),
    ("quicksort", ["2"], "quicksort", 0, {"barriers": 2 + 2 * (3 + 2 * 10)}),
    ("radix_sort", [], "split", 14, {"keys.loads": N, "other.stores": N, "barriers": 3 * BLOCKS}),
    (
        "recurrence",
        [],
        "scan_tiles",
        0,
        {"shared:tile.loads": BLOCKS * KOGGE_STONE[256], "barriers": 2 * 8 * BLOCKS},
    ),
    ("reduce_tree_warp", ["512"], "with_shuffles", 0, {"barriers": 8 - 5, "shuffles": 5}),
    ("reduce_tree_warp", ["512"], "with_reduce", 0, {"barriers": 8 - 5, "votes": 1}),
    ("reduction_steps", [], "doubling", 0, {"data.stores": 7, "barriers": 2 * 3}),
    ("reduction_steps", [], "halving", 0, {"data.stores": 7, "barriers": 2 * 3}),
    ("run_length_encode", [], "count_runs", 0, {"in.loads": 2 * N - 2, "barriers": BLOCKS}),
    ("segmented_scan", [], "scan_tiles", 0, {"barriers": 2 * 8 * BLOCKS}),
    ("select_in_place", [], "select_in_place", 0, {"data.loads": N, "fences": BLOCKS}),
    ("string_compare", [], "first_mismatch", 0, {"global_loads": 2 * N, "votes": WARPS}),
    ("summed_area_table", [], "scan_rows", 0, {"barriers": 76 * 2 * (2 * 7 + 2)}),
    ("tournament", [], "play", 0, {"winners.stores": 15, "barriers": 2 * 4}),
    ("transpose", [], "tiled<side+1>", 0, {"shared_conflicts": 0, "barriers": 8}),
]


def counter(launch, name):
    if "." not in name:
        return launch["counters"][name]
    buffer, kind = name.split(".")
    return launch["buffers"][buffer][kind]


class Costs(unittest.TestCase):
    def test_the_emulator_counts_what_the_heads_state(self):
        for program, arguments, kernel, nth, expected in COSTS:
            with self.subTest(program=program, kernel=kernel):
                file = os.path.join(PATTERNS, program + ".cu")
                done = subprocess.run(
                    [os.environ["UPSWEEP_TOOL"], "run", "--json", file, "--", *arguments],
                    capture_output=True,
                    text=True,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                launches = json.loads(done.stdout)["launches"]
                launch = [one for one in launches if one["name"] == kernel][nth]
                self.assertEqual({name: counter(launch, name) for name in expected}, expected)


if __name__ == "__main__":
    unittest.main()
