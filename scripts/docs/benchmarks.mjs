// docs/benchmarks.md, from what `npm run bench -- record` wrote.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences, oursOf } from '../../bench/backtest/agreement.mjs';

export const recordedFile = 'bench/recorded.json';
export const pageFile = 'docs/benchmarks.md';

export async function render({ root }) {
  const file = join(root, recordedFile);
  return { [pageFile]: benchmarksPage(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}) };
}

const titles = { backtest: 'Backtests', reads: 'Reads', simulation: 'Simulated hours', bugs: 'Planted bugs' };
const writers = { backtest: backtests, reads, simulation, bugs };

/**
 * The page.
 * @param recorded parts by name, each with its figures and its conditions; one that is missing is named as not recorded
 */
export function benchmarksPage(recorded) {
  const sections = Object.entries(titles).flatMap(([name, title]) => [
    `## ${title}`,
    ...(recorded[name] ? writers[name](recorded[name]) : ['Not recorded yet.']),
  ]);
  return `${[
    '# Benchmarks',
    'This page is generated and never edited: `npm run bench -- record` makes each measurement, writes its figures to `bench/recorded.json`\n' +
      'and the page from them. `npm run bench -- record backtest` repeats one part. The measurements are in `bench/`; an engine that is compared\n' +
      'is installed by the command itself, in the version that the table names.',
    ...conditions(recorded),
    ...sections,
  ].join('\n\n')}\n`;
}

/** Whether nothing else ran that could change a time. With other programs beside, only ratios within one run are shown. */
function isQuiet({ loadBefore, processors }) {
  return loadBefore <= processors / 4;
}

function conditions(recorded) {
  const rows = Object.keys(titles)
    .filter((name) => recorded[name])
    .map((name) => {
      const { date, version, processors, model, memoryGib, system, node, loadBefore, minutes } = recorded[name];
      const machine = `${processors} × ${model}, ${memoryGib} GiB`;
      return [titles[name], date, version, machine, system, node, String(loadBefore), String(minutes)];
    });
  if (rows.length === 0) return [];
  return [
    '## Machine',
    table(['part', 'date', 'version', 'machine', 'system', 'Node', 'load before', 'minutes'], rows),
    'The load is the number of other programs that wanted a processor in the minute before the part. Where it is above a quarter of the\n' +
      'processors, the page shows ratios of processor time within one run, and no seconds.',
  ];
}

function backtests({ figures: { rounds, results }, ...about }) {
  const quiet = isQuiet(about);
  const head = ['period', 'engine', 'bars', 'trades', 'CPU, ours / theirs', 'the result is ours'];
  const rows = results.map((result) => {
    const { period, name, bars, trades, isOther, cpuSeconds, residentMib } = result;
    const ours = oursOf(result, results);
    const compared = isOther && ours !== undefined;
    const differing = compared ? differences(result, ours) : [];
    return [
      ...[period, isOther ? name : `this one, ${name}`, whole(bars), whole(trades)],
      compared ? (ours.cpuSeconds / cpuSeconds).toFixed(2) : '',
      compared ? (differing.length === 0 ? 'yes' : `no: ${differing.join(', ')}`) : '',
      ...(quiet ? [cpuSeconds.toFixed(2), residentMib.toFixed(0)] : []),
    ];
  });
  return [
    'The same strategy, a cross of two averages, over the same one-minute bars with the same capital, in this daemon and in other engines: whole\n' +
      'processes, start and children included. Below 1, ours takes less. The last column compares closed trades, their profit and the equity\n' +
      'at the end, to the cent. backtesting.py has one price with a mean spread in place of bid and ask, so its profit is another one.\n' +
      `${runsText(rounds)}`,
    table([...head, ...(quiet ? ['CPU s', 'peak MiB'] : [])], rows),
    'The engines do not do the same work: the daemon sends each order through the rules of the gateway and the simulated broker, as live;\n' +
      'vectorbt computes on arrays. [Performance](performance.md#backtests-and-searches) says where the time goes.',
  ];
}

function reads({ figures: { rounds, rows: measured } }) {
  const rows = measured.map(({ name, yardstick, ratio, goal }) => [name, yardstick, ratio.toFixed(2), goal]);
  return [
    'Answers per second of processor time, as a share of those of a server that sends the same bytes: bare Fastify from memory, and a Nest\n' +
      'skeleton with guards. The bodies are compared by construction: the others send what the gateway answered.\n' +
      `[Performance](performance.md#reads-and-streams) explains the rows. ${runsText(rounds)}`,
    table(['what', 'compared with', 'ratio', 'goal'], rows),
  ];
}

function runsText(rounds) {
  return rounds === 1 ? 'One run of each.' : `The median of ${rounds} runs of each.`;
}

function simulation({ figures }) {
  const rows = figures.map(({ world, seeds, virtualMs, requests, sends, executed, kills, violations }) => [
    ...[world, whole(seeds), (virtualMs / 3_600_000).toFixed(1), whole(requests), whole(sends), whole(executed)],
    ...[whole(kills), whole(violations)],
  ]);
  const hours = figures.reduce((sum, { virtualMs }) => sum + virtualMs / 3_600_000, 0);
  const violations = figures.reduce((sum, { violations: count }) => sum + count, 0);
  return [
    `${hours.toFixed(1)} simulated hours of trading under faults, from seeds that nobody chose; ${violations === 0 ? 'no' : String(violations)} ` +
      `${violations === 1 ? 'seed has' : 'seeds have'} a violation\nof the [invariants](reliability.md): no order twice, none lost, nothing untrue.`,
    table(['world', 'seeds', 'hours', 'requests', 'sends', 'executed', 'crashes', 'seeds with a violation'], rows),
  ];
}

function bugs({ figures: { bugs: count, bySeed, byPlan, seeds } }) {
  const missed = count - bySeed - byPlan;
  return [
    'Mistakes that are put into the programs on purpose, one at a time. The same simulation has to find each of them;\n' +
      '[Reliability](reliability.md) lists them.',
    table(
      ['planted', `found by one of ${seeds} seeds`, 'found by a plan that is kept', 'not found'],
      [[count, bySeed, byPlan, missed].map(whole)],
    ),
  ];
}

function whole(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A table as Prettier writes it, so that the page passes the check of its form. */
function table(head, rows) {
  const widths = head.map((title, index) => Math.max(...[head, ...rows].map((row) => row[index].length), 3));
  const line = (cells) => `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
