import type { PositionRecord } from '@libs/gateway-client';
import type { Deployed } from './deployed';
import type { HaltRecord } from '../core/records';
import type { SeenAccount, TradedAccounts } from '../strategies/traded-accounts';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { OrderDesk } from '../live/order-desk';
import type { Persistence } from '../state/persistence';
import { portfolioState, streamBrokersOfAll } from './portfolio-state';
import { problemsOf } from './problems';
import { floatingOf, sideOf } from '../core/book-view';
import { isWorking, openVolume } from '../core/deal-booking';
import type { StrategyBook } from '../core/strategy-book';

/**
 * The bodies of the control port. Each is built synchronously from memory, so strategies and gateways cannot delay an
 * answer, and every answer shows one instant.
 */

/** Body of `GET /health`; balances and the configuration are included only for callers with the credential. */
export function healthOf(deployed: Deployed, showsMoney: boolean): object {
  const problems = problemsOf(deployed);
  return {
    // For liveness probes: always true, regardless of strategies and gateways.
    status: 'ok',
    condition: problems.length === 0 ? 'ok' : 'degraded',
    problems,
    strategies: deployed.strategies.length,
    uptimeMs: deployed.uptimeMs,
    ...(deployed.units ? { fleet: fleetOf(deployed.units) } : {}),
    perStrategy: deployed.strategies.map(healthOfStrategy),
    gateways: deployed.gateways.map(({ session, money, hub }) => ({
      name: session.name,
      reachable: session.reachable,
      ready: session.ready,
      notReady: session.notReady,
      lastError: session.lastError,
      ...session.accountState,
      ...hub.quotes,
      ...(showsMoney ? { account: money.report } : {}),
    })),
    // Problems of a configuration contain file names and parameters.
    ...(showsMoney ? { config: configOf(deployed) } : {}),
  };
}

/** Leases of this host. */
function fleetOf({ host, labels, problem, leases, isDraining, unplaced }: NonNullable<Deployed['units']>): object {
  return {
    host,
    database: problem === null ? 'ok' : problem,
    isDraining,
    labels,
    unplaced,
    leases: leases.map(({ fence, ageMs, entryProblem }) => ({
      name: fence.name,
      token: fence.token,
      renewedMsAgo: Math.round(ageMs),
      entryProblem,
    })),
  };
}

function configOf({ configuration }: Deployed): object {
  const { loadedMs, lastReload, version } = configuration;
  return { loadedAt: new Date(loadedMs).toISOString(), ...(version === null ? {} : { version }), lastReload };
}

/** One strategy's row of the health report. */
export function healthOfStrategy(strategy: StrategyRunner): object {
  return {
    name: strategy.spec.name,
    state: strategy.state,
    ...haltOf(strategy),
    problem: strategy.problem,
    ...startsOf(strategy),
    lastTickAgeMs: strategy.market.lastTickAgeMs,
    inboundQueueDepth: strategy.queue.depth,
    droppedTicks: strategy.queue.droppedTicks,
    missedBars: strategy.market.missedBars,
  };
}

/** Rows of `GET /list`, portfolios first. */
export function listOf(daemon: Deployed): object[] {
  const portfolios = daemon.portfolios.map((portfolio) => ({
    name: portfolio.spec.name,
    kind: 'portfolio',
    state: portfolioState(portfolio),
    trades: portfolio.unreadable === null ? portfolio.trades : null,
    port: null,
    uptimeMs: portfolio.uptimeMs,
    streamBrokers: streamBrokersOfAll(portfolio),
    children: portfolio.spec.children,
  }));
  return [...portfolios, ...daemon.strategies.map(rowOf)];
}

function rowOf(strategy: StrategyRunner): object {
  return {
    name: strategy.spec.name,
    kind: strategy.spec.portfolio === null ? 'strategy' : 'child',
    state: strategy.state,
    trades: known(strategy, strategy.book.record.trades),
    port: strategy.port,
    uptimeMs: strategy.restarts.uptimeMs,
    streamBrokers: streamBrokersOf(strategy),
    ...(strategy.spec.portfolio === null ? {} : { parent: strategy.spec.portfolio }),
  };
}

/** Members of a strategy's row; those that a portfolio sums up are typed. */
export interface StrategyRow {
  readonly accounts: readonly SeenAccount[];
  readonly positions: readonly object[];
  readonly pendingOrders: readonly object[];
  readonly pendingStackLayers: readonly object[];
  readonly staleSymbols: readonly string[];
  readonly staleStreams: readonly string[];
  readonly clockSkewedSymbols: Readonly<Record<string, number>>;
  readonly orders: Readonly<Record<OrderCount, number>>;
  readonly [member: string]: unknown;
}

/** What `orders` counts. */
export type OrderCount = keyof OrderDesk['counts'] | 'inFlight';

/** Body of `GET /status/<name>` for a strategy. */
export function statusOf(strategy: StrategyRunner): StrategyRow {
  const { book, spec, queue, trading } = strategy;
  const { desk } = trading;
  const { balance, unrealized } = book;
  return {
    name: spec.name,
    kind: spec.portfolio === null ? 'strategy' : 'child',
    version: strategy.version,
    state: strategy.state,
    ...haltOf(strategy),
    problem: strategy.problem,
    ...startsOf(strategy),
    deployedAt: isoOf(strategy.deployedAtMs),
    magic: spec.magic,
    params: spec.params,
    streams: streamsOf(strategy),
    ...moneyMembersOf(strategy.accounts.money),
    capital: spec.capital,
    balance: known(strategy, balance.toNumber()),
    equity: worth(strategy, balance.plus(unrealized).toNumber()),
    realized: known(strategy, Number(book.record.realized)),
    unrealized: worth(strategy, unrealized.toNumber()),
    accountAsOf: isoOf(strategy.accounts.asOfMs),
    accounts: strategy.accounts.seen,
    positions: positionsOf(book, (broker, symbol) => digitsOf(strategy, broker, symbol)),
    lastTrade: book.record.lastTrade,
    trades: known(strategy, book.record.trades),
    pendingStackLayers: trading.desk.pendingLayers,
    pendingOrders: pendingOrdersOf(book),
    streamBrokers: streamBrokersOf(strategy),
    inboundQueueDepth: queue.depth,
    droppedTicks: queue.droppedTicks,
    missedBars: strategy.market.missedBars,
    lateBars: strategy.lateBars,
    staleSymbols: strategy.market.staleSymbols,
    staleStreams: strategy.market.staleStreams,
    clockSkewedSymbols: strategy.market.clockSkewedSymbols,
    errors: strategy.errors,
    orders: { ...desk.counts, inFlight: desk.inFlight },
    keptState: keptStateOf(trading),
    persistence: persistenceOf(trading),
  };
}

/** The currency of all amounts of a row, and its decimals; null until an account was read. */
export function moneyMembersOf(money: TradedAccounts['money']): {
  readonly currency: string | null;
  readonly currencyDigits: number | null;
} {
  return { currency: money?.currency ?? null, currencyDigits: money?.digits ?? null };
}

/** By the stream of the strategy that has the symbol. */
function digitsOf({ spec, market }: StrategyRunner, broker: string, symbol: string): number | null {
  const stream = spec.streams.find((one) => one.broker === broker && one.symbol === symbol);
  return (stream && market.symbolSpecs[stream.alias]?.digits) ?? null;
}

/** What the strategy keeps under `trade.state`, read-only; null if it never changed that. */
function keptStateOf({ kept }: StrategyRunner['trading']): object | null {
  return kept && { version: kept.version, value: JSON.parse(kept.json) as unknown };
}

/** The value if the strategy's state could be read; else null. */
function known(strategy: StrategyRunner, figure: number): number | null {
  return strategy.trading.unreadable === null ? figure : null;
}

/** A value that includes open positions; null before the first snapshot. */
function worth(strategy: StrategyRunner, figure: number): number | null {
  return strategy.book.isEquityKnown ? known(strategy, figure) : null;
}

/** Time of the last start, and the number of restarts. */
function startsOf({ restarts }: StrategyRunner): object {
  const { startedAtMs, uptimeMs, count, lastFailure } = restarts;
  return {
    startedAt: isoOf(startedAtMs),
    uptimeMs,
    restarts: count,
    lastFailure: lastFailure && { at: isoOf(lastFailure.atMs), reason: lastFailure.reason },
  };
}

export function isoOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

export function persistenceOf({ persistence }: { readonly persistence: Persistence }): object {
  const { writes, failedWrites, lastError } = persistence;
  return { writes, failedWrites, lastError };
}

function haltOf({ book }: StrategyRunner): HaltMembers {
  return haltMembersOf(book.record.halt);
}

interface HaltMembers {
  readonly halted: boolean;
  readonly haltReason: string | null;
  readonly haltedAt: string | null;
}

/** Whether a strategy or a portfolio is halted, why, and since when. */
export function haltMembersOf(halt: HaltRecord | null): HaltMembers {
  return { halted: halt !== null, haltReason: halt?.reason ?? null, haltedAt: isoOf(halt?.atMs ?? null) };
}

/** Its streams by their alias, as the configuration names them. */
function streamsOf({ spec }: StrategyRunner): Record<string, string> {
  return Object.fromEntries(
    spec.streams.map(({ alias, broker, symbol, timeframe }) => [alias, `${broker}:${symbol}@${timeframe}`]),
  );
}

function streamBrokersOf({ spec }: StrategyRunner): Record<string, string> {
  return Object.fromEntries(spec.streams.map(({ alias, broker }) => [alias, broker]));
}

/** Digits of a symbol's prices at a gateway; null while they are not known. */
export type DigitsOf = (broker: string, symbol: string) => number | null;

/**
 * The open positions of the status. Before the first snapshot of its gateway, a position has the values of the books;
 * values that only the terminal has are null.
 */
export function positionsOf(book: StrategyBook, digitsOf: DigitsOf): object[] {
  const strategy = book.spec.name;
  const seen = book.held.map(({ owned, position: row }) => ({
    strategy,
    symbol: row.symbol,
    digits: digitsOf(owned.broker, row.symbol),
    broker: owned.broker,
    side: sideOf(row),
    volume: row.volume,
    avgPrice: row.price_open,
    unrealized: floatingOf(row).toNumber(),
    ticket: row.ticket,
    openedAt: timeOf(row),
    sl: row.sl === 0 ? null : row.sl,
    tp: row.tp === 0 ? null : row.tp,
    trail: owned.trail?.distance ?? null,
  }));
  const unseen = book.unseen
    .filter((owned) => openVolume(owned).gt(0))
    .map((owned) => ({
      strategy,
      symbol: owned.symbol,
      digits: digitsOf(owned.broker, owned.symbol),
      broker: owned.broker,
      side: owned.side ?? null,
      volume: openVolume(owned).toNumber(),
      avgPrice: null,
      unrealized: null,
      ticket: owned.ticket,
      openedAt: null,
      sl: null,
      tp: null,
      trail: owned.trail?.distance ?? null,
    }));
  return [...seen, ...unseen];
}

/** The pending orders of the status. Before the first snapshot, little more than the ticket is known. */
function pendingOrdersOf(book: StrategyBook): object[] {
  const unseen = book.unseen.filter(isWorking).map(({ ticket, stream, broker, symbol }) => ({
    ticket,
    stream,
    broker,
    symbol,
    side: null,
    kind: null,
    volume: null,
    price: null,
  }));
  return [...book.orders, ...unseen];
}

/** ISO-8601 in UTC; null while the server's offset is unknown, because server time is not an instant without it. */
function timeOf({ time_utc }: PositionRecord): string | null {
  return time_utc === null ? null : new Date(time_utc).toISOString();
}
