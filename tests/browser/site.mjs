// The built site on a server of its own, and the browser that looks at it: what all browser tests share.
import { createServer } from "node:http";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, normalize, relative, resolve } from "node:path";
import { chromium } from "playwright-core";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
export const site = resolve(here, "../../_build/html");

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".ipynb": "application/json", ".js": "text/javascript", ".mjs": "text/javascript",
  ".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".wasm": "application/wasm", ".woff2": "font/woff2",
};

// Every page, by its path below the site; pages that only lead on are not looked at.
export function pagesOf(folder = site) {
  const found = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) {
      if (!name.startsWith("_") || name === "_modules") found.push(...pagesOf(path));
    } else if (name.endsWith(".html") && (name === "index.html" || !readFileSync(path, "utf8").includes('http-equiv="refresh"'))) {
      found.push(relative(site, path));
    }
  }
  return found;
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
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

// A browser on one processor of the machine.
export async function launch(processor = 0) {
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
