import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { codeOf } from '@libs/files';
import { systemErrorText } from '@libs/envelope';
import type { BacktestReport } from './report';
import type { PortfolioReport } from './portfolio-report';
import type { EquityPoint } from './equity-curve';

type Shown = 'account' | 'assumptions' | 'fillRule' | 'figures' | 'haltReason';

/** A report that `daemon backtest --out` wrote, without its long lists. */
export interface StoredReport {
  /** When the file was written, in milliseconds since the epoch. */
  readonly writtenMs: number;
  readonly report: Pick<BacktestReport, Shown> & {
    readonly range: Pick<BacktestReport['range'], 'from' | 'to' | 'files' | 'bars'>;
    readonly strategy?: BacktestReport['strategy'];
    readonly portfolio?: PortfolioReport['portfolio'];
    readonly strategies?: readonly Pick<PortfolioReport['strategies'][number], 'name' | 'capital' | 'strategy'>[];
    /** At most {@link mostPoints}: of each step the last. */
    readonly equity: readonly EquityPoint[];
  };
}

const mostBytes = 64 * 1024 * 1024;
const mostPoints = 1_000;

/**
 * Reads a report in a thread of its own: it may be large, and must not delay the strategies.
 * @returns null if there is no file
 * @throws Error if it cannot be used
 */
export async function readStoredReport(path: string): Promise<StoredReport | null> {
  const found = await stat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw new Error(systemErrorText(error));
  });
  if (found === null) return null;
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > mostBytes) throw new Error(`it is larger than ${mostBytes / 1024 / 1024} MiB`);
  const report = await parsedInThread(path);
  if (!isReport(report)) throw new Error('it is not a report that daemon backtest --out wrote');
  return { writtenMs: Math.round(found.mtimeMs), report };
}

/** What the thread runs. Of the file, only what is shown crosses to this one. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const { path, most } = workerData;
const file = JSON.parse(require('node:fs').readFileSync(path, 'utf8'));
const { account, assumptions, fillRule, figures, haltReason, range, strategy, portfolio, strategies, equity } = file;
const step = Math.ceil((equity?.length ?? 0) / most);
parentPort.postMessage({
  account, assumptions, fillRule, figures, haltReason, strategy, portfolio,
  range: range && { from: range.from, to: range.to, files: range.files, bars: range.bars },
  strategies: strategies?.map(({ name, capital, strategy }) => ({ name, capital, strategy })),
  equity: equity?.filter((_, index) => (equity.length - 1 - index) % step === 0),
});
`;

function parsedInThread(path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(program, {
      eval: true,
      env: {},
      workerData: { path, most: mostPoints },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    worker.once('message', (message) => {
      resolve(message);
      void worker.terminate();
    });
    worker.once('error', (error) => reject(new Error(`it cannot be read: ${error.message}`)));
    worker.once('exit', () => reject(new Error('it cannot be read')));
  });
}

/** Whether a file has what is shown of a report; a file of a live report has no assumptions. */
function isReport(value: unknown): value is StoredReport['report'] {
  const { account, figures, range, assumptions, strategy, portfolio, strategies, equity } = membersOf(value);
  const isOne = strategy !== undefined && isStrategy(strategy);
  const isSeveral =
    typeof membersOf(portfolio)['name'] === 'string' &&
    Array.isArray(strategies) &&
    strategies.every((one) => isStrategy(membersOf(one)['strategy']));
  return (
    (isOne || isSeveral) &&
    typeof membersOf(account)['capital'] === 'number' &&
    typeof membersOf(figures)['netProfit'] === 'number' &&
    typeof membersOf(range)['from'] === 'string' &&
    isMapping(membersOf(assumptions)['symbols']) &&
    Array.isArray(equity)
  );
}

function isStrategy(value: unknown): boolean {
  const { file, params, streams } = membersOf(value);
  return typeof file === 'string' && isMapping(params) && isMapping(streams);
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMapping(value) ? { ...value } : {};
}

/** The newest report of each path: a file that has not changed is read once. */
export class StoredReports {
  private readonly kept = new Map<string, { readonly stamp: string; readonly reading: Promise<StoredReport | null> }>();

  /** As {@link readStoredReport}. */
  async read(path: string): Promise<StoredReport | null> {
    const stamp = await stat(path).then(
      ({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`,
      () => 'none',
    );
    let known = this.kept.get(path);
    if (known?.stamp !== stamp) this.kept.set(path, (known = { stamp, reading: readStoredReport(path) }));
    return known.reading;
  }
}
