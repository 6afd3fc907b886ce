// Draw the card that is shown where somebody sends a link to the site: book/_static/social-card.png, 1200 by 630.
//
// A one-off tool, for when the mark or the title changes: node tools/social_card.mjs, after `npm ci` in tests/browser.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const root = new URL("..", import.meta.url).pathname;
const { chromium } = createRequire(`${root}tests/browser/package.json`)("playwright-core");
const font = (name) => `url(data:font/woff2;base64,${readFileSync(`${root}book/_static/vendor/fonts/${name}.woff2`).toString("base64")})`;
const logo = readFileSync(`${root}book/_static/logo.svg`, "utf8");
// True answers, and how far the noise moves each of them.
const answers = [[372, 34], [396, -28], [350, 40], [408, -36], [384, 22], [362, -30], [400, 18], [376, 36], [336, -132], [392, -24]];
const run = answers
  .map(([y, moved], i) => {
    const x = 110 + i * 108, end = y + moved, above = end < 300;
    return `<path d="M${x} ${y}V${end}" stroke="${above ? "#fff" : "#8fb8e0"}" stroke-width="3"/>` +
      `<circle cx="${x}" cy="${end}" r="${above ? 15 : 10}" fill="${above ? "#fff" : "#8fb8e0"}"/>`;
  })
  .join("");
const page = `<!DOCTYPE html><style>
@font-face { font-family: T; src: ${font("svt-text-regular")}; }
@font-face { font-family: T; font-weight: 600; src: ${font("svt-text-semibold")}; }
body { margin: 0; width: 1200px; height: 630px; background: #12467a; color: #fff; font: 33px/1.35 T; position: relative; }
h1 { position: absolute; left: 88px; top: 62px; margin: 0; font-size: 70px; font-weight: 600; line-height: 1.1; letter-spacing: -.01em; }
p { position: absolute; left: 88px; bottom: 52px; margin: 0; width: 1000px; color: #d5e5f5; }
svg { position: absolute; left: 0; top: 0; }
</style><svg width="1200" height="630"><path d="M0 300H1200" stroke="#f2b95c" stroke-width="5"/>${run}</svg>
<h1>The Sparse Vector Technique</h1>
<p>A course you can run: every published version of one algorithm, its proof or the step that fails, and the number that shows it.</p>`;
if (!logo.includes("#12467a") || !logo.includes("#f2b95c")) throw new Error("the card and the logo have different colours");

const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
const view = await browser.newPage({ viewport: { width: 1200, height: 630 } });
await view.setContent(page);
await view.evaluate(() => document.fonts.ready);
await view.screenshot({ path: `${root}book/_static/social-card.png` });
await browser.close();
