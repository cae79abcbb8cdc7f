// Leaves the hooks that g++ would write, of those that clang has written into LLVM's text, so that turns
// and counters are those of the tool.
//
// - A basic block of g++ begins where control may come from several places or may have gone elsewhere, and
//   a block has a hook only if something is computed there. Clang also begins blocks at ends of loops, and
//   at each way out of a condition.
// - g++ makes one comparison of two of one value with constants, as in `'a' <= c && c <= 'z'`, and so reads
//   the value once.

const labelOf = (line) => line.match(/^("[^"]+"|[\w.$-]+):/)?.[1];
const locationOf = (line) => line.match(/!dbg !(\d+)/)?.[1];
const isHook = (line) => line.includes("@__sanitizer_cov_trace_pc(");

class Block {
  lines = [];  // by their numbers in the text
  next = [];
  before = [];
  constructor(name) {
    this.name = name;
  }
}

/// The blocks of the function that begins with line `begin`, by name, the first one first.
function blocksOf(lines, begin, end) {
  const blocks = new Map();
  let block = new Block("");
  blocks.set(block.name, block);
  for (let i = begin + 1; i < end; ++i) {
    const name = /^[\w"]/.test(lines[i]) ? labelOf(lines[i]) : undefined;
    if (name !== undefined) blocks.set(name, block = new Block(name));
    else if (lines[i] !== "") block.lines.push(i);
  }
  for (const one of blocks.values())
    for (const i of one.lines)
      if (lines[i].includes("label %"))
        for (const [, to] of lines[i].matchAll(/label %("[^"]+"|[\w.$-]+)/g)) {
          one.next.push(blocks.get(to));
          blocks.get(to).before.push(one);
        }
  return blocks;
}

const copy = /^ {2}(%\S+ = (alloca|phi|load (?!volatile|atomic))|store (?!volatile|atomic)|br label |#dbg|; )/;

/// Whether a line computes nothing for g++, which keeps local variables in registers.
const isCopy = (line, locals) => isHook(line) || (copy.test(line) &&
  (!/ (load|store) /.test(line) || locals.has(line.match(/, ptr (%[\w.]+)/)?.[1])));

/// Variables that are only read and written, as a whole.
function localsOf(lines, begin, end) {
  const locals = new Set();
  for (let i = begin + 1; i < end; ++i) {
    const variable = lines[i].match(/^ {2}(%[\w.]+) = alloca (?:i\d+|ptr|float|double),/)?.[1];
    if (variable !== undefined) locals.add(variable);
    else if (locals.size > 0 && !/^ {2}(%\S+ = load|store) /.test(lines[i]))
      for (const [name] of lines[i].matchAll(/%[\w.]+/g)) locals.delete(name);
    else if (lines[i].startsWith("  store ptr %")) locals.delete(lines[i].match(/%[\w.]+/)[0]);
  }
  return locals;
}

const branch = (block, lines) => {
  const last = lines[block.lines.at(-1)];
  const m = last.match(/^ {2}br i1 (%[\w.]+), label %("[^"]+"|[\w.$-]+), label %("[^"]+"|[\w.$-]+)/);
  return m === null ? null : {condition: m[1], yes: m[2], no: m[3], at: locationOf(last)};
};

/// What a value of the block is, as text; `used`: the lines that say so.
function expression(value, block, lines, used) {
  const at = block.lines.find((i) => lines[i].startsWith(`  ${value} = `));
  if (at === undefined || lines[at].includes(" = alloca ")) return value;
  used.push(at);
  return lines[at].slice(value.length + 5).replace(/, !dbg !\d+/, "")
    .replace(/%[\w.]+/g, (name) => name.startsWith("%struct") || name.startsWith("%class") ? name
      : `(${expression(name, block, lines, used)})`);
}

const mirrored = {eq: "eq", ne: "ne", ult: "ugt", ugt: "ult", ule: "uge", uge: "ule", slt: "sgt", sgt: "slt", sle: "sge", sge: "sle"};

/// {value, holds, used, domain} of a comparison with a constant, or null. `holds`: the first and the last
/// number for which it is true.
function comparison(name, block, lines) {
  const at = block.lines.find((i) => lines[i].startsWith(`  ${name} = icmp `));
  const m = lines[at]?.match(/= icmp (\w+) i(8|16|32|64) (%[\w.]+|-?\d+), (%[\w.]+|-?\d+)(?:,|$)/);
  if (!m || m[3].startsWith("%") === m[4].startsWith("%")) return null;
  const isSwapped = m[4].startsWith("%"), how = isSwapped ? mirrored[m[1]] : m[1];
  const used = [at], value = expression(isSwapped ? m[4] : m[3], block, lines, used);
  const widened = value.match(/^([sz])ext i(8|16) /);
  const bits = BigInt(widened?.[2] ?? m[2]), sign = widened?.[1] === "z" ? "u" : widened !== null ? "s" : how[0];
  let c = BigInt(isSwapped ? m[3] : m[4]);
  const half = 1n << (bits - 1n), whole = 1n << bits;
  if (sign === "u" && widened === null) c = BigInt.asUintN(Number(bits), c);
  const [least, most] = sign === "u" ? [0n, whole - 1n] : [-half, half - 1n];
  const holds = {eq: [c, c], ne: [c, c], lt: [least, c - 1n], le: [least, c], gt: [c + 1n, most], ge: [c, most]}
    [/^[us]/.test(how) ? how.slice(1) : how];
  return {value, used, at, sign: sign === "e" || sign === "n" ? null : sign, least, most,
          ranges: how === "ne" ? [[least, c - 1n], [c + 1n, most]] : [holds]};
}

/// Whether the numbers that are in both sets of ranges, or in one of them, are a range or all but a range.
function isOneRange(a, b, isOr, least, most) {
  const without = (ranges) => {
    const rest = [];
    let from = least;
    for (const [low, high] of ranges) {
      if (from < low) rest.push([from, low - 1n]);
      from = high + 1n;
    }
    if (from <= most) rest.push([from, most]);
    return rest;
  };
  const both = (x, y) => x.flatMap(([low, high]) => y.map(([l, h]) => [low > l ? low : l, high < h ? high : h]))
    .filter(([low, high]) => low <= high).sort((p, q) => (p[0] < q[0] ? -1 : 1));
  const found = isOr ? both(without(a), without(b)) : both(a, b);
  return found.length < 2 || (found.length === 2 && found[0][0] === least && found[1][1] === most);
}

/// The block to which an empty one leads.
function resolved(block, lines) {
  for (let steps = 0; steps < 9; ++steps) {
    const isEmpty = block.next.length === 1 && block.lines.every((i) => isHook(lines[i]) || lines[i].startsWith("  br label"));
    if (!isEmpty) break;
    block = block.next[0];
  }
  return block;
}

/// Whether `second` is the right side of `first && second` or `first || second`, both comparisons of
/// one value with constants, of which g++ makes one. `positions`: where the locations of calls are.
function isPair(first, second, blocks, lines, positions) {
  const left = branch(first, lines);
  if (left === null || second.before.length !== 1) return false;
  const isOr = left.no === second.name, out = resolved(blocks.get(isOr ? left.yes : left.no), lines);
  const right = branch(second, lines);
  let condition = right?.condition;
  if (right !== null) {
    if (resolved(blocks.get(isOr ? right.yes : right.no), lines) !== out) return false;
  } else {
    const phi = second.next.length === 1 && second.next[0] === out && out.before.length === 2 &&
      lines[out.lines[0]].match(/ = phi i1 \[ (true|false), [^\]]*\], \[ (%[\w.]+), %("[^"]+"|[\w.$-]+) \]/);
    if (!phi || phi[3] !== second.name || phi[1] !== String(isOr)) return false;
    condition = phi[2];
  }
  const one = comparison(left.condition, first, lines), other = comparison(condition, second, lines);
  if (one === null || other?.value !== one.value || /volatile|atomic|call (?!.*@llvm)/.test(one.value)) return false;
  const isHooks = (i) => isHook(lines[i]) || lines[i].includes("@__tsan_read") || lines[i].startsWith("  br ");
  if (!second.lines.every((i) => other.used.includes(i) || isHooks(i))) return false;
  const sign = one.sign ?? other.sign, {least, most} = one.sign === sign ? one : other;
  if (!isOneRange(one.ranges, other.ranges, isOr, least, most)) return false;
  // The branch after a left side is where the operator is; all of a macro is where its name is.
  const [begin, operator, end] = [locationOf(lines[one.at]), left.at, locationOf(lines[other.at])].map((at) => positions.get(at));
  if (!(begin < operator && operator < end) && !(begin === operator && operator === end)) return false;
  // `a && b && c` is `(a && b) && c`, of which b and c are no pair; those of `a && (b && c)` are one.
  const before = first.before.length === 1 ? branch(first.before[0], lines) : null;
  const isThird = before !== null && resolved(blocks.get(isOr ? before.yes : before.no), lines) === out &&
    !first.before[0].lines.some((i) => lines[i].startsWith(`  ${before.condition} = `) && locationOf(lines[i]) === before.at);
  return !isThird || right?.at === before.at;
}

/// Takes a way away, and those from a block to which no way is left.
function unlink(from, to) {
  to.before.splice(to.before.indexOf(from), 1);
  if (to.before.length === 0) for (const next of to.next) unlink(to, next);
}

/// Joins ranges, and returns the lines of hooks to leave out.
function needless(lines, begin, end, positions) {
  const blocks = blocksOf(lines, begin, end), gone = new Set(), locals = localsOf(lines, begin, end);
  for (const first of blocks.values())
    for (const second of first.next.length === 2 ? [...first.next] : []) {
      if (!isPair(first, second, blocks, lines, positions)) continue;
      for (const i of second.lines) if (isHook(lines[i]) || lines[i].includes("@__tsan_")) gone.add(i);
      // What follows the second follows the first.
      const [other] = first.next.filter((b) => b !== second);
      for (const next of second.next) next.before[next.before.indexOf(second)] = first;
      first.next = second.next;
      second.before = second.next = [];
      unlink(first, other);
      break;
    }
  for (const block of blocks.values()) {
    const continues = (b) => b.before.length === 1 && b.before[0].next.length === 1 && b.before[0] !== b;
    if (continues(block)) continue;
    let hook = null, found = false, isEndless = false;  // an empty loop is found by its hook
    for (let b = block, next = null; b !== null; b = next) {
      isEndless ||= b.next.includes(block);
      for (const i of b.lines) {
        if (isHook(lines[i])) {
          if (found) gone.add(i);
          else {
            if (hook !== null) gone.add(hook);
            hook = i;
          }
        } else found ||= !isCopy(lines[i], locals);
      }
      next = b.next.length === 1 && continues(b.next[0]) && b.next[0] !== block ? b.next[0] : null;
    }
    if (!found && !isEndless && hook !== null) gone.add(hook);
  }
  return gone;
}

export function asBlocksOfGcc(text) {
  const lines = text.split("\n"), gone = new Set(), positions = new Map();
  for (const [, number, line, column] of text.matchAll(/^!(\d+) = !DILocation\(line: (\d+), column: (\d+)/gm))
    positions.set(number, 4096 * line + Number(column));
  for (let i = 0; i < lines.length; ++i) {
    if (!lines[i].startsWith("define ")) continue;
    let end = i;
    while (lines[end] !== "}") ++end;
    for (const line of needless(lines, i, end, positions)) gone.add(line);
    i = end;
  }
  return lines.filter((_, i) => !gone.has(i)).join("\n");
}
