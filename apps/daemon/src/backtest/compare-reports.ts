import type { BacktestReport } from './report';
import type { ReportTrade } from './excursions';
import { amountsIn, figureRows } from './figure-rows';
import type { PortfolioReport, StrategyReport } from './portfolio-report';

/** A value that two reports state; `–` for one that a report does not have. */
interface ComparedValue {
  readonly name: string;
  readonly first: string;
  readonly second: string;
}

/** A trade of both runs: the same symbol and side, and entries up to a minute apart. */
export interface ComparedTrade {
  readonly first: ReportTrade;
  readonly second: ReportTrade;
  /** Names of the members that have different values. */
  readonly differs: readonly (typeof comparedMembers)[number][];
}

/** Two reports side by side. */
export interface Comparison {
  /** What the runs were asked to do, and differs. */
  readonly settings: readonly ComparedValue[];
  readonly figures: readonly ComparedValue[];
  readonly trades: {
    readonly same: number;
    readonly changed: readonly ComparedTrade[];
    readonly onlyFirst: readonly ReportTrade[];
    readonly onlySecond: readonly ReportTrade[];
  };
}

const comparedMembers = [
  'openedMs',
  'volume',
  'entryPrice',
  'closedMs',
  'exitPrice',
  'exitReason',
  'realized',
  'commission',
  'swap',
] as const;
const none = '–';

/** A report of one strategy or of a portfolio. */
export type ComparedReport = BacktestReport | PortfolioReport;

/** Compares two reports: settings, figures, and the trades by symbol, side and entry. */
export function compareReports(first: ComparedReport, second: ComparedReport): Comparison {
  return {
    settings: compared(settingsOf(first), settingsOf(second)).filter((row) => row.first !== row.second),
    figures: compared(comparedFigures(first), comparedFigures(second)),
    trades: comparedTrades(first.trades, second.trades),
  };
}

type Rows = readonly (readonly [name: string, value: string])[];

/** By name; names of the first report come first. */
function compared(first: Rows, second: Rows): readonly ComparedValue[] {
  const [ofFirst, ofSecond] = [new Map(first), new Map(second)];
  const names = new Set([...ofFirst.keys(), ...ofSecond.keys()]);
  return [...names].map((name) => ({
    name,
    first: ofFirst.get(name) ?? none,
    second: ofSecond.get(name) ?? none,
  }));
}

/** The figures of a report; those of a portfolio have the net profit and the trades of each strategy as well. */
export function comparedFigures(report: ComparedReport): Rows {
  if ('strategy' in report) return figureRows(report);
  const own = report.strategies.flatMap(({ name, figures }): Rows => {
    return [
      [`${name} net profit`, amountsIn(report.account.currency)(figures.netProfit)],
      [`${name} trades`, String(figures.trades)],
    ];
  });
  // Earlier versions wrote no benchmark of a portfolio.
  return [...figureRows({ ...report, benchmark: report.benchmark ?? null }), ...own];
}

function settingsOf(report: ComparedReport): Rows {
  const { account, range, assumptions, fillRule } = report;
  const members = {
    ...('strategy' in report ? ofStrategy(report) : ofPortfolio(report)),
    from: range.from,
    to: range.to,
    files: range.files,
    ...('warmupBars' in range ? pastOf(range) : {}),
    capital: account.capital,
    currency: account.currency,
    leverage: account.leverage,
    ...prefixed('broker', assumptions),
    'fill rule': fillRule,
  };
  return Object.entries(members).map(([name, value]) => [name, shown(value)]);
}

function ofStrategy({ strategy }: Pick<BacktestReport, 'strategy'>): Readonly<Record<string, unknown>> {
  return {
    strategy: strategy.file,
    version: strategy.version,
    ...prefixed('param', strategy.params),
    ...prefixed('stream', strategy.streams),
    ...prefixed('limit', strategy.risk ?? {}),
  };
}

function ofPortfolio({ portfolio, strategies }: PortfolioReport): Readonly<Record<string, unknown>> {
  const settings = strategies.map((one: StrategyReport) => {
    return prefixed(one.name, { ...ofStrategy(one), capital: one.capital, ...pastOf(one) });
  });
  return Object.assign({ portfolio: portfolio.name, ...prefixed('limit', portfolio.risk) }, ...settings) as Readonly<
    Record<string, unknown>
  >;
}

/** Reports of earlier versions state one count of bars, which was the longer past, as that of the warm-up. */
function pastOf({ pastBars, warmupBars }: Pick<BacktestReport['range'], 'pastBars' | 'warmupBars'>) {
  return { 'past bars': pastBars ?? warmupBars, ...(pastBars === undefined ? {} : { 'warm-up bars': warmupBars }) };
}

function prefixed(prefix: string, values: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [`${prefix} ${name}`, value]),
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return none;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function comparedTrades(first: readonly ReportTrade[], second: readonly ReportTrade[]): Comparison['trades'] {
  const { pairs, onlySecond } = pairTrades(first, second);
  const changed: ComparedTrade[] = [];
  const onlyFirst: ReportTrade[] = [];
  let same = 0;
  for (const [trade, other] of pairs) {
    if (other === null) {
      onlyFirst.push(trade);
      continue;
    }
    const differs = comparedMembers.filter((member) => trade[member] !== other[member]);
    if (differs.length === 0) same++;
    else changed.push({ first: trade, second: other, differs });
  }
  return { same, changed, onlyFirst, onlySecond };
}

/** Entries of one decision are apart by the latency, or by a bar of a minute. */
const toleranceMs = 60_000;

type Trade = ReportTrade & { readonly strategy?: string };

/** The trades of the first run, each with that of the second one or null, and what is left of the second. */
interface PairedTrades {
  readonly pairs: readonly (readonly [first: ReportTrade, second: ReportTrade | null])[];
  readonly onlySecond: readonly ReportTrade[];
}

/**
 * Pairs the trades of two runs by strategy, symbol and side: first those that were opened at the same moment, in their order,
 * then the nearest that were opened up to a minute apart.
 */
function pairTrades(first: readonly Trade[], second: readonly Trade[]): PairedTrades {
  const partners = new Map<Trade, Trade>();
  const atMoment = grouped(second, (trade) => `${kindOf(trade)} ${trade.openedMs}`);
  for (const trade of first) {
    const other = atMoment.get(`${kindOf(trade)} ${trade.openedMs}`)?.shift();
    if (other) partners.set(trade, other);
  }
  const left = grouped([...atMoment.values()].flat(), kindOf);
  const unpaired = first.filter((trade) => !partners.has(trade));
  for (const [kind, trades] of grouped(unpaired, kindOf)) {
    for (const [trade, other] of nearest(inTime(trades), inTime(left.get(kind) ?? []))) partners.set(trade, other);
  }
  const taken = new Set(partners.values());
  return {
    pairs: first.map((trade) => [trade, partners.get(trade) ?? null]),
    onlySecond: second.filter((trade) => !taken.has(trade)),
  };
}

function* nearest(first: readonly Trade[], second: readonly Trade[]): Generator<readonly [Trade, Trade]> {
  const taken = new Set<Trade>();
  let from = 0;
  for (const trade of first) {
    while ((second[from]?.openedMs ?? Infinity) < trade.openedMs - toleranceMs) from++;
    let best: Trade | null = null;
    for (let at = from; ; at++) {
      const other = second[at];
      if (!other || other.openedMs > trade.openedMs + toleranceMs) break;
      if (!taken.has(other) && (best === null || apart(trade, other) < apart(trade, best))) best = other;
    }
    if (best === null) continue;
    taken.add(best);
    yield [trade, best];
  }
}

function apart(one: Trade, other: Trade): number {
  return Math.abs(one.openedMs - other.openedMs);
}

function inTime(trades: readonly Trade[]): readonly Trade[] {
  return [...trades].sort((a, b) => a.openedMs - b.openedMs);
}

function grouped(trades: readonly Trade[], key: (trade: Trade) => string): Map<string, Trade[]> {
  const groups = new Map<string, Trade[]>();
  for (const trade of trades) {
    const group = groups.get(key(trade));
    if (group) group.push(trade);
    else groups.set(key(trade), [trade]);
  }
  return groups;
}

/** Trades of a portfolio are distinguished by their strategy as well. */
function kindOf({ symbol, side, strategy = '' }: Trade): string {
  return `${strategy} ${symbol} ${side}`;
}
