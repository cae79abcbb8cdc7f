// Makes arithmetic of LLVM's text what it is for the tool, on x86-64.
//
// - An integer is divided by a function of the emulator, which notes a division by zero
//   (upsweep/sim/wasm/checked_values.cpp), because WebAssembly ends the program there.
// - A conversion to an integer that cannot hold the number has the result of x86-64's instruction.
// - The address of an element that is far from its array is not computed with 32 bits, with which it
//   could be that of another element: upsweep/sim/wasm/wide_addresses.cpp.
// - After a thread's own array are bytes that are no variable's: for the tool, variables of one word are
//   in registers, which a write beyond the array does not change.

/// Divisors that need no look.
const isHarmless = (divisor) => /^-?\d+$/.test(divisor) && divisor !== "0" && divisor !== "-1";

function division(line) {
  const m = line.match(/^ {2}(%\S+) = ([su](?:div|rem))(?: exact)? (i32|i64) (\S+), ([^\s,]+)(.*)$/);
  if (m === null || isHarmless(m[5])) return line;
  const [, result, operation, type, a, b, rest] = m;
  return `  ${result} = call ${type} @upsweep_sim_${operation}_${type}(${type} ${a}, ${type} ${b})${rest}`;
}

// The first number that is too small or too large, as LLVM writes it, and the result for both.
const limits = {
  i32: {least: "0xC1E0000000000000", most: "0x41E0000000000000", other: "-2147483648"},
  i64: {least: "0xC3E0000000000000", most: "0x43E0000000000000", other: "-9223372036854775808"}};

/// CVTTSS2SI and CVTTSD2SI. `name` begins names of other values.
function truncation(result, name, from, x, to) {
  const {least, most, other} = limits[to];
  return [
    `  ${name}.near = call ${to} @llvm.fptosi.sat.${to}.${from === "float" ? "f32" : "f64"}(${from} ${x})`,
    `  ${name}.least = fcmp oge ${from} ${x}, ${least}`, `  ${name}.most = fcmp olt ${from} ${x}, ${most}`,
    `  ${name}.fits = and i1 ${name}.least, ${name}.most`,
    `  ${result} = select i1 ${name}.fits, ${to} ${name}.near, ${to} ${other}`];
}

function conversion(line) {
  const m = line.match(/^ {2}(%\S+) = fpto([su])i (float|double) (\S+) to (i8|i16|i32|i64)(?:,.*)?$/);
  if (m === null) return [line];
  const [, result, sign, from, x, to] = m, name = `%of.${result.slice(1)}`;
  if (sign === "s" && to in limits) return truncation(result, name, from, x, to);
  if (to === "i64")  // from 2^63 on, what is left of it
    return [
      `  ${name}.large = fcmp oge ${from} ${x}, ${limits.i64.most}`, `  ${name}.less = fsub ${from} ${x}, ${limits.i64.most}`,
      `  ${name}.half = select i1 ${name}.large, ${from} ${name}.less, ${from} ${x}`,
      ...truncation(`${name}.low`, name, from, `${name}.half`, "i64"),
      `  ${name}.high = select i1 ${name}.large, i64 ${limits.i64.other}, i64 0`,
      `  ${result} = xor i64 ${name}.low, ${name}.high`];
  const wide = to === "i32" ? "i64" : "i32";
  return [...truncation(`${name}.wide`, name, from, x, wide), `  ${result} = trunc ${wide} ${name}.wide to ${to}`];
}

const flags = "(?:(?:inbounds|nuw|nusw) )*";
const ofPointer = new RegExp(`^ {2}(%\\S+) = getelementptr ${flags}(.+), ptr (\\S+), i32 (%[\\w.$-]+)(?:,.*)?$`);
const ofArray = new RegExp(`^ {2}(%\\S+) = getelementptr ${flags}\\[\\d+ x (.+)\\], ptr (\\S+), i32 0, i32 (%[\\w.$-]+)(?:,.*)?$`);

/// The address of an element with an index that is not known. `wide`: by the name of an index, the value
/// of 64 bits of which it is a part.
function element(line, wide) {
  const m = line.match(ofArray) ?? line.match(ofPointer);
  if (m === null) return [line];
  const [, result, type, array, index] = m, name = `%of.${result.slice(1)}`;
  const bytes = `i32 ptrtoint (ptr getelementptr (${type}, ptr null, i32 1) to i32)`;
  const known = wide.get(index);
  return [...(known === undefined ? [`  ${name}.index = sext i32 ${index} to i64`] : []),
          `  ${result} = call ptr @upsweep_element(ptr ${array}, i64 ${known ?? `${name}.index`}, ${bytes})`];
}

const functions = `
define internal ptr @upsweep_element(ptr %array, i64 %index, i32 %size) nounwind {
  %wide = zext i32 %size to i64
  %bytes = mul i64 %index, %wide
  %shifted = add i64 %bytes, 65536
  %near = icmp ult i64 %shifted, 131072
  br i1 %near, label %is.near, label %is.far
is.near:
  %short = trunc i64 %bytes to i32
  %element = getelementptr i8, ptr %array, i32 %short
  ret ptr %element
is.far:
  %found = call ptr @upsweep_sim_far_element(ptr %array, i64 %bytes)
  ret ptr %found
}
declare ptr @upsweep_sim_far_element(ptr, i64) nounwind
${["i32", "i64"].flatMap((type) => ["sdiv", "udiv", "srem", "urem"].map((operation) =>
    `declare ${type} @upsweep_sim_${operation}_${type}(${type}, ${type}) nounwind`)).join("\n")}
${["i32", "i64"].flatMap((type) => [["f32", "float"], ["f64", "double"]].map(([short, from]) =>
    `declare ${type} @llvm.fptosi.sat.${type}.${short}(${from})`)).join("\n")}
`;

const room = 64;  // bytes

/// The names of types that have an array as a member, or a member of such a type.
function typesWithArrays(text) {
  const found = new Set(), types = [...text.matchAll(/^(%(?:"[^"]+"|[\w.$-]+)) = type (.*)$/gm)];
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [, name, members] of types)
      if (members.includes("[") || [...members.matchAll(/%(?:"[^"]+"|[\w.$-]+)/g)].some(([m]) => found.has(m))) found.add(name);
  }
  return found;
}

function withRoom(line, arrays) {
  const m = line.match(/^ {2}(%\S+) = alloca (%"[^"]+"|%[\w.$-]+|\[[^,]*\])(, align \d+.*)$/);
  return m === null || !(m[2].startsWith("[") || arrays.has(m[2])) ? line
    : `  ${m[1]} = alloca { ${m[2]}, [${room} x i8] }${m[3]}`;
}

export function asOnX86(text) {
  const out = [], arrays = typesWithArrays(text);
  let wide = new Map();
  for (const line of text.split("\n")) {
    if (line.startsWith("define ")) wide = new Map();
    const cut = line.match(/^ {2}(%\S+) = trunc (?:nuw |nsw )*i64 (%\S+) to i32(?:,.*)?$/);
    if (cut !== null) wide.set(cut[1], cut[2].replace(/,$/, ""));
    if (line.includes("getelementptr")) out.push(...element(line, wide));
    else if (line.includes(" = alloca ")) out.push(withRoom(line, arrays));
    else if (line.includes(" = fpto")) out.push(...conversion(line));
    else out.push(line.includes("div ") || line.includes("rem ") ? division(line) : line);
  }
  return out.join("\n") + functions;
}
