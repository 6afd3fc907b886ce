// The built site on a server of its own, and the browser that looks at it: what all browser tests share.
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, normalize, resolve } from "node:path";
import { chromium } from "playwright-core";
import { measure } from "./speed.mjs";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
export const site = resolve(here, "../../_build/html");
export const PATIENCE = 120_000; // milliseconds for what should take one second, on a machine with much other work

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".ipynb": "application/json", ".js": "text/javascript", ".mjs": "text/javascript",
  ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".woff2": "font/woff2",
};

// Every page, by its path below the site, but for those that only lead on; of the source listings, which look alike, three.
export function pagesOf() {
  const pages = readdirSync(site, { recursive: true }).sort().filter((name) => /^(_modules\/|[^_]).*\.html$/.test(name))
    .filter((name) => name === "index.html" || !readFileSync(join(site, name), "utf8").includes('http-equiv="refresh"'));
  const listings = pages.filter((name) => name.startsWith("_modules/"));
  return pages.filter((name) => !listings.includes(name) || listings.indexOf(name) % Math.ceil(listings.length / 3) === 0);
}

export async function serve() {
  if (!existsSync(join(site, "index.html"))) {
    console.error("There is no site in _build/html: run 'make book' first.");
    process.exit(2);
  }
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    const file = join(site, path.endsWith("/") ? path + "index.html" : path);
    if (path === "/favicon.ico") {
      // Chromium asks for it when index.html forwards before its own icon is loaded.
      response.writeHead(204).end();
      return;
    }
    if (!file.startsWith(site) || !existsSync(file) || statSync(file).isDirectory()) {
      response.writeHead(404).end();
      return;
    }
    // MathJax is large and the same on every page: a browser keeps it, and loads all else as a first visitor does.
    const kept = file.includes("/mathjax/") ? "max-age=3600" : "no-store";
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cache-control": kept });
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

// A browser on one processor of the machine.
function launch(processor) {
  const executable = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executable) {
    console.error("No Chromium was found: install it (on Debian: apt install chromium), or say CHROMIUM=/path/to/it.");
    process.exit(2);
  }
  return chromium.launch({
    executablePath: join(here, "chromium.sh"),
    env: { ...process.env, CHROMIUM: executable, PROCESSOR: String(processor) },
    args: [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ],
  });
}

// A page of its own, which keeps and is told nothing of others.
export async function apart(browser, options) {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(PATIENCE);
  return page;
}

// A browser with one page, which is used for one view after another.
export async function sit(processor, origin) {
  const browser = await launch(processor), page = await apart(browser, {});
  const desk = { browser, origin, page, protocol: await page.context().newCDPSession(page), measured: await measure(page) };
  watch(page, origin, (fault) => desk.say(fault));
  return desk;
}

// A page of the site as one finds it who was never there: no history, nothing kept, the pointer nowhere.
export async function visit({ page, protocol, origin }, name, { width = 1400, scheme = "light", motion = "no-preference" } = {}) {
  if (page.url().startsWith(origin)) await page.evaluate(() => [localStorage, sessionStorage].map((one) => one.clear()));
  await page.mouse.move(0, 0);
  await page.goto("about:blank");
  await protocol.send("Page.resetNavigationHistory");
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: motion });
  await page.goto(`${origin}/${name}`, { waitUntil: "load" });
  return page;
}

// What a theme's buttons fold is part of the page: open it.
export const unfold = (page) => page.evaluate(() => {
  for (const box of document.querySelectorAll("details")) box.open = true;
  for (const box of document.querySelectorAll(".toggle-hidden")) box.classList.remove("toggle-hidden");
});

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

// Say what axe-core finds.
export async function accessible(page, say) {
  if (!(await page.evaluate(() => window.axe))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules, resultTypes: ["violations"] }), WCAG);
  for (const { id, nodes } of violations) {
    say(`axe ${id} (${nodes.length}): ${nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  }
}

// A picture of a view, where pictures are wanted.
export async function keep(page, shots, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name.replaceAll("/", "_")}.png`), fullPage: true });
}

// Say every error of a page's console, every request to another host and every answer that is an error.
export function watch(page, origin, say) {
  page.on("console", (message) => message.type() === "error" && say(`console: ${message.text()}`));
  page.on("pageerror", (error) => say(`script error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob|about):/.test(url)) say(`asks another host: ${url}`);
  });
  page.on("response", (response) => response.status() >= 400 && say(`${response.status()}: ${response.url()}`));
}
