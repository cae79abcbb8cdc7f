// Loads a program, which compile() of compiler.mjs has made, beside the laboratory's module of
// programs, and runs its main. Such a module has its data, its functions and its stack at places that
// the one who loads it chooses: the conventions of dynamic linking of WebAssembly's tools.
import {open, Refusal} from "./lab.mjs";

const stackBytes = 1 << 20, largestAlignment = 4096;

/// {memoryBytes, tableSize} of the section `dylink.0`.
function needs(module) {
  const [section] = WebAssembly.Module.customSections(module, "dylink.0");
  const bytes = new Uint8Array(section);
  let at = 0;
  const number = () => {
    let value = 0, shift = 0, byte = 0;
    do {
      byte = bytes[at++];
      value |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte & 0x80);
    return value;
  };
  while (at < bytes.length) {
    const kind = bytes[at++], end = number() + at;
    if (kind === 1) {
      const memoryBytes = number(), alignment = number(), tableSize = number();
      return {memoryBytes, alignment: 2 ** alignment, tableSize};
    }
    at = end;
  }
  return {memoryBytes: 0, alignment: 1, tableSize: 0};
}

/// What the program calls and neither it nor the laboratory has; it fails when it is called.
const missing = (name) => () => {
  throw new Refusal(`The program calls '${name}', which it cannot do in a browser: run it with upsweep run.`);
};

/// Values by name that end the program when they are called.
function endings(exports) {
  const end = (status) => () => exports.upsweep_lab_exit(status);
  return {
    exit: (status) => exports.upsweep_lab_exit(status), _Exit: (status) => exports.upsweep_lab_exit(status),
    quick_exit: (status) => exports.upsweep_lab_exit(status), abort: end(134), __assert_fail: end(134),
    _ZSt9terminatev: end(134), __cxa_throw: end(134), __cxa_atexit: () => 0, atexit: () => 0};
}

/// Addresses of variables and functions that the program asks for by name.
class Addresses {
  #wanted = [];
  constructor(exports, table) {
    this.exports = exports;
    this.table = table;
  }
  entry(f) {
    const at = this.table.grow(1);
    this.table.set(at, f);
    return at;
  }
  global(kind, name) {
    const value = new WebAssembly.Global({value: "i32", mutable: true}, 0);
    this.#wanted.push({kind, name, value});
    return value;
  }
  /// Once the program's own are known.
  fill(own, base) {
    for (const {kind, name, value} of this.#wanted) {
      const mine = own[name], known = this.exports[name];
      if (kind === "GOT.func") value.value = this.entry(mine ?? known ?? null);
      else value.value = mine !== undefined ? mine.value + base : known?.value ?? 0;
    }
  }
}

function load(module, exports) {
  const {memoryBytes, alignment, tableSize} = needs(module);
  if (alignment > largestAlignment) throw new Refusal(`A variable is aligned to ${alignment} bytes; at most ${largestAlignment} are possible in a browser.`);
  const table = exports.__indirect_function_table;
  const place = exports.lab_allocate(memoryBytes + stackBytes + largestAlignment);
  const data = Math.ceil(place / largestAlignment) * largestAlignment;
  new Uint8Array(exports.memory.buffer, data, memoryBytes).fill(0);
  const addresses = new Addresses(exports, table), special = endings(exports);
  const fixed = {
    memory: exports.memory, __indirect_function_table: table,
    __memory_base: new WebAssembly.Global({value: "i32", mutable: false}, data),
    __table_base: new WebAssembly.Global({value: "i32", mutable: false}, table.grow(tableSize)),
    __stack_pointer: new WebAssembly.Global({value: "i32", mutable: true}, (data + memoryBytes + stackBytes) & -16)};
  const imports = {};
  for (const {module: from, name, kind} of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = from !== "env" ? addresses.global(from, name)
      : fixed[name] ?? special[name] ?? (kind === "function" ? exports[name] ?? missing(name) : undefined);
  }
  const own = new WebAssembly.Instance(module, imports).exports;
  addresses.fill(own, data);
  const words = new DataView(exports.memory.buffer);
  words.setUint32(exports.upsweep_sim_program_stack_bytes.value, words.getUint32(data + own.upsweep_program_stack_bytes.value, true), true);
  own.__wasm_apply_data_relocs?.();
  return {own, data, end: data + memoryBytes, addresses};
}

/// The names under which compilers put main.
const mainOf = (own) => own.main ?? own.__main_argc_argv ?? own.__main_void ?? own.__original_main;

/// `base`: the compiled module of programs. `request`: the options of `upsweep run`, and `arguments`.
export async function runProgram(base, program, request, say) {
  const lab = await open(base, say);
  const {own, data, end, addresses} = load(program, lab.exports);
  const main = mainOf(own);
  if (main === undefined) throw new Refusal("The program has no function main.");
  return lab.ask({
    ...request, verb: "program", data, data_end: end, main: addresses.entry(main),
    takes_arguments: main.length > 0,
    constructors: own.__wasm_call_ctors === undefined ? 0 : addresses.entry(own.__wasm_call_ctors),
    stack: addresses.entry(own.upsweep_program_stack), module: own.upsweep_module_program.value + data});
}
