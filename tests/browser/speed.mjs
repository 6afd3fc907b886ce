// How heavy each page of the built site is, how soon its largest part is painted, and how far it moves while it loads.
//
// Fails where a page weighs too much, asks for a file twice or moves too far; times depend on the machine and are reported only.
import { createServer } from "node:http";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, normalize, relative, resolve } from "node:path";
import { chromium } from "playwright-core";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const site = resolve(here, "../../_build/html");
const only = process.argv.slice(2);

// Bytes as they are on the disk, before any compression, of all that a page asks for until nothing moves.
const HEAVIEST = { text: 1_000_000, mathematics: 2_100_000 };
const FARTHEST = 0.1; // cumulative layout shift
const LATEST = 1500; // milliseconds to the largest contentful paint, reported only
const WIDTHS = [1400, 390];

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".json": "application/json",
  ".png": "image/png", ".svg": "image/svg+xml", ".woff2": "font/woff2",
};

function pagesBelow(folder) {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name.startsWith("_") ? [] : pagesBelow(path);
    return name.endsWith(".html") ? [relative(site, path)] : [];
  });
}

function serve() {
  const server = createServer((request, response) => {
    const file = join(site, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    if (!file.startsWith(site) || !existsSync(file) || statSync(file).isDirectory()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    return response.end(readFileSync(file));
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

// Runs before the page's own scripts.
function watch() {
  window.svtSeen = { painted: 0, largest: "", moved: 0, movers: [] };
  new PerformanceObserver((list) => {
    const last = list.getEntries().at(-1);
    window.svtSeen.painted = last.startTime;
    window.svtSeen.largest = last.element?.tagName ?? "";
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) {
      if (shift.hadRecentInput) continue;
      window.svtSeen.moved += shift.value;
      for (const { node } of shift.sources ?? []) {
        const element = node?.nodeType === Node.TEXT_NODE ? node.parentElement : node;
        if (element) window.svtSeen.movers.push(`${element.tagName}.${element.className}`.slice(0, 60));
      }
    }
  }).observe({ type: "layout-shift", buffered: true });
}

async function measure(browser, origin, name, width) {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(watch);
  const asked = [], bodies = [];
  page.on("response", (response) => {
    asked.push(response.url());
    bodies.push(response.body().then((body) => body.length, () => 0));
  });
  await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  await page.evaluate(() => window.MathJax?.startup?.promise);
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => window.svtSeen);
  const bytes = (await Promise.all(bodies)).reduce((sum, size) => sum + size, 0);
  await context.close();
  const files = asked.map((url) => new URL(url).pathname);
  return {
    ...seen, bytes,
    kind: files.some((file) => file.includes("/mathjax/")) ? "mathematics" : "text",
    twice: [...new Set(files.filter((file, i) => files.indexOf(file) !== i))],
  };
}

const executable = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!executable || !existsSync(join(site, "index.html"))) {
  console.error("This needs Chromium (CHROMIUM=/path/to/it) and the site (make book).");
  process.exit(2);
}
const server = await serve();
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: executable,
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
});
// The front door forwards, and so has no paint of its own.
const pages = pagesBelow(site).filter((name) => name !== "index.html" && (!only.length || only.some((part) => name.includes(part))));
let failed = 0, late = 0;
const results = [];
for (const name of pages) {
  for (const width of WIDTHS) {
    const result = await measure(browser, origin, name, width);
    results.push(result);
    const faults = [];
    if (result.bytes > HEAVIEST[result.kind]) faults.push(`a ${result.kind} page of more than ${HEAVIEST[result.kind] / 1e6} MB`);
    if (result.twice.length) faults.push(`asks twice for ${result.twice.join(", ")}`);
    if (result.moved > FARTHEST) faults.push(`moves: ${[...new Set(result.movers)].slice(0, 4).join(", ")}`);
    if (faults.length) failed += 1;
    if (result.painted > LATEST) late += 1;
    console.log(
      `${faults.length ? "FAILED " : ""}${name} at ${width}: ${result.kind}, ${(result.bytes / 1e6).toFixed(2)} MB, ` +
      `largest paint after ${Math.round(result.painted)} ms (${result.largest}), shift ${result.moved.toFixed(3)}` +
      faults.map((fault) => `\n    ${fault}`).join(""));
  }
}
await browser.close();
server.close();
const most = (key, kind) => Math.max(0, ...results.filter((one) => !kind || one.kind === kind).map((one) => one[key]));
console.log(
  `${results.length - failed} of ${results.length} views pass; heaviest text page ${(most("bytes", "text") / 1e6).toFixed(2)} MB, ` +
  `heaviest page with mathematics ${(most("bytes", "mathematics") / 1e6).toFixed(2)} MB; farthest shift ${most("moved").toFixed(3)}; ` +
  `latest paint ${Math.round(most("painted"))} ms, ${late} after ${LATEST} ms`);
process.exit(failed || !results.length ? 1 : 0);
