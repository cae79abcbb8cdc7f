// Runs .cu files as a page does: node run_program.mjs FOLDER, with a request in JSON on each line of
// the input, {"file": "scan.cu", options of `upsweep run`}, and an answer on each of the output.
//
// With "exercise", a folder with exercise.json and check.cu, the file is graded: {"grade", "text"}.
//
// FOLDER is build-lab-wasm: upsweep_programs.wasm, and compiler/, which `make lab-editor` makes.
import {readFileSync} from "node:fs";
import {basename, dirname, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";
import {createInterface} from "node:readline";
import {gunzipSync} from "node:zlib";
import {build, openCompiler} from "./compiler.mjs";
import {grade} from "./grading.mjs";
import {open} from "./lab.mjs";
import {runProgram} from "./program.mjs";

const folder = resolve(process.argv[2]), part = (name) => join(folder, "compiler", name);
const base = await WebAssembly.compile(readFileSync(join(folder, "upsweep_programs.wasm")));
const {default: make} = await import(pathToFileURL(part("clang.mjs")));
const compiler = await openCompiler(make, gunzipSync(readFileSync(part("clang.wasm.gz"))),
                                    JSON.parse(gunzipSync(readFileSync(part("headers.json.gz")))));

const built = new Map();  // by the names of the files
async function program({file, checker}) {
  // The student's file for an exercise is included by its checker.
  const texts = checker === undefined ? {[basename(file)]: readFileSync(file, "utf8")}
    : {"check.cu": readFileSync(checker, "utf8"), "kernel.cu": readFileSync(file, "utf8")};
  const name = `${file} ${checker}`;
  if (!built.has(name)) built.set(name, await build(base, compiler, texts));
  return built.get(name);
}

async function graded({file, exercise, ...options}) {
  const given = (name) => readFileSync(join(exercise, name), "utf8");
  const parts = {
    ask: (await open(base)).ask, compile: async (texts) => (await build(base, compiler, texts)).module,
    run: (module, request, say) => runProgram(base, module, request, say)};
  return grade(parts, {rules: given("exercise.json"), checker: given("check.cu"), text: readFileSync(file, "utf8"), ...options});
}

async function answerTo({file, checker, ...options}) {
  const begin = performance.now(), {module, notes} = await program({file, checker}), middle = performance.now();
  let printed = "";
  const answer = await runProgram(base, module, options, (text) => printed += text);
  return {...answer, notes, printed, compile_ms: middle - begin, run_ms: performance.now() - middle};
}

for await (const line of createInterface({input: process.stdin})) {
  let answer = null;
  try {
    const request = JSON.parse(line);
    answer = await (request.exercise === undefined ? answerTo(request) : graded(request));
  } catch (e) {
    if (process.env.LAB_STACK) process.stderr.write(e.stack + "\n");
    answer = {error: e.message};
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
process.exit(0);
