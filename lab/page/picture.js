// Draws a trace as SVG text: the grid of lanes and steps, and the combining tree. Pure functions of the trace; nothing here touches the page.

const kinds = {
  load: { mark: "↓", verb: "read" }, store: { mark: "↑", verb: "write" }, apply: { mark: "⊕", verb: "combine" },
  shuffle: { mark: "⇄", verb: "shuffle" }, vote: { mark: "?", verb: "vote" }, atomic: { mark: "✱", verb: "atomic" },
  atomic_read: { mark: "◎", verb: "atomic read" },
  fence: { mark: "‖", verb: "fence" }, barrier: { mark: "═", verb: "barrier" }, cluster_barrier: { mark: "≡", verb: "cluster barrier" }, warp_sync: { mark: "─", verb: "warp barrier" },
};

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const shortened = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);
const is_of_tasklets = (trace) => trace.stem.startsWith("tasklet_");  // a core without warps, banks and sectors
const is_line = (kind) => kind.endsWith("barrier") || kind === "warp_sync" || kind === "fence";

// The colors of an exported picture; on the page they come from page.css.
const print_colors = "--paper:#fff;--ink:#1b1f24;--quiet:#59626d;--line:#d5dbe1;--field:#f3f5f8;--now:#fff4d6;--load:#0072b2;" +
  "--store:#b35900;--apply:#007a5a;--shuffle:#a0467b;--atomic:#c43d00;--later:#68717c;--wrong:#d4002a";
const picture_style = `
text { font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: var(--ink); text-anchor: middle; font-variant-numeric: tabular-nums; }
.small, .head, .line { fill: var(--quiet); } .line { text-anchor: end; } .label { text-anchor: start; }
.band { fill: transparent; } .now > .band { fill: var(--now); } 
.cell rect { fill: var(--paper); stroke-width: 1.5; } .idle { fill: var(--line); }
.load rect { stroke: var(--load); } .store rect { stroke: var(--store); fill: color-mix(in srgb, var(--store) 16%, var(--paper)); }
.apply rect { stroke: var(--apply); fill: color-mix(in srgb, var(--apply) 18%, var(--paper)); }
.shuffle rect, .vote rect { stroke: var(--shuffle); stroke-dasharray: 4 2; } .atomic rect, .atomic_read rect { stroke: var(--atomic); } .atomic rect { stroke-width: 2.5; }
.waits rect { fill: color-mix(in srgb, var(--atomic) 18%, var(--paper)); stroke-dasharray: 2 2; } .step { fill: var(--quiet); text-anchor: start; }
.nothing rect { fill: url(#hatched); stroke-dasharray: 2 2; } .hatch { fill: var(--paper); } .hatch-line { stroke: var(--line); stroke-width: 3; }
.found rect { stroke: var(--wrong); stroke-width: 4; stroke-dasharray: none; } .sync { stroke: var(--quiet); stroke-width: 3; } .sync.warp_sync { stroke-width: 1.5; stroke-dasharray: 5 3; } .sync.fence { stroke-width: 1.5; stroke-dasharray: 2 3; }
.arrow { fill: none; stroke: var(--load); stroke-width: 1.6; } .arrow.own { stroke: var(--quiet); stroke-width: 1; stroke-dasharray: 2 3; }
.arrow.shuffle { stroke: var(--shuffle); } .tip { fill: var(--load); } .tip.shuffle { fill: var(--shuffle); }
.arrows { visibility: hidden; } .now > .arrows, .all-arrows .arrows { visibility: visible; } .all-arrows .later > .arrows { visibility: hidden; }
.split { stroke: var(--line); } .launch { text-anchor: start; font-weight: 600; }
.edge { stroke: var(--quiet); fill: none; stroke-width: 1.3; } .edge.earlier { stroke: var(--load); stroke-width: 1.8; }
.node rect { stroke: var(--apply); stroke-width: 1.5; fill: color-mix(in srgb, var(--apply) 18%, var(--paper)); }
.node.leaf rect { stroke: var(--load); fill: var(--paper); } .node.result rect { stroke-width: 3; }
.landing rect { stroke: var(--store); stroke-width: 1.5; fill: color-mix(in srgb, var(--store) 16%, var(--paper)); } .lands { fill: none; stroke: var(--store); stroke-width: 1.3; stroke-dasharray: 4 3; } .note { text-anchor: start; }
.race { fill: none; stroke: var(--wrong); stroke-width: 2.2; stroke-dasharray: 6 3; } .race-tip, .race-word { fill: var(--wrong); } .race-word { font-weight: 600; text-anchor: start; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.passes, .head.clash { fill: var(--atomic); font-weight: 600; } .passes { text-anchor: end; } .bank { fill: color-mix(in srgb, var(--atomic) 14%, var(--paper)); } .clash rect { stroke: var(--atomic); stroke-width: 2.5; } .rest rect { stroke: var(--line); }
.entry rect { fill: var(--paper); stroke: var(--atomic); stroke-width: 1.5; } .publish rect { fill: color-mix(in srgb, var(--store) 16%, var(--paper)); stroke: var(--store); } .wait rect { fill: color-mix(in srgb, var(--atomic) 18%, var(--paper)); stroke-dasharray: 3 2; }
.life { stroke: var(--line); stroke-width: 2; } .later .arrow { stroke: var(--line); } .later .tip { fill: var(--line); } .now > .entry rect { stroke-width: 3; }
.node.now rect, .edge.now { stroke: var(--store); stroke-width: 3; }
.later text { fill: var(--later); } .later rect:not(.band) { fill: var(--paper); stroke: var(--line); } .later .nothing rect { fill: url(#hatched); }
.later .nothing text { fill: var(--quiet); } .later .found rect { stroke: var(--wrong); } .later .sync, .edge.later { stroke: var(--line); }`;

// The pattern of cells that are no data: what was never written, and a compare-and-swap that failed.
const hatched = '<defs><pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">' +
  '<rect class="hatch" width="6" height="6"/><path class="hatch-line" d="M0 0V6"/></pattern></defs>';

const svg_of = (width, height, body, standalone) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"` +
  `${standalone ? ` style="${print_colors};background:#fff"` : ""}><style>${picture_style}</style>${body.includes(" nothing") ? hatched : ""}${body}</svg>`;

const column_of = (launch, step, lane) => step.block * launch.threads + step.warp * 32 + lane;
const crosses = (launch, step, cell) => cell[4] !== undefined && cell[5] !== column_of(launch, step, cell[0]);
const gutter = 8, label_length = 27, name_length = 32;  // between the cells of two columns, for long arrows; letters of a row's label, of a kernel's name
const has_numbers = (row) => !row.every((step) => is_line(step.kind));

// The geometry of the grid. Columns are threads, block by block; every launch has its own heading. `narrow` columns and `low` rows show
// more threads and more steps; their cells have no numbers.
function layout(trace, { narrow, low } = {}) {
  let longest = 2;
  for (const row of trace.rows) for (const step of row) for (const cell of step.cells)
    longest = Math.max(longest, cell[2].length + (is_failed(step, cell[0]) ? 2 : 0), cell[3] >= 0 ? String(cell[1]).length + 1 : 0);
  const labels = trace.rows.map((row) => row_label(trace, row).length);
  const width = narrow ? 13 : Math.max(38, Math.min(longest, 14) * 7.2 + 14), block_gap = 22, tall = low ? 16 : 38, cell = low ? 11 : 31;
  const names = trace.launches.map((launch) => launch.name.length);
  const label = Math.max(96, Math.min(label_length, Math.max(...labels)) * 6.6 + 36, Math.min(name_length, Math.max(...names)) * 7.4 + 12);
  const tops = [], heads = [], rooms = [];
  let y = 4, launch = -1;
  trace.rows.forEach((row, r) => {
    if (row[0].launch !== launch) {
      launch = row[0].launch;
      heads.push({ launch, y });
      y += 40;
    }
    rooms[r] = row.some((step) => step.cells.some((cell) => crosses(trace.launches[step.launch], step, cell))) ? 20 : 0;  // for the arrows
    y += rooms[r] + (differs(trace, row) && !narrow ? 13 : 0);  // and for a label of each warp above them
    tops[r] = y;
    y += has_numbers(row) ? tall : 16;
  });
  const left = (column, threads) => column * width + Math.floor(column / threads) * block_gap + Math.floor((column % threads) / 32) * 16 + 14;
  // As wide as the last thread, the name of the last block and what is written beside the arrow of a race need.
  const ends = trace.launches.flatMap((l) => [left(l.blocks * l.threads - 1, l.threads) + width, l.blocks > 1 ? left((l.blocks - 1) * l.threads, l.threads) + 50 : 0]);
  for (const { from, to, what } of trace.pairs ?? []) {
    const { threads } = trace.launches[trace.rows[from[0]][0].launch];
    ends.push((left(from[1], threads) + left(to[1], threads) + width) / 2 + 8 + 7.5 * what.length);
  }
  const columns = Math.max(...ends) + 6;
  return { width, label, left, tops, rooms, heads, columns, height: y + 6, tall, cell, gutter: narrow ? 2 : gutter, named: !narrow, numbered: !narrow && !low };
}
const is_failed = (step, lane) => step.failed?.includes(lane) || false;
const is_unwritten = (step, lane) => step.unwritten?.includes(lane) || false;
const name_of = (trace, step) => {
  const names = [...new Set(step.buffers.map((b) => trace.buffers[b].name))];
  return names.join(", ");
};

function cell_svg(trace, place, launch, step, cell, top) {
  const [lane, index, value, buffer] = cell, x = place.left(column_of(launch, step, lane), launch.threads) + place.gutter / 2, w = place.width - place.gutter;
  const in_buffer = buffer >= 0, round = step.kind === "apply" ? 11 : 4;
  const found = step.found?.includes(lane) ? " found" : "", failed = is_failed(step, lane);
  const look = failed || is_unwritten(step, lane) ? " nothing" : step.times > 1 ? " waits" : "";
  return `<g class="cell ${step.kind}${look}${found}"><title>${escaped(describe_cell(trace, step, cell))}</title>` +
    `<rect x="${x}" y="${top + 3}" width="${w}" height="${in_buffer ? place.cell : Math.min(24, place.cell)}" rx="${round}"/>` +
    (!place.numbered ? "" : `<text x="${x + w / 2}" y="${top + (in_buffer ? 16 : 19)}">${failed ? "✗ " : ""}${escaped(shortened(value, 14))}</text>`) +
    (in_buffer && place.numbered ? `<text class="small" x="${x + w / 2}" y="${top + 30}">[${index}]</text>` : "") + "</g>";
}

// Whether rows with numbers lie between the two.
const passes_numbers = (trace, from, to) => trace.rows.slice(from + 1, to).some(has_numbers);

function arrow_svg(trace, place, launch, step, cell, row) {
  const top = place.tops[row];
  const [lane, , , , from_row, from_column] = cell;
  if (from_row === undefined) return "";
  const middle = (column) => place.left(column, launch.threads) + place.width / 2;
  const column = column_of(launch, step, lane), x = middle(column), shuffled = step.kind === "shuffle" ? " shuffle" : "";
  if (trace.rows[from_row][0].launch !== step.launch) return "";
  const own = from_column === column, x0 = middle(from_column), y0 = place.tops[from_row] + place.cell + 4, y = own ? top + 2 : top - 4;
  let path;
  if (passes_numbers(trace, from_row, row)) {  // down between two columns, then across above the row
    const beside = from_column < column ? x0 + place.width / 2 - 1.5 : x0 - place.width / 2 + 1.5;
    path = `M${x0} ${y0 - 1}Q${beside} ${y0} ${beside} ${y0 + 8}` +
      (own ? `V${y - 5}Q${beside} ${y - 1} ${x} ${y}` : `V${y - 16}C${beside} ${y - 4} ${x} ${y - 12} ${x} ${y}`);
  } else {
    const bend = (y - y0) * 0.6;
    path = own ? `M${x0} ${y0}V${y}` : `M${x0} ${y0}C${x0} ${y0 + bend} ${x} ${y - bend} ${x} ${y}`;
  }
  if (own) return `<path class="arrow own" d="${path}"/>`;
  return `<path class="arrow${shuffled}" d="${path}"/><path class="tip${shuffled}" d="M${x} ${top + 3}l-4 -8h8z"/>`;
}

function step_svg(trace, place, step, top, marked, above) {
  const launch = trace.launches[step.launch], first = step.block * launch.threads + step.warp * 32;
  const last = Math.min(first + 31, (step.block + 1) * launch.threads - 1);
  // If warps do different things at the same time, each is labeled.
  const room = Math.floor((Math.min(32, launch.threads) * place.width) / 7), what = label_of(trace, step) + (step.line > 0 ? ` · ${step.line}` : "");
  const mark = marked && place.named ? `<text class="step" x="${place.left(first, launch.threads) + 4}" y="${top - above}">${escaped(shortened(what, room))}</text>` : "";
  if (is_line(step.kind)) {
    const from = place.left(first, launch.threads), to = place.left(last, launch.threads) + place.width;
    return mark + `<line class="sync ${step.kind}" x1="${from}" x2="${to}" y1="${top + 8}" y2="${top + 8}"/>`;
  }
  const busy = new Set(step.cells.map((cell) => cell[0]));
  let idle = "";
  for (let column = first; column <= last; ++column)
    if (!busy.has(column - first)) idle += `<circle class="idle" cx="${place.left(column, launch.threads) + place.width / 2}" cy="${top + place.tall / 2}" r="${place.named ? 2 : 1.5}"/>`;
  return mark + idle + step.cells.map((cell) => cell_svg(trace, place, launch, step, cell, top)).join("");
}

// A step of compare-and-swaps of which some failed is one of attempts, even if none has changed anything.
const mark_of = (step) => kinds[step.failures ? "atomic" : step.kind].mark;
const label_of = (trace, step) => `${mark_of(step)} ${step.failures ? "swap" : step.times > 1 ? "wait for" : kinds[step.kind].verb}` +
  `${step.buffers.length ? " " + name_of(trace, step) : ""}${step.failures ? ` (${step.failures} failed)` : step.times > 1 ? ` (${step.times} reads)` : ""}`;
const differs = (trace, row) => row.some((step) => label_of(trace, step) !== label_of(trace, row[0]));

function row_label(trace, row) {
  const different = [...new Set(row.map((step) => label_of(trace, step)))];
  return different.length === 1 ? different[0] : [...new Set(row.map(mark_of))].join(" ");
}

// `part` is "labels", "cells" or "all"; on the page the labels stay in place while the cells scroll.
function steps_svg(trace, part, options = {}) {
  const place = layout(trace, options), cells = part !== "labels", labels = part !== "cells", shift = part === "all" ? place.label : 0;
  const width = (labels ? place.label : 0) + (cells ? place.columns : 0);
  let body = "";
  for (const head of place.heads) {
    const launch = trace.launches[head.launch];
    if (labels) body += `<text class="launch" x="6" y="${head.y + 14}">${escaped(shortened(launch.name, name_length))}</text><text class="head label" x="6" y="${head.y + 32}">thread</text>`;
    if (!cells) continue;
    for (let c = 0; c < launch.blocks * launch.threads; ++c) {
      const x = shift + place.left(c, launch.threads);
      if (place.named || (c % launch.threads) % 8 === 0) body += `<text class="head" x="${x + place.width / 2}" y="${head.y + 32}">${c % launch.threads}</text>`;
      if (c % launch.threads === 0 && launch.blocks > 1) body += `<text class="launch" x="${x + 4}" y="${head.y + 14}">block ${c / launch.threads}</text>`;
    }
  }
  trace.rows.forEach((row, r) => {
    const top = place.tops[r], line = !has_numbers(row), height = line ? 16 : place.tall, text = top + (height === 16 ? 12 : 23);
    const passes = Math.max(...row.map((step) => (is_of_tasklets(trace) ? 0 : step.wavefronts || 0)));
    body += `<g class="row" data-row="${r}"><rect class="band" x="0" y="${top}" width="${width}" height="${height}"/>`;
    if (labels) body += `<text class="label${line ? " small" : ""}" x="6" y="${text}">${escaped(shortened(row_label(trace, row), label_length))}</text>` +
      `<text class="line" x="${place.label - 6}" y="${text}">${row[0].line > 0 && !differs(trace, row) ? row[0].line : ""}</text>` +
      (passes > 1 && place.tall > 16 ? `<text class="passes" x="${place.label - 6}" y="${text + 13}">${passes} passes<title>${plural(passes - 1, "bank conflict")}</title></text>` : "");
    if (cells) body += `<g transform="translate(${shift} 0)">${row.map((step) => step_svg(trace, place, step, top, differs(trace, row), place.rooms[r])).join("")}</g>` +
      `<g class="arrows" transform="translate(${shift} 0)">${row.map((step) => step.cells.map((cell) => arrow_svg(trace, place, trace.launches[step.launch], step, cell, r)).join("")).join("")}</g>`;
    body += "</g>";
  });
  if (cells) body += `<g transform="translate(${shift} 0)">${(trace.pairs || []).map((pair) => race_svg(trace, place, pair)).join("")}</g>`;
  return svg_of(width, place.height, `<g class="${options.arrows ? "all-arrows" : ""}">${body}</g>`, options.standalone);
}

// The two accesses of a race, with a head at both ends, since nothing says which is first.
function race_svg(trace, place, pair) {
  const [[row, column], [other_row, other]] = [pair.from, pair.to].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const threads = trace.launches[trace.rows[row][0].launch].threads, middle = (c) => place.left(c, threads) + place.width / 2;
  const x0 = middle(column), x1 = middle(other), same = row === other_row, y0 = place.tops[row] + (same ? 2 : place.cell + 4), y1 = place.tops[other_row] + 2;
  const [c0, c1] = same ? [y0 - 26, y0 - 26] : [y0 + Math.max(14, (y1 - y0) / 2), y1 - Math.max(14, (y1 - y0) / 2)];
  const head = (x, y, up) => `<path class="race-tip" d="M${x} ${y}l-5 ${up ? 9 : -9}h10z"/>`;
  return `<g><title>${escaped(pair.sentence)}</title><path class="race" d="M${x0} ${y0}C${x0} ${c0} ${x1} ${c1} ${x1} ${y1}"/>${head(x0, y0 - (same ? 0 : 1), !same)}${head(x1, y1, false)}` +
    `<text class="race-word" x="${(x0 + x1) / 2 + 8}" y="${same ? y0 - 20 : (y0 + y1) / 2 + 4}">${escaped(pair.what)}</text></g>`;
}

// The combining tree: one column per element, one level per application that depends on the level above.
function tree_svg(trace, options = {}) {
  const nodes = trace.nodes, results = trace.results || [], columns = Math.max(results.length, 1 + Math.max(0, ...nodes.map((n) => n.column))), levels = 1 + Math.max(0, ...nodes.map((n) => n.level));
  const longest = Math.max(2, ...nodes.map((n) => n.value.length)), w = Math.max(36, Math.min(longest, 14) * 7.2 + 16), h = 64;
  const x = (n) => 8 + n.column * w + w / 2, y = (n) => 30 + n.level * h;
  let edges = "", boxes = "";
  for (let c = 0; c < columns; ++c) boxes += `<text class="head" x="${8 + c * w + w / 2}" y="14">${c}</text>`;
  nodes.forEach((n, i) => {
    for (const [side, from] of [[" earlier", n.left], ["", n.right]]) {
      if (from < 0) continue;
      const m = nodes[from], x0 = x(m), y0 = y(m) + 29, x1 = x(n), y1 = y(n);
      edges += x0 === x1 ? `<path class="edge${side}" data-row="${n.row}" d="M${x0} ${y0}V${y1}"/>`
        : `<path class="edge${side}" data-row="${n.row}" d="M${x0} ${y0}C${x0} ${y0 + 20} ${x1} ${y1 - 20} ${x1} ${y1}"/>`;
    }
    boxes += `<g class="node${n.left < 0 ? " leaf" : ""}${n.result ? " result" : ""}" data-row="${n.row}"><title>${escaped(`${n.covers}: ${n.value}`)}</title>` +
      `<rect x="${x(n) - w / 2 + 3}" y="${y(n)}" width="${w - 6}" height="29" rx="${n.left < 0 ? 4 : 11}"/><text x="${x(n)}" y="${y(n) + 13}">${escaped(shortened(n.value, 14))}</text>` +
      `<text class="small" x="${x(n)}" y="${y(n) + 26}">${escaped(shortened(n.covers, Math.floor((w - 8) / 6.6)))}</text></g>`;
  });
  // The results of an exclusive scan land one to the right of the last element that they cover.
  const landing = 30 + levels * h;
  results.forEach((from, i) => {
    const n = nodes[from], to = 8 + i * w + w / 2;
    if (n) edges += `<path class="lands" d="M${x(n)} ${y(n) + 29}C${x(n)} ${y(n) + 49} ${to} ${landing - 20} ${to} ${landing}"/>`;
    boxes += `<g class="landing"><rect x="${to - w / 2 + 3}" y="${landing}" width="${w - 6}" height="29" rx="4"/>` +
      `<text x="${to}" y="${landing + 13}">${n ? escaped(shortened(n.value, 14)) : "id"}</text><text class="small" x="${to}" y="${landing + 26}">[${i}]</text></g>`;
  });
  if (results.length) boxes += `<text class="small note" x="8" y="${landing + 44}">Last row: out. id: the identity. Combinations with it change nothing and are not drawn.</text>`;
  return svg_of(Math.max(16 + columns * w, results.length ? 560 : 0), results.length ? landing + 52 : 6 + levels * h, edges + boxes, options.standalone);
}
