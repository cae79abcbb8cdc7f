// Compiles, {compile: texts by name}, or runs, {run: module, request}: one worker for each, so that a
// program that does not end can be ended without losing the compiler.
import {build, CompileError, openCompiler} from "./compiler.mjs";
import {runProgram} from "./program.mjs";

const place = (name) => new URL(name, import.meta.url);

/// The bytes of a file of the compiler, which the browser keeps: from a server with HTTPS, or from
/// localhost, the next visit does not load them again.
async function stored(name) {
  const cache = await globalThis.caches?.open("upsweep-compiler").catch(() => undefined);
  const known = await cache?.match(place(name));
  if (known !== undefined) return known;
  const got = await fetch(place(name));
  if (!got.ok) throw new Error(`${place(name)} could not be loaded: status ${got.status}.`);
  await cache?.put(place(name), got.clone()).catch(() => undefined);
  return got;
}

/// Reads a compressed file; `heard` is told of each part that arrives.
async function unpacked(name, heard) {
  const parts = [], reader = (await stored(name)).body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    heard(part.value.length);
  }
  const blob = new Blob(parts), begin = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  const isPacked = begin[0] === 0x1f && begin[1] === 0x8b;  // some servers unpack
  return new Response(isPacked ? blob.stream().pipeThrough(new DecompressionStream("gzip")) : blob.stream());
}

let base = null, compiler = null;

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
    } else {
      const say = (printed) => postMessage({printed});
      postMessage({answer: await runProgram(await programs(), data.run, data.request, say)});
    }
  } catch (e) {
    postMessage({error: e.message, isCompilers: e instanceof CompileError});
  }
};
