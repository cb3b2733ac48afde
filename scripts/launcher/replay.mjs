import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LaunchError } from './commands.mjs';
import { endReport } from './product.mjs';
import { FillDelay } from './fill-delay.mjs';
import { accountOf, replayResult, sumsOf } from './replay-result.mjs';
import { strategySummary } from './status-line.mjs';

/** Fast enough to watch, and slow enough that an order is filled at the quote that follows its signal. */
const defaultSpeed = 600;
const minuteMs = 60_000;
const lookEveryMs = 500;
const live = process.stdout.isTTY === true;

/** The environment of a replay: prices from files, faster than they happened, on a server clock that is known. */
export function replayFeed({ files, speed = defaultSpeed }, env) {
  return {
    SIM_FEED: `replay:${files.map(({ feed }) => feed).join(',')}`,
    SIM_SPEED: String(speed),
    ...accountCurrency(files.map(({ symbol }) => symbol)),
    // Quotes that are years old derive no offset.
    TERMINAL_SERVER_TIME_ZONE: env.SIM_SERVER_TIME_ZONE || 'Europe/Athens',
  };
}

/** The profit of a cross is in its second currency, which nothing converts to dollars when no pair with dollars is replayed. */
function accountCurrency(symbols) {
  const isCross = symbols.every((symbol) => /^[A-Z]{6}/.test(symbol) && !/^(USD|...USD)/.test(symbol));
  return isCross ? { SIM_CURRENCY: symbols[0].slice(3, 6) } : {};
}

/** What has to be known before the daemon trades: the balance it starts from, and what is replayed. */
export async function beforeReplay(product, { files }) {
  const answer = await product.askGateway('/symbols');
  const symbols = (answer?.body?.data ?? []).map(({ name }) => name);
  if (symbols.length === 0) throw new LaunchError(`The replay has no symbol: ${JSON.stringify(answer?.body)}`);
  const startsAtMs = await marketMs(product, symbols);
  const endsAtMs = Math.max(...files.map(({ path }) => lastMinuteOf(path)));
  return { symbols, startsAtMs, endsAtMs, account: await accountOf(product) };
}

/** Follows a replay to its end, then prints the sums. Sets the exit code when they differ, or when a bar was missed. */
export async function followReplay(product, before, asked) {
  const startedMs = performance.now();
  let failure;
  void product.failure.then((report) => (failure = report));
  const delay = new FillDelay(product.controlToken);
  await delay.listen(product.controlUrl);
  let nowMs = before.startsAtMs;
  while (nowMs < before.endsAtMs && !asked.yet) {
    if (failure) throw new LaunchError(endReport(failure));
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    nowMs = (await marketMs(product, before.symbols)) || nowMs;
    await showProgress(product, before, nowMs);
  }
  if (asked.yet) return;
  const factor = (nowMs - before.startsAtMs) / (performance.now() - startedMs);
  const sums = await settledSums(product);
  delay.stop();
  const result = replayResult(before.account, sums, { factor, delay: delay.summary });
  console.log(`\n${result.text}`);
  if (!result.isSound) process.exitCode = 1;
}

/** The newest quote of all symbols, in UTC milliseconds; 0 without one. */
async function marketMs(product, symbols) {
  const ticks = await Promise.all(symbols.map((symbol) => product.askGateway(`/symbol_info_tick/${symbol}`)));
  return Math.max(...ticks.map((tick) => Date.parse(tick?.body?.time_utc ?? '') || 0));
}

let shownShare = -5;

/** A moving line on a terminal, a line for each twentieth of the way in a log. */
async function showProgress(product, { startsAtMs, endsAtMs }, nowMs) {
  const status = await product.askDaemon('/status');
  const failed = (status?.body ?? []).filter(({ state }) => state === 'failed');
  if (failed.length > 0) {
    throw new LaunchError(failed.map(({ name, problem }) => `The strategy ${name} failed: ${problem}`).join('\n'));
  }
  const share = Math.floor((100 * (nowMs - startsAtMs)) / (endsAtMs - startsAtMs));
  const time = new Date(nowMs).toISOString().slice(0, 16).replace('T', ' ');
  const line = `  ${time}  ${share} %  ${(status?.body ?? []).map(strategySummary).join(' | ')}`;
  if (live) process.stdout.write(`\r\x1b[K${line.slice(0, (process.stdout.columns ?? 80) - 1)}`);
  else if (share >= shownShare + 5) {
    console.log(line);
    shownShare = share;
  }
}

/** The sums once everything has settled: no order in flight, no event waiting, and twice the same. */
async function settledSums(product) {
  let last;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 2 * lookEveryMs));
    const sums = await sumsOf(product);
    const isQuiet = sums.strategies.every(({ orders, inboundQueueDepth }) => !orders?.inFlight && !inboundQueueDepth);
    if (isQuiet && JSON.stringify(sums.booked) === last) return sums;
    last = isQuiet ? JSON.stringify(sums.booked) : undefined;
  }
}

/** UTC milliseconds of the last row of a file of bars. */
function lastMinuteOf(file) {
  const descriptor = openSync(file, 'r');
  const tail = Buffer.alloc(256);
  const { size } = fstatSync(descriptor);
  const read = readSync(descriptor, tail, 0, tail.length, Math.max(0, size - tail.length));
  closeSync(descriptor);
  const lastRow = tail.toString('utf8', 0, read).trimEnd().split('\n').at(-1);
  const openMs = Date.parse(lastRow.split(',')[0].replace(' ', 'T'));
  if (Number.isNaN(openMs)) throw new LaunchError(`${file} does not end with a bar`);
  // The last of a bar's quotes stands a second before its end.
  return openMs + minuteMs - 1_000;
}
