// All that a browser looks at, by two browsers.  Words choose what has one of them in its name; `--shots DIR` keeps pictures of
// pages and notebooks; `--update` writes looks.json again, after a change of looks that is wanted.
import { parseArgs } from "node:util";
import * as alive from "./alive.mjs";
import { drive } from "./drive.mjs";
import * as lab from "./lab.mjs";
import * as pages from "./pages.mjs";
import * as readers from "./readers.mjs";
import { serve, sit } from "./site.mjs";

const { values: { shots, update }, positionals: words } = parseArgs({ allowPositionals: true, options: { shots: { type: "string" }, update: { type: "boolean" } } });
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1)); // browsers and servers end with it
const { server, origin } = await serve();
const all = update ? readers.views : [...lab.looks(shots), ...alive.looks(shots), ...pages.looks(shots), ...readers.looks()];
const looks = all.filter(({ name }) => !words.length || words.some((word) => name.includes(word)));
console.log(`Looking at ${looks.length} of ${all.length}, with two browsers (a few minutes)`);
let failed = await drive(looks, (processor) => sit(processor, origin));
if (update) readers.update();
await lab.afterwards();
alive.afterwards();
const faults = pages.afterwards();
if (!words.length && !update && faults.length) {
  failed += 1;
  console.log(`FAILED ${faults}`);
}
server.close();
process.exit(failed || !looks.length ? 1 : 0);
