// Loads the laboratory's module and asks it: await open(bytes), then ask({verb, stem, ...}).
// Runs in browsers, in workers and in Node.

const errno = {ok: 0, badFile: 8, notSupported: 52};

/// What the C library asks of the system: a clock, and where error messages go. There are no files.
function system(memory, say) {
  const view = () => new DataView(memory().buffer);
  const text = new TextDecoder();
  const calls = {
    clock_time_get(_id, _precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return errno.ok;
    },
    fd_write(file, vectors, count, written) {
      let bytes = 0;
      for (let i = 0; i < count; ++i) {
        const begin = view().getUint32(vectors + 8 * i, true);
        const size = view().getUint32(vectors + 8 * i + 4, true);
        say(text.decode(new Uint8Array(memory().buffer, begin, size).slice()), file);
        bytes += size;
      }
      view().setUint32(written, bytes, true);
      return errno.ok;
    },
    fd_prestat_get: () => errno.badFile,
    fd_fdstat_get(file, at) {
      if (file > 2) return errno.badFile;
      new Uint8Array(memory().buffer, at, 24).fill(0);
      view().setUint8(at, 2);  // a character device: what is printed is not kept back
      return errno.ok;
    },
    fd_close: () => errno.ok,
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return errno.ok;
    },
    environ_get: () => errno.ok,
    args_sizes_get: (...a) => calls.environ_sizes_get(...a),
    args_get: () => errno.ok,
    random_get(at, size) {
      new Uint8Array(memory().buffer, at, size).fill(0);
      return errno.ok;
    },
    proc_exit(code) {
      throw new Error(`the laboratory ended with status ${code}`);
    },
  };
  return new Proxy(calls, {get: (known, name) => known[name] ?? (() => errno.notSupported)});
}

/// The laboratory's answer is a sentence that says what is wrong with the request.
export class Refusal extends Error {}

/// What `ask` returns. Without memory the C++ library ends the module.
function answered(ask) {
  try {
    return ask();
  } catch (e) {
    if (!(e instanceof WebAssembly.RuntimeError)) throw e;
    throw new Error(`The emulator has ended (${e.message}). A program and its emulation have 2 GiB of memory.`);
  }
}

/// The laboratory of a compiled module, or of its bytes.
export async function open(source, say = () => {}) {
  let exports = null;
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const imports = {wasi_snapshot_preview1: {}};
  const calls = system(() => exports.memory, say);
  for (const {module: from, name} of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = calls[name];
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  exports._initialize?.();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  return {
    exports,
    /// Throws a Refusal. After any other error the laboratory has ended.
    ask(request) {
      const bytes = encoder.encode(JSON.stringify(request) + "\0");
      const place = exports.lab_allocate(bytes.length);
      new Uint8Array(exports.memory.buffer, place, bytes.length).set(bytes);
      const answer = answered(() => exports.lab_answer(place));
      const all = new Uint8Array(exports.memory.buffer);
      let end = answer;
      while (all[end] !== 0) ++end;
      const object = JSON.parse(decoder.decode(all.slice(answer, end)));
      exports.lab_free(answer);
      exports.lab_free(place);
      if (object.error !== undefined) throw new Refusal(object.error);
      return object;
    },
  };
}
