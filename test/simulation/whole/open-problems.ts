import type { Daemon } from '../../../apps/daemon/src/daemon';
import type { StrategyRunner } from '../../../apps/daemon/src/strategies/strategy-runner';
import { accountHoldings, ledgerHoldings } from './books';
import type { GatewaySite } from './gateway-site';
import { ledgerDiffers } from './invariants/ledgers';

/**
 * What is not settled: what does not run or is in flight, and where a ledger differs from the account.
 * @param daemon null while it is down
 * @param configured names of all strategies
 */
export function openProblems(
  daemon: Daemon | null,
  configured: readonly string[],
  sites: readonly GatewaySite[],
): readonly string[] {
  if (!daemon) return ['the daemon does not run'];
  const { strategies, gateways } = daemon;
  const missing = configured.filter((name) => !strategies.some(({ spec }) => spec.name === name));
  return [
    ...missing.map((name) => `strategy ${name} is not deployed`),
    ...strategies.flatMap((strategy) => problemsOf(strategy, sites)),
    ...gateways.flatMap(({ session, money }) => [
      ...(session.ready ? [] : [`${session.name} is not ready: ${session.lastError}`]),
      ...(money.report?.problem == null ? [] : [`${session.name}: ${money.report.problem}`]),
    ]),
  ];
}

function problemsOf(strategy: StrategyRunner, sites: readonly GatewaySite[]): readonly string[] {
  const { spec, state, problem, book, trading } = strategy;
  const states = [
    ...(state === 'running' ? [] : [`strategy ${spec.name} is ${state}: ${problem ?? book.record.halt?.reason}`]),
    ...(trading.desk.inFlight === 0 ? [] : [`strategy ${spec.name} has requests in flight: ${problem}`]),
    ...(problem === null ? [] : [`strategy ${spec.name}: ${problem}`]),
  ];
  if (states.length > 0) return states;
  return sites.flatMap(({ name, broker }) =>
    ledgerDiffers(
      `strategy ${spec.name} on ${name}`,
      ledgerHoldings(book, name),
      accountHoldings(broker.book, spec.magic),
    ),
  );
}
