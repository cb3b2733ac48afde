import type { DealRecord, StrategyResults } from '@libs/gateway-client';
import type { BalancePoint } from './balance-line';
import { equityLine, type EquityPoint } from './equity-line';
import { money } from './figures';
import { rowsIn, timeText, valueText, type StrategyRow } from './strategy-view';

/** What a strategy earned while the daemon recorded it, over the time that is shown. */
export interface LiveResult {
  readonly since: string;
  readonly until: string;
  /** Change of what it earned, realized and floating, since the first reading. */
  readonly earned: number;
  /** Deepest fall of the equity from a high. */
  readonly maxDrawdown: number;
  readonly capital: number;
  readonly balance: readonly BalancePoint[];
  /** With a gap where it was not known. */
  readonly equity: readonly EquityPoint[];
}

/** @returns null if the daemon has no readings of that time, or does not say */
export function liveResultOf({ equity }: StrategyResults, capital: unknown): LiveResult | null {
  if (equity === null || typeof capital !== 'number') return null;
  const readings = rowsIn(equity, 'readings').flatMap(({ at, realized, unrealized }) =>
    typeof at === 'string' && typeof realized === 'number' && typeof unrealized === 'number'
      ? [{ at, balance: capital + realized, equity: capital + realized + unrealized }]
      : [],
  );
  const [first] = readings;
  const last = readings.at(-1);
  const { everyMinutes, maxDrawdown } = equity;
  if (!first || !last || typeof everyMinutes !== 'number' || typeof maxDrawdown !== 'number') return null;
  return {
    since: first.at,
    until: last.at,
    earned: last.equity - first.equity,
    maxDrawdown,
    capital,
    balance: readings.map(({ at, balance }) => [Date.parse(at), balance]),
    equity: equityLine(readings, everyMinutes * 60_000, []),
  };
}

/** The backtest that the configuration names. */
export interface ShownBacktest {
  readonly from: string;
  readonly to: string;
  readonly figures: StrategyRow;
  readonly writtenAt: string;
  /** Whether it ran under the settings of the strategy that runs; null if that is not known. */
  readonly isSame: boolean | null;
  /** The settings that differ or are not known. */
  readonly differing: readonly (readonly [name: string, live: string, backtest: string])[];
  /** What it assumed of the broker. */
  readonly broker: string;
  readonly equity: readonly BalancePoint[];
}

/** @returns why there is none, in words, if there is none */
export function backtestOf({ backtest }: StrategyResults): ShownBacktest | string {
  if (backtest === null) return 'This daemon reports no backtests.';
  const { file, problem, report, writtenAt, isSame } = backtest;
  if (file === null) return 'None: the configuration names no report under backtest.';
  if (typeof problem === 'string') return `The report ${valueText(file)} cannot be used: ${problem}.`;
  if (!isRow(report)) return `None: there is no file ${valueText(file)} yet. daemon backtest --out writes it.`;
  const { range, figures, broker, equity } = report;
  if (!isRow(range) || !isRow(figures)) return 'The daemon gave no report.';
  return {
    from: valueText(range['from']),
    to: valueText(range['to']),
    figures,
    writtenAt: timeText(writtenAt),
    isSame: typeof isSame === 'boolean' ? isSame : null,
    differing: rowsIn(backtest, 'settings')
      .filter(({ isEqual }) => isEqual !== true)
      .map((setting) => [valueText(setting['name']), settingText(setting, 'live'), settingText(setting, 'backtest')]),
    broker: valueText(broker),
    equity: Array.isArray(equity) ? equity.filter(isPoint) : [],
  };
}

/** Whether the backtest may be compared with what runs, in words. */
export function standingOf({ isSame, differing }: ShownBacktest): string {
  if (isSame === true) return 'It ran with the settings of the strategy that runs.';
  const names = differing.map(([name]) => name).join(', ');
  if (isSame === false) return `It ran with other settings (${names}): what it shows is not what to expect.`;
  return `Whether it ran with the settings of the strategy that runs is not known (${names}).`;
}

/** Absent: not known; null: there is none. */
function settingText(setting: StrategyRow, member: 'live' | 'backtest'): string {
  const { [member]: value } = setting;
  return value === null ? 'none' : valueText(value);
}

/** Closed trades of the deals that are known. */
interface ClosedTrades {
  readonly count: number;
  readonly winRatePct: number | null;
  readonly profitFactor: number | null;
  readonly average: number | null;
}

type TradedDeal = Pick<
  DealRecord,
  'position_id' | 'entry' | 'volume' | 'profit' | 'commission' | 'swap' | 'fee' | 'time_utc'
>;

/** The positions that were opened and closed within these deals, and closed since then. A reversal is left out. */
export function closedTrades(deals: readonly TradedDeal[], sinceMs: number): ClosedTrades {
  const positions = new Map<number, TradedDeal[]>();
  for (const deal of deals) positions.set(deal.position_id, [...(positions.get(deal.position_id) ?? []), deal]);
  const results = [...positions.values()].flatMap((own) => {
    const lots = (isIn: boolean): number =>
      own.filter(({ entry }) => (entry === 0) === isIn).reduce((sum, { volume }) => sum + Math.round(volume * 1e8), 0);
    const closedMs = Math.max(...own.map(({ time_utc }) => (time_utc === null ? NaN : Date.parse(time_utc))));
    if (lots(true) === 0 || lots(true) !== lots(false) || !(closedMs >= sinceMs)) return [];
    return [own.reduce((sum, { profit, commission, swap, fee }) => sum + profit + commission + swap + fee, 0)];
  });
  const sum = (of: readonly number[]): number => of.reduce((total, one) => total + one, 0);
  const [wins, losses] = [results.filter((one) => one > 0), results.filter((one) => one < 0)];
  const { length: count } = results;
  return {
    count,
    winRatePct: count === 0 ? null : (100 * wins.length) / count,
    profitFactor: losses.length === 0 ? null : sum(wins) / -sum(losses),
    average: count === 0 ? null : sum(results) / count,
  };
}

export type ComparedRow = readonly [label: string, live: string, backtest: string];

/** What both state, side by side. @param trades null if they are not known over the time that is shown */
export function comparedRows(
  live: LiveResult | null,
  trades: ClosedTrades | null,
  backtest: ShownBacktest | null,
  digits: number | undefined,
): readonly ComparedRow[] {
  const figure = (name: string): number | null => {
    const value = backtest?.figures[name];
    return typeof value === 'number' ? value : null;
  };
  const amount = (value: number | null): string => (value === null ? none : money(value, digits));
  const percent = (value: number | null): string => (value === null ? none : `${money(value, 2)} %`);
  const count = (value: number | null): string => (value === null ? none : money(value, 0));
  const number = (value: number | null): string => (value === null ? none : money(value, 2));
  const ofLive = (text: (known: LiveResult) => string): string => (live === null ? none : text(live));
  const ofTrades = (text: (known: ClosedTrades) => string): string => (trades === null ? none : text(trades));
  const [end, start] = [figure('endEquity'), figure('startEquity')];
  return [
    ['From', ofLive(({ since }) => timeText(since)), timeText(backtest?.from)],
    ['To', ofLive(({ until }) => timeText(until)), timeText(backtest?.to)],
    [
      'Change of equity',
      ofLive(({ earned }) => amount(earned)),
      end === null || start === null ? none : amount(end - start),
    ],
    [
      'Change in % of the capital',
      ofLive(({ earned, capital }) => percent((100 * earned) / capital)),
      percent(figure('returnPct')),
    ],
    ['Max drawdown', ofLive(({ maxDrawdown }) => amount(maxDrawdown)), amount(figure('maxDrawdown'))],
    ['Closed trades', ofTrades((known) => count(known.count)), count(figure('trades'))],
    ['Won', ofTrades(({ winRatePct }) => percent(winRatePct)), percent(figure('winRatePct'))],
    ['Profit factor', ofTrades(({ profitFactor }) => number(profitFactor)), number(figure('profitFactor'))],
    ['Average trade', ofTrades(({ average }) => amount(average)), amount(figure('expectancy'))],
  ].map(([label = '', ofNow = '', ofPast = '']) => [label, ofNow, backtest === null ? none : ofPast]);
}

const none = '–';

function isRow(value: unknown): value is StrategyRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isPoint(value: unknown): value is BalancePoint {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'number';
}
