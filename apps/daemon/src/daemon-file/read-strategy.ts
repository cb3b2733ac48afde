import { resolve } from 'node:path';
import type { Stream } from '@libs/strategy';
import { Integer, Mapping, Optional, PositiveNumber, Says, ValuesOf } from '@libs/validation';
import { IsIn, IsNotEmptyObject } from 'class-validator';
import { inStreamOrder } from '../core/bar-sequence';
import type { StrategySpec } from '../core/strategy-spec';
import { BacktestReport, HostLabels, Name, Text } from './rules';
import { timeframes } from './timeframes';

export interface Surroundings {
  /** Folder of the configuration file. */
  readonly folder: string;
  /** Names of the configured gateways. */
  readonly brokers: readonly string[];
  readonly problems: string[];
}

type OnMismatch = StrategySpec['onMismatch'];

const mismatches: readonly OnMismatch[] = ['adopt', 'halt'];
const lostStops = ['report', 'restore', 'close'] as const;

/** `gateway:SYMBOL@TIMEFRAME`. */
const streamShape = /^([^:]+):([^@]+)@([A-Za-z0-9]+)$/;

/** Limits of a portfolio, which a strategy has as well. */
export class LossLimitsEntry {
  @Says("Loss of equity in a day, in the account's currency, that halts until the market's next day")
  @Optional()
  @PositiveNumber()
  maxDailyLoss: number | null = null;

  @Says('Percent below the highest equity that halts until `daemon resume`')
  @Optional()
  @PositiveNumber(100)
  maxDrawdownPct: number | null = null;
}

class RiskEntry extends LossLimitsEntry {
  @Says('Most lots of one order; each layer of a stack by itself')
  @Optional()
  @PositiveNumber()
  maxVolume: number | null = null;

  @Says('Most positions and pending orders at one time; 0 permits no entry')
  @Optional()
  @Integer(0, 100_000)
  maxOpenPositions: number | null = null;
}

/** What a standalone strategy and a portfolio's child have in common. */
class TradingEntry {
  @Says('File of the strategy, TypeScript or JavaScript, relative to this file')
  @Text()
  module = '';

  // Manual orders have magic 0.
  @Says('Marks its orders; unique within a gateway. Orders made by hand have 0')
  @Integer(1, Number.MAX_SAFE_INTEGER)
  magic = 0;

  @Says("gateway:SYMBOL@TIMEFRAME by the strategy's own name for it, such as main: demo:EURUSD@M1")
  @ValuesOf({ type: 'string', pattern: `${streamShape.source}|\\$\\{` })
  @IsNotEmptyObject({}, { message: 'must name at least one stream' })
  @Mapping()
  @Optional()
  streams: Record<string, unknown> = {};
  @Says('Its own parameters, which override the defaults of its file')
  @Optional()
  @Mapping()
  params: Record<string, unknown> = {};

  @Says('Its limits; a limit that is left out does not apply')
  @Optional()
  @Mapping(RiskEntry)
  risk = new RiskEntry();

  @Says(
    'What becomes of a position with its magic that it never opened: halt the strategy (default), or adopt the position',
  )
  @Optional()
  @IsIn(mismatches, { message: `must be one of ${mismatches.join(', ')}` })
  onMismatch: OnMismatch = 'halt';

  @Says(
    'What is done about a stop loss that is lost, or changed without a request: report (default), restore it, or close the position',
  )
  @Optional()
  @IsIn(lostStops, { message: `must be one of ${lostStops.join(', ')}` })
  onLostStop: (typeof lostStops)[number] = 'report';
  @Says('Strategies of one group share a thread and its heap; if one loops or exhausts it, all start again')
  @Optional()
  @Name()
  workerGroup: string | null = null;

  @BacktestReport()
  backtest: string | null = null;
}

/** A standalone strategy, as the file has it. */
export class StrategyEntry extends TradingEntry {
  @Says('Its name, which is unique')
  @Name()
  name = '';

  @Says('Money that it counts as its own, to which limits and statistics refer')
  @PositiveNumber()
  capital = 0;

  @HostLabels()
  runsOn: string[] = [];
}

/** A portfolio's child, as the file has it: its name and its capital follow from the portfolio's. */
export class ChildEntry extends TradingEntry {
  @Says('Its name within the portfolio')
  @Name()
  alias = '';

  @Says("Its share of the portfolio's capital; the shares are at most 1 in total")
  @PositiveNumber()
  weight = 0;
}

export function strategyOf(entry: StrategyEntry, path: string, around: Surroundings): StrategySpec {
  const { name, capital, runsOn } = entry;
  return { name, capital, portfolio: null, ...placed(runsOn), ...tradingOf(entry, path, around) };
}

export function childOf(
  entry: ChildEntry,
  path: string,
  around: Surroundings,
  portfolio: { readonly name: string; readonly capital: number; readonly runsOn: readonly string[] },
): StrategySpec {
  return {
    name: `${portfolio.name}/${entry.alias}`,
    capital: portfolio.capital * entry.weight,
    portfolio: portfolio.name,
    ...placed(portfolio.runsOn),
    ...tradingOf(entry, path, around),
  };
}

function placed(runsOn: readonly string[]): Pick<StrategySpec, 'runsOn'> {
  return runsOn.length === 0 ? {} : { runsOn };
}

function tradingOf(
  { module, magic, streams: named, params, risk, onMismatch, onLostStop, workerGroup, backtest }: TradingEntry,
  path: string,
  { folder, brokers, problems }: Surroundings,
): Omit<StrategySpec, 'name' | 'capital' | 'portfolio'> {
  const streams = Object.entries(named).flatMap(([alias, stream]) => {
    const read = readStream(alias, stream, brokers);
    if (typeof read !== 'string') return [read];
    problems.push(`${path}.streams.${alias} ${read}`);
    return [];
  });
  return {
    module: resolve(folder, module),
    magic,
    streams: inStreamOrder(streams),
    params,
    risk: { ...risk },
    onMismatch,
    ...(onLostStop === 'report' ? {} : { onLostStop }),
    workerGroup,
    ...backtestOf(backtest, folder),
  };
}

/** The path of a report, absolute. */
export function backtestOf(file: string | null, folder: string): Pick<StrategySpec, 'backtest'> {
  return file === null ? {} : { backtest: resolve(folder, file) };
}

/** `gateway:SYMBOL@TIMEFRAME`, or what is wrong with it. */
function readStream(alias: string, value: unknown, brokers: readonly string[]): Stream | string {
  const parts = typeof value === 'string' ? streamShape.exec(value) : null;
  const [, broker = '', symbol = '', timeframe = ''] = parts ?? [];
  if (!parts) return 'must have the form gateway:EURUSD@M1';
  if (!brokers.includes(broker)) return `names the gateway ${broker}, which is not configured`;
  if (!timeframes.includes(timeframe.toUpperCase())) return `must end in one of ${timeframes.join(', ')}`;
  return { alias, broker, symbol, timeframe: timeframe.toUpperCase() };
}
