// The judge of the pages without a page: requests as JSON on standard input, their answers on standard output.
import { readFileSync } from "node:fs";

const { files, requests } = JSON.parse(readFileSync(0, "utf8"));
const { python } = await import("../../book/_static/alive/python.mjs");
const ask = await python(files);
process.stdout.write(JSON.stringify(requests.map((request) => {
  const started = Date.now();
  try {
    return { ...ask(request), ms: Date.now() - started };
  } catch (error) {
    return { crash: error.message };
  }
})));
