import { resolve } from 'node:path';
import type { Stream } from '@libs/strategy';
import { inStreamOrder } from '../core/stream-order';
import type { RiskSpec, StrategySpec } from '../core/strategy-spec';
import { FieldReader } from './field-reader';
import { readRunsOn } from './host-labels';

export interface Surroundings {
  /** Folder of the configuration file. */
  readonly folder: string;
  /** Names of the configured gateways. */
  readonly brokers: readonly string[];
  readonly problems: string[];
}

const shared = ['module', 'magic', 'streams', 'params', 'risk', 'onMismatch', 'workerGroup'] as const;
const riskNames = ['maxVolume', 'maxOpenPositions', 'maxDailyLoss', 'maxDrawdownPct'] as const;
const timeframes = 'M1 M2 M3 M4 M5 M6 M10 M12 M15 M20 M30 H1 H2 H3 H4 H6 H8 H12 D1 W1 MN1'.split(
  ' ',
) as readonly string[];

/** A standalone strategy. */
export function readStrategy(value: unknown, path: string, around: Surroundings): StrategySpec {
  const reader = new FieldReader(value, path, ['name', 'capital', 'runsOn', ...shared], around.problems);
  const name = reader.text('name');
  checkName(name, reader, 'name');
  const capital = reader.number('capital', 0);
  return { name, capital, portfolio: null, ...placed(readRunsOn(reader)), ...readShared(reader, path, around) };
}

/** A portfolio's child: its name and its capital follow from the portfolio's. */
export function readChild(
  value: unknown,
  path: string,
  around: Surroundings,
  portfolio: { readonly name: string; readonly capital: number; readonly runsOn: readonly string[] },
): StrategySpec & { readonly weight: number } {
  const reader = new FieldReader(value, path, ['alias', 'weight', ...shared], around.problems);
  const alias = reader.text('alias');
  checkName(alias, reader, 'alias');
  const weight = reader.number('weight', 0);
  return {
    name: `${portfolio.name}/${alias}`,
    weight,
    capital: portfolio.capital * weight,
    portfolio: portfolio.name,
    ...placed(portfolio.runsOn),
    ...readShared(reader, path, around),
  };
}

function placed(runsOn: readonly string[]): Pick<StrategySpec, 'runsOn'> {
  return runsOn.length === 0 ? {} : { runsOn };
}

/** Names stand in paths of the control port and of log files. */
export function checkName(name: string, reader: FieldReader, field: string): void {
  if (name !== '' && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    reader.problem(field, 'must have 1 to 64 letters, digits, dots, dashes or underscores');
  }
}

function readShared(
  reader: FieldReader,
  path: string,
  { folder, brokers, problems }: Surroundings,
): Omit<StrategySpec, 'name' | 'capital' | 'portfolio'> {
  const entries = reader.entries('streams');
  const streams = entries.flatMap(([alias, stream]) => {
    const read = readStream(alias, stream, brokers);
    if (typeof read !== 'string') return [read];
    problems.push(`${path}.streams.${alias} ${read}`);
    return [];
  });
  if (entries.length === 0) reader.problem('streams', 'must name at least one stream');
  const params = reader.mapping('params');
  const workerGroup = reader.optionalText('workerGroup');
  checkName(workerGroup ?? '', reader, 'workerGroup');
  return {
    module: resolve(folder, reader.text('module')),
    // Manual orders have magic 0.
    magic: reader.integer('magic', 2_147_483_647, 1),
    streams: inStreamOrder(streams),
    params: typeof params === 'object' && params !== null ? (params as Record<string, unknown>) : {},
    risk: readRisk(reader.mapping('risk'), `${path}.risk`, problems),
    onMismatch: reader.oneOf('onMismatch', ['adopt', 'halt'], 'halt'),
    workerGroup,
  };
}

/** `gateway:SYMBOL@TIMEFRAME`, or what is wrong with it. */
function readStream(alias: string, value: unknown, brokers: readonly string[]): Stream | string {
  const parts = typeof value === 'string' ? /^([^:]+):([^@]+)@([A-Za-z0-9]+)$/.exec(value) : null;
  const [, broker = '', symbol = '', timeframe = ''] = parts ?? [];
  if (!parts) return 'must have the form gateway:EURUSD@M1';
  if (!brokers.includes(broker)) return `names the gateway ${broker}, which is not configured`;
  if (!timeframes.includes(timeframe.toUpperCase())) return `must end in one of ${timeframes.join(', ')}`;
  return { alias, broker, symbol, timeframe: timeframe.toUpperCase() };
}

function readRisk(value: unknown, path: string, problems: string[]): RiskSpec {
  const reader = new FieldReader(value, path, riskNames, problems);
  return {
    maxVolume: reader.optionalNumber('maxVolume', 0),
    maxOpenPositions: reader.optionalInteger('maxOpenPositions', 100_000),
    maxDailyLoss: reader.optionalNumber('maxDailyLoss', 0),
    maxDrawdownPct: reader.optionalNumber('maxDrawdownPct', 0, 100),
  };
}
