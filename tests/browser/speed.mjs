// How heavy a page of the built site is, how soon its largest part is painted, and how far it moves while it loads.
//
// A page fails where it weighs too much, asks for a file twice or moves too far; times depend on the machine and are reported only.

import { statSync } from "node:fs";
import { join } from "node:path";

// Bytes as they are on the disk, before any compression, of all that a page asks for until nothing moves.
const HEAVIEST = { text: 1_000_000, mathematics: 2_100_000 };
const FARTHEST = 0.1; // cumulative layout shift
const LATEST = 1500; // milliseconds to the largest contentful paint, reported only

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

// Watch a page; the function that is returned says what was seen since it was last loaded.
export async function measure(page) {
  await page.addInitScript(watch);
  let asked = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest() && request.frame() === page.mainFrame()) asked = [];
    if (request.url().startsWith("http")) asked.push(new URL(request.url()).pathname);
  });
  return async (site) => {
    const files = [...asked], seen = await page.evaluate(() => window.svtSeen);
    const kind = files.some((file) => file.includes("/mathjax/")) ? "mathematics" : "text";
    const bytes = files.reduce((sum, file) => sum + (statSync(join(site, decodeURIComponent(file)), { throwIfNoEntry: false })?.size ?? 0), 0);
    const twice = [...new Set(files.filter((file, i) => files.indexOf(file) !== i))];
    const faults = [];
    if (bytes > HEAVIEST[kind]) faults.push(`${(bytes / 1e6).toFixed(2)} MB, and a ${kind} page has at most ${HEAVIEST[kind] / 1e6}`);
    if (twice.length) faults.push(`asks twice for ${twice.join(", ")}`);
    if (seen.moved > FARTHEST) faults.push(`moves by ${seen.moved.toFixed(3)}: ${[...new Set(seen.movers)].slice(0, 4).join(", ")}`);
    return { ...seen, kind, bytes, faults };
  };
}

// One line on many pages.
export function summary(results) {
  const most = (key, kind) => Math.max(0, ...results.filter((one) => !kind || one.kind === kind).map((one) => one[key]));
  return `heaviest text page ${(most("bytes", "text") / 1e6).toFixed(2)} MB, heaviest page with mathematics ` +
    `${(most("bytes", "mathematics") / 1e6).toFixed(2)} MB; farthest shift ${most("moved").toFixed(3)}; latest paint ` +
    `${Math.round(most("painted"))} ms, ${results.filter((one) => one.painted > LATEST).length} of ${results.length} after ${LATEST} ms`;
}
