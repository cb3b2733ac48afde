import type { Daemon } from '../../../apps/daemon/src/daemon';
import { portfolioState } from '../../../apps/daemon/src/control/portfolio-state';
import type { Portfolio } from '../../../apps/daemon/src/portfolios/portfolio';
import type { StrategyRunner } from '../../../apps/daemon/src/strategies/strategy-runner';
import { accountHoldings, ledgerHoldings } from './books';
import type { GatewaySite } from './gateway-site';
import { isOpenAfterBlockedClose } from './invariants/blocked-closes';
import { ledgerDiffers } from './invariants/ledgers';
import { resultDiffers } from './invariants/portfolios';

/**
 * What is not settled: what does not run or is in flight, and where a ledger differs from the account.
 * @param daemons null for one that is down
 * @param configured names of all strategies
 */
export function openProblems(
  daemons: readonly (Daemon | null)[],
  configured: readonly string[],
  sites: readonly GatewaySite[],
): readonly string[] {
  if (daemons.includes(null)) return ['a daemon does not run'];
  const running = daemons.filter((daemon) => daemon !== null);
  return [
    ...configured.flatMap((name) => misplaced(name, running)),
    ...running.flatMap((daemon) => problemsOfDaemon(daemon, sites, running.length === 1)),
  ];
}

/** Each strategy is deployed once. */
function misplaced(name: string, daemons: readonly Daemon[]): readonly string[] {
  const hosts = daemons.filter(({ strategies }) => strategies.some(({ spec }) => spec.name === name)).length;
  if (hosts === 1) return [];
  return [hosts === 0 ? `strategy ${name} is not deployed` : `strategy ${name} is deployed on ${hosts} hosts`];
}

/** @param hasAll whether it runs all strategies: only then it can attribute the money of the accounts */
function problemsOfDaemon(
  { strategies, gateways, portfolios }: Daemon,
  sites: readonly GatewaySite[],
  hasAll: boolean,
): readonly string[] {
  return [
    ...strategies.flatMap((strategy) => problemsOf(strategy, sites)),
    ...portfolios.flatMap((portfolio) => problemsOfPortfolio(portfolio, sites)),
    ...gateways.flatMap(({ session, money }) => [
      ...(session.ready ? [] : [`${session.name} is not ready: ${session.lastError}`]),
      ...(!hasAll || money.report?.problem == null ? [] : [`${session.name}: ${money.report.problem}`]),
    ]),
  ];
}

function problemsOfPortfolio(portfolio: Portfolio, sites: readonly GatewaySite[]): readonly string[] {
  const { spec, record, children, realized } = portfolio;
  if (record.halt !== null) return [`portfolio ${spec.name} is halted: ${record.halt.reason}`];
  if (portfolioState(portfolio) !== 'running') return [`portfolio ${spec.name} is ${portfolioState(portfolio)}`];
  const byDeals = children.flatMap((child) =>
    sites.map(({ broker }) => accountHoldings(broker.book, child.spec.magic).realized),
  );
  return resultDiffers(
    spec.name,
    realized.toNumber(),
    byDeals.reduce((sum, result) => sum + result, 0),
  );
}

function problemsOf(strategy: StrategyRunner, sites: readonly GatewaySite[]): readonly string[] {
  const { spec, state, problem, book, trading } = strategy;
  const accounts = sites.map(({ broker }) => accountHoldings(broker.book, spec.magic));
  const open = new Set(accounts.flatMap(({ positions }) => [...positions.keys()]));
  const states = [
    ...(state === 'running' ? [] : [`strategy ${spec.name} is ${state}: ${problem ?? book.record.halt?.reason}`]),
    ...(trading.desk.inFlight === 0 ? [] : [`strategy ${spec.name} has requests in flight: ${problem}`]),
    ...(problem === null || isOpenAfterBlockedClose(problem, open) ? [] : [`strategy ${spec.name}: ${problem}`]),
  ];
  if (states.length > 0) return states;
  return sites.flatMap(({ name }, index) => {
    const account = accounts[index];
    return account ? ledgerDiffers(`strategy ${spec.name} on ${name}`, ledgerHoldings(book, name), account) : [];
  });
}
