// Open every chapter of the reader's edition in the project's own JupyterLab, not trusted, and look at what is rendered;
// then run three with an explorer that are soon done, and look again: that every cell of all runs is held by nbval.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PATIENCE, apart } from "./site.mjs";

const here = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const root = resolve(here, "../..");
const folder = "_build/lab";
const WINDOW = { width: 1280, height: 900 };

const RUN = /^(07|16|18)_/;
const LEFT_OVER = /:::|\{(prf|cite|ref|eq|numref|term|doc)\b|^\([\w.-]+\)=\s*$|\$\$|\\[a-zA-Z]{2,}|\[[ x]\]|[☑☒]/;

// What a notebook has, by its file: what is folded in it, and what must be a picture.
function expected(file) {
  const cells = JSON.parse(readFileSync(join(root, folder, file), "utf8")).cells;
  const html = (cell) => (cell.outputs ?? []).map((output) => [output.data?.["text/html"] ?? ""].flat().join(""));
  return cells.map((cell) => ({
    code: cell.cell_type === "code",
    folded: Boolean(cell.metadata.jupyter?.source_hidden),
    closed: Boolean(cell.metadata.jupyter?.outputs_hidden),
    explorer: Boolean(cell.metadata.tags?.includes("remove-cell")),
    figures: html(cell).filter((page) => /^<(img|svg)/.test(page)).length,
  }));
}

// Everything that is looked up inside one notebook, in one round trip.
function inspect({ cells, leftOver }) {
  const faults = [];
  const panel = [...document.querySelectorAll(".jp-NotebookPanel")].find((one) => one.checkVisibility());
  const nodes = [...panel.querySelectorAll(".jp-Notebook .jp-Cell")];
  const seen = (node) => node.checkVisibility({ contentVisibilityAuto: false }) && node.getBoundingClientRect().height > 0;
  if (nodes.length !== cells.length) return [`${nodes.length} cells are shown of ${cells.length}`];
  for (const [i, node] of nodes.entries()) {
    const cell = cells[i];
    const say = (what) => faults.push(`cell ${i}: ${what}`);
    if (!cell.code && !node.matches(".lm-mod-hidden") && !node.querySelector(".jp-RenderedMarkdown > *")) say("its text is not there");
    for (const place of node.querySelectorAll(".jp-RenderedHTMLCommon, .jp-RenderedText")) {
      const copy = place.cloneNode(true);
      for (const part of copy.querySelectorAll("mjx-container, code, pre, script, style")) part.remove();
      const found = copy.textContent.match(new RegExp(leftOver, "m"));
      if (found) say(`shows ${found[0]} in: ${copy.textContent.slice(Math.max(0, found.index - 30), found.index + 50)}`);
    }
    for (const bad of node.querySelectorAll("mjx-merror, [data-mjx-error]")) say(`a formula with an error: ${bad.getAttribute("data-mjx-error") ?? bad.textContent}`);
    for (const bad of node.querySelectorAll("mjx-container [style*='red'], mjx-container [mathcolor='red']")) say(`an unknown command: ${bad.textContent}`);
    for (const box of node.querySelectorAll("details")) {
      if (box.open) say("details are open");
      if ([...box.children].some((part) => part.tagName !== "SUMMARY" && seen(part))) say(`shows what it should not: ${box.textContent.slice(0, 60)}`);
    }
    if (node.querySelector("input[type=checkbox]")) say("an answer that can be ticked, or is");
    if (node.querySelector(".jp-OutputArea-output[data-mime-type*='stderr'], [data-mime-type*='error']")) say(`failed: ${node.innerText.slice(0, 200)}`);
    if (!cell.code) continue;
    const editors = [...node.querySelectorAll(".jp-InputArea-editor, .cm-editor")].filter(seen);
    if (cell.folded && editors.length) say("its folded source is open");
    if (!cell.folded && !editors.length) say("its source is not shown");
    const outputs = [...node.querySelectorAll(".jp-OutputArea-output")].filter(seen);
    if (cell.closed && outputs.length) say("its folded output is open");
    const pictures = outputs.flatMap((output) => [...output.querySelectorAll("img, svg.svt-figure")]);
    const whole = pictures.filter((one) => one.tagName !== "IMG" || (one.complete && one.naturalWidth > 0)).filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width > 100 && box.height > 50 && (one.alt ?? one.getAttribute("aria-label") ?? "").length > 20;
    });
    if (!cell.closed && !cell.explorer && whole.length !== cell.figures) say(`${whole.length} of ${cell.figures} figures are pictures`);
  }
  return faults;
}

// A notebook with a fault in every cell, each of which must be found.
function damaged() {
  const text = (source) => ({ cell_type: "markdown", metadata: {}, source });
  const code = (output) => ({ cell_type: "code", metadata: {}, source: "1", execution_count: 1, outputs: [output] });
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" aria-label="A figure that is sanitised away"><text x="9" y="9">axis</text></svg>';
  const cells = [
    text(":::{prf:theorem} A title\nA statement.\n:::"), text("See {cite:t}`somebody`."), text("(claim-some)="), text("- [x] This one."), text("$\\nosuchcommand{x}$"),
    text("$\\frac{1}$"), text("<details open><summary>Solution</summary>\n\nIt is seen at once.\n\n</details>"),
    code({ output_type: "execute_result", execution_count: 1, metadata: {}, data: { "text/html": svg } }),
    code({ output_type: "error", ename: "ValueError", evalue: "no", traceback: ["ValueError: no"] }),
  ];
  writeFileSync(join(root, folder, "damaged.ipynb"), JSON.stringify({ cells, metadata: { kernelspec: { name: "python3", display_name: "Python 3" } }, nbformat: 4, nbformat_minor: 4 }));
  return cells.length;
}

// Text is rendered and formulas are typeset one after another: wait until all text is there and nothing moves any more.
async function settled(page) {
  let before = "", same = 0;
  for (let i = 0; i < 300 && same < 2; i += 1) {
    const now = await page.evaluate(() => {
      const panel = [...document.querySelectorAll(".jp-NotebookPanel")].find((one) => one.checkVisibility());
      const texts = [...(panel?.querySelectorAll(".jp-MarkdownCell:not(.lm-mod-hidden)") ?? [])];
      if (!texts.length || !texts.every((cell) => cell.querySelector(".jp-RenderedMarkdown > *"))) return "";
      return ["mjx-container", ".jp-Cell", ".jp-OutputArea-output"].map((what) => panel.querySelectorAll(what).length).join(" ") + ` ${panel.querySelector(".jp-WindowedPanel-outer").scrollHeight}`;
    });
    same = now && now === before ? same + 1 : 0;
    before = now;
    await page.waitForTimeout(200);
  }
}

function settings() {
  const place = mkdtempSync(join(tmpdir(), "svt-lab-"));
  const put = (extension, name, value) => {
    mkdirSync(join(place, "settings", "@jupyterlab", extension), { recursive: true });
    writeFileSync(join(place, "settings", "@jupyterlab", extension, `${name}.jupyterlab-settings`), JSON.stringify(value));
  };
  put("notebook-extension", "tracker", { windowingMode: "none", kernelShutdown: true }); // or only what is in view is there
  put("docmanager-extension", "plugin", { autosave: false }); // what was run stays out of the files
  put("apputils-extension", "notification", { fetchNews: "false", checkForUpdates: false });
  return place;
}

async function freePort() {
  const probe = createServer();
  await new Promise((done) => probe.listen(0, "127.0.0.1", done));
  const { port } = probe.address();
  await new Promise((done) => probe.close(done));
  return port;
}

// JupyterLab with a memory of its own: nothing is trusted there, and nothing of the user's is seen or changed.
async function start() {
  const place = settings(), port = await freePort(), token = "only-for-this-test";
  const environment = {
    ...process.env, JUPYTERLAB_SETTINGS_DIR: join(place, "settings"), JUPYTERLAB_WORKSPACES_DIR: join(place, "workspaces"),
    JUPYTER_DATA_DIR: join(place, "data"), JUPYTER_CONFIG_DIR: join(place, "config"), JUPYTER_RUNTIME_DIR: join(place, "runtime"), JUPYTER_PREFER_ENV_PATH: "1",
  };
  const server = spawn(join(root, ".venv/bin/python"), [
    "-m", "jupyterlab", "--no-browser", "--allow-root", `--ServerApp.port=${port}`, "--ServerApp.port_retries=0", `--IdentityProvider.token=${token}`,
    `--ServerApp.root_dir=${root}`, "--LabApp.expose_app_in_browser=True", "--ServerApp.log_level=ERROR",
    `--FileCheckpoints.checkpoint_dir=${join(place, "checkpoints")}`, // beside the pages they would count as pages
  ], { env: environment, stdio: "ignore" });
  process.on("exit", () => server.kill("SIGKILL")); // its kernels end with it
  const origin = `http://127.0.0.1:${port}`;
  for (let i = 0; ; i += 1) {
    if (await fetch(`${origin}/api?token=${token}`).then((answer) => answer.ok, () => false)) break;
    if (i > 1000 || server.exitCode !== null) throw new Error("JupyterLab did not start");
    await new Promise((done) => setTimeout(done, 250));
  }
  const stop = () => new Promise((done) => { server.once("exit", done); server.kill("SIGTERM"); }).then(() => rmSync(place, { recursive: true, force: true }));
  return { address: (workspace) => `${origin}/lab/workspaces/${workspace}?token=${token}&reset`, stop };
}

// One notebook at a time: the one before is closed without the question whether to save it.
async function open(page, file) {
  await page.evaluate((path) => {
    const { commands, shell } = window.jupyterapp;
    for (const old of [...shell.widgets("main")]) {
      if (old.context) old.context.model.dirty = false;
      old.close();
    }
    commands.execute("docmanager:open", { path, factory: "Notebook" });
  }, `${folder}/${file}`);
  await page.waitForFunction((path) => {
    const { context } = window.jupyterapp.shell.currentWidget ?? {};
    return context?.path === path && context.isReady && document.querySelectorAll(".jp-NotebookPanel").length === 1;
  }, `${folder}/${file}`, { timeout: PATIENCE });
  await settled(page);
}

// Run all, and return how many cells were not: what is committed was run before, so that is cleared first.
async function runAll(page) {
  const left = () => page.evaluate(() => window.jupyterapp.shell.currentWidget.content.widgets.filter(
    ({ model }) => model.type === "code" && model.sharedModel.source.trim() && !(model.executionCount && model.executionState !== "running")).length);
  await page.evaluate(async () => {
    const { commands, shell } = window.jupyterapp;
    const { sessionContext } = shell.currentWidget.context;
    await sessionContext.ready;
    await sessionContext.session.kernel.info;
    await commands.execute("notebook:clear-all-cell-outputs");
    await commands.execute("notebook:run-all-cells");
  });
  for (let i = 0; i < 1000 && (await left()); i += 1) await page.waitForTimeout(250);
  return left();
}

// A link to another chapter opens its notebook, one to a page of the book its Markdown.
async function follow(page, leads, say) {
  await open(page, "04_standard_svt.ipynb");
  await page.locator(`.jp-NotebookPanel:visible .jp-RenderedMarkdown a[href*="${leads}"]`).first().click();
  const opened = await page.waitForFunction((path) => window.jupyterapp.shell.currentWidget?.context?.path.endsWith(path), leads, { timeout: PATIENCE }).then(() => true, () => false);
  if (!opened) say(`the link to ${leads} does not open it`);
}

// A notebook scrolls inside its panel: make the window as tall as it is, and look at the panel alone.
async function keep(page, shots, name) {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  const scroller = page.locator(".jp-NotebookPanel:visible .jp-WindowedPanel-outer");
  const height = await scroller.evaluate((one) => one.scrollHeight);
  await page.setViewportSize({ width: 1280, height: Math.min(16000, height + 200) });
  await scroller.evaluate((one) => { one.scrollTop = 0; });
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(shots, name) });
  await page.setViewportSize(WINDOW);
}

// Every desk has a window of its own on one JupyterLab, which starts when it is wanted.
let lab, windows = 0;
async function windowOf(desk) {
  lab ??= start();
  const page = await apart(desk.browser, { viewport: WINDOW });
  await page.goto((await lab).address(`w${windows++}`), { waitUntil: "load" });
  await page.waitForFunction(() => window.jupyterapp?.restored);
  await page.evaluate(() => window.jupyterapp.restored);
  await page.evaluate(() => window.jupyterapp.shell.collapseLeft());
  return page;
}
const shown = (page, file) => page.evaluate(inspect, { cells: expected(file), leftOver: LEFT_OVER.source });

async function tools(page, say) {
  const faults = damaged();
  await open(page, "damaged.ipynb");
  const noticed = (await shown(page, "damaged.ipynb")).map((fault) => fault.split(":")[0]);
  for (let i = 0; i < faults; i += 1) if (!noticed.includes(`cell ${i}`)) say(`the fault in cell ${i} of the damaged notebook is not noticed`);
  for (const leads of ["03_above_threshold.ipynb", "book/certificates.md"]) await follow(page, leads, say);
}

async function chapter(page, file, say, shots) {
  const look = async (when) => {
    let faults = await shown(page, file);
    for (let i = 0; i < 40 && faults.length; i += 1) { // what is not drawn yet
      await page.waitForTimeout(500);
      faults = await shown(page, file);
    }
    for (const fault of faults) say(`${when}, ${fault}`);
    await keep(page, shots, `${file.slice(0, 2)}.${when}.png`);
  };
  await open(page, file);
  await look("fresh");
  if (!RUN.test(file)) return;
  const left = await runAll(page);
  if (left) say(`${left} cells were not run`);
  await settled(page);
  await look("run");
  if (!(await page.locator(".jp-NotebookPanel:visible .jupyter-widgets :is(.widget-dropdown, .widget-slider)").count())) say("the explorer has no controls");
}

export function looks(shots) {
  rmSync(join(root, folder), { recursive: true, force: true });
  const written = spawnSync(join(root, ".venv/bin/python"), ["tools/readers_edition.py", folder], { cwd: root, encoding: "utf8" });
  if (written.status) throw new Error(written.stderr);
  const chapters = readdirSync(join(root, folder)).filter((file) => /^\d\d_.*\.ipynb$/.test(file)).sort();
  return [["damages and links", tools], ...chapters.map((file) => [file, (page, say) => chapter(page, file, say, shots)])].map(([name, look]) => ({
    name: `JupyterLab: ${name}`,
    look: async (desk, say) => look((desk.lab ??= await windowOf(desk)), say),
  }));
}
export const afterwards = async () => (await lab)?.stop();
