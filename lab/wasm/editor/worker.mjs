// Compiles, {compile: texts by name}, runs, {run: module, request}, or asks the graders, {ask: request}. A program
// has a worker of its own, so that it can be ended without losing the compiler.
import {build, openCompiler} from "./compiler.mjs";
import {open} from "./lab.mjs";
import {runProgram} from "./program.mjs";

const place = (name) => new URL(name, import.meta.url);

async function loaded(name) {
  const got = await fetch(place(name));
  if (!got.ok) throw new Error(`${place(name)} could not be loaded: status ${got.status}.`);
  return got;
}

/// Reads a compressed file; `heard` is told of each part that arrives.
async function unpacked(name, heard) {
  const parts = [], reader = (await loaded(name)).body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    heard(part.value.length);
  }
  const blob = new Blob(parts), begin = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const isPacked = begin[0] === 0x1f && begin[1] === 0x8b;  // some servers unpack
  return new Response(isPacked ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream());
}

let base = null, compiler = null, grader = null;

async function programs() {
  base ??= await WebAssembly.compile(await (await unpacked("upsweep_programs.wasm.gz", () => {})).arrayBuffer());
  return base;
}

async function started() {
  const {bytes: of} = await (await fetch(place("compiler/size.json"))).json();
  let progress = 0;
  const heard = (bytes) => postMessage({progress: Math.min(progress += bytes, of - 1), of});
  heard(0);
  const {default: make} = await import("./compiler/clang.mjs");
  const headers = await (await unpacked("compiler/headers.json.gz", heard)).json();
  const clang = await (await unpacked("compiler/clang.wasm.gz", heard)).arrayBuffer();
  postMessage({progress: of, of});
  return openCompiler(make, clang, headers);
}

onmessage = async ({data}) => {
  try {
    if (data.compile !== undefined) {
      compiler ??= await started();
      postMessage({answer: await build(await programs(), compiler, data.compile)});
    } else if (data.ask !== undefined) {
      grader ??= await open(await programs());
      postMessage({answer: grader.ask(data.ask)});
    } else {
      const say = (said, file) => postMessage({said, file});
      postMessage({answer: await runProgram(await programs(), data.run, data.request, say)});
    }
  } catch (e) {
    postMessage({error: e.message, isCompilers: e.isCompilers === true});
  }
};
