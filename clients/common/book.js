'use strict';
/** The same as book.py, for programs in JavaScript. */
const INSTANCE = Number(process.env.INSTANCE);
const END = performance.now() + 1000 * Number(process.env.SECONDS);
const seen = new Set();
const times = [];
const repeated = {};
let slowest = [0, ''];
let added = 0;
let last = 0;

function random(below) {
  return Math.floor(Math.random() * below);
}

const book = {
  INSTANCE,
  key: () => [1 + random(12), 1 + random(1000)],
  number: () => INSTANCE * 10_000_000 + ++last,
  pick: list => list[random(list.length)],
  add(number = 1) {
    added += number;
  },
  tell(name, outcome) {
    const line = `${name}: ${JSON.stringify(outcome)}`;
    if (!seen.has(line)) {
      seen.add(line);
      console.log(line);
    }
  },
  /** PostgreSQL's error inside of what a mapper throws. */
  cause: error => error.original ?? error.parent ?? error.driverError ?? error,
  failure(error) {
    const cause = book.cause(error);
    return cause.code
        ? [cause.code, cause.message, cause.detail?.split('Failing row')[0], cause.hint, cause.constraint, cause.position]
            .filter(Boolean).join(' | ')
        : String(error.stack ?? error).split('\n').slice(0, 2).join(' ');
  },
  /** Steps in any order until the time is over, each at least twice. */
  async run(steps) {
    for (let rounds = 0; rounds < 2 || performance.now() < END; rounds++) {
      for (const step of [...steps].sort(() => Math.random() - 0.5)) {
        const began = performance.now();
        try {
          const outcome = await step();
          if (outcome !== undefined) {
            book.tell(step.name, outcome);
          }
        } catch (error) {
          const code = book.cause(error).code;
          if (code === '40001' || code === '40P01') {
            repeated[code] = (repeated[code] ?? 0) + 1;
          } else {
            book.tell(step.name, `ERROR ${book.failure(error)}`);
          }
        }
        const took = performance.now() - began;
        times.push(took);
        if (took > slowest[0]) {
          slowest = [took, step.name];
        }
      }
    }
  },
  close() {
    times.sort((a, b) => a - b);
    console.log(`= added ${added}`);
    console.error(`${times.length} steps, ms p50 ${times[times.length >> 1].toFixed(1)}`
        + ` p99 ${times[Math.floor(times.length * 0.99)].toFixed(0)}`
        + ` most ${slowest[0].toFixed(0)} (${slowest[1]}), repeated ${JSON.stringify(repeated)}`);
  },
};

module.exports = book;
