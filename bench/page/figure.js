// Draws a benchmark report: a chart, its legend, a summary and a table. The state is in the URL, so a view can be linked.
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);
const byId = (id) => document.getElementById(id);
const dark = window.matchMedia("(prefers-color-scheme: dark)");

// The palette of Okabe and Ito, which is safe for color-blind readers; lines also differ in markers and dashes.
const looks = {
  "upsweep":        { light: "#0072b2", dark: "#56b4e9", width: 3.5, point: "circle", order: 0 },
  "upsweep-fast":   { light: "#0072b2", dark: "#56b4e9", width: 1.75, dash: [6, 4], point: "circle", hidden: true, order: 1 },
  "upsweep-serial": { light: "#0072b2", dark: "#56b4e9", width: 1.75, dash: [2, 3], point: "circle", hidden: true, order: 2 },
  "cpu":            { light: "#d55e00", dark: "#f0772b", width: 1.75, point: "rectRot", order: 3 },  // compared with a GPU
  "loop":           { light: "#3f4650", dark: "#c9d0d8", width: 1.75, dash: [2, 3], point: "rect", order: 3 },
  "std":            { light: "#c98a00", dark: "#e69f00", width: 1.75, point: "triangle", order: 4 },
  "tbb":            { light: "#d55e00", dark: "#f0772b", width: 1.75, point: "rectRot", order: 5 },
  "openmp":         { light: "#009e73", dark: "#1fc79a", width: 1.75, point: "rect", order: 6 },
  "openmp-simd":    { light: "#009e73", dark: "#1fc79a", width: 1.75, dash: [6, 4], point: "rect", order: 7 },
  "thrust-tbb":     { light: "#b5558a", dark: "#dd8fb9", width: 1.75, point: "crossRot", order: 8 },
  "thrust-omp":     { light: "#b5558a", dark: "#dd8fb9", width: 1.75, dash: [6, 4], point: "crossRot", order: 9 },
  "numpy":          { light: "#8a7c00", dark: "#f0e442", width: 1.75, point: "star", order: 10 },
};
// Styles for peers without an entry above, assigned in the order of the report.
const spare = [
  { light: "#5b6470", dark: "#9aa4b0", width: 1.75, point: "circle" },
  { light: "#c98a00", dark: "#e69f00", width: 1.75, dash: [6, 4], point: "star" },
  { light: "#009e73", dark: "#1fc79a", width: 1.75, dash: [2, 3], point: "rectRot" },
  { light: "#b5558a", dark: "#dd8fb9", width: 1.75, dash: [2, 3], point: "triangle" },
];
const others = report.competitors.filter((c) => c.role === "peer" && !looks[c.name]).map((c) => c.name);
const look = (name) => {
  const place = Math.max(0, others.indexOf(name));
  return looks[name] || { ...spare[place % spare.length], order: 50 + place };
};
const color = (name) => look(name)[dark.matches ? "dark" : "light"];

// The baseline of speed-ups, and the limit: for a run on a GPU, the processor and a copy on the device.
const baseline = report.gpu ? { name: "cpu", title: "Times the CPU", text: "times the CPU" } :
  { name: "loop", title: "Times the loop", text: "times the plain loop" };
const limitTitle = report.gpu ? "copy on the device" : "memory limit";

const measures = {
  speed: { title: "GB/s", axis: "GB/s (bytes that must move)", log: true, digits: 3, limit: true },
  share: { title: "Share of the limit", axis: `share of the ${limitTitle}`, log: false, digits: 2, limit: true },
  gain: { title: baseline.title, axis: `speed, ${baseline.text}`, log: true, digits: 3, limit: false },
  time: { title: "Time", axis: "time for one call", log: true, digits: 3, limit: true },
};
const verbs = { reduce: "Reduce", inclusive_scan: "Inclusive scan", exclusive_scan: "Exclusive scan" };
const rowOf = (cell) => `${verbs[cell.verb]}, ${cell.op.replaceAll("_", " ")}${cell.in_place ? ", in place" : ""}`;

function quantile(values, q) {
  const ordered = [...values].sort((x, y) => x - y);
  const at = q * (ordered.length - 1), below = Math.floor(at), above = Math.min(below + 1, ordered.length - 1);
  return ordered[below] + (ordered[above] - ordered[below]) * (at - below);
}
const median = (values) => quantile(values, 0.5);
const roleOf = Object.fromEntries(report.competitors.map((c) => [c.name, c.role]));
const titleOf = Object.fromEntries(report.competitors.map((c) => [c.name, c.title]));

function fastest(cell, wanted) {
  const timed = cell.all.filter((s) => s.seconds.length && wanted(s.name));
  return timed.reduce((best, s) => (!best || median(s.seconds) < median(best.seconds) ? s : best), null);
}
const limitOf = (cell) => fastest(cell, (name) => roleOf[name] === "limit");
const seriesOf = (cell, name) => cell.all.find((s) => s.name === name && s.seconds.length) || null;

// The value of a series at a cell in the chosen measure, with its quartiles, or null if it has none.
function valueOf(cell, series, measure) {
  let values;
  if (measure === "speed") values = series.seconds.map((s) => cell.traffic / s * 1e-9);
  else if (measure === "time") values = series.seconds;
  else {
    const other = measure === "share" ? limitOf(cell) : seriesOf(cell, baseline.name);
    if (!other) return null;
    values = series.seconds.map((s, round) => other.seconds[round] / s);
  }
  return { low: quantile(values, 0.25), mid: median(values), high: quantile(values, 0.75), least: Math.min(...values), most: Math.max(...values) };
}

const rows = [...new Set(report.cells.map(rowOf))];
const types = ["f32", "f64", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"].filter((t) => report.cells.some((c) => c.type === t));
const state = { row: rows[0], type: types[0], measure: "speed" };
const hidden = new Set(Object.keys(looks).filter((name) => looks[name].hidden));
const cellsOf = (row, type) => report.cells.filter((c) => rowOf(c) === row && c.type === type).sort((x, y) => x.n - y.n);

const superscript = (k) => String(k).replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]);
function sizeName(n) {
  const k = Math.log2(n);
  return Number.isInteger(k) ? "2" + superscript(k) : n.toLocaleString("en");
}
function number(x, digits) {
  if (state.measure === "time" && Number.isFinite(x)) {
    const [unit, name] = x < 1e-6 ? [1e-9, "ns"] : x < 1e-3 ? [1e-6, "µs"] : x < 1 ? [1e-3, "ms"] : [1, "s"];
    return `${Number((x / unit).toPrecision(3))} ${name}`;
  }
  return x >= 1000 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(digits)));
}
const quantity = (x) => number(x, measures[state.measure].digits) + { speed: " GB/s", share: "", gain: " ×", time: "" }[state.measure];

function competitorsIn(cells) {
  const names = [...new Set(cells.flatMap((c) => c.all.filter((s) => s.seconds.length).map((s) => s.name)))];
  return names.filter((name) => roleOf[name] !== "limit").sort((x, y) => look(x).order - look(y).order);
}

function datasets(cells) {
  const sets = [];
  for (const name of competitorsIn(cells)) {
    const points = cells.flatMap((cell) => {
      const series = seriesOf(cell, name), value = series && valueOf(cell, series, state.measure);
      return value ? [{ x: cell.n, y: value.mid, value }] : [];
    });
    const { width, dash, point, order } = look(name);
    sets.push({
      name, label: titleOf[name], data: points, order, hidden: hidden.has(name), borderColor: color(name), backgroundColor: color(name),
      borderWidth: width, borderDash: dash || [], pointStyle: point, pointRadius: name === "upsweep" ? 4 : 3.25, pointHoverRadius: 6,
      pointBorderWidth: 1.75, clip: { left: 8, right: 8, top: 8, bottom: 0 },
    });
  }
  if (!measures[state.measure].limit) return sets;
  const limits = cells.flatMap((cell) => {
    const limit = limitOf(cell), value = limit && valueOf(cell, limit, state.measure);
    if (value && state.measure === "share") {  // its share of itself is 1; the band shows its times
      const time = limit.seconds, mid = median(time);
      Object.assign(value, { least: mid / Math.max(...time), most: mid / Math.min(...time) });
    }
    return value ? [{ x: cell.n, value, title: titleOf[limit.name] }] : [];
  });
  const ink = dark.matches ? "154, 164, 176" : "91, 100, 112";
  const edge = { borderWidth: 0, pointRadius: 0, pointHoverRadius: 0, band: true, order: 50 };
  // The tinted area is below the limit for times, above it for speeds.
  const beyond = { target: state.measure === "time" ? "start" : "end", above: `rgba(${ink}, 0.09)`, below: `rgba(${ink}, 0.09)` };
  const outer = (p) => (state.measure === "time" ? p.value.least : p.value.most), inner = (p) => (state.measure === "time" ? p.value.most : p.value.least);
  const upper = { ...edge, name: "band", data: limits.map((p) => ({ x: p.x, y: outer(p) })), fill: beyond };
  const lower = { ...edge, name: "band", data: limits.map((p) => ({ x: p.x, y: inner(p) })), fill: "-1", backgroundColor: `rgba(${ink}, 0.3)` };
  const middle = {
    name: "limit", label: limitTitle, order: 40, borderColor: `rgba(${ink}, 0.9)`, borderWidth: 1.25, pointRadius: 0, pointHoverRadius: 4,
    backgroundColor: `rgba(${ink}, 0.9)`, data: limits.map((p) => ({ x: p.x, y: p.value.mid, value: p.value, title: p.title })),
  };
  for (const set of [upper, lower, middle]) set.hidden = hidden.has("limit");
  return [...sets, upper, lower, middle];
}

function niceTicks(axis) {
  const all = [];
  for (let decade = -12; decade <= 6; decade++) for (const d of [1, 2, 5]) all.push(d * 10 ** decade);
  const inside = all.filter((v) => v >= axis.min && v <= axis.max);
  axis.ticks = (inside.length > 14 ? inside.filter((v) => Number.isInteger(Math.round(Math.log10(v) * 1e6) / 1e6)) : inside).map((value) => ({ value }));
}

function tooltipLine(item) {
  const { value, title } = item.raw, spread = value.mid ? (value.high - value.low) / 2 / value.mid : 0;
  return ` ${quantity(value.mid)}  ${title || item.dataset.label}${spread >= 0.005 ? `  ± ${Math.round(spread * 100)} %` : ""}`;
}

// On a logarithmic axis, values more than a thousand times slower than the fastest are cut off, to keep the rest legible.
function lowest(cells) {
  if (state.measure !== "speed") return undefined;
  const speeds = cells.flatMap((c) => c.all.filter((s) => s.seconds.length).map((s) => valueOf(c, s, "speed").mid));
  const floor = Math.max(...speeds) / 1000;
  return Math.min(...speeds) < floor ? floor : undefined;
}

function chartOptions(cells) {
  const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--quiet"), line = style.getPropertyValue("--line");
  const measure = measures[state.measure], narrow = window.innerWidth < 640;
  const sizes = cells.map((c) => c.n);
  const title = (text) => ({ display: true, text, color: ink, font: { size: 13 } });
  return {
    animation: false, responsive: true, maintainAspectRatio: false,
    interaction: { mode: "index", axis: "x", intersect: false },
    plugins: {
      legend: { display: false },
      tooltip: {
        filter: (item) => !item.dataset.band, usePointStyle: true,
        itemSort: (x, y) => (y.raw.y - x.raw.y) * (state.measure === "time" ? -1 : 1),
        callbacks: { title: (items) => (items.length ? `n = ${sizeName(items[0].raw.x)}` : ""), label: tooltipLine },
      },
    },
    scales: {
      x: {
        type: "logarithmic", min: Math.min(...sizes), max: Math.max(...sizes), title: title("elements"), grid: { color: line, borderColor: line },
        afterBuildTicks: (axis) => {
          const step = Math.ceil(sizes.length / (narrow ? 7 : 16));
          axis.ticks = sizes.filter((_, i) => (sizes.length - 1 - i) % step === 0).map((value) => ({ value }));
        },
        ticks: { callback: sizeName, color: ink, autoSkip: false, maxRotation: 0 },
      },
      y: {
        type: measure.log ? "logarithmic" : "linear", beginAtZero: !measure.log, min: lowest(cells), title: title(measure.axis), grid: { color: line, borderColor: line },
        grace: measure.log ? 0 : "4%", ticks: { callback: (v) => number(v, 3), color: ink }, ...(measure.log ? { afterBuildTicks: niceTicks } : {}),
      },
    },
  };
}

let chart = null;
function draw() {
  const cells = cellsOf(state.row, state.type);
  if (chart) chart.destroy();
  chart = new Chart(byId("chart"), { type: "line", data: { datasets: datasets(cells) }, options: chartOptions(cells) });
  drawKeys(cells);
  drawSummary(cells);
  drawTable(cells);
  for (const button of document.querySelectorAll("#controls button")) {
    const { kind, value } = button.dataset;
    button.setAttribute("aria-pressed", String(state[kind] === value));
    if (kind === "type") button.disabled = cellsOf(state.row, value).length === 0;
  }
  history.replaceState(null, "", "#" + [state.row, state.type, state.measure].map(encodeURIComponent).join("/"));
}

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

function keyMark(name) {
  const limit = name === "limit", stroke = limit ? "#7b8591" : color(name), { dash, width } = limit ? { width: 1.25 } : look(name);
  const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  mark.setAttribute("width", 28), mark.setAttribute("height", 12);
  mark.innerHTML = (limit ? `<rect x="0" y="1" width="28" height="10" fill="${stroke}" opacity="0.35"/>` : "") +
    `<line x1="0" y1="6" x2="28" y2="6" stroke="${stroke}" stroke-width="${width}" stroke-dasharray="${(dash || []).join(" ")}"/>`;
  return mark;
}

function drawKeys(cells) {
  const keys = competitorsIn(cells).map((name) => [name, titleOf[name]]);
  if (measures[state.measure].limit) keys.push(["limit", limitTitle]);
  byId("keys").replaceChildren(...keys.map(([name, title]) => {
    const button = element("button", { type: "button", "aria-pressed": String(!hidden.has(name)) }, keyMark(name), title);
    button.onclick = () => { hidden.has(name) ? hidden.delete(name) : hidden.add(name); draw(); };
    return element("li", {}, button);
  }));
}

// A summary of the largest size: share of the limit, and speed-up over the best peer and the baseline.
function drawSummary(cells) {
  const cell = cells[cells.length - 1], ours = cell && seriesOf(cell, "upsweep"), limit = cell && limitOf(cell);
  byId("summary").replaceChildren();
  if (!ours) return;
  const best = cells.length && fastest(cell, (name) => roleOf[name] === "peer" && name !== baseline.name), loop = seriesOf(cell, baseline.name);
  const ratio = (other) => median(ours.seconds.map((s, round) => other.seconds[round] / s));
  const parts = [];
  if (limit) parts.push(`${Math.round(100 * ratio(limit))} % of the ${limitTitle}`);
  if (best) parts.push(`${ratio(best).toFixed(2)} times the best of the others (${titleOf[best.name]})`);
  if (loop) parts.push(`${ratio(loop).toFixed(1)} ${baseline.text}`);
  const text = parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts[parts.length - 1]}` : parts.join("");
  byId("summary").append(`${state.row}, ${sizeName(cell.n)} elements of ${state.type}: Upsweep runs at `, element("strong", {}, text), ".");
  byId("chart").setAttribute("aria-label", byId("summary").textContent);
}

function drawTable(cells) {
  const names = competitorsIn(cells), last = measures[state.measure].limit;
  const head = element("tr", {}, element("th", {}, "n"), ...names.map((name) => element("th", {}, titleOf[name])), ...(last ? [element("th", {}, limitTitle)] : []));
  const body = cells.map((cell) => {
    const values = names.map((name) => { const s = seriesOf(cell, name); return s && valueOf(cell, s, state.measure); });
    const mids = values.filter(Boolean).map((v) => v.mid), best = state.measure === "time" ? Math.min(...mids) : Math.max(...mids);
    const limit = limitOf(cell), bound = last && limit && valueOf(cell, limit, state.measure);
    const wrong = (name) => cell.all.some((s) => s.name === name && !s.correct);
    const text = (v, name) => (v ? quantity(v.mid) : wrong(name) ? "wrong result" : "–");
    return element("tr", {}, element("td", {}, sizeName(cell.n)),
      ...values.map((v, i) => element("td", v && v.mid === best ? { class: "best" } : {}, text(v, names[i]))),
      ...(last ? [element("td", {}, bound ? quantity(bound.mid) : "–")] : []));
  });
  byId("table").replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

function choices(kind, title, values, name) {
  const buttons = values.map((value) => {
    const button = element("button", { type: "button", "data-kind": kind, "data-value": value }, name(value));
    button.onclick = () => {
      state[kind] = value;
      if (!cellsOf(state.row, state.type).length) state.type = types.find((t) => cellsOf(state.row, t).length);
      draw();
    };
    return button;
  });
  return element("fieldset", {}, element("legend", {}, title), element("div", { class: "choices" }, ...buttons));
}

function describe() {
  const { machine: m, build: b, gpu } = report;
  byId("title").textContent = `Upsweep on ${(gpu && gpu.name) || m.cpu || "this machine"}: speed against size`;
  byId("where").textContent = `${gpu ? `${report.note} Processor: ` : ""}${report.threads} thread${report.threads === 1 ? "" : "s"} · ${m.simd || "SIMD unknown"} · Upsweep ${b.version} (${b.revision}) · ${report.date.slice(0, 10)}`;
  const caches = m.caches.map((c) => `L${c.level} ${c.bytes >= 2 ** 20 ? c.bytes / 2 ** 20 + " MiB" : c.bytes / 2 ** 10 + " KiB"}`).join(", ");
  const facts = {
    ...(gpu ? { GPU: `${gpu.name}, compute capability ${gpu.capability / 10}, CUDA ${gpu.toolkit}, driver for CUDA ${gpu.driver}` } : {}),
    Processor: `${m.cpu} (${m.family})${m.virtual ? ", virtual machine" : ""}`, CPUs: `${m.affinity} of ${m.online}${m.quota ? `, quota ${m.quota}` : ""}`,
    Caches: caches, Memory: `${(m.memory / 2 ** 30).toFixed(1)} GiB`, System: `${m.distribution}, ${m.system}`, Compiler: `${b.compiler}, ${b.flags}`,
    Peers: `compiled with ${b.peer_flags}`, Command: report.command, Date: report.date,
  };
  if (report.absent.length) facts["Not available"] = report.absent.map((a) => `${a.name}: ${a.reason}`).join("; ");
  byId("machine").replaceChildren(...Object.entries(facts).flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)]));
}

const [row, type, measure] = location.hash.slice(1).split("/").map(decodeURIComponent);
if (rows.includes(row)) state.row = row;
if (types.includes(type)) state.type = type;
if (measure in measures) state.measure = measure;
if (!cellsOf(state.row, state.type).length) state.type = types.find((t) => cellsOf(state.row, t).length);
byId("controls").append(
  choices("row", "Operation", rows, (v) => v), choices("type", "Type", types, (v) => v),
  choices("measure", "Show", Object.keys(measures), (v) => measures[v].title));
Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
describe();
draw();
dark.addEventListener("change", draw);
document.body.dataset.state = "drawn";
