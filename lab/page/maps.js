// The memory of one step: the banks of shared memory, or the sectors of global memory, and which lanes touch them.

const words_of = (trace, cell) => {
  const buffer = trace.buffers[cell[3]], first = (buffer.offset || 0) + cell[1] * buffer.bytes;
  const words = [];
  for (let at = first; at < first + Math.max(4, buffer.bytes); at += 4) words.push(Math.floor(at / 4));
  return words;
};

const map_captions = {
  shared: "The 32 banks of shared memory. A cell is a word, with the lane that accesses it (∗: several lanes). Several words in one bank are a bank conflict: each takes a pass.",
  global: "Global memory in sectors of 32 bytes. A number is the lane that accesses the element; colored sectors are transferred.",
};
const caption = (text) => `<p class="quiet">${text}</p>`;

// A column for each bank, in two halves, which fit on a phone; every distinct word that a bank must deliver has its own cell in the
// bank's column. The tallest column is the number of passes for elements of 4 bytes.
function bank_map(trace, step) {
  const banks = Array.from({ length: 32 }, () => new Map());
  for (const cell of step.cells)
    for (const word of words_of(trace, cell)) {
      const bank = banks[word % 32];
      if (!bank.has(word)) bank.set(word, []);
      bank.get(word).push(cell[0]);
    }
  const tallest = Math.max(1, ...banks.map((b) => b.size)), w = 20, h = 18, half = 20 + tallest * h;
  let body = "";
  banks.forEach((bank, b) => {
    const x = (b % 16) * w, y = b < 16 ? 0 : half;
    if (b % 4 === 0) body += `<text class="head" x="${x + w / 2}" y="${y + 12}">${b}</text>`;
    for (let level = 0; level < tallest; ++level) {
      const entry = [...bank.entries()][level];
      const hit = entry ? (level > 0 ? "hit again" : "hit") : "free";
      body += `<g class="${hit}"><rect x="${x + 0.75}" y="${y + 16 + level * h}" width="${w - 1.5}" height="${h - 1.5}" rx="2"/>`;
      if (entry) body += `<title>bank ${b}, word ${entry[0]}: lane ${entry[1].join(", ")}</title><text x="${x + w / 2}" y="${y + 16 + level * h + 12.5}">${entry[1].length > 1 ? "∗" : entry[1][0]}</text>`;
      body += "</g>";
    }
  });
  return map_svg(16 * w, 2 * half, body);
}

// The 32-byte sectors of the buffers that the step touches, four to a 128-byte line, with the elements in them.
function sector_map(trace, step) {
  let body = "", y = 0, width = 0;
  for (const b of step.buffers) {
    const buffer = trace.buffers[b], per = Math.max(1, Math.floor(32 / buffer.bytes)), cells = step.cells.filter((c) => c[3] === b);
    const lanes = new Map(cells.map((c) => [c[1], c[0]])), touched = new Set(cells.map((c) => Math.floor(c[1] / per)));
    const sectors = Math.ceil(buffer.count / per), w = 18, per_row = Math.max(1, Math.floor(330 / (per * w + 6)));
    const rows = [...new Set([...Array(sectors).keys()].filter((s) => sectors <= 16 || touched.has(s)).map((s) => Math.floor(s / per_row)))];
    body += `<text class="name" x="0" y="${y + 13}">${escaped(buffer.name)}: ${touched.size} of ${sectors} sector${sectors === 1 ? "" : "s"}</text>`;
    y += 18;
    for (const row of rows) {
      for (let s = row * per_row; s < Math.min(sectors, (row + 1) * per_row); ++s) {
        const x = (s - row * per_row) * (per * w + 6);
        body += `<rect class="sector ${touched.has(s) ? "touched" : ""}" x="${x + 0.75}" y="${y}" width="${per * w}" height="17" rx="3"/>`;
        for (let e = 0; e < per && s * per + e < buffer.count; ++e) {
          const lane = lanes.get(s * per + e);
          body += lane === undefined ? `<circle cx="${x + e * w + w / 2}" cy="${y + 8.5}" r="1.5" class="idle"/>` : `<text x="${x + e * w + w / 2}" y="${y + 13}">${lane}</text>`;
        }
        width = Math.max(width, x + per * w + 2);
      }
      y += 21;
    }
  }
  return map_svg(Math.max(width, 220), y + 2, body);
}

const map_svg = (width, height, body) => `<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Memory of this step"><style>
#map text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); text-anchor: middle; } #map .head { fill: var(--quiet); } #map .name { text-anchor: start; font-size: 12px; }
#map .free rect { fill: var(--field); } #map .hit rect { fill: color-mix(in srgb, var(--load) 30%, var(--paper)); stroke: var(--load); }
#map .again rect { fill: color-mix(in srgb, var(--atomic) 30%, var(--paper)); stroke: var(--atomic); } #map .idle { fill: var(--line); }
#map .sector { fill: var(--field); stroke: var(--line); } #map .touched { fill: color-mix(in srgb, var(--load) 22%, var(--paper)); stroke: var(--load); }
</style>${body}</svg>`;
