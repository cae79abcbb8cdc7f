// Asks the laboratory's module in Node: node ask.mjs MODULE, with a request in JSON on each line of the input, and an
// answer on each of the output.
import {readFileSync} from "node:fs";
import {createInterface} from "node:readline";
import {open} from "./lab.mjs";

const module = await WebAssembly.compile(readFileSync(process.argv[2]));
let lab = null;
for await (const line of createInterface({input: process.stdin})) {
  let answer = null;
  try {
    lab ??= await open(module, (text) => process.stderr.write(text));
    answer = lab.ask(JSON.parse(line));
  } catch (e) {
    answer = {error: e.message};
    if (e.constructor.name != "Refusal") {
      if (process.env.LAB_STACK) process.stderr.write(e.stack + "\n");
      lab = null;
    }
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
