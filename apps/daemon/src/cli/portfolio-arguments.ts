import { readFileSync } from 'node:fs';
import { advice, UsageError } from '@libs/command-line';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import { withLines } from '../daemon-file/line-of';
import { DaemonFileError } from '../daemon-file/daemon-file-error';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import type { StrategiesRefusedError } from '../backtest/strategies-refused-error';
import {
  dataFiles,
  here,
  marketTerms,
  symbolOf,
  withoutKeys,
  type BacktestFlags,
  type BacktestArguments,
} from './backtest-arguments';
import { inOneLine } from './in-one-line';

/** The portfolio and the prices of a backtest. */
export interface PortfolioArguments extends Omit<BacktestArguments, 'spec'> {
  /** Path of the configuration. */
  readonly config: string;
  readonly portfolio: PortfolioSpec;
  readonly strategies: readonly StrategySpec[];
  /** Paths of the strategies in the configuration, by their names: `portfolios[0].children[1]`. */
  readonly places: ReadonlyMap<string, string>;
}

/** Flags that belong to a run of one strategy. */
const ofOneStrategy = ['strategy', 'symbol', 'timeframe', 'streams', 'params', 'capital'] as const;

/**
 * The command line of the backtest of a portfolio, checked.
 * @throws UsageError, or DaemonFileError listing every problem with its line
 */
export function portfolioArguments(
  flags: BacktestFlags & { readonly portfolio: string },
  words: readonly string[],
): PortfolioArguments {
  const problems = [
    ...(words.length === 0 ? [] : ['--portfolio takes its strategies from --config; omit the strategy file']),
    ...(flags.config === undefined ? ['--portfolio needs --config FILE'] : []),
    ...ofOneStrategy
      .filter((name) => flags[name] !== undefined)
      .map((name) => `--${name} is for one strategy: a portfolio is run as it is configured`),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const files = dataFiles(flags);
  const terms = marketTerms(flags);
  return { ...configured(flags.config ?? '', flags.portfolio, files), files, ...terms };
}

/** What is wrong with strategies that could not be loaded, with the lines of the configuration. */
export function refusalOf(
  { config, places }: PortfolioArguments,
  { problems }: StrategiesRefusedError,
): DaemonFileError {
  const lines = problems.map(({ name, problem }) => `${places.get(name) ?? name} cannot run: ${inOneLine(problem)}`);
  return new DaemonFileError(config, withLines(readFileSync(config, 'utf8'), lines));
}

function configured(
  path: string,
  wanted: string,
  files: readonly string[],
): Pick<PortfolioArguments, 'config' | 'portfolio' | 'strategies' | 'places'> {
  const { portfolios, strategies: all } = readDaemonFile(path, withoutKeys(path));
  const index = portfolios.findIndex(({ name }) => name === wanted);
  const portfolio = portfolios[index];
  if (!portfolio) throw new UsageError(unknownPortfolio(path, wanted, portfolios));
  const own = all.filter((spec) => spec.portfolio === portfolio.name);
  const places = new Map(portfolio.children.map((name, child) => [name, `portfolios[${index}].children[${child}]`]));
  const problems = [...gatewayProblems(own, places), ...priceProblems(own, places, files)];
  if (problems.length > 0) throw new DaemonFileError(path, withLines(readFileSync(path, 'utf8'), problems));
  const strategies = own.map((spec) => ({ ...spec, streams: spec.streams.map(here) }));
  return { config: path, portfolio, strategies, places };
}

function unknownPortfolio(path: string, wanted: string, portfolios: readonly PortfolioSpec[]): string {
  const names = portfolios.map(({ name }) => name);
  if (names.length === 0) return `${path} has no portfolio`;
  return `${path} has no portfolio ${wanted}${advice(wanted, names)}`;
}

type Places = PortfolioArguments['places'];

/** A gateway is an account, and a backtest has one: margin and stop out of two accounts are not those of one. */
function gatewayProblems(strategies: readonly StrategySpec[], places: Places): readonly string[] {
  const streams = strategies.flatMap((spec) => spec.streams.map((stream) => ({ spec, stream })));
  const first = streams[0]?.stream.broker;
  return streams
    .filter(({ stream }) => stream.broker !== first)
    .map(({ spec, stream }) => {
      const place = `${places.get(spec.name)}.streams.${stream.alias}`;
      return `${place} names the gateway ${stream.broker} beside ${first}: a backtest has one account`;
    });
}

function priceProblems(
  strategies: readonly StrategySpec[],
  places: Places,
  files: readonly string[],
): readonly string[] {
  const symbols = [...new Set(files.map(symbolOf))];
  return strategies.flatMap(({ name, streams }) =>
    streams
      .filter(({ symbol }) => !symbols.includes(symbol))
      .map(({ alias, symbol }) => {
        return `${places.get(name)}.streams.${alias} names ${symbol}; the price files of --data contain ${symbols.join(', ')}`;
      }),
  );
}
