import type { Portfolio } from '../portfolios/portfolio';
import type { TradeRecord } from '../core/records';
import type { SeenAccount } from '../strategies/traded-accounts';
import { portfolioState, streamBrokersOfAll } from './portfolio-state';
import {
  haltMembersOf,
  isoOf,
  moneyMembersOf,
  persistenceOf,
  statusOf,
  type OrderCount,
  type StrategyRow,
} from './snapshots';

const orderCounts: readonly OrderCount[] = [
  ...(['submitted', 'rejected', 'blocked', 'denied', 'stale', 'unknown', 'retried', 'inFlight'] as const),
];

/**
 * Body of `GET /status/<name>` for a portfolio: its own values and limits, the members of a strategy's row summed or
 * joined over its children, and the rows of the children. `version`, `magic`, `params`, `streams` and `keptState` are null, because each child
 * has its own.
 */
export function portfolioStatusOf(portfolio: Portfolio): StrategyRow & { readonly children: readonly StrategyRow[] } {
  const { spec, record, children } = portfolio;
  const rows = children.map(statusOf);
  const sum = (figure: number): number | null => (portfolio.unreadable === null ? figure : null);
  const worth = (figure: number): number | null => (portfolio.isEquityKnown ? figure : null);
  const total = (of: (child: (typeof children)[number]) => number): number =>
    children.reduce((all, child) => all + of(child), 0);
  const failures = children.flatMap(({ restarts }) => restarts.lastFailure ?? []);
  const lastFailure = failures.sort((a, b) => a.atMs - b.atMs).at(-1) ?? null;
  return {
    name: spec.name,
    kind: 'portfolio',
    version: null,
    state: portfolioState(portfolio),
    ...haltMembersOf(record.halt),
    problem: portfolio.problem,
    startedAt: isoOf(portfolio.deployedAtMs),
    uptimeMs: portfolio.uptimeMs,
    restarts: total(({ restarts }) => restarts.count),
    lastFailure: lastFailure && { at: isoOf(lastFailure.atMs), reason: lastFailure.reason },
    deployedAt: isoOf(portfolio.deployedAtMs),
    magic: null,
    params: null,
    streams: null,
    ...moneyMembersOf(children.map(({ accounts }) => accounts.money).find((money) => money !== null) ?? null),
    capital: spec.capital,
    balance: sum(portfolio.balance.toNumber()),
    equity: worth(portfolio.equity.toNumber()),
    realized: sum(portfolio.realized.toNumber()),
    unrealized: worth(portfolio.unrealized.toNumber()),
    drawdownPct: portfolio.drawdownPct,
    accountAsOf: isoOf(earliest(children.map(({ accounts }) => accounts.asOfMs))),
    accounts: accountsOf(rows),
    positions: rows.flatMap(({ positions }) => positions),
    lastTrade: newest(children.flatMap(({ book }) => book.record.lastTrade ?? [])),
    trades: sum(portfolio.trades),
    pendingStackLayers: rows.flatMap(({ pendingStackLayers }) => pendingStackLayers),
    pendingOrders: rows.flatMap(({ pendingOrders }) => pendingOrders),
    streamBrokers: streamBrokersOfAll(portfolio),
    inboundQueueDepth: total(({ queue }) => queue.depth),
    droppedTicks: total(({ queue }) => queue.droppedTicks),
    missedBars: total(({ market }) => market.missedBars),
    lateBars: total(({ lateBars }) => lateBars),
    staleSymbols: [...new Set(rows.flatMap(({ staleSymbols }) => staleSymbols))],
    staleStreams: [...new Set(rows.flatMap(({ staleStreams }) => staleStreams))],
    clockSkewedSymbols: Object.assign({}, ...rows.map(({ clockSkewedSymbols }) => clockSkewedSymbols)) as Record<
      string,
      number
    >,
    errors: total(({ errors }) => errors),
    orders: ordersOf(rows),
    keptState: null,
    children: rows,
    unreachable: portfolio.unreachable,
    persistence: persistenceOf(portfolio),
  };
}

/** Each account once, with the differences of all children. */
function accountsOf(rows: readonly StrategyRow[]): readonly SeenAccount[] {
  const all = new Map<string, SeenAccount>();
  for (const seen of rows.flatMap(({ accounts }) => accounts)) {
    const other = all.get(seen.gateway);
    all.set(seen.gateway, {
      ...seen,
      reason: other?.reason ?? seen.reason,
      tickets: [...new Set([...(other?.tickets ?? []), ...seen.tickets])],
      differences: [...(other?.differences ?? []), ...seen.differences],
    });
  }
  return [...all.values()];
}

function ordersOf(rows: readonly StrategyRow[]): Record<OrderCount, number> {
  const sums = orderCounts.map((count) => [count, rows.reduce((sum, { orders }) => sum + orders[count], 0)]);
  return Object.fromEntries(sums) as Record<OrderCount, number>;
}

/** The latest trade; a trade of unknown time counts as the oldest. */
function newest(trades: readonly TradeRecord[]): TradeRecord | null {
  const timeOf = ({ timestamp }: TradeRecord): number => (timestamp === null ? -Infinity : Date.parse(timestamp));
  return [...trades].sort((a, b) => timeOf(a) - timeOf(b)).at(-1) ?? null;
}

/** Null if the value of any child is null. */
function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length < times.length || known.length === 0 ? null : Math.min(...known);
}
