"""The laboratory in a notebook, where there is the tool: in the package, on the PATH, or built."""

import re
import shutil
from pathlib import Path

import pytest
from upsweep import lab

PROGRAM = """
__global__ void twice(float const* in, float* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * 4);
  cudaMalloc(&out, 32 * 4);
  cudaMemset(in, 0, 32 * 4);
  twice<<<1, THREADS>>>(in, out);
  cudaDeviceSynchronize();
}
"""


def test_reports_are_tables(tool):
    report = lab.run("brent_kung", n=64, block=64)
    assert report.data["agrees"] and not report.found
    assert "<td>barriers</td><td>14</td>" in report._repr_html_()
    assert "applications  247" in repr(report)
    both = lab.compare("kogge_stone", "brent_kung", n=64, one_tile=True)
    assert [kernel["stem"] for kernel in both.data] == ["kogge_stone", "brent_kung"]
    assert "<td>kogge_stone</td><td>brent_kung</td>" in both._repr_html_()
    assert lab.verify("serial_scan", quick=True).data["right"]
    assert "Brent and Kung" in repr(lab.explain("brent_kung", values=[6, 2, 7, 4]))


def test_the_calls_on_the_page_run(tool, tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    (block,) = re.findall(r"```python\n(from upsweep import lab\n.*?)```", page, re.S)
    if shutil.which("g++") is None:
        block = "".join(line for line in block.splitlines(True) if ".cu" not in line)
    (tmp_path / "program.cu").write_text(PROGRAM.replace("THREADS", "32"))
    monkeypatch.chdir(tmp_path)
    exec(block, {})


def test_traces_are_pages_in_a_frame(tool):
    trace = lab.trace("kogge_stone", n=8, op="max")
    assert trace.page.startswith("<!") and trace._repr_html_().startswith("<iframe srcdoc=")
    assert len(repr(trace)) < 100


def test_the_tool_refuses_in_its_own_words(tool):
    with pytest.raises(RuntimeError, match="kogge"):
        lab.run("kogge_stome")


def test_a_missing_tool_is_named(monkeypatch):
    monkeypatch.delenv("UPSWEEP_TOOL", raising=False)
    monkeypatch.setenv("PATH", "")
    if not (Path(lab.__file__).parent / "tool").exists():
        with pytest.raises(FileNotFoundError, match="neither in this package nor on the PATH"):
            lab.run("kogge_stone")


@pytest.mark.skipif(shutil.which("g++") is None, reason="CUDA files are compiled by g++")
def test_cells_are_cuda_files(tool):
    magics = {}

    class IPython:
        def register_magic_function(self, function, kind, name):
            magics[kind, name] = function

    lab.load_ipython_extension(IPython())
    cell = magics["cell", "upsweep"]
    assert cell("", PROGRAM.replace("THREADS", "32")).data["findings"] == []
    wrong = cell("run --seed 1", PROGRAM.replace("THREADS", "33"))
    assert wrong.found and "reads element 32 of buffer 'in'" in repr(wrong)
    assert "<iframe" in cell("trace", PROGRAM.replace("THREADS", "32"))._repr_html_()
