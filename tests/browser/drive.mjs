// Looks, one after another, at each of two desks: what a look finds is a fault, and that its browser died is none.
//
// A browser that dies, stands still or cannot finish a look is replaced, and another one looks again, once: so nothing is left over from what
// went wrong.  What a look finds is a fault if it is found again at the end.  After so many deaths, or so long, the run ends, and what was not looked at has failed.
const DEATHS = 10; // of all browsers of one run
const LONGEST = { look: 600_000, all: 1_500_000, close: 10_000 }; // milliseconds, on a machine with other work; a look takes a second or some

function within(time, what) {
  let clock;
  const late = new Promise((_, fail) => { clock = setTimeout(() => fail(new Error(`no end after ${Math.round(time / 1000)} s`)), time); });
  return Promise.race([what, late]).finally(() => clearTimeout(clock));
}

// `sit` opens a browser and what goes with it; a look is `{ name, look(desk, say) }`.  Returns how many failed.
export async function drive(looks, sit, { deaths: most = DEATHS, longest = LONGEST, print = console.log } = {}) {
  const queue = [...looks], begun = Date.now(), times = [];
  let deaths = 0, failed = 0, passed = 0;
  const goesOn = () => deaths <= most && Date.now() - begun < longest.all;
  async function work(number) {
    let desk = null;
    const leave = () => within(longest.close, desk?.browser.close()).catch(() => {}).finally(() => { desk = null; });
    while (queue.length && goesOn()) {
      const one = queue.shift(), faults = [], say = (fault) => faults.push(fault);
      const started = Date.now();
      let died = "";
      try {
        desk ??= await within(longest.look, sit(number));
        desk.say = say;
        await within(longest.look, one.look(desk, say));
      } catch (error) {
        [died] = error.message.split("\n");
      }
      if (desk && !desk.browser.isConnected()) died ||= "it is gone";
      if (died) {
        deaths += 1;
        print(`Another browser after ${one.name}: ${died}`);
        await leave();
        if (!one.again) {
          queue.unshift({ ...one, again: true });
          continue;
        }
        faults.splice(0, faults.length, `could not be looked at, twice: ${died}`);
      }
      times.push([Date.now() - started, one.name]);
      if (faults.length && !one.again) { // what hangs on a slow machine is gone the next time, and what is wrong is not
        print(`Once more ${one.name}: ${faults[0]}`);
        queue.push({ ...one, again: true });
        continue;
      }
      if (faults.length) print([`FAILED ${one.name}`, ...new Set(faults)].join("\n    "));
      if (faults.length) failed += 1;
      else passed += 1;
      if ((passed + failed) % 20 === 0) print(`  ${passed + failed} of ${looks.length}, ${Math.round((Date.now() - begun) / 1000)} s`);
    }
    await leave();
  }
  await Promise.all([work(0), work(1)]);
  if (queue.length) print(`FAILED ${queue.length} were not looked at, after ${deaths} deaths: ${queue.slice(0, 3).map(({ name }) => name).join(", ")} …`);
  print(`The slowest: ${times.sort(([a], [b]) => b - a).slice(0, 5).map(([time, name]) => `${name} ${Math.round(time / 1000)} s`).join("; ")}`);
  print(`Looks: ${passed} passed, ${failed + queue.length} failed, ${deaths} browsers replaced, ${Math.round((Date.now() - begun) / 1000)} s`);
  return failed + queue.length;
}
