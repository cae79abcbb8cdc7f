"""What programs of strangers met: words that are refused by name, calls inside of a capture, sizes
that --set reaches, notes about arrays, and findings that belong together.
"""

import subprocess
import sys
import unittest

from program_test import ProgramTest, program, supported
from support import TOOL

MANY = """
#include <cuda_runtime.h>
__global__ void scans(float* out, float const* in) {
  __shared__ float s[64];
  int const t = threadIdx.x;
  s[t] = in[t];
  if (t % 32 >= 1) s[t] += s[t - 1];
  if (t % 32 >= 2) s[t] += s[t - 2];
  if (t % 32 >= 4) s[t] += s[t - 4];
  if (t % 32 >= 8) s[t] += s[t - 8];
  out[t] = s[t];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 256);
  cudaMemset(x, 0, 256);
  scans<<<1, 64>>>(y, x);
}
"""
TWO = """
#include <cuda_runtime.h>
__global__ void halves(int* x) {
  extern __shared__ int a[];
  extern __shared__ float b[];
  a[threadIdx.x] = 1;
  b[threadIdx.x] = 2;
  x[threadIdx.x] = a[threadIdx.x];
}
__global__ void other(int* x) {
  extern __shared__ int a[];
  x[threadIdx.x] = a[threadIdx.x] = 1;
}
int main() {
  int* x;
  cudaMalloc(&x, 128);
  NAME<<<1, 32, 256>>>(x);
}
"""


class Strangers(ProgramTest):
    def said(self, *args, status):
        done = subprocess.run([TOOL, *args], capture_output=True, text=True, cwd=self.path)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_words_of_old_programs_are_refused_by_name(self):
        for macro, *parts in [
            ("SHFL", "refused.cu:10:", "has no __shfl: ", "use __shfl_sync(mask"),
            ("SHFL_DOWN", "use __shfl_down_sync(mask"),
            ("BALLOT", "use __ballot_sync(mask"),
            ("ANY", "use __any_sync(mask"),
            ("RESOURCE", "has no cudaResourceDesc", "pass a pointer to the kernel"),
            ("FORMAT", "has no cudaChannelFormatKind", "pass a pointer to the kernel"),
            ("CHANNEL", "has no cudaCreateChannelDesc", "pass a pointer to the kernel"),
            ("HELPER", "helper_timer.h", "-I", "cuda-samples"),
        ]:
            said = self.said("run", f"-D{macro}", program("refused"), status=3)
            for part in parts:
                self.assertIn(part, said, macro)

    def test_sizes_in_main_can_be_set(self):
        self.assertIn("16 32\n", self.said("run", program("refused"), status=0))
        self.assertIn("5 32\n", self.said("run", "--set", "n=5", program("refused"), status=0))
        both = self.said(
            "run", "--set", "threads=64", "--set", "n=1 << 20", program("refused"), status=0
        )
        self.assertIn("1048576 64\n", both)
        said = self.said("run", "--set", "nn=5", program("refused"), status=2)
        self.assertIn("no variable of main", said)

    def test_calls_that_a_capture_does_not_allow(self):
        for which, inside in [
            (1, "cudaErrorStreamCaptureUnsupported"),
            (2, "cudaErrorStreamCaptureUnsupported"),
            (3, "cudaErrorStreamCaptureUnsupported"),
            (4, "cudaErrorStreamCaptureUnsupported"),
            (5, "cudaErrorStreamCaptureImplicit"),
            (7, "cudaErrorStreamCaptureImplicit"),  # a launch in the default stream
            (8, "cudaErrorStreamCaptureImplicit"),
            (9, "cudaErrorStreamCaptureImplicit"),
        ]:
            run = self.json(program("capture"), str(which), status=1)
            self.assertEqual([f["kind"] for f in run["findings"]], ["refused call"])
            self.assertIn("captures", run["findings"][0]["sentence"])
            self.assertEqual(
                self.printed, f"{inside} / cudaErrorStreamCaptureInvalidated\ncudaSuccess\n"
            )
        for which in (0, 6, 10):
            self.json(program("capture"), str(which), status=0)
            self.assertEqual(self.printed, "cudaSuccess / cudaSuccess\ncudaSuccess\n")

    def test_findings_of_one_cause_are_one(self):
        path = self.file("many.cu", MANY)
        (finding,) = self.json(path, status=1)["findings"]
        self.assertEqual((finding["kind"], finding["page"]), ("race in a block", "race_in_a_block"))
        self.assertGreater(finding["others"], 3)
        self.assertGreater(finding["occurrences"], finding["others"])
        said = self.said("run", path, status=1)
        self.assertEqual(said.count("__syncwarp()"), 1)
        self.assertIn("\nrace_in_a_block: thread ", said)
        self.assertIn(f"of {finding['others'] + 1} pairs of lines)", said)

    def test_a_total_that_nobody_has_set_is_found(self):
        run = self.json(program("unset_total"), status=1)
        (finding,) = run["findings"]
        self.assertIn("reads element 0 of buffer 'total'", finding["sentence"])
        self.assertIn("never been written", finding["sentence"])
        self.json(program("unset_total"), "1", status=0)
        self.assertEqual(self.printed, "right: 1\n")

    def test_a_halo_beyond_the_array_is_found(self):
        run = self.json(program("written_file"), status=1)
        (finding,) = run["findings"]
        self.assertIn("reads element -1 of buffer 'in'", finding["sentence"])
        self.assertEqual(self.printed, "closed: 0, missing: 1\n")

    def test_a_product_of_tiles_is_no_loop_that_waits(self):
        run = self.json(program("deep_product"), status=0)
        self.assertEqual((self.printed, run["findings"]), ("right\n", []))

    def test_explain_knows_the_findings(self):
        for name in ("missing_fence", "missing-fence", "missing fence"):
            self.assertIn("# Missing fence", self.said("explain", name, status=0))

    def test_two_dynamic_arrays_have_one_address(self):
        said = self.said("run", self.file("two.cu", TWO.replace("NAME", "halves")), status=0)
        self.assertIn("two.cu:5: 'a' and 'b' begin at one address", said)
        first, second = TWO.split("__global__ void other")
        alone = first.replace(
            "  extern __shared__ float b[];\n  a[", "  float* b = (float*)a;\n  a["
        )
        text = (alone + "__global__ void other" + second).replace("NAME", "other")
        said = self.said("run", self.file("one.cu", text), status=0)
        self.assertNotIn("begin at one address", said)


if __name__ == "__main__":
    if not supported():
        sys.exit(77)
    unittest.main()
