/** What a check found: `passed`, `failed`, or `unconfirmed` when nothing here could decide it. */
export const passed = (seen) => ({ outcome: 'passed', seen });
export const failed = (seen) => ({ outcome: 'failed', seen });
export const unconfirmed = (seen) => ({ outcome: 'unconfirmed', seen });
/** Passed if it holds, failed otherwise; what was seen is reported either way. */
export const holds = (condition, seen) => (condition ? passed(seen) : failed(seen));

const marks = { passed: '✓', failed: '✗', unconfirmed: '?' };

/** Runs checks one after the other and keeps what each found. A check that throws has failed. */
export class Checklist {
  results = [];

  constructor(print = console.log) {
    this.print = print;
  }

  /** Resolves to what the check found. */
  async check(group, name, run) {
    let found;
    try {
      found = await run();
    } catch (error) {
      found = failed(error.message);
    }
    const result = { group, name, ...found };
    this.results.push(result);
    this.print(`${marks[result.outcome]} ${group}: ${name}  ${shortly(result.seen)}`);
    return result;
  }

  count(outcome) {
    return this.results.filter((result) => result.outcome === outcome).length;
  }
}

function shortly(seen) {
  const text = typeof seen === 'string' ? seen : JSON.stringify(seen);
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
