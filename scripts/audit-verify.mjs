#!/usr/bin/env node
// Checks an order audit log: `npm run audit:verify FILE`. Exit code 0 if it is consistent, else 1.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

const outcomes = new Set(['broker_response', 'unknown_outcome', 'recovered', 'refused', 'outcome_accepted']);

/** Reads the log line by line and collects its problems. */
export async function verifyAudit(path) {
  const report = { lines: 0, intents: 0, torn: 0, unknown: 0, unresolved: 0, events: {}, problems: [] };
  const open = new Map();
  const unresolved = new Set();
  // A rotated log continues with the number after the last one of the previous file.
  let last = null;
  let torn = [];
  let number = 0;
  for await (const text of createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity })) {
    number += 1;
    const line = parsed(text);
    if (line === null) {
      torn.push(number);
      continue;
    }
    report.lines += 1;
    report.events[line.event] = (report.events[line.event] ?? 0) + 1;
    const isNext = last === null || line.sequence === last.sequence + 1;
    // A crash or a full disk can only cut lines short that were never acknowledged; then the next one carries their number.
    if (isNext) report.torn += torn.length;
    else report.problems.push(...torn.map((at) => `line ${at}: is no JSON`));
    torn = [];
    if (!isNext) report.problems.push(`line ${number}: sequence ${line.sequence} follows ${last.sequence}`);
    if (last !== null && line.timestamp < last.timestamp) {
      report.problems.push(`line ${number}: ${line.timestamp} is before ${last.timestamp}`);
    }
    last = line;
    if (line.event === 'intent') {
      report.intents += 1;
      if (open.has(line.intent_id)) report.problems.push(`line ${number}: intent ${line.intent_id} is there twice`);
      open.set(line.intent_id, number);
    } else if (line.intent_id && outcomes.has(line.event)) {
      open.delete(line.intent_id);
      if (line.event === 'unknown_outcome') {
        report.unknown += 1;
        unresolved.add(line.intent_id);
      } else unresolved.delete(line.intent_id);
    }
  }
  // The very last line may be in the middle of being written, or wait for the next start, which ends it.
  report.torn += torn.length;
  for (const [intent, at] of open) report.problems.push(`line ${at}: intent ${intent} has no outcome`);
  report.unresolved = unresolved.size;
  return report;
}

function parsed(text) {
  try {
    const line = JSON.parse(text);
    const isLine =
      Number.isInteger(line?.sequence) && typeof line.timestamp === 'string' && typeof line.event === 'string';
    return isLine ? line : null;
  } catch {
    return null;
  }
}

if (import.meta.url === new URL(process.argv[1] ?? '', 'file:').href) {
  process.exitCode = await verifyFile(process.argv[2]);
}

/** Prints the report of one file. Resolves with the exit code; the process ends once its output is read. */
async function verifyFile(path) {
  if (!path) {
    console.error('usage: npm run audit:verify FILE');
    return 2;
  }
  try {
    const { problems, events, ...counts } = await verifyAudit(path);
    console.log(
      Object.entries({ ...counts, ...events })
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    );
    for (const problem of problems) console.error(problem);
    console.log(problems.length === 0 ? 'the audit log holds together' : `${problems.length} problems`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(`cannot read ${path}: ${error.code ?? error.message}`);
    return 2;
  }
}
