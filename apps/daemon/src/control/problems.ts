import type { Portfolio } from '../portfolios/portfolio';
import type { GatewayServices } from '../strategies/services';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Deployed } from './deployed';

/** Everything an operator should know of, a sentence each that names the strategy, portfolio or gateway; empty when all is well. */
export function problemsOf({
  gateways,
  portfolios,
  strategies,
}: Pick<Deployed, 'gateways' | 'portfolios' | 'strategies'>): string[] {
  return [
    ...gateways.flatMap(problemsOfGateway),
    ...portfolios.flatMap(problemsOfPortfolio),
    ...strategies.flatMap(problemsOfStrategy),
  ];
}

function problemsOfGateway({ session }: GatewayServices): string[] {
  const { name, mismatch, reachable, lastError } = session;
  if (mismatch !== null) return [`Gateway ${name} has the wrong account: ${mismatch}.`];
  if (reachable) return [];
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

function problemsOfStrategy(strategy: StrategyRunner): string[] {
  const { spec, state, book, lifecycle, trading, restarts } = strategy;
  const { name } = spec;
  const { halt } = book.record;
  const { problem } = trading.desk;
  const isUnreadable = trading.unreadable !== null;
  return [
    ...(state === 'failed' ? [`Strategy ${name} has failed: ${lifecycle.problem ?? 'no reason is known'}.`] : []),
    ...(restarts.isLooping ? [loopOf(strategy)] : []),
    ...(halt === null ? [] : [`Strategy ${name} is halted: ${halt.reason}.`]),
    ...(problem === null ? [] : [`Strategy ${name}: ${problem}.`]),
    ...(trading.persistence.lastError === null || isUnreadable
      ? []
      : [`The state of strategy ${name} cannot be written.`]),
  ];
}

function loopOf({ spec, restarts }: StrategyRunner): string {
  const { failuresInARow, lastFailure } = restarts;
  const last =
    lastFailure === null ? '' : `, last at ${new Date(lastFailure.atMs).toISOString()}: ${lastFailure.reason}`;
  return `Strategy ${spec.name} fails again and again: ${failuresInARow} times without a calm minute${last}.`;
}
