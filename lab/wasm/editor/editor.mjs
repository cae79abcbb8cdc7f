// The page on which a student writes a program, or a kernel for an exercise: compiles it in one worker, runs it in
// another, and shows what the laboratory found, or the grade.
import {grade} from "./grading.mjs";
import {highlighted} from "./highlight.mjs";
import {packed, unpacked} from "./link.mjs";
import {startOffline} from "./offline.mjs";
import {counters, findings, gradeOf, notes, output, pageOf, refused} from "./results.mjs";

const at = (id) => document.getElementById(id);
const kept = "upsweep-program";
const options = ["schedule", "seed", "resident", "limit", "arguments"];
let examples = [], exercises = [];

/// The exercise that is shown, if one is.
let task = null;
const file = () => task === null ? "program.cu" : "kernel.cu";

// ---- The text

const marks = new Map();  // by line: what is wrong there

function scrolled() {
  at("lines").scrollTop = at("source").scrollTop;
  at("colors").style.transform = `translate(${-at("source").scrollLeft}px, ${-at("source").scrollTop}px)`;
}

function drawLines() {
  at("colors").innerHTML = highlighted(at("source").value);
  const count = at("source").value.split("\n").length;
  at("lines").replaceChildren(...Array.from({length: count}, (_, i) => {
    const said = marks.get(i + 1);
    return Object.assign(document.createElement("div"), {textContent: i + 1, className: said ? "marked" : "", title: said ?? ""});
  }));
  scrolled();
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
  text: at("source").value, exercise: task?.name, ...Object.fromEntries(options.map((name) => [name, at(name).value]))});

function showTask() {
  at("task").hidden = task === null;
  at("given").hidden = task === null;
  at("task-text").innerHTML = task?.task ?? "";  // written by upsweep lab-site, which escapes
  at("run").textContent = task === null ? "Run" : "Grade";
}

function show(program) {
  task = exercises.find(({name}) => name === program.exercise) ?? null;
  showTask();
  at("source").value = program.text ?? "";
  for (const name of options) if (program[name] !== undefined) at(name).value = program[name];
  marks.clear();
  at("result").replaceChildren();
  showChoice();
  drawLines();
}

/// The last text, the last of each exercise, and the last that is neither an exercise nor an example.
const placeOf = (name) => name === undefined ? kept : `${kept}:${name}`;
const own = "own";
const exampleShown = () => task === null ? examples.findIndex(({text}) => text === at("source").value) : -1;

function keep() {
  try {
    const text = JSON.stringify(state());
    localStorage.setItem(kept, text);
    if (exampleShown() < 0) localStorage.setItem(placeOf(task?.name ?? own), text);
  } catch {  // without storage the text lives as long as the page
  }
}

function stored(name) {
  try {
    const last = JSON.parse(localStorage.getItem(placeOf(name)));
    return last?.text ? last : null;
  } catch {
    return null;
  }
}

const exerciseOf = (name) => {
  const found = exercises.find((e) => e.name === name || e.name.split("-")[0] === name);
  if (found === undefined) throw new Error(`This page has no exercise '${name}'.`);
  return stored(found.name) ?? {exercise: found.name, text: found.text};
};

/// `name` is that of a file in examples/findings.
const exampleOf = (name) => {
  const found = examples.find(({title}) => title === `Finding: ${name.replaceAll("_", " ")}`);
  if (found === undefined) throw new Error(`This page has no example '${name}'.`);
  return {text: found.text};
};

/// What the address asks for, else the last text, else the first example.
async function first() {
  const asked = new URLSearchParams(location.hash.slice(1)), given = asked.get("program");
  try {
    if (given !== null) {
      const program = await unpacked(given).catch(() => {
        throw new Error("The program in this link is damaged: the link may have been cut.");
      });
      if (program.exercise !== undefined) exerciseOf(program.exercise);
      return program;
    }
    if (asked.has("exercise")) return exerciseOf(asked.get("exercise"));
    if (asked.has("example")) return exampleOf(asked.get("example"));
  } catch (e) {
    at("status").textContent = e.message;
  }
  return stored() ?? {text: examples[0].text};
}

function choose({target}) {
  const [kind, i] = target.value.split(" ");
  show(kind === "exercise" ? exerciseOf(exercises[i].name) : kind === own ? stored(own) ?? {text: ""} : {text: examples[i].text});
  keep();
}

/// The choice that fits the text.
function showChoice() {
  at("example").value = task !== null ? `exercise ${exercises.indexOf(task)}`
    : exampleShown() >= 0 ? `example ${exampleShown()}` : own;
}

// ---- The workers

let compiler = null, runner = null, running = 0;

function answerOf(worker, request, say = () => {}) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({data}) => {
      if (data.progress !== undefined) return shown(data);
      if (data.said !== undefined) return say(data.said, data.file);
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
const printedParts = () => output(printed, mostPrinted);
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

/// The program's answer; a runner that takes too long is ended, and another one made when it is needed.
async function ran(module, request, seconds, say = print) {
  const mine = runner ??= worker();
  let timer = 0;
  const late = new Promise((_, reject) => {
    const sentence = `The program was stopped after ${seconds} s, its time limit.`;
    timer = setTimeout(() => reject(Object.assign(new Error(sentence), {isLate: true})), seconds * 1000);
  });
  try {
    return await Promise.race([answerOf(mine, {run: module, request}, say), late]);
  } catch (e) {
    mine.terminate();
    if (runner === mine) runner = null;
    throw e;
  } finally {
    clearTimeout(timer);
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
  if (printed !== "" && at("result").childElementCount === 0) at("result").append(...printedParts());
}

function mark(line, sentence) {
  if (line > 0) marks.set(line, marks.has(line) ? `${marks.get(line)}\n${sentence}` : sentence);
}

/// For results.mjs.
const page = {file, mark, goTo};

function report(answer, said) {
  const steps = answer.page === undefined ? [] : pageOf(answer.page);
  at("result").replaceChildren(
    ...findings(answer.findings, page), ...notes(said, page), ...printedParts(), ...steps, ...counters(answer.rows));
  at("result").querySelector(".findings li")?.scrollIntoView({block: "nearest"});
}

const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// ---- Run

/// What the compiler's worker answers.
async function compilersAnswer(request) {
  compiler ??= worker();
  try {
    return await answerOf(compiler, request);
  } catch (e) {
    if (!e.isCompilers) {  // it may have ended
      compiler?.terminate();
      compiler = null;
    }
    throw e;
  }
}
const compiled = (texts) => compilersAnswer({compile: texts});

/// An exercise is compiled with its checker, which takes a case, a seed, and sizes: those of the first check.
function textsOf({text}) {
  return task === null ? {[file()]: text} : {"check.cu": task.checker, [file()]: text};
}
function argumentsOf(program) {
  if (task === null) return ["program", ...program.arguments.split(/\s+/).filter(Boolean)];
  const {cases, sizes} = JSON.parse(task.rules);
  return ["program", cases[0], program.seed, String(sizes[0])];
}

const request = (program) => ({
  schedule: program.schedule, seed: Number(program.seed), resident: Number(program.resident),
  arguments: argumentsOf(program)});

/// The launch that is drawn: the first with a finding, else the first.
const drawnLaunch = (answer) => answer.findings.find((f) => f.launch !== null)?.launch ?? 0;

class Superseded extends Error {}

async function run(program, draws, current) {
  const seconds = Number(program.limit), built = await current(compiled(textsOf(program)));
  if (!built.hasMain && task === null) throw new Error("The program has no function main, which launches the kernels.");
  at("status").textContent = "Running …";
  const begin = performance.now();
  let answer = await current(ran(built.module, request(program), seconds));
  if (draws && answer.launches.length > 0) {
    printed = "";
    answer = await current(ran(built.module, {...request(program), traced: drawnLaunch(answer)}, seconds));
  }
  report(answer, built.notes);
  const end = answer.failure === "" ? "" : ` ${answer.failure[0].toUpperCase()}${answer.failure.slice(1)}.`;
  return `${counted(answer.findings.length, "finding", "findings")}, ${counted(answer.launches.length, "launch", "launches")}.${end} ` +
    `${Math.round(performance.now() - begin)} ms.`;
}

async function gradeTask(program, current) {
  let runs = 0;
  const {grade: graded} = await grade({
    ask: (request) => current(compilersAnswer({ask: request})),
    compile: async (texts) => (await current(compiled(texts))).module,
    run: (module, request, say) => {
      at("status").textContent = `Grading: run ${++runs} …`;
      return current(ran(module, request, request.seconds, say));
    }}, {rules: task.rules, checker: task.checker, text: program.text, seed: Number(program.seed), seconds: Number(program.limit)});
  const [mine] = graded.exercises;
  at("result").replaceChildren(...gradeOf(mine, page));
  return mine.state === "does not compile" ? "The kernel does not compile."
    : `${mine.points} of ${counted(mine.of, "point", "points")}: ${mine.state}.`;
}

async function work(draws) {
  if (!isEnabled(at("run")) || !at("options").reportValidity()) return;
  const mine = ++running, program = state();
  /// Nothing is shown of a run that was stopped.
  const current = async (answer) => {
    const got = await answer.catch((e) => { throw mine === running ? e : new Superseded(); });
    if (mine !== running) throw new Superseded();
    return got;
  };
  for (const name of ["run", "steps"]) enable(at(name), false);
  enable(at("stop"), true);
  printed = "";
  marks.clear();
  at("result").replaceChildren();
  at("status").textContent = "Compiling …";
  keep();
  try {
    settle(task !== null && !draws ? await gradeTask(program, current) : await run(program, draws, current));
  } catch (e) {
    if (e instanceof Superseded) return;
    if (e.isCompilers) at("result").replaceChildren(...refused(e.message, page));
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

const listOf = async (name) => (await fetch(new URL(name, import.meta.url))).json();

async function begin() {
  [examples, exercises] = await Promise.all([listOf("examples.json"), listOf("exercises.json")]);
  at("example").append(new Option("Your own program", own));
  for (const [label, kind, all] of [["Exercises", "exercise", exercises], ["Examples", "example", examples]]) {
    const group = Object.assign(document.createElement("optgroup"), {label});
    group.append(...all.map(({title}, i) => new Option(title, `${kind} ${i}`)));
    if (all.length > 0) at("example").append(group);
  }
  show(await first());
  at("example").addEventListener("change", choose);
  at("given").addEventListener("click", () => {
    show({exercise: task.name, text: task.text});
    keep();
    at("status").textContent = "This is the text of the exercise again.";
  });
  at("source").addEventListener("input", () => {
    drawLines();
    keep();
    showChoice();
  });
  at("source").addEventListener("scroll", scrolled);
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
  await startOffline();
  document.documentElement.dataset.ready = "yes";
}

begin();
