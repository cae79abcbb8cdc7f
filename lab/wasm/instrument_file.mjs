// For the build: node instrument_file.mjs MODULE NUMBER IN.ll OUT.ll
import {readFileSync, writeFileSync} from "node:fs";
import {instrument} from "./instrument.mjs";

const [name, number, source, target] = process.argv.slice(2);
writeFileSync(target, instrument(readFileSync(source, "utf8"), {name, number: Number(number)}));
