// The page on which a student writes a program: compiles it in one worker, runs it in another, and shows
// what the laboratory found.
import {packed, unpacked} from "./link.mjs";

const at = (id) => document.getElementById(id);
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const file = "program.cu", kept = "upsweep-program";
const options = ["schedule", "seed", "resident", "limit", "arguments"];

// ---- The text

const marks = new Map();  // by line: what is wrong there

function drawLines() {
  const count = at("source").value.split("\n").length;
  at("lines").replaceChildren(...Array.from({length: count}, (_, i) => {
    const said = marks.get(i + 1);
    return element("div", {textContent: i + 1, className: said ? "marked" : "", title: said ?? ""});
  }));
  at("lines").scrollTop = at("source").scrollTop;
}

function goTo(line) {
  const before = at("source").value.split("\n").slice(0, line - 1).join("\n").length;
  const begin = before + (line > 1 ? 1 : 0), end = at("source").value.indexOf("\n", begin);
  at("source").focus();
  at("source").setSelectionRange(begin, end < 0 ? at("source").value.length : end);
  const height = at("source").scrollHeight / at("source").value.split("\n").length;
  at("source").scrollTop = Math.max(0, (line - 8) * height);
}

const state = () => ({
  text: at("source").value, ...Object.fromEntries(options.map((name) => [name, at(name).value]))});

function show(program) {
  at("source").value = program.text ?? "";
  for (const name of options) if (program[name] !== undefined) at(name).value = program[name];
  marks.clear();
  drawLines();
}

function keep() {
  try {
    localStorage.setItem(kept, JSON.stringify(state()));
  } catch {  // without storage the text lives as long as the page
  }
}

async function first(examples) {
  const given = new URLSearchParams(location.hash.slice(1)).get("program");
  if (given !== null) {
    try {
      return await unpacked(given);
    } catch {
      at("status").textContent = "The program in this link is damaged: the link may have been cut.";
    }
  }
  try {
    const last = JSON.parse(localStorage.getItem(kept));
    if (last?.text) return last;
  } catch {
  }
  return {text: examples[0].text};
}

// ---- The workers

let compiler = null, runner = null, running = 0;

function answerOf(worker, request) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({data}) => {
      if (data.progress !== undefined) return shown(data);
      if (data.printed !== undefined) return print(data.printed);
      if (data.error === undefined) resolve(data.answer);
      else reject(Object.assign(new Error(data.error), {isCompilers: data.isCompilers}));
    };
    worker.onerror = (e) => reject(new Error(e.message || "The worker could not be started."));
    worker.postMessage(request);
  });
}

function shown({progress, of}) {
  at("progress").hidden = progress >= of;
  at("progress").value = progress / of;
  at("status").textContent = progress < of
    ? `Loading the compiler: ${(progress / 1e6).toFixed(1)} of ${(of / 1e6).toFixed(1)} MB …`
    : "Starting the compiler …";
}

const mostPrinted = 100_000;
let printed = "";
function print(text) {
  if (printed.length < mostPrinted) printed += text;
}

const worker = () => new Worker(new URL("worker.mjs", import.meta.url), {type: "module"});

function stop(sentence) {
  ++running;
  runner?.terminate();
  runner = null;
  settle(sentence);
}

/// The program's answer; a runner that takes too long is ended.
async function ran(module, request, seconds) {
  runner = worker();
  const late = setTimeout(() => stop(`The program was stopped after ${seconds} s, its time limit.`), seconds * 1000);
  try {
    return await answerOf(runner, {run: module, request});
  } finally {
    clearTimeout(late);
    runner?.terminate();
    runner = null;
  }
}

// ---- What is shown

const enable = (button, can) => button.setAttribute("aria-disabled", String(!can));
const isEnabled = (button) => button.getAttribute("aria-disabled") !== "true";

function settle(sentence) {
  at("status").textContent = sentence;
  at("progress").hidden = true;
  for (const name of ["run", "steps"]) enable(at(name), true);
  enable(at("stop"), false);
  if (printed !== "" && at("result").childElementCount === 0) at("result").append(...output());
}

const output = () => printed === "" ? [] : [element("h2", {textContent: "Printed"}), element("pre", {tabIndex: 0,
  textContent: printed.length < mostPrinted ? printed : printed.slice(0, mostPrinted) + "\n… (more is not shown)"})];

function mark(line, sentence) {
  if (line > 0) marks.set(line, marks.has(line) ? `${marks.get(line)}\n${sentence}` : sentence);
}

/// A button for each line of the program.
const lineButton = (line) => element("button", {type: "button", textContent: `line ${line}`, onclick: () => goTo(line)});

function findings(all) {
  if (all.length === 0)
    return [element("p", {textContent: "No findings: no races, no uninitialized reads, no divergent barriers."})];
  const list = element("ul");
  for (const f of all) {
    const item = element("li", {textContent: f.sentence + (f.occurrences > 1 ? ` (${f.occurrences} times)` : "")});
    const lines = [f.first, f.second].filter((p) => p?.file?.endsWith(file)).map((p) => p.line);
    for (const line of new Set(lines)) {
      mark(line, f.sentence);
      item.append(" ", lineButton(line));
    }
    if (f.page) item.append(" ", element("a", {href: `../findings/${f.page}.html`, textContent: "What this means"}));
    list.append(item);
  }
  return [element("h2", {textContent: "Findings"}), list];
}

function counters(rows) {
  const body = element("tbody");
  for (const [title, value] of rows)
    body.append(element("tr", {}, element("th", {scope: "row", textContent: title}), element("td", {textContent: value})));
  return [element("h2", {textContent: "Counters of all launches"}), element("table", {}, body)];
}

function refused(said) {
  const list = element("ul");
  for (const line of said.split("\n").filter(Boolean)) {
    const place = line.match(/program\.cu:(\d+)(?::\d+)?: (.*)/);
    const item = element("li", {textContent: place ? place[2] : line});
    if (place) {
      mark(Number(place[1]), place[2]);
      item.append(" ", lineButton(Number(place[1])));
    }
    list.append(item);
  }
  at("result").replaceChildren(element("h2", {textContent: "The compiler's errors"}), list);
}

function report(answer) {
  const parts = [...findings(answer.findings), ...output()];
  if (answer.page !== undefined) {
    const frame = element("iframe", {title: "Steps of the program", srcdoc: answer.page});
    frame.sandbox = "allow-scripts";
    parts.push(element("h2", {textContent: "Steps"}), frame);
  }
  at("result").replaceChildren(...parts, ...counters(answer.rows));
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// ---- Run

async function compiled(program) {
  compiler ??= worker();
  try {
    return await answerOf(compiler, {compile: {[file]: program.text}});
  } catch (e) {
    if (!e.isCompilers) {  // it may have ended
      compiler.terminate();
      compiler = null;
    }
    throw e;
  }
}

const request = (program) => ({
  schedule: program.schedule, seed: Number(program.seed), resident: Number(program.resident),
  arguments: ["program", ...program.arguments.split(/\s+/).filter(Boolean)]});

/// The launch that is drawn: the first with a finding, else the first.
const drawnLaunch = (answer) => answer.findings.find((f) => f.launch !== null)?.launch ?? 0;

async function work(draws) {
  if (!isEnabled(at("run")) || !at("options").reportValidity()) return;
  const mine = ++running, program = state(), seconds = Number(program.limit);
  for (const name of ["run", "steps"]) enable(at(name), false);
  enable(at("stop"), true);
  printed = "";
  marks.clear();
  at("result").replaceChildren();
  at("status").textContent = "Compiling …";
  keep();
  try {
    const built = await compiled(program);
    if (mine !== running) return;
    if (!built.hasMain) throw new Error("The program has no function main, which launches the kernels.");
    at("status").textContent = "Running …";
    const begin = performance.now();
    let answer = await ran(built.module, request(program), seconds);
    if (mine !== running) return;
    if (draws && answer.launches.length > 0) {
      printed = "";
      answer = await ran(built.module, {...request(program), traced: drawnLaunch(answer)}, seconds);
      if (mine !== running) return;
    }
    report(answer);
    const end = answer.failure === "" ? "" : ` ${answer.failure[0].toUpperCase()}${answer.failure.slice(1)}.`;
    settle(`${counted(answer.findings.length, "finding", "findings")}, ${counted(answer.launches.length, "launch", "launches")}.${end} ` +
           `${Math.round(performance.now() - begin)} ms.`);
  } catch (e) {
    if (mine !== running) return;
    if (e.isCompilers) refused(e.message);
    settle(e.isCompilers ? "The program does not compile." : e.message);
  }
  drawLines();
}

async function copyLink() {
  const {limit: _own, ...program} = state();
  history.replaceState(null, "", `#program=${await packed(program)}`);
  try {
    await navigator.clipboard.writeText(location.href);
    at("status").textContent = "The link with this program is copied.";
  } catch {
    at("status").textContent = "The address of this page has the program now: copy it.";
  }
}

async function begin() {
  const examples = await (await fetch(new URL("examples.json", import.meta.url))).json();
  at("example").append(...examples.map(({title}, i) => new Option(title, i)));
  at("example").selectedIndex = -1;
  show(await first(examples));
  at("example").addEventListener("change", ({target}) => show({text: examples[target.value].text}));
  at("source").addEventListener("input", () => {
    drawLines();
    keep();
  });
  at("source").addEventListener("scroll", () => { at("lines").scrollTop = at("source").scrollTop; });
  at("options").addEventListener("submit", (event) => {
    event.preventDefault();
    work(false);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      work(false);
    }
  });
  at("steps").addEventListener("click", () => work(true));
  at("stop").addEventListener("click", () => {
    if (!isEnabled(at("stop"))) return;
    if (runner === null) {  // it compiles
      compiler?.terminate();
      compiler = null;
    }
    stop("Stopped.");
  });
  at("link").addEventListener("click", copyLink);
  window.addEventListener("hashchange", () => location.reload());
  document.documentElement.dataset.ready = "yes";
}

begin();
