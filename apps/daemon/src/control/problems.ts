import type { Portfolio } from '../portfolios/portfolio';
import type { GatewayServices } from '../strategies/services';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Deployed } from './deployed';

/**
 * All problems that need the operator's attention, one sentence each, naming the strategy, portfolio or gateway; empty
 * if there are none.
 */
export function problemsOf({
  gateways,
  portfolios,
  strategies,
  configuration,
  units = null,
}: Pick<Deployed, 'gateways' | 'portfolios' | 'strategies' | 'configuration' | 'units'>): string[] {
  return [
    ...(configuration.hasRefused
      ? ['This host refused the newest version of the configuration and takes no units; lastReload has the reason.']
      : []),
    ...problemsOfLeases(units),
    ...gateways.flatMap(problemsOfGateway),
    ...portfolios.flatMap(problemsOfPortfolio),
    ...strategies.flatMap(problemsOfStrategy),
  ];
}

function problemsOfLeases(units: Exclude<Deployed['units'], undefined>): string[] {
  if (units === null) return [];
  return [
    ...(units.problem === null ? [] : [`The leases of this host cannot be renewed: ${units.problem}. Entries stop.`]),
    ...units.stuck.map(({ unit, obstacle }) => `${unit} cannot be moved from this host: ${obstacle}.`),
    ...units.unplaced.map(({ unit, problem }) => `${unit} runs on no host: ${problem}.`),
  ];
}

function problemsOfGateway({ session, hub }: GatewayServices): string[] {
  const { name, mismatch, keyProblem, reachable, lastError } = session;
  if (mismatch !== null) return [`Gateway ${name} has the wrong account: ${mismatch}.`];
  if (keyProblem !== null) return [`Gateway ${name} cannot be traded: ${keyProblem}.`];
  const { state, reason } = session.accountState;
  if (state === 'synchronizing') return [`Gateway ${name} is ${state}: ${reason}. Entries stop.`];
  if (reachable && state !== 'connected' && state !== 'unknown') {
    return [`Gateway ${name} has no session with its terminal (${state}). Entries stop.`];
  }
  if (reachable) {
    return hub.lostSymbols.map(([symbol, reason]) => `Gateway ${name} has no prices of ${symbol}: ${reason}.`);
  }
  return [
    lastError === null ? `Gateway ${name} has not answered yet.` : `Gateway ${name} does not answer: ${lastError}.`,
  ];
}

function problemsOfPortfolio({ spec, record, problem, persistence }: Portfolio): string[] {
  const { name } = spec;
  return [
    ...(record.halt === null ? [] : [`Portfolio ${name} is halted: ${record.halt.reason}.`]),
    ...(problem === null ? [] : [`Portfolio ${name}: ${problem}.`]),
    ...(persistence.lastError === null || problem !== null
      ? []
      : [`The state of portfolio ${name} cannot be written.`]),
  ];
}

/** Positions whose floating profit is left aside. */
function doubtedOf({ spec: { name, streams }, book }: StrategyRunner): string[] {
  const brokers = [...new Set([...streams, ...book.openTickets].map(({ broker }) => broker))];
  return brokers.flatMap((broker) => {
    const tickets = book.doubtedProfits(broker);
    if (tickets.length === 0) return [];
    const doubted = `gateway ${broker} shows a profit of position ${tickets.join(', ')} that its price and the account contradict`;
    return [`Strategy ${name}: ${doubted}. The profit of before counts.`];
  });
}

/** Positions that the account lacks although no deal closed them, and differences of the strategy's own positions. */
function unexplainedOf({ spec: { name }, accounts }: StrategyRunner): string[] {
  const differences = accounts.seen.flatMap(({ gateway, differences: rows }) =>
    rows.map(({ message }) => `Strategy ${name}: on gateway ${gateway}, ${message}.`),
  );
  const lacks = accounts.brokers.flatMap((broker) =>
    accounts.lacksOf(broker).map(({ message }) => `Strategy ${name}: on gateway ${broker}, ${message}. Entries stop.`),
  );
  return [...lacks, ...differences];
}

function problemsOfStrategy(strategy: StrategyRunner): string[] {
  const { spec, state, book, lifecycle, trading, restarts } = strategy;
  const { name } = spec;
  const { halt } = book.record;
  const { problem } = trading.desk;
  const isUnreadable = trading.unreadable !== null;
  return [
    ...(state === 'failed' ? [`Strategy ${name} has failed: ${lifecycle.problem ?? 'the reason is unknown'}.`] : []),
    ...(state === 'starting' && lifecycle.problem !== null ? [`Strategy ${name} ${lifecycle.problem}.`] : []),
    ...(restarts.isLooping ? [loopOf(strategy)] : []),
    ...(halt === null ? [] : [`Strategy ${name} is halted: ${halt.reason}.`]),
    ...(problem === null ? [] : [`Strategy ${name}: ${problem}.`]),
    ...unexplainedOf(strategy),
    ...doubtedOf(strategy),
    ...(trading.persistence.lastError === null || isUnreadable
      ? []
      : [`The state of strategy ${name} cannot be written.`]),
  ];
}

function loopOf({ spec, restarts }: StrategyRunner): string {
  const { failuresInARow, lastFailure } = restarts;
  const last =
    lastFailure === null ? '' : `, last at ${new Date(lastFailure.atMs).toISOString()}: ${lastFailure.reason}`;
  return `Strategy ${spec.name} is in a crash loop: ${failuresInARow} failures without a minute of normal operation in between${last}.`;
}
