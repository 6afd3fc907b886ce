// MicroPython with the judge's own files: the same in a page's worker and in the tests.
import { loadMicroPython } from "../vendor/micropython/micropython.mjs";

// `files`: text by path; `beat` is called whenever the judge begins a run.  Returns a function from a request to its answer.
export async function python(files, beat = () => {}) {
  const machine = await loadMicroPython({ heapsize: 32 * 2 ** 20, pystack: 2 ** 18, stdout: () => {}, stderr: () => {} });
  for (const [path, text] of Object.entries(files)) {
    const folders = path.split("/").slice(0, -1);
    folders.forEach((_, i) => {
      const folder = "/" + folders.slice(0, i + 1).join("/");
      if (!machine.FS.analyzePath(folder).exists) machine.FS.mkdir(folder);
    });
    machine.FS.writeFile("/" + path, text);
  }
  machine.registerJsModule("listening_page", { beat });
  machine.runPython("import sys; sys.path.insert(0, '/')\nfrom svtcourse.judge.page import reply\nfrom listening_page import beat");
  return (request) => {
    machine.globals.set("asked", JSON.stringify(request));
    machine.runPython("answer = reply(asked, beat)");
    return JSON.parse(machine.globals.get("answer"));
  };
}
