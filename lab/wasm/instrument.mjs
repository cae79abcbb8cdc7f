// Prepares a module of kernels for WebAssembly, where it has no addresses of calls and no loader.
//
// instrument(text, {name, number}) takes LLVM's text of the module, compiled with the hooks of
// upsweep/sim/CMakeLists.txt, and returns it changed:
//
// - every call of a hook stores its number first (upsweep/sim/hook_calls.hpp), and a table has its line;
// - the addresses of shared arrays, threadIdx and the like are asked for, as `__tls_get_addr` is
//   elsewhere (upsweep/sim/wasm/linked_module.cpp); other thread-local variables are plain ones;
// - everything but the functions of `keeps` is the module's own, and a table describes the module;
// - of a program (isProgram), the table also has the variables and what may be a kernel.

const numbered = new RegExp(
  "call [^@\\n]*@(__tsan_(?!init|func|ignore|vptr)\\w+|__sanitizer_cov_trace_pc|" +
  "upsweep_emulated_\\w+|upsweep_sim_[su](?:div|rem)_\\w+|__ubsan_handle_\\w+|__wrap_\\w+|_Z\\w*9operationI\\w*7applied\\w*)\\(");
const address = /call ([^@\n]*?)ptr @llvm\.threadlocal\.address\.p0\(ptr [^@\n]*@([\w.$]+)\)/g;
const indices = ["threadIdx", "blockIdx", "blockDim", "gridDim"];
const bitsOfCall = 22;  // of the number of a call in its module
// The emulator has these for kernels: upsweep/sim/modules/heap_calls.cpp.
const wrapped = new RegExp(
  "@(printf|puts|putchar|malloc|free|_Zn[wa]m(?:RKSt9nothrow_t|St11align_val_t)?|" +
  "_Zd[la]Pv(?:m|St11align_val_t|mSt11align_val_t)?)(?=[(, )]|$)", "gm");

/// The scopes, files and positions in the debug data, by their numbers.
function metadata(text) {
  const found = new Map();
  const kinds = "DILocation|DIFile|DISubprogram|DILexicalBlock|DILexicalBlockFile";
  const node = new RegExp(`^!(\\d+) = (?:distinct )?!(?:${kinds})\\((.*)\\)$`, "gm");
  for (const [, number, body] of text.matchAll(node)) {
    const fields = {};
    for (const [, name, value] of body.matchAll(/(\w+): ("[^"]*"|[^,]+)/g)) fields[name] = value;
    found.set(number, fields);
  }
  return found;
}

/// The positions of calls: each a chain of file and line, the innermost call first.
class Lines {
  files = [];
  chains = [];
  #known = new Map();
  #nodes;

  constructor(text) {
    this.#nodes = metadata(text);
  }
  #fileOf(scope) {
    const fields = this.#nodes.get(scope.slice(1));
    if (fields.file === undefined) return this.#fileOf(fields.scope);
    const name = this.#nodes.get(fields.file.slice(1)).filename.slice(1, -1);
    if (!this.files.includes(name)) this.files.push(name);
    return this.files.indexOf(name);
  }
  /// The number of the chain of a position in the debug data.
  chain(place) {
    if (this.#known.has(place)) return this.#known.get(place);
    const links = [];
    for (let at = place; this.#nodes.has(at);) {
      const fields = this.#nodes.get(at);
      links.push(this.#fileOf(fields.scope), Number(fields.line));
      at = fields.inlinedAt?.slice(1);
    }
    const key = links.join(" ");
    if (!this.#known.has(key)) this.#known.set(key, this.chains.push(links) - 1);
    this.#known.set(place, this.#known.get(key));
    return this.#known.get(key);
  }
}

// Where the linker puts what is no variable of the program: before all variables.
const apart = 'section ".rodata.upsweep"';

const constants = (name, values) =>
  `@${name} = internal constant [${values.length} x i32] [${values.map((v) => `i32 ${v}`).join(", ")}]`;

function strings(name, values) {
  const bytes = values.length > 0 ? new TextEncoder().encode(values.map((v) => v + "\0").join("")) : [0];
  let text = "";
  for (const b of bytes)
    text += b >= 32 && b < 127 && b !== 34 && b !== 92 ? String.fromCharCode(b)
                                                       : "\\" + b.toString(16).toUpperCase().padStart(2, "0");
  return `@${name} = internal constant [${bytes.length} x i8] c"${text}"`;
}

const pointers = (name, values) =>
  `@${name} = internal constant [${Math.max(values.length, 1)} x ptr] [${
    values.map((v) => `ptr @${v}`).join(", ") || "ptr null"}], ${apart}`;

/// The type with which an initial value begins: `i32` of `i32 0`.
function leadingType(text) {
  let depth = 0;
  for (const m of text.matchAll(/"[^"]*"|[[\]{}<>]| /g)) {
    depth += "[{<".includes(m[0]) ? 1 : "]}>".includes(m[0]) ? -1 : 0;
    if (depth === 0 && m[0] === " ") return text.slice(0, m.index);
  }
  return text;
}

/// `i32 12`, or an expression for the bytes of a type.
const bytesOf = (rest) =>
  `i32 ptrtoint (ptr getelementptr (${leadingType(rest.trim())}, ptr null, i32 1) to i32)`;

const sizes = (name, rests) =>
  `@${name} = internal constant [${Math.max(rests.length, 1)} x i32] [${
    rests.map(bytesOf).join(", ") || "i32 0"}]`;

const global = /^@("[^"]*"|[\w.$-]+) = ((?:[a-z_]+(?:\(\w+\))? )*?)(global|constant) (.*?)((?:, align \d+)?(?:, !dbg.*)?)$/gm;
const isElsewhere = (how) => /external|extern_weak|thread_local|appending/.test(how);
const isOwn = (name, how) => /^[A-Za-z_]/.test(name) && !/private/.test(how) &&
  !/^(__const\.|llvm\.|__sancov|__tsan|switch\.table)|7upsweep8emulated|^_ZTS|^_ZTI/.test(name);

/// Variables of the program itself, as upsweep/sim/modules/module.cpp finds them: name, and type with
/// initial value. Those come first that would be in writable memory, where an address beyond a variable
/// is an error: all but constants without addresses in them.
function variablesOf(text) {
  const writable = [], constant = [];
  for (const [, name, how, kind, rest] of text.matchAll(global))
    if (isOwn(name, how) && !isElsewhere(how))
      (kind === "constant" && !rest.includes("@") ? constant : writable).push([name, rest]);
  return {variables: [...writable, ...constant], writable: writable.length};
}

/// Nothing else lies between variables or after them: it would be taken for an access beyond them.
function withOthersApart(text) {
  const first = `@upsweep_constants = private constant i32 0, ${apart}, align 4
@llvm.used = appending global [1 x ptr] [ptr @upsweep_constants], section "llvm.metadata"`;
  return text.replace(global, (line, name, how, kind, rest, end) => isElsewhere(how) || isOwn(name, how) ? line
    : `@${name} = ${how}${kind} ${rest}, ${apart}${end}`)
    .replace(/^target triple = .*$/m, (triple) => `${triple}\n${first}`);
}

/// Functions whose address is used other than to call them.
function functionsOf(text) {
  const defined = new Set([...text.matchAll(/^define [^@\n]*@([\w.$]+)\(/gm)].map((m) => m[1]));
  const used = new Set();
  for (const m of text.matchAll(/@([\w.$]+)(?![\w.$(])/g)) if (defined.has(m[1])) used.add(m[1]);
  return [...used].filter((name) => name.startsWith("_Z"));
}

function tables(p, number, lines, places, arrays, kinds, more) {
  const flat = [], begins = [];
  for (const chain of lines.chains) {
    begins.push(flat.length);
    flat.push(chain.length / 2, ...chain);
  }
  const {variables, writable, functions, dynamic} = more;
  const i = (n) => `i32 ${n}`, at = (part) => `ptr @${p}_${part}`;
  const fields = [
    i(number), i(places.length), i(lines.files.length), i(arrays.length), at("sites"), at("chains"),
    at("files"), at("names"), at("bytes"), i(variables.length), i(functions.length), at("variables"),
    at("variable_bytes"), at("variable_names"), at("functions"), at("function_names"), at("dynamic"),
    i(writable)];
  return [
    constants(`${p}_sites`, places.length > 0 ? places.map((c) => begins[c]) : [0]),
    constants(`${p}_chains`, flat.length > 0 ? flat : [0]),
    strings(`${p}_files`, lines.files),
    strings(`${p}_names`, arrays),
    sizes(`${p}_bytes`, arrays.map((a) => kinds.get(a))),
    pointers(`${p}_variables`, variables.map(([name]) => name)),
    sizes(`${p}_variable_bytes`, variables.map(([, rest]) => rest)),
    strings(`${p}_variable_names`, variables.map(([name]) => name)),
    pointers(`${p}_functions`, functions),
    strings(`${p}_function_names`, functions),
    strings(`${p}_dynamic`, [dynamic]),
    `@${p} = constant { ${fields.map((f) => f.split(" ")[0]).join(", ")} } { ${fields.join(", ")} }, ${apart}`,
    "declare ptr @upsweep_sim_index_variable(i32) nounwind",
    "declare ptr @upsweep_sim_shared_array(i32) nounwind",
    "declare ptr @upsweep_sim_dynamic_array() nounwind", ""].join("\n");
}

/// What the module defines is its own; several may be linked into one program.
function makeInternal(text, keeps) {
  const weak = "(?:linkonce_odr|weak_odr|linkonce|weak) (?:hidden )?";
  return text.replace(/^\$[^\n]* = comdat any\n/gm, "")
    .replace(/,? comdat(\(\$[^)]*\))?(?=[ ,\n]|$)/gm, "")
    .replace(new RegExp(`\\b${weak}(?=(?:unnamed_addr |local_unnamed_addr )?(?:global|constant) )`, "g"), "internal ")
    .replace(new RegExp(`^define ${weak}`, "gm"), "define internal ")
    .replace(/^@llvm\.(used|compiler\.used) [^\n]*\n/gm, "")
    .replace(new RegExp(`define hidden (?=[^\\n]*@(?:${keeps})\\b)`, "g"), "define ");
}

/// An array that is declared `extern` is asked for directly, not through a function of C++ that would
/// first call its constructor.
function withoutWrappers(text) {
  const wrapped = new Map();
  const wrapper = /^define [^@\n]*@(_ZTW[\w.$]+)\([^}]*?(call [^\n]*@llvm\.threadlocal\.address\.p0\([^\n]*?\))[^}]*^}\n/gm;
  const rest = text.replace(wrapper, (_all, name, asks) => {
    wrapped.set(name, asks);
    return "";
  });
  return rest.replace(/call [^@\n]*@(_ZTW[\w.$]+)\(\)/g, (all, name) => wrapped.get(name) ?? all)
    .replace(/^declare extern_weak [^@\n]*@_ZTH[^\n]*\n/gm, "");
}

/// Thread-local variables of the host become plain ones, as there is one thread.
function withoutHostLocals(text) {
  const host = new Set();
  return text.replace(/^@([\w.$]+) = (.*?)thread_local(?:\(\w+\))? (?=(?:global|constant) )(.*)$/gm,
    (all, variable, how, rest) => {
      if (/external|extern_weak/.test(how) || /, align 65536\b/.test(rest)) return all;
      host.add(variable);
      return `@${variable} = ${how}${rest}`;
    }).replace(address, (all, _attributes, variable) =>
    host.has(variable) ? `getelementptr i8, ptr @${variable}, i32 0` : all);
}

const copied = /call void @llvm\.memcpy\.p0\.p0\.i(?:32|64)\(ptr (?:align (\d+) )?(\S+), ptr (?:align (\d+) )?(\S+), i(?:32|64) (\d+), i1 \w+\)/;
const filled = /call void @llvm\.memset\.p0\.i(?:32|64)\(ptr (?:align (\d+) )?(\S+), i8 (-?\d+), i(?:32|64) (\d+), i1 \w+\)/;

/// Copies of structs are reported with their alignments, which decide about the number of accesses.
function withStructsReported(text) {
  const isReported = new Set([...text.matchAll(/^attributes (#\d+) = \{[^}]*\bsanitize_thread\b/gm)].map((m) => m[1]));
  let reports = false;
  return text.split("\n").map((line) => {
    if (line.startsWith("define ")) reports = isReported.has(line.match(/ (#\d+)(?= )/)?.[1]);
    if (!reports || !line.includes("@llvm.mem")) return line;
    return line
      .replace(copied, (_all, toAlign, to, fromAlign, from, bytes) =>
        `call void @upsweep_emulated_copy_struct(ptr ${to}, ptr ${from}, i32 ${bytes}, i32 ${toAlign ?? 1}, i32 ${fromAlign ?? 1})`)
      .replace(filled, (_all, align, to, value, bytes) =>
        `call void @upsweep_emulated_set_struct(ptr ${to}, i32 ${value}, i32 ${bytes}, i32 ${align ?? 1})`);
  }).join("\n") + `
declare void @upsweep_emulated_copy_struct(ptr, ptr, i32, i32, i32)
declare void @upsweep_emulated_set_struct(ptr, i32, i32, i32)
`;
}

export function instrument(source, {name, number, keeps = "upsweep_kernel_\\w+", isProgram = false}) {
  // What the loader of programs gives is always there.
  const given = isProgram ? source.replace(wrapped, "@__wrap_$1").replace(/^declare extern_weak /gm, "declare ")
                          : source;
  const text = withoutHostLocals(withoutWrappers(withStructsReported(given)));
  const lines = new Lines(text), places = [], arrays = [], kinds = new Map(), dynamic = new Set();
  const local = /^@([\w.$]+) = (.*?)thread_local(?:\(\w+\))? (?:global|constant) (.*?)(?:, comdat)?(?:, align \d+)?(?:, !dbg.*)?$/gm;
  for (const [, array, how, rest] of text.matchAll(local))
    if (!how.includes("external") && !how.includes("extern_weak")) kinds.set(array, rest);
  const askFor = (_all, _attributes, variable) => {
    if (indices.includes(variable))
      return `call ptr @upsweep_sim_index_variable(i32 ${indices.indexOf(variable)})`;
    if (!kinds.has(variable)) {
      dynamic.add(variable);
      return "call ptr @upsweep_sim_dynamic_array()";
    }
    if (!arrays.includes(variable)) arrays.push(variable);
    return `call ptr @upsweep_sim_shared_array(i32 ${arrays.indexOf(variable)})`;
  };
  const out = [];
  for (let line of text.split("\n")) {
    if (line.includes("call")) {
      line = line.replace(address, askFor);
      if (numbered.test(line)) {
        places.push(lines.chain(line.match(/!dbg !(\d+)/)?.[1] ?? "none"));
        const pc = (number * 2 ** bitsOfCall + places.length) * 16 - 8;
        out.push(`  store i32 ${pc | 0}, ptr @upsweep_sim_caller, align 4`);
      }
    }
    out.push(line);
  }
  if (places.length >= 2 ** bitsOfCall) throw new Error("A module has too many calls.");
  // Shared arrays become numbers; what remains of them is a name.
  let body = out.join("\n").replace(/^@[\w.$]+ = [^\n]*thread_local[^\n]*\n/gm, "");
  if (!isProgram) body = body.replace(/^@llvm\.global_ctors = [^\n]*tsan[^\n]*\n/gm, "");
  body = makeInternal(body, keeps);
  if (!text.includes("@upsweep_sim_caller = ")) body += "\n@upsweep_sim_caller = external global i32";
  const more = isProgram ? {...variablesOf(body), functions: functionsOf(body)}
                         : {variables: [], writable: 0, functions: []};
  more.dynamic = dynamic.size === 1 ? [...dynamic][0] : "";
  if (isProgram) body = withOthersApart(body);
  return body + "\n" + tables(`upsweep_module_${name}`, number, lines, places, arrays, kinds, more);
}
