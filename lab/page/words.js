// A step in words: a line that says what each warp does, and sentences that explain it.

const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

function describe_cell(trace, step, cell) {
  const [lane, index, value, buffer, from_row, from_column] = cell, where = buffer >= 0 ? `${trace.buffers[buffer].name}[${index}]` : "";
  const thread = `thread ${step.warp * 32 + lane} of block ${step.block}`, threads = trace.launches[step.launch].threads;
  const origin = from_row === undefined ? "" : `, from thread ${from_column % threads}${trace.launches[step.launch].blocks > 1 ? ` of block ${Math.floor(from_column / threads)}` : ""}`;
  if (is_failed(step, lane)) return `${thread}: compare-and-swap of ${where} fails: it finds ${value}`;
  if (is_unwritten(step, lane)) return `${thread} reads ${where}, where nothing has been written yet`;
  if (step.kind === "load") return `${thread} reads ${where} = ${value}${origin && `, written by${origin.slice(6)}`}`;
  if (step.kind === "store") return `${thread} writes ${where} = ${value}`;
  if (step.kind === "apply") return `${thread} combines to ${value}`;
  if (step.kind === "shuffle") return `${thread} receives ${value}${origin}`;
  return `${thread}: ${kinds[step.kind].verb} ${where} ${value}`;
}

// The values that a step reads, each with its element: flags, which decide how the kernel goes on.
function values_of(trace, step) {
  const read = [...new Set(step.cells.map(([, index, value, buffer]) => `${trace.buffers[buffer].name}[${index}] = ${value}`))];
  return read.slice(0, 4).join(", ") + (read.length > 4 ? ", …" : "");
}

// What happens in a row, as a sentence for each warp that takes part; warps that do the same share one.
function sentence_of(trace, row) {
  const parts = new Map();
  for (let step of row) {
    const lanes = step.cells.length || step.lanes, of = Math.min(32, trace.launches[step.launch].threads);
    let what = label_of(trace, step);
    if (!is_line(step.kind)) what += `: ${lanes} of ${of} lanes`;
    if (is_of_tasklets(trace)) step = { ...step, wavefronts: 0, sectors: 0 };
    if (step.wavefronts) what += step.wavefronts > 1 ? `, ${plural(step.wavefronts, "wavefront")}: ${plural(step.wavefronts - 1, "bank conflict")}` : ", 1 wavefront, no bank conflict";
    if (step.sectors) what += `, ${plural(step.sectors, "sector")} of 32 bytes`;
    if (step.failures) what += `, ${step.failures} of the swaps failed`;
    else if (step.kind === "atomic_read" || step.times > 1) what += `, which ${lanes === 1 ? "reads" : "read"} ${values_of(trace, step)}`;
    parts.set(what, (parts.get(what) || 0) + 1);
  }
  return [...parts].map(([what, times]) => (times > 1 ? `${what} (${times} warps)` : what)).join("; ");
}

// "0 to 15", "0, 2, … 14", or the first few.
function span_text(numbers) {
  const all = [...new Set(numbers)].sort((a, b) => a - b), stride = all[1] - all[0];
  if (all.length < 4) return all.join(", ");
  if (!all.every((n, i) => n === all[0] + i * stride)) return `${all.slice(0, 4).join(", ")}, …`;
  return stride === 1 ? `${all[0]} to ${all.at(-1)}` : `${all[0]}, ${all[1]}, … ${all.at(-1)}`;
}
const elements_text = (trace, cells) => [...new Set(cells.map((c) => c[3]))].filter((b) => b >= 0)
  .map((b) => `${trace.buffers[b].name}[${span_text(cells.filter((c) => c[3] === b).map((c) => c[1]))}]`).join(", ");

const meanings = {
  barrier: "Every thread of the block waits here for the others. What they wrote before, all may read after.",
  cluster_barrier: "Every thread of the cluster waits here, so that its blocks may read each other's shared memory.",
  warp_sync: "The lanes of the warp wait for each other, and see what the others wrote.",
  fence: "What this thread wrote before becomes visible before what it writes after. Nobody waits.",
  shuffle: "Each lane receives what another lane of its warp holds in a register; no memory is touched.",
  vote: "All lanes of the warp learn one result of all their values.",
  atomic: "Read, change and write are one: no other thread comes between them.",
  atomic_read: "A read that may meet a write of another thread: it sees the value before or after, nothing in between.",
};

// Where the values come from: the steps of the writes, and whether other threads made them.
function origin_text(trace, steps) {
  const known = steps.flatMap((step) => step.cells.filter((c) => c[4] !== undefined).map((c) => [c[4] + 1, crosses(trace.launches[step.launch], step, c)]));
  if (!known.length) return "";
  const rows = known.map(([row]) => row), others = known.filter(([, crossed]) => crossed).length;
  const who = others === known.length ? " by other threads" : others ? `, ${others} of them by other threads` : " by the same threads";
  return ` ${known.length === 1 ? "The value was" : "The values were"} written in step${new Set(rows).size === 1 ? "" : "s"} ${span_text(rows)}${who}.`;
}

// Steps of the warps of a block that do the same on the same line.
function explain_steps(trace, steps) {
  const [step] = steps, launch = trace.launches[step.launch], cells = steps.flatMap((s) => s.cells), threads = steps.flatMap((s) => s.cells.map((c) => s.warp * 32 + c[0]));
  const one = threads.length === 1, s = one ? "s" : "", who = `${one ? "Thread" : "Threads"} ${span_text(threads)}${launch.blocks > 1 ? ` of block ${step.block}` : ""}`, elements = elements_text(trace, cells);
  if (is_line(step.kind)) return meanings[step.kind];
  if (step.times > 1) return `${who} read${s} ${elements} ${step.times} times, until another value is there.`;
  if (step.failures) return `${who} tr${one ? "ies" : "y"} to swap ${elements}; ${step.failures} found another value than expected and must try again.`;
  let text = {
    load: () => `${who} read${s} ${elements}.${origin_text(trace, steps)}`,
    store: () => `${who} write${s} ${elements}.`,
    apply: () => `${who} combine${s} two values; the earlier elements are the left operand.`,
    atomic: () => `${who} change${s} ${elements}. ${meanings.atomic}`,
    atomic_read: () => `${who} read${s} ${values_of(trace, step)}. ${meanings.atomic_read}`,
  }[step.kind]?.() || `${who}: ${meanings[step.kind]}`;
  const idle = steps.reduce((sum, each) => sum + idle_lanes(each), 0);
  if (idle > 0 && !is_of_tasklets(trace)) text += ` ${idle} of the lanes ${idle === 1 ? "is" : "are"} idle.`;
  const passes = Math.max(...steps.map((each) => each.wavefronts || 0));
  if (passes > 1 && !is_of_tasklets(trace)) text += ` A bank delivers one word in a pass: ${passes} passes instead of one.`;
  return text;
}

// The sentences of a row, one for each block and line, and what is wrong with it.
function explain(trace, r) {
  const groups = new Map();
  for (const step of trace.rows[r]) {
    const key = `${step.block} ${step.line} ${label_of(trace, step)}`;
    groups.set(key, [...(groups.get(key) || []), step]);
  }
  const sentences = [...new Set([...groups.values()].map((steps) => explain_steps(trace, steps)))], rest = sentences.length - 3, below = written_below(trace, r);
  const shown = rest > 1 ? [...sentences.slice(0, 3), `${rest} more, of other blocks or lines.`] : sentences;
  return below.length ? [...shown, `The lanes of a step need not run at the same time: some read a value that step${below.length > 1 ? "s" : ""} ${span_text(below)}, drawn below, wrote for them.`] : shown;
}

// The steps below row r that write what lanes of the row read. Some lanes of a step may wait for old values while others have read new ones;
// then the write is below the former, and cannot be above the latter.
function written_below(trace, r) {
  const below = new Set();
  for (const step of trace.rows[r].filter(({ kind }) => kind === "load" || kind === "atomic_read"))
    for (const cell of step.cells) {
      if (cell[3] < 0 || cell[4] !== undefined || is_unwritten(step, cell[0])) continue;
      const name = array_of(trace, step, cell), writes = [];
      each_access(trace, 0, trace.rows.length, (where, other, writer, row) => {
        if (where === name && other[1] === cell[1] && changes(writer, other[0])) writes.push([row, other[2]]);
      });
      const before = writes.filter(([row]) => row < r).at(-1), after = writes.find(([row]) => row > r);
      if (before && after && before[1] !== cell[2] && after[1] === cell[2]) below.add(after[0] + 1);
    }
  return [...below];
}
const wrong_in = (trace, r) => (trace.pairs || []).filter((pair) => pair.from[0] === r || pair.to[0] === r)
  .map((pair) => `${pair.what}, with step ${(pair.from[0] === r ? pair.to[0] : pair.from[0]) + 1}: ${pair.sentence}`);
