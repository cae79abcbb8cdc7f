// A compiler that runs where the laboratory runs: clang, opt and wasm-ld as WebAssembly, of the package
// llvm-explorer. compile() makes of a .cu file a module that runProgram() of program.mjs loads.
import {asOnX86} from "./arithmetic.mjs";
import {asBlocksOfGcc} from "./blocks.mjs";
import {instrument} from "./instrument.mjs";
import {open} from "./lab.mjs";
import {divided, exchangeStack, resumable} from "./resume.mjs";

// As flags_of() of lab/source/build.cpp says, without exceptions. What zig defines for its C++ library,
// whose headers and functions these are, is in the pack of headers.
const flags = [
  "--target=wasm32-wasi", "-x", "c++", "-std=gnu++20", "-O0", "-gline-tables-only", "-w", "-fPIC",
  "-mcpu=mvp", "-mbulk-memory", "-msign-ext", "-mnontrapping-fptoint", "-mmutable-globals",
  "-mexception-handling", "-fwasm-exceptions", "-Xclang", "-fignore-exceptions", "-fno-finite-loops", "-fsanitize-coverage=trace-pc,no-prune", "-Xclang", "-fsanitize=thread", "-fsanitize=shift-exponent,float-cast-overflow",
  "-mllvm", "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-memintrinsics=0", "-mllvm", "-tsan-instrument-read-before-write=1",
  "-mllvm", "-tsan-distinguish-volatile=1", "-fno-strict-aliasing", "-ffp-contract=off",
  "-fno-stack-protector", "-ferror-limit=20", "-fno-color-diagnostics", "-fno-caret-diagnostics"];

/// The headers that a text includes before anything else.
function includesOf(text) {
  const begin = text.match(/^(?:[ \t]*(?:#[ \t]*include[ \t]*<[^>\n]+>[ \t]*)?(?:\/\/[^\n\\]*)?\n|\/\*[^]*?\*\/)*/)[0];
  return [...begin.replace(/\/\*[^]*?\*\//g, "").matchAll(/^[ \t]*#[ \t]*include[ \t]*(<[^>\n]+>)/gm)].map(([, name]) => name);
}
const mostBegins = 3;  // a file of 5 to 20 MB each

// In a function of more text llc -O1 is as fast as -O0, and the program runs ten times faster. At -O0 each
// value has a local variable, of which browsers take 50,000: fifty launches in main() have more.
const mostUnoptimized = 800_000;
const largestFunction = (text) => Math.max(...text.split(/^define /m).slice(1).map((part) => part.indexOf("\n}")));

const number = 1;  // of a program's module; the module of programs has no others

export class CompileError extends Error {
  isCompilers = true;
}

/// `make`: the factory of clang.mjs, with the bytes of clang.wasm. `headers`: {files, folders, defines},
/// as pack_compiler.py writes them.
export async function openCompiler(make, wasmBinary, headers) {
  let said = [];
  const tools = await make({
    wasmBinary, getPreloadedPackage: () => new ArrayBuffer(0), locateFile: (name) => name,
    stdout: () => {}, stderr: (byte) => said.push(byte)});
  const files = tools.FS;
  const write = (path, text) => {
    files.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    files.writeFile(path, text);
  };
  for (const [path, text] of Object.entries(headers.files)) write(path, text);
  files.mkdirTree("/program");
  files.chdir("/program");
  const run = (...words) => {
    said = [];
    const status = tools.ccall("run_command", "number", ["string"], [words.map((w) => `"${w.replace(/[\\"]/g, "\\$&")}"`).join(" ")]);
    if (status === 0) return;
    throw new CompileError(new TextDecoder().decode(Uint8Array.from(said)).trim());
  };
  const given = [...headers.defines.map((d) => "-D" + d), "-nostdinc", ...headers.folders.flatMap((f) => ["-isystem", f])];
  // What clang knows after the headers with which a text begins, by these headers, those used last at the end.
  const begins = new Map();
  let made = 0;
  /// The words by which clang begins with what `text` includes first, which takes most of a compilation.
  const beginOf = (text) => {
    const includes = ["<cuda_runtime.h>", ...includesOf(text)], key = includes.join(" ");
    const header = begins.get(key) ?? `/begins/${++made}.h`;
    if (!begins.delete(key)) {
      write(header, includes.map((name) => `#include ${name}\n`).join(""));
      try {
        run("clang++", ...flags.map((f) => (f === "c++" ? "c++-header" : f)), ...given, header, "-o", `${header}.pch`);
      } catch {
        return ["-include", "cuda_runtime.h"];  // the compilation of the program says why
      }
    }
    begins.set(key, header);
    if (begins.size > mostBegins) {
      const [[oldest, file]] = begins;
      begins.delete(oldest);
      files.unlink(`${file}.pch`);
    }
    return ["-include-pch", `${header}.pch`];
  };
  /// `texts` by name are rewritten; the first is compiled. Throws CompileError with what clang says.
  const compile = (texts) => {
    for (const [name, text] of Object.entries(texts)) files.writeFile("/program/" + name, text);
    const [name] = Object.keys(texts);
    run("clang++", ...flags, ...given, ...beginOf(texts[name]), "-S", "-emit-llvm", name, "-o", "a.ll");
    const known = instrument(asOnX86(asBlocksOfGcc(files.readFile("a.ll", {encoding: "utf8"}))), {name: "program", number, isProgram: true});
    files.writeFile("b.ll", divided(known));
    run("opt", "-passes=reg2mem", "-S", "b.ll", "-o", "c.ll");
    const whole = resumable(files.readFile("c.ll", {encoding: "utf8"})) + exchangeStack;
    files.writeFile("d.ll", whole);
    run("llc", largestFunction(whole) > mostUnoptimized ? "-O1" : "-O0", "-mtriple=wasm32-wasi", "-relocation-model=pic", "-filetype=obj", "d.ll", "-o", "d.o");
    run("wasm-ld", "-shared", "--experimental-pic", "--unresolved-symbols=import-dynamic", "--export=upsweep_module_program",
        "--export=upsweep_program_stack", "--export=upsweep_program_stack_bytes", "--export-if-defined=__main_void", "--export-if-defined=__main_argc_argv",
        "--export-if-defined=main", "--export-if-defined=__original_main", "d.o", "-o", "program.wasm");
    return files.readFile("program.wasm");
  };
  return {compile, files, run};
}

/// Rewrites CUDA C++ as a compiler of C++ takes it, and compiles: {module, notes, has_main}. `base` is
/// the module of programs.
export async function build(base, compiler, texts) {
  const lab = await open(base), rewritten = {}, notes = [];
  let hasMain = false;
  for (const [file, text] of Object.entries(texts)) {
    const done = lab.ask({verb: "rewrite", text});
    for (const {line, sentence, refuses} of done.findings) {
      if (refuses) throw new CompileError(`${file}:${line}: ${sentence}`);
      notes.push({file, line, sentence});
    }
    rewritten[file] = done.text;
    hasMain ||= done.has_main;
  }
  return {module: await WebAssembly.compile(compiler.compile(rewritten)), notes, hasMain};
}
