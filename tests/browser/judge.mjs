// The judge of the pages without a page: lines of JSON on standard input, first its files, then requests, each answered by a line.
import { createInterface } from "node:readline";

const { python } = await import("../../book/_static/alive/python.mjs");
let files = null, ask = null;
for await (const line of createInterface({ input: process.stdin })) {
  if (files === null) {
    files = JSON.parse(line);
    continue;
  }
  ask ??= await python(files);
  const started = Date.now();
  let answer;
  try {
    answer = { ...ask(JSON.parse(line)), ms: Date.now() - started };
  } catch (error) { // what crashed once is begun anew
    answer = { crash: error.message };
    ask = null;
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
