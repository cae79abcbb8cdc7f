// The page: the current step, the controls, the keyboard, links to steps, and the export.

const trace = JSON.parse(document.getElementById("trace").textContent);
const by_id = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const state = { step: trace.first, view: "steps", playing: 0, detail: "" };
const has_blocks = block_events(trace).length > 0;
const views = { steps: () => true, memory: () => arrays_of(trace).size > 0, blocks: () => has_blocks, tree: () => trace.nodes.length > 0 };
const views_of_a_step = { memory: memory_svg, blocks: blocks_svg };  // drawn anew for each step
const last = trace.rows.length - 1;
const narrow = matchMedia("(max-width: 30rem)");  // a phone, as in page.css

// Counters, summed row by row, so that any step can be shown at once.
const counted = [["Warp instructions", () => 1], ["Applications", (s) => (s.kind === "apply" ? s.cells.length : 0)],
  ["Barriers", (s) => (s.kind === "barrier" && s.warp === 0 ? 1 : 0)],
  ["Warps at cluster barriers", (s) => (s.kind === "cluster_barrier" ? 1 : 0)], ["Shared wavefronts", (s) => s.wavefronts || 0],
  ["Bank conflicts", (s) => Math.max(0, (s.wavefronts || 1) - 1)], ["Sectors read", (s) => (s.kind === "load" ? s.sectors || 0 : 0)],
  ["Sectors written", (s) => (s.kind === "store" ? s.sectors || 0 : 0)], ["Shuffles", (s) => (s.kind === "shuffle" ? 1 : 0)],
  ["Atomics", (s) => (s.kind.startsWith("atomic") ? s.cells.length : 0)], ["Failed swaps", (s) => s.failures || 0], ["Idle lanes", (s) => (is_line(s.kind) ? 0 : idle_lanes(s))]];
const of_warps = new Set(["Warp instructions", "Shared wavefronts", "Bank conflicts", "Sectors read", "Sectors written", "Idle lanes"]);
const is_shown = (name) => !(is_of_tasklets(trace) && of_warps.has(name));  // a core of tasklets has none of these
function idle_lanes(step) {
  const threads = trace.launches[step.launch].threads;
  return Math.min(32, threads - step.warp * 32) - step.cells.length;
}
const sums = [];
trace.rows.forEach((row, r) => {
  sums[r] = counted.map(([, of], k) => (r ? sums[r - 1][k] : 0) + row.reduce((sum, step) => sum + of(step), 0));
});

function element(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const drawn_as = () => ({ arrows: by_id("arrows").checked, narrow: state.detail.includes("narrow"), low: state.detail.includes("low") });

function draw_picture() {
  const box = by_id("picture");
  box.innerHTML = state.view === "tree" ? tree_svg(trace) : state.view in views_of_a_step ? views_of_a_step[state.view](trace, state.step)
    : `<div class="pair"><div class="labels">${steps_svg(trace, "labels", drawn_as())}</div>${steps_svg(trace, "cells", drawn_as())}</div>`;
  for (const button of document.querySelectorAll("[data-view]")) button.setAttribute("aria-pressed", String(button.dataset.view === state.view));
  by_id("arrows").disabled = by_id("detail").disabled = state.view !== "steps";
  apply_zoom(box);
  draw_keys();
}

// Cells that are no data have keys of their own.
function special_keys() {
  const steps = trace.rows.flat();
  return [...(steps.some((s) => s.times > 1) ? [["dotted frame", "waits"]] : []), ...(steps.some((s) => s.unwritten) ? [["hatched ?", "read before anything was written there"]] : []),
    ...(steps.some((s) => s.failed) ? [["hatched ✗", "compare-and-swap that failed: it found this value"]] : [])];
}

const keys_of_views = {
  memory: () => [["↓ ↑", "read, written in this step, and by which thread"], ["gray", "from before the launch"], ["hatched ?", "never written"], ["×4", "a bank that needs four passes"], ["•", "never accessed"]],
  blocks: () => [["filled", "publishes"], ["dotted frame", "waits"], ["plain frame", "reads"], ["arrow", "from what is read to who reads it"]],
};
function draw_keys() {
  const keys = keys_of_views[state.view]?.() || (state.view === "tree"
    ? [["blue line", "earlier operand"], ["gray line", "later operand"], ["thick frame", "a result"], ...(trace.results?.length ? [["dashed line", "where a result lands"]] : []), ["orange frame", "combined in this step"]]
    : [...new Set(trace.rows.flat().map((s) => s.kind))].map((kind) => [kinds[kind].mark, kinds[kind].verb]).concat([...special_keys(), ...(trace.pairs ? [["red arrow", "two accesses that nothing orders"]] : []), ["•", "idle lane"], ["[i]", "index in the buffer"]]));
  by_id("keys").replaceChildren(...keys.map(([mark, text]) => element("li", {}, element("b", {}, mark), ` ${text}`)));
}

function mark_rows() {
  for (const node of by_id("picture").querySelectorAll("[data-row]")) {
    const row = Number(node.dataset.row);
    node.classList.toggle("now", row === state.step);
    node.classList.toggle("later", row > state.step);
  }
  const now = by_id("picture").querySelector(".now") || [...by_id("picture").querySelectorAll("[data-row]:not(.later)")].at(-1) || by_id("picture").querySelector(".cell:not(.rest)");  // the last step of the blocks; an element of the memory
  if (!now) return;
  const box = by_id("picture"), frame = box.getBoundingClientRect(), seen = now.getBoundingClientRect();
  if (seen.top < frame.top + 30 || seen.bottom > frame.bottom - 30)
    box.scrollTo({ top: box.scrollTop + seen.top - frame.top - frame.height / 2, behavior: calm.matches || state.playing || !box.dataset.shown ? "auto" : "smooth" });
  box.dataset.shown = true;
  const cells = [...box.querySelectorAll(state.view === "memory" ? ".cell:not(.rest)" : `[data-row="${state.step}"] .cell`)].map((cell) => cell.getBoundingClientRect());
  const left = frame.left + (box.querySelector(".labels")?.offsetWidth || 0);
  if (cells.length && !cells.some((cell) => cell.left >= left && cell.right <= frame.right)) box.scrollLeft += cells[0].left - left - 20;
}

let shown_file = -2;
function show_file(number) {
  const file = trace.files[number] || { name: trace.file, code: "" };
  shown_file = number;
  by_id("file").textContent = file.name;
  by_id("code").replaceChildren(element("ol", {}, ...file.code.split("\n").map((line, i) => element("li", { "data-line": i + 1 }, line))));
}

function mark_source(row) {
  if (row[0].file !== shown_file) show_file(row[0].file);
  const lines = new Set(row.filter((step) => step.file === shown_file).map((step) => step.line));
  let first = null;
  for (const item of by_id("code").querySelectorAll("li")) {
    const now = lines.has(Number(item.dataset.line));
    item.classList.toggle("now", now);
    if (now && !first) first = item;
  }
  const box = by_id("code");
  if (first && (first.offsetTop < box.scrollTop + 20 || first.offsetTop > box.scrollTop + box.clientHeight - 40))
    box.scrollTop = first.offsetTop - box.clientHeight / 2;  // .scroll is positioned, so the offset is within the box
}

function show(step) {
  state.step = Math.max(0, Math.min(last, step));
  const row = trace.rows[state.step];
  by_id("slider").value = state.step;
  by_id("position").textContent = `${state.step + 1} of ${last + 1}`;
  by_id("slider").setAttribute("aria-valuetext", `step ${state.step + 1} of ${last + 1}: ${row_label(trace, row)}`);
  by_id("step-title").textContent = `Step ${state.step + 1}${row[0].line > 0 && !differs(trace, row) ? `, line ${row[0].line}` : ""}`;
  by_id("sentence-now").textContent = sentence_of(trace, row);
  by_id("explained").replaceChildren(...explain(trace, state.step).map((text) => element("li", {}, text)), ...wrong_in(trace, state.step).map((text) => element("li", { class: "wrong" }, text)));
  by_id("brief-step").textContent = sentence_of(trace, row);
  const line = differs(trace, row) ? 0 : row[0].line, source = trace.files[row[0].file]?.code.split("\n")[line - 1];
  by_id("brief-line").textContent = source === undefined ? "\u00a0" : `${line}: ${source.trim()}`;
  const memory = row.find((s) => s.buffers.length);
  by_id("map").innerHTML = !memory || is_of_tasklets(trace) ? "" : trace.buffers[memory.buffers[0]].space === "shared" ? caption(map_captions.shared) + bank_map(trace, memory) : caption(map_captions.global) + sector_map(trace, memory);
  const before = state.step ? sums[state.step - 1] : counted.map(() => 0);
  by_id("counters").replaceChildren(...counted.flatMap(([name], k) => sums[last][k] === 0 || !is_shown(name) ? [] :
    [element("dt", {}, name), element("dd", sums[state.step][k] > before[k] ? { class: "grew" } : {}, sums[state.step][k].toLocaleString("en"))]));
  if (state.view in views_of_a_step) draw_picture();
  mark_rows();
  mark_source(row);
  history.replaceState(null, "", `#step=${state.step + 1}${state.view === "steps" ? "" : `&view=${state.view}`}`);
}

function play(on) {
  clearInterval(state.playing);
  state.playing = 0;
  if (on && state.step === last) show(0);
  if (on) state.playing = setInterval(() => (state.step < last ? show(state.step + 1) : play(false)), calm.matches ? 1500 : 700);
  by_id("play").querySelector("path").setAttribute("d", on ? "M3 3h4v10H3zM9 3h4v10H9z" : "M4 3v10l9-5z");
  by_id("play").setAttribute("aria-label", on ? "Pause" : "Play");
}

function choose(view) {
  if (!views[view]()) return;
  state.view = view;
  draw_picture();
  show(state.step);
}

// The current picture in print colors, as a standalone file.
function exported() {
  const options = { ...drawn_as(), standalone: true };
  const text = state.view === "tree" ? tree_svg(trace, options) : state.view in views_of_a_step ? views_of_a_step[state.view](trace, state.step, options) : steps_svg(trace, "all", options);
  const picture = new DOMParser().parseFromString(text, "image/svg+xml");
  for (const node of picture.querySelectorAll("[data-row]")) {
    const row = Number(node.getAttribute("data-row"));
    if (row === state.step) node.classList.add("now");
    if (row > state.step) node.classList.add("later");
  }
  return new XMLSerializer().serializeToString(picture);
}
function save() {
  const link = element("a", { download: `${trace.stem}-step-${state.step + 1}.svg`, href: URL.createObjectURL(new Blob([exported()], { type: "image/svg+xml" })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function follow_link() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (views[wanted.get("view")]?.()) state.view = wanted.get("view");
  const step = Number(wanted.get("step"));
  if (Number.isInteger(step) && step >= 1) state.step = Math.min(last, step - 1);
}

function describe() {
  document.title = `${trace.stem}: ${trace.facts[0]}, step by step`;
  by_id("title").textContent = trace.stem;
  by_id("sentence").textContent = trace.sentence;
  by_id("facts").textContent = [...trace.facts, trace.cost, trace.source].filter(Boolean).join(" · ");
  by_id("verdict").textContent = trace.verdict;
  by_id("verdict").classList.toggle("wrong", !trace.ok);
  if (trace.findings.length) by_id("verdict").append(element("ul", {}, ...trace.findings.map((f) => element("li", {}, f))));
  by_id("slider").max = last;
  for (const view of ["memory", "blocks"]) document.querySelector(`[data-view="${view}"]`).hidden = !views[view]();
  const tree = document.querySelector('[data-view="tree"]');
  tree.disabled = !trace.nodes.length;
  tree.title = trace.no_tree;
  by_id("no-tree").textContent = trace.no_tree;
  by_id("no-tree").hidden = !trace.no_tree;
}

function act_on(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input[type=checkbox], select, dialog")) return;
  const actions = { ArrowRight: () => show(state.step + 1), ArrowLeft: () => show(state.step - 1), Home: () => show(0), End: () => show(last),
    "?": () => by_id("help-text").showModal(), t: next_theme, 1: () => choose("steps"), 2: () => choose("memory"), 3: () => choose("blocks"), 4: () => choose("tree"),
    "+": () => zoom_by(by_id("picture"), 1.25), "=": () => zoom_by(by_id("picture"), 1.25), "-": () => zoom_by(by_id("picture"), 0.8), 0: () => fit(by_id("picture")) };
  if (event.key === " " && event.target.closest?.("button")) return;  // the button handles it
  const action = event.key === " " ? () => play(!state.playing) : actions[event.key];
  if (!action) return;
  event.preventDefault();
  if (/^(Arrow|Home|End)/.test(event.key)) play(false);
  action();
}

// Light, dark, or as the system; the site's pages keep the same word in the same place.
const themes = { auto: "light dark", light: "light", dark: "dark" };
function stored_theme() {
  try { return localStorage.getItem("theme") || "auto"; } catch { return "auto"; }  // a browser may refuse it to files
}
function wear(theme) {
  document.documentElement.style.colorScheme = themes[theme] || themes.auto;
  by_id("theme").textContent = theme in themes ? theme : "auto";
  by_id("theme").setAttribute("aria-label", `Colors: ${theme}`);
}
function next_theme() {
  const names = Object.keys(themes), theme = names[(names.indexOf(by_id("theme").textContent) + 1) % names.length];
  try { localStorage.setItem("theme", theme); } catch {}
  wear(theme);
}

const fold = () => { by_id("about").open = !narrow.matches; };

narrow.addEventListener("change", fold);
fold();
document.body.classList.toggle("framed", window.name === "framed");  // the page around it says what it shows
wear(stored_theme());
describe();
follow_link();
draw_picture();
show(state.step);
by_id("slider").oninput = (event) => { play(false); show(Number(event.target.value)); };
by_id("first").onclick = () => { play(false); show(0); };
by_id("back").onclick = () => { play(false); show(state.step - 1); };
by_id("next").onclick = () => { play(false); show(state.step + 1); };
by_id("play").onclick = () => play(!state.playing);
by_id("arrows").onchange = () => choose(state.view);
by_id("detail").onchange = () => { state.detail = by_id("detail").value; choose(state.view); };
by_id("export").onclick = save;
by_id("theme").onclick = next_theme;
by_id("help").onclick = () => by_id("help-text").showModal();
addEventListener("storage", () => wear(stored_theme()));
listen_to_zoom(by_id("picture"));
for (const button of document.querySelectorAll("[data-view]")) button.onclick = () => choose(button.dataset.view);
addEventListener("keydown", act_on);
addEventListener("hashchange", () => { follow_link(); draw_picture(); show(state.step); });
document.body.dataset.state = "drawn";
