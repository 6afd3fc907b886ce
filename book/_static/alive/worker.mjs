// Runs programs beside the page, so that one without an end leaves the page alive.
import { python } from "./python.mjs";

let last = 0;
const beat = () => {
  const now = Date.now();
  if (now - last < 200) return;
  last = now;
  postMessage({ beat: true });
};
const packed = await fetch(new URL("judge.bin", import.meta.url), { credentials: "same-origin" });
const text = await new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).text();
const files = Object.fromEntries(text.split("\f").map((file) => [file.slice(0, file.indexOf("\n")), file.slice(file.indexOf("\n") + 1)]));
const ask = await python(files, beat);
onmessage = ({ data: { id, request } }) => {
  try {
    postMessage({ id, answer: ask(request) });
  } catch (error) {
    postMessage({ id, answer: { failed: String(error.message).trim().split("\n").pop(), line: 0 } });
  }
};
postMessage({ ready: true });
