// The view of blocks: what the blocks of a launch publish, read and wait for, as in a look-back. A column for each block, time downwards.

const column_width = 236, column_gap = 34, entry_height = 26;

// {value: name} of an enumeration in the source, if the kernel has one for its flags.
function state_names(trace) {
  for (const file of trace.files)
    for (const [, body] of file.code.matchAll(/enum \w+[^{;]*\{([^}]*)\}/g)) {
      const names = body.split(",").map((name) => name.split("=")[0].trim());
      if (names.every((name) => /^\w+$/.test(name))) return Object.fromEntries(names.map((name, i) => [i, name]));
    }
  return {};
}

// The elements of global memory that one block of a launch writes and another one accesses: "launch buffer index". Of an array with an
// element for each block, such as the flags of a look-back, all elements belong to them, also the last block's, which nobody reads.
function shared_elements(trace) {
  const seen = new Map();
  each_access(trace, 0, trace.rows.length, (name, cell, step) => {
    if (trace.buffers[cell[3]].space === "shared") return;
    const key = `${step.launch} ${cell[3]} ${cell[1]}`;
    if (!seen.has(key)) seen.set(key, { blocks: new Set(), written: false });
    seen.get(key).blocks.add(step.block);
    if (changes(step, cell[0])) seen.get(key).written = true;
  });
  const between = new Set([...seen].filter(([, { blocks, written }]) => written && blocks.size > 1).map(([key]) => key));
  const is_of_blocks = (key) => trace.buffers[key.split(" ")[1]].count <= 2 * trace.launches[key.split(" ")[0]].blocks;
  const arrays = new Set([...between].filter(is_of_blocks).map((key) => key.replace(/ \d+$/, "")));
  return new Set([...seen.keys()].filter((key) => between.has(key) || arrays.has(key.replace(/ \d+$/, ""))));
}

// [{row, launch, block, kind, what, from}]: an entry for each element that a step of a block accesses. Several lanes that find the same are one.
function block_events(trace) {
  const between = shared_elements(trace), names = state_names(trace), polled = new Set(), found = new Map();
  each_access(trace, 0, trace.rows.length, (name, cell, step) => { if (step.kind === "atomic_read") polled.add(cell[3]); });
  each_access(trace, 0, trace.rows.length, (name, cell, step, row) => {
    if (!between.has(`${step.launch} ${cell[3]} ${cell[1]}`)) return;
    const [, index, value, buffer, from_row, from_column] = cell, state = polled.has(buffer) ? names[value] ?? value : value, place = `${trace.buffers[buffer].name}[${index}]`;
    const writes = changes(step, cell[0]), times = step.times || 1;
    const kind = writes ? "publish" : times > 1 ? "wait" : "read";
    const what = (writes ? `${place} ← ${state}` : `${place} is ${state}`) + (times > 1 ? ` (${times} reads)` : "");
    const key = `${row} ${step.block} ${what}`, threads = trace.launches[step.launch].threads;
    if (!found.has(key)) found.set(key, { row, launch: step.launch, block: step.block, kind, what, from: from_row === undefined || writes ? null : [from_row, Math.floor(from_column / threads)] });
  });
  return [...found.values()];
}

// Blocks that take the number of their tile from a counter stand in the order of their tiles.
function tiles_of(trace, launch) {
  const order = [...Array(trace.launches[launch].blocks).keys()].map((block) => ({ block, tile: null }));
  each_access(trace, 0, trace.rows.length, (name, cell, step) => {
    if (step.launch === launch && step.kind === "atomic" && trace.buffers[cell[3]].name === "next_tile") order[step.block].tile = Number(cell[2]) - 1;
  });
  return order.every(({ tile }) => tile !== null) ? order.sort((a, b) => a.tile - b.tile) : order;
}

function block_arrow(writer, x, top, row_top) {
  const lane = 3 * Math.round(writer.x / column_width), side = writer.x < x ? [column_width - column_gap, 6, -1] : [0, -6, 1];
  const start = writer.x + side[0], end = writer.x < x ? x : x + column_width - column_gap;
  return `<path class="arrow" d="M${start} ${writer.y + 11}h${side[1]}V${row_top - 5 - (lane % 9)}H${end + side[2] * 14}V${top + 11}H${end + side[2] * 7}"/><path class="tip" d="M${end} ${top + 11}l${side[2] * 8} -4v8z"/>`;
}

// One launch: the heads of its columns, the entries by rows of the trace, and arrows from what is read to where it was published.
function launch_blocks_svg(trace, launch, events, y, r) {
  const tiles = tiles_of(trace, launch), x_of = new Map(tiles.map(({ block }, i) => [block, 14 + i * column_width])), middle = (column_width - column_gap) / 2, top = y;
  let body = "", arrows = "";
  const last = new Map();  // block -> what it published last
  for (const e of events) if (e.kind === "publish" && e.row <= r) last.set(e.block, e.what);
  for (const { block, tile } of tiles) {
    const x = x_of.get(block) + middle;
    body += `<text x="${x}" y="${y + 16}" font-weight="600">${tile === null ? `block ${block}` : `tile ${tile} (block ${block})`}</text>` +
      `<text class="small" x="${x}" y="${y + 33}">${escaped(shortened(last.has(block) ? `last: ${last.get(block)}` : "nothing published", 30))}</text>`;
  }
  y += 46;
  const where = new Map();
  for (const row of [...new Set(events.map((e) => e.row))].sort((a, b) => a - b)) {
    const used = new Map(), row_top = y;
    let entries = "";
    for (const e of events.filter((e) => e.row === row)) {
      const number = used.get(e.block) || 0, x = x_of.get(e.block), place = y + number * entry_height, writer = e.from && where.get(`${e.from[0]} ${e.from[1]}`);
      used.set(e.block, number + 1);
      where.set(`${row} ${e.block}`, { x, y: place });
      entries += `<g class="entry ${e.kind}"><title>${escaped(`step ${row + 1}, block ${e.block}: ${e.what}`)}</title><rect x="${x}" y="${place}" width="${column_width - column_gap}" height="${entry_height - 4}" rx="4"/>` +
        `<text x="${x + middle}" y="${place + 15}">${escaped(shortened(e.what, 29))}</text></g>`;
      if (writer && writer.x !== x) entries += block_arrow(writer, x, place, row_top);
    }
    y += Math.max(...used.values()) * entry_height + 16;
    arrows += `<g data-row="${row}">${entries}</g>`;
  }
  const lines = tiles.map(({ block }) => `<path class="life" d="M${x_of.get(block) + middle} ${top + 40}V${y}"/>`).join("");
  return [lines + body + arrows, y + 16, 14 + tiles.length * column_width];
}

function blocks_svg(trace, r, options = {}) {
  const events = block_events(trace);
  let body = "", y = 6, width = 0;
  trace.launches.forEach((launch, l) => {
    const own = events.filter((e) => e.launch === l);
    if (!own.length) return;
    const [part, bottom, right] = launch_blocks_svg(trace, l, own, y, r);
    body += part;
    y = bottom;
    width = Math.max(width, right);
  });
  return svg_of(width, y, body, options.standalone);
}
