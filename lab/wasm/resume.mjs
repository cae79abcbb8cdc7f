// Makes functions of a program that can return in the middle and go on there later, as those of the
// emulator's own module by Asyncify: upsweep/sim/fiber_asyncify.cpp.
//
//   resumable(await demoted(divided(text)))     demoted: opt -passes=reg2mem
//
// The text is LLVM's, without optimization: variables are in memory, on the program's own stack.
// divided() puts each call that may suspend its thread into a block of its own, so that reg2mem keeps
// in memory what is used after it. resumable() adds the ways out and in: after the call a function
// returns if the thread is being suspended, and notes where; when it is called again to go on, it
// finds its variables where they were, since the stack pointer is the same, and goes to the call.

const call = /^\s+(?:%\S+ = )?(?:tail |notail )?call .*?([@%](?:"[^"]+"|[\w.$]+))\(/;
const unwinding = 1, rewinding = 2;  // of upsweep_sim_fiber_state

/// Functions of LLVM and of the C library never suspend; hooks of the emulator may, but for those that
/// only compute.
const isHook = (name) => /^@(__tsan_|__sanitizer_cov|upsweep_emulated_(?!own_index)|__wrap_)/.test(name);

/// The text as functions and what is between them: {lines, name} with the name of a function.
function parts(text) {
  const found = [{lines: []}];
  for (const line of text.split("\n")) {
    const begin = line.startsWith("define ") ? line.match(/@("[^"]*"|[\w.$]+)\(/)[1] : null;
    if (begin !== null) found.push({name: "@" + begin, lines: []});
    found.at(-1).lines.push(line);
    if (line === "}") found.push({lines: []});
  }
  return found;
}

/// The names of the functions that may suspend, directly or through others.
function suspending(all) {
  const callers = new Map(), found = new Set(), next = [];
  const defined = new Set(all.filter((p) => p.name !== undefined).map((p) => p.name));
  const add = (name) => {
    if (!found.has(name)) next.push(name);
    found.add(name);
  };
  for (const {name, lines} of all)
    if (name !== undefined)
      for (const line of lines) {
        const callee = line.match(call)?.[1];
        if (callee === undefined) continue;
        if (callee.startsWith("%") || isHook(callee)) add(name);
        else if (defined.has(callee)) callers.set(callee, [...callers.get(callee) ?? [], name]);
      }
  while (next.length > 0) for (const name of callers.get(next.pop()) ?? []) add(name);
  return found;
}

/// Each call that may suspend begins a block, and the block after it goes on.
function divide(lines, maySuspend) {
  const out = [lines[0]], last = new Map();
  let label = "entry", count = 0;
  for (const line of lines.slice(1)) {
    const begins = line.match(/^("[^"]+"|[\w.$-]+):/);
    if (begins !== null) label = begins[1];
    const callee = line.match(call)?.[1];
    if (callee === undefined || !maySuspend(callee)) {
      out.push(line);
      continue;
    }
    ++count;
    out.push(`  br label %again.${count}`, `again.${count}:`, line, `  br label %after.${count}`,
             `after.${count}:`);
    last.set(label, `after.${count}`);
  }
  const known = new Set(out.map((line) => line.match(/^("[^"]+"|[\w.$-]+):/)?.[1]).filter(Boolean));
  const end = (of) => last.get(known.has(of) ? of : "entry") ?? of;
  return out.map((line) => !/^\s+%[\w.]+ = phi /.test(line) ? line
    : line.replace(/, %("[^"]+"|[\w.$-]+) \]/g, (_all, of) => `, %${end(of)} ]`));
}

export function divided(text) {
  const all = parts(text), names = suspending(all);
  const maySuspend = (callee) => callee.startsWith("%") || isHook(callee) || names.has(callee);
  return all.map((p) => (names.has(p.name) ? divide(p.lines, maySuspend) : p.lines).join("\n")).join("\n");
}

const returnedType = (line) => {
  const words = line.slice("define ".length, line.search(/ @("[^"]*"|[\w.$]+)\(/));
  const attribute = /^(internal|private|hidden|protected|dso_local|noundef|signext|zeroext|noalias|nonnull|nofpclass\([^)]*\)|range\([^)]*\)|align \d+|dereferenceable(_or_null)?\(\d+\)|fastcc|local_unnamed_addr|unnamed_addr|weak|linkonce) ?/;
  let rest = words;
  while (attribute.test(rest)) rest = rest.replace(attribute, "");
  return rest;
};

function resume(lines) {
  const count = lines.filter((line) => /^again\.\d+:/.test(line)).length;
  if (count === 0) return lines;
  const type = returnedType(lines[0]);
  const entry = lines.slice(1).findIndex((line) => /^("[^"]+"|[\w.$-]+):/.test(line) && !line.startsWith("entry:"));
  const first = lines.slice(1, 1 + entry).filter((line) => !/^("[^"]+"|[\w.$-]+):/.test(line));
  const isVariable = (line) => /^\s+%\S+ = alloca /.test(line);
  // An overflown stack is found before anything is written there: by recursion, or by an array.
  const lowest = ["%resume.at", ...first.flatMap((line) => line.match(/^\s+(%\S+) = alloca [[{]/)?.[1] ?? [])];
  const out = [lines[0], ...first.filter(isVariable),
    "  %resume.at = alloca i32, align 4",
    "  %resume.state = load volatile i32, ptr @upsweep_sim_fiber_state, align 4",
    `  %resume.is = icmp eq i32 %resume.state, ${rewinding}`,
    "  br i1 %resume.is, label %resume.choose, label %resume.begin",
    "resume.choose:",
    "  %resume.number = load volatile i32, ptr %resume.at, align 4",
    "  switch i32 %resume.number, label %resume.begin [",
    ...Array.from({length: count}, (_, i) => `    i32 ${i + 1}, label %again.${i + 1}`),
    "  ]", "resume.begin:", ...lowest.map((name) => `  call void @upsweep_sim_check_stack(ptr ${name})`), ...first.filter((line) => !isVariable(line))];
  for (const line of lines.slice(1 + entry)) {
    const after = line.match(/^\s+br label %after\.(\d+)$/)?.[1];
    if (after === undefined) {
      if (line === "}") out.push("resume.leave:", type === "void" ? "  ret void" : `  ret ${type} zeroinitializer`);
      out.push(line);
      continue;
    }
    out.push(`  %state.${after} = load volatile i32, ptr @upsweep_sim_fiber_state, align 4`,
      `  %leaves.${after} = icmp eq i32 %state.${after}, ${unwinding}`,
      `  br i1 %leaves.${after}, label %leave.${after}, label %after.${after}`,
      `leave.${after}:`, `  store volatile i32 ${after}, ptr %resume.at, align 4`, "  br label %resume.leave");
  }
  return out;
}

const byValue = /byval\(((?:"[^"]*"|[^()])*)\)/;

/// A parameter that is passed as a copy would be copied again when the call is made again to go on, and
/// changes would be lost. So the function makes the copy, when it begins.
function withOwnCopies(lines) {
  const copies = [], names = new Map();
  for (const [, type, name] of lines[0].matchAll(new RegExp(`${byValue.source}[^,%]*(%[\\w.]+)`, "g"))) {
    const own = `%own${copies.length}`;
    names.set(name, `${own}.copy`);
    copies.push(`  ${own}.copy = alloca ${type}, align 16`, `  ${own}.value = load ${type}, ptr ${name}, align 1`,
                `  store ${type} ${own}.value, ptr ${own}.copy, align 1`);
  }
  const body = lines.slice(1).map((line) => line.replaceAll(new RegExp(byValue, "g"), ""));
  const begin = lines[0].replaceAll(new RegExp(byValue, "g"), "");
  if (copies.length === 0) return [begin, ...body];
  const changed = body.map((line) => line.replace(/%[\w.]+/g, (name) => names.get(name) ?? name));
  const at = changed[0] === "entry:" ? 1 : 0;
  return [begin, ...changed.slice(0, at), ...copies, ...changed.slice(at)];
}

const bytesOfWord = {i1: 1, i8: 1, i16: 2, i64: 8, double: 8, fp128: 16};

/// The sizes of types, without what is left free for alignment.
class Sizes {
  #members = new Map();
  constructor(text) {
    for (const [, name, members] of text.matchAll(/^(%(?:"[^"]+"|[\w.$-]+)) = type <?(\{.*\})>?$/gm)) this.#members.set(name, members);
  }
  of(type) {
    const array = type.match(/^[[<](\d+) x (.*)[\]>]$/);
    if (array !== null) return Number(array[1]) * this.of(array[2]);
    if (type.startsWith("{")) {
      const members = type.slice(1, -1).match(/(?:[^,[{<"]|"[^"]*"|\[[^\]]*\]+|\{[^}]*\}+|<[^>]*>)+/g) ?? [];
      return members.reduce((sum, m) => sum + this.of(m.trim()), 0);
    }
    return this.#members.has(type) ? this.of(this.#members.get(type)) : bytesOfWord[type] ?? 4;
  }
}

/// The stack that a thread gets: of 64 KiB, as the tool's, if a function has large variables. main has
/// the host's.
function stackOf(all, text) {
  const sizes = new Sizes(text);
  const isLarge = ({name, lines}) => name !== undefined && !/^@(main|__main_\w+|__original_main)$/.test(name) &&
    lines.reduce((sum, line) => sum + sizes.of(line.match(/ = alloca (.*?)(?:, i32 \S+)?, align/)?.[1] ?? "[0 x i8]"), 0) > 8192;
  return (all.some(isLarge) ? 64 : 16) * 1024;
}

export function resumable(text) {
  const all = parts(text);
  const out = all.map((p) => (p.name === undefined ? p.lines : resume(withOwnCopies(p.lines))).join("\n"));
  return `${out.join("\n")}
${text.includes("@upsweep_sim_fiber_state = ") ? "" : "@upsweep_sim_fiber_state = external global i32"}
declare void @upsweep_sim_check_stack(ptr)
@upsweep_program_stack_bytes = constant i32 ${stackOf(all, text)}
`;
}

/// Sets the stack pointer of the program, and returns what it was.
export const exchangeStack = `
module asm ".globaltype __stack_pointer, i32"
module asm ".globl upsweep_program_stack"
module asm ".type upsweep_program_stack,@function"
module asm "upsweep_program_stack:"
module asm ".functype upsweep_program_stack (i32) -> (i32)"
module asm "global.get __stack_pointer"
module asm "local.get 0"
module asm "global.set __stack_pointer"
module asm "end_function"
`;
