// The memory view: what every element holds after the current step, and who touches it in the step. A row is 128 bytes: a line of global
// memory, or the 32 banks of shared memory.

const in_a_row = (buffer) => Math.max(1, Math.min(32, Math.floor(128 / buffer.bytes)));
const array_of = (trace, step, cell) => {  // the array, which of shared memory is that of one block
  const block = step.remote?.find(([lane]) => lane === cell[0])?.[1] ?? step.block;
  return trace.buffers[cell[3]].space === "shared" ? `${cell[3]} ${block}` : `${cell[3]}`;
};
const changes = (step, lane) => (step.kind === "store" || step.kind === "atomic") && !is_failed(step, lane);

function each_access(trace, from, to, visit) {
  for (let r = from; r < to; ++r)
    for (const step of trace.rows[r]) for (const cell of step.cells) if (cell[3] >= 0) visit(array_of(trace, step, cell), cell, step, r);
}

// All arrays that are accessed: Map of name to the elements that are. An element that is read before it is written held that value before.
function arrays_of(trace) {
  const arrays = new Map();
  each_access(trace, 0, trace.rows.length, (name, cell, step) => {
    if (!arrays.has(name)) arrays.set(name, new Map());
    const elements = arrays.get(name);
    if (!elements.has(cell[1])) elements.set(cell[1], changes(step, cell[0]) ? "" : cell[2]);
  });
  return new Map([...arrays].sort(([a], [b]) => {
    const [x, i] = a.split(" ").map(Number), [y, j] = b.split(" ").map(Number);
    return (trace.buffers[x].space === "shared") - (trace.buffers[y].space === "shared") || (i || 0) - (j || 0) || x - y;
  }));
}

// What the elements hold after step r: Map of "array index" to [value, the step that wrote it or -1].
function contents(trace, arrays, r) {
  const held = new Map();
  for (const [name, elements] of arrays) for (const [index, value] of elements) held.set(`${name} ${index}`, [value, -1]);
  each_access(trace, 0, r + 1, (name, cell, step, row) => {
    if (changes(step, cell[0])) held.set(`${name} ${cell[1]}`, [cell[2], row]);
    else if (held.get(`${name} ${cell[1]}`)[1] < 0) held.set(`${name} ${cell[1]}`, [cell[2], -1]);
  });
  return held;
}

// The accesses of the step by element, and by bank the distinct words that a warp asks for: more than one is a conflict.
function touched_in(trace, r) {
  const touched = new Map(), banks = new Map();
  each_access(trace, r, r + 1, (name, cell, step) => {
    const key = `${name} ${cell[1]}`;
    if (!touched.has(key)) touched.set(key, []);
    touched.get(key).push([step, cell]);
    if (trace.buffers[cell[3]].space === "shared" && step.wavefronts > 1)
      for (const word of words_of(trace, cell)) {
        const bank = `${name} ${word % 32}`, warp = `${step.block} ${step.warp}`;
        if (!banks.has(bank)) banks.set(bank, new Map());
        if (!banks.get(bank).has(warp)) banks.get(bank).set(warp, new Set());
        banks.get(bank).get(warp).add(word);
      }
  });
  return { touched, passes: new Map([...banks].map(([bank, warps]) => [bank, Math.max(...[...warps.values()].map((w) => w.size))])) };
}

// "↓3", "↑0 ↓1": the marks of the accesses, with the thread if it is the only one.
function touch_text(all) {
  const kinds_here = [...new Set(all.map(([step]) => step.kind))];
  return kinds_here.map((kind) => {
    const threads = all.filter(([step]) => step.kind === kind).map(([step, cell]) => step.warp * 32 + cell[0]);
    return kinds[kind].mark + (threads.length === 1 ? threads[0] : `×${threads.length}`);
  }).join(" ");
}

function element_svg(trace, x, y, w, held, all, found, clash) {
  const [value, row] = held, kind = all ? (all.find(([step, cell]) => changes(step, cell[0])) || all[0])[0].kind : "rest";
  const nothing = value === "?" ? " nothing" : "", who = all ? all.map(([step, cell]) => describe_cell(trace, step, cell)).join("; ") : row < 0 ? "from before the launch" : `written in step ${row + 1}`;
  return `<g class="cell ${kind}${nothing}${found ? " found" : ""}${clash ? " clash" : ""}"><title>${escaped(who)}</title><rect x="${x + 1}" y="${y}" width="${w - 2}" height="34" rx="3"/>` +
    `<text x="${x + w / 2}" y="${y + (all ? 15 : 21)}"${row < 0 ? ' class="small"' : ""}>${escaped(shortened(value, Math.floor(w / 7)))}</text>${all ? `<text class="small" x="${x + w / 2}" y="${y + 29}">${escaped(touch_text(all))}</text>` : ""}</g>`;
}

function array_svg(trace, name, elements, y, w, margin, now) {
  const [number, block] = name.split(" "), buffer = trace.buffers[number], per = in_a_row(buffer), shared = buffer.space === "shared", words = !is_of_tasklets(trace) && buffer.bytes % 4 === 0 && buffer.bytes <= 128;
  const pad = shared && words ? Math.floor(((buffer.offset || 0) % 128) / buffer.bytes) : 0;  // the first element's place among the banks
  const used = Math.min(per, Math.max(...[...elements.keys()].map((i) => ((i + pad) % per) + 1), buffer.count < per ? Math.min(per, buffer.count + pad) : 0));
  const rows = [...new Set([...elements.keys()].map((i) => Math.floor((i + pad) / per)))].sort((a, b) => a - b);
  const where = shared ? `shared memory${block !== undefined && trace.launches.some((l) => l.blocks > 1) ? ` of block ${block}` : ""}` : "global memory";
  let body = `<text class="launch" x="6" y="${y + 16}">${escaped(buffer.name)}</text><text class="head label" x="${16 + 8 * buffer.name.length}" y="${y + 16}">${where}, ${plural(buffer.count, "element")} of ${plural(buffer.bytes, "byte")}</text>`;
  y += 24;
  if (words) {  // banks, or sectors of 32 bytes
    const step = shared ? 1 : Math.max(1, 32 / buffer.bytes);
    for (let c = 0; c < used; c += step) {
      const bank = (c * buffer.bytes) / 4, passes = shared ? Math.max(0, ...Array.from({ length: buffer.bytes / 4 }, (_, k) => now.passes.get(`${name} ${(bank + k) % 32}`) || 0)) : 0, x = margin + c * w;
      if (passes > 1) body += `<rect class="bank" x="${x}" y="${y}" width="${w}" height="${18 + rows.length * 38}" rx="3"/>`;
      body += shared ? `<text class="head${passes > 1 ? " clash" : ""}" x="${x + w / 2}" y="${y + 13}">${passes > 1 ? `${bank}: ×${passes}` : bank}</text>`
        : `<text class="head label" x="${x + 2}" y="${y + 13}">${used > step || c ? `sector ${c / step}` : "sector"}</text><path class="split" d="M${x} ${y}v18"/>`;
    }
    body += `<text class="head label" x="6" y="${y + 13}">${shared ? "bank" : ""}</text>`;
    y += 18;
  }
  rows.forEach((row, i) => {
    if (i && row !== rows[i - 1] + 1) body += `<text class="head label" x="6" y="${y + 9}">…</text>`, y += 12;
    body += `<text class="head label" x="6" y="${y + 21}">[${Math.max(0, row * per - pad)}]</text>`;
    for (let c = 0; c < used; ++c) {
      const index = row * per + c - pad, x = margin + c * w, key = `${name} ${index}`;
      if (index < 0 || index >= buffer.count) continue;
      if (!elements.has(index)) body += `<circle class="idle" cx="${x + w / 2}" cy="${y + 17}" r="2"/>`;
      else {
        const all = now.touched.get(key), passes = shared && all ? Math.max(...words_of(trace, [0, index, "", Number(number)]).map((word) => now.passes.get(`${name} ${word % 32}`) || 0)) : 0;
        body += element_svg(trace, x, y, w, now.held.get(key), all, all?.some(([step, cell]) => step.found?.includes(cell[0])), passes > 1);
      }
    }
    y += 38;
  });
  return [body, y + 12, margin + used * w];
}

function memory_svg(trace, r, options = {}) {
  const arrays = arrays_of(trace), now = { held: contents(trace, arrays, r), ...touched_in(trace, r) };
  const longest = Math.max(3, ...[...now.held.values()].map(([value]) => value.length));
  const w = Math.max(38, Math.min(longest, 12) * 7.4 + 8), margin = 46;
  let body = "", y = 2, width = 320;
  for (const [name, elements] of arrays) {
    const [part, bottom, right] = array_svg(trace, name, elements, y, w, margin, now);
    body += part;
    y = bottom;
    width = Math.max(width, right + 8);
  }
  return svg_of(width, y, body, options.standalone);
}
