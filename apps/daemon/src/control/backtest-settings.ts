import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { StoredReport } from '../backtest/stored-report';
import type { BacktestReport } from '../backtest/report';
import type { RiskSpec } from '../core/strategy-spec';
import type { Portfolio } from '../portfolios/portfolio';
import type { StrategyRunner } from '../strategies/strategy-runner';
import type { Loaded } from '../strategies/worker/messages';

/** A setting of a strategy as it runs and as a backtest had it; undefined where it is not known. */
export interface ComparedSetting {
  readonly name: string;
  readonly live: unknown;
  readonly backtest: unknown;
  /** Null while either is not known. */
  readonly isEqual: boolean | null;
}

/** Whether a backtest ran under the settings of the strategy that runs: null if a setting is not known, and none differs. */
export function areEqual(settings: readonly ComparedSetting[]): boolean | null {
  if (settings.some(({ isEqual }) => isEqual === false)) return false;
  return settings.some(({ isEqual }) => isEqual === null) ? null : true;
}

/** What states the settings of a strategy that runs. */
export interface RunningStrategy extends Pick<StrategyRunner, 'spec' | 'version' | 'accounts' | 'services'> {
  readonly live: { readonly loaded: Pick<Loaded, 'params'> } | null;
}

/** What states those of a portfolio. */
export interface RunningPortfolio extends Pick<Portfolio, 'spec'> {
  readonly children: readonly RunningStrategy[];
}

/** The settings of a strategy beside those of a backtest of it. The text of its file is not compared, only its version. */
export function settingsOfStrategy(strategy: RunningStrategy, { report }: StoredReport): readonly ComparedSetting[] {
  return compared(
    { ...membersOf(strategy, report.strategy), ...accountOf([strategy]), capital: strategy.spec.capital },
    // The report of a portfolio is of none of its strategies alone.
    report.strategy === undefined
      ? { 'strategy file': null }
      : { ...reported(report.strategy), ...reportedAccount(report), capital: report.account.capital },
  );
}

/** The same of a portfolio, with the settings of each of its strategies. */
export function settingsOfPortfolio(portfolio: RunningPortfolio, { report }: StoredReport): readonly ComparedSetting[] {
  const { spec, children } = portfolio;
  const own = { portfolio: spec.name, ...limits(spec.risk), ...accountOf(children), capital: spec.capital };
  const live = children.map((child) => {
    const ran = report.strategies?.find(({ name }) => name === child.spec.name)?.strategy;
    return prefixed(child.spec.name, { ...membersOf(child, ran), capital: child.spec.capital });
  });
  if (report.portfolio === undefined || report.strategies === undefined) return compared(own, { portfolio: null });
  const { name, risk } = report.portfolio;
  const ran = report.strategies.map((one) => prefixed(one.name, { ...reported(one.strategy), capital: one.capital }));
  const shared = { ...reportedAccount(report), capital: report.account.capital };
  return compared(
    Object.assign(own, ...live) as Settings,
    Object.assign({ portfolio: name, ...limits(risk), ...shared }, ...ran) as Settings,
  );
}

/** Of a report of an earlier version. */
const unstatedLimits: Readonly<Record<keyof RiskSpec, undefined>> = {
  maxVolume: undefined,
  maxOpenPositions: undefined,
  maxDailyLoss: undefined,
  maxDrawdownPct: undefined,
};

type Settings = Readonly<Record<string, unknown>>;

function compared(live: Settings, backtest: Settings): readonly ComparedSetting[] {
  return [...new Set([...Object.keys(live), ...Object.keys(backtest)])].map((name) => {
    // A member that only one of them has is a difference, unlike one that is not known.
    const pair = {
      live: name in live ? plain(live[name]) : null,
      backtest: name in backtest ? plain(backtest[name]) : null,
    };
    const isKnown = pair.live !== undefined && pair.backtest !== undefined;
    return { name, ...pair, isEqual: isKnown ? isDeepStrictEqual(pair.live, pair.backtest) : null };
  });
}

/** As a report has it. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

/** @param ran what a backtest states of it */
function membersOf({ spec, version, live }: RunningStrategy, ran: BacktestReport['strategy'] | undefined): Settings {
  const streams = spec.streams.map(({ alias, symbol, timeframe }) => [`stream ${alias}`, `${symbol}@${timeframe}`]);
  return {
    'strategy file': basename(spec.module),
    version: version ?? undefined,
    // With their defaults, which only the loaded file knows.
    ...prefixed('param', live?.loaded.params ?? unknownOf(ran?.params ?? spec.params)),
    ...(Object.fromEntries(streams) as Settings),
    ...limits(spec.risk),
  };
}

function unknownOf(values: Settings): Settings {
  return Object.fromEntries(Object.keys(values).map((name) => [name, undefined]));
}

function reported({ file, version, params, streams, risk }: BacktestReport['strategy']): Settings {
  return {
    'strategy file': file,
    version,
    ...prefixed('param', params),
    ...prefixed('stream', streams),
    ...limits(risk ?? unstatedLimits),
  };
}

function limits(risk: object): Settings {
  return prefixed('limit', risk);
}

/** Of the accounts that they trade on; undefined while it is not known, or if they differ. */
function accountOf(strategies: readonly RunningStrategy[]): Settings {
  const accounts = strategies.flatMap(({ accounts: { brokers }, services }) =>
    brokers.map((broker) => services.gateways.get(broker)?.session.account ?? null),
  );
  const [first] = accounts;
  const same = <Member extends 'currency' | 'leverage'>(member: Member): unknown =>
    first && accounts.every((one) => one?.[member] === first[member]) ? first[member] : undefined;
  return { currency: same('currency'), leverage: same('leverage') };
}

function reportedAccount({ account: { currency, leverage } }: StoredReport['report']): Settings {
  return { currency, leverage };
}

function prefixed(prefix: string, values: object): Settings {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]: [string, unknown]) => [`${prefix} ${name}`, value]),
  );
}
