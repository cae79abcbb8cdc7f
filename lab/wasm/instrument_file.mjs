// For the build: node instrument_file.mjs MODULE NUMBER IN.ll OUT.ll
import {readFileSync, writeFileSync} from "node:fs";
import {asBlocksOfGcc} from "./blocks.mjs";
import {instrument} from "./instrument.mjs";

const [name, number, source, target] = process.argv.slice(2);
writeFileSync(target, instrument(asBlocksOfGcc(readFileSync(source, "utf8")), {name, number: Number(number)}));
