import { isObject } from '@libs/terminal-client';
import { assets as shippedAssets, type Assets, type AssetSpec } from './assets';
import { profitFormula } from './profit-formula';
import type { Schedule } from '../time/trading-hours';
import { catalogue, forexPair } from './catalogue';
import { parseSchedule } from './schedule-file';
import type { SymbolMarket, SymbolSpec } from './symbol-spec';

/** The symbols a file describes, and the assets their generated prices are made of. */
export interface SymbolFile {
  readonly symbols: readonly SymbolSpec[];
  readonly assets: Assets;
}

/** A symbol file that cannot be used, naming the entry at fault. */
export class SymbolFileError extends Error {}

/**
 * Reads `{"assets": {NAME: {value, dailyVolatility}}, "symbols": [{"name", "like"?, ...fields, "market": {...}}]}`.
 * A symbol takes every field it does not name from the catalogue symbol that `like` names, by default EURUSD.
 * @throws SymbolFileError
 */
export function parseSymbolFile(content: string): SymbolFile {
  let root: unknown;
  try {
    root = JSON.parse(content);
  } catch {
    throw new SymbolFileError('it is not JSON');
  }
  if (!isObject(root) || !Array.isArray(root.symbols) || root.symbols.length === 0) {
    throw new SymbolFileError('it needs a list of symbols');
  }
  const assets: Assets = { ...shippedAssets, ...parseAssets(root.assets) };
  const symbols = root.symbols.map((entry: unknown, index) => parseSymbol(entry, index, assets));
  const names = new Set(symbols.map(({ name }) => name));
  if (names.size < symbols.length) throw new SymbolFileError('two symbols have the same name');
  return { symbols, assets };
}

function parseAssets(value: unknown): Assets {
  if (value === undefined) return {};
  if (!isObject(value)) throw new SymbolFileError('assets must be an object');
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]): [string, AssetSpec] => {
      if (!isObject(entry)) throw new SymbolFileError(`asset ${name} must be an object`);
      const { value: worth, dailyVolatility, continuous } = entry;
      if (typeof worth !== 'number' || !(worth > 0)) throw new SymbolFileError(`asset ${name} needs a value above 0`);
      if (typeof dailyVolatility !== 'number' || dailyVolatility < 0) {
        throw new SymbolFileError(`asset ${name} needs a dailyVolatility of 0 or more`);
      }
      return [name, { value: worth, dailyVolatility, continuous: continuous === true }];
    }),
  );
}

function parseSymbol(entry: unknown, index: number, assets: Assets): SymbolSpec {
  if (!isObject(entry) || typeof entry.name !== 'string' || entry.name === '') {
    throw new SymbolFileError(`symbol ${index + 1} needs a name`);
  }
  const { like = 'EURUSD', market, ...fields } = entry;
  const name = entry.name;
  const model = catalogue.find((spec) => spec.name === like);
  if (!model) throw new SymbolFileError(`symbol ${name} is like a symbol that is not in the catalogue`);
  const template: SymbolSpec = model.name === 'EURUSD' && /^[A-Z]{6}/.test(name) ? pair(name, model) : model;
  const ticks = typeof fields.digits === 'number' ? { trade_tick_size: 1 / 10 ** fields.digits } : {};
  const spec = merged(template, { ...ticks, ...fields }, name);
  const result = { ...spec, market: marketOf(spec.market, market, name) };
  requireSense(result);
  for (const asset of [result.market.base, result.market.quote]) {
    if (!assets[asset]) throw new SymbolFileError(`symbol ${name} is made of ${asset}, which is not an asset`);
  }
  return result;
}

function pair(name: string, model: SymbolSpec): SymbolSpec {
  return forexPair(name, name, { spread: model.market.spread });
}

/** Lays fields over a template, each of which has to be known and of the template's type. */
function merged<T extends object>(template: T, fields: object, name: string): T {
  for (const [field, value] of Object.entries(fields)) {
    const known: unknown = Object.entries(template).find(([key]) => key === field)?.[1];
    if (known === undefined) throw new SymbolFileError(`symbol ${name} has an unknown field ${field}`);
    if (typeof known !== typeof value && !(field === 'depth' && (value === null || typeof value === 'number'))) {
      throw new SymbolFileError(`symbol ${name} has a ${field} of the wrong type`);
    }
  }
  return { ...template, ...fields };
}

function marketOf(template: SymbolMarket, fields: unknown, name: string): SymbolMarket {
  if (fields === undefined) return template;
  if (!isObject(fields)) throw new SymbolFileError(`symbol ${name} has a market that is not an object`);
  const { schedule, marginRates = {}, commission = {}, ...rest } = fields;
  if (!isObject(marginRates) || !isObject(commission)) {
    throw new SymbolFileError(`symbol ${name} has marginRates or a commission that are not objects`);
  }
  return {
    ...merged(template, rest, name),
    schedule: schedule === undefined ? template.schedule : scheduleOf(schedule, name),
    marginRates: merged(template.marginRates, marginRates, name),
    commission: merged(template.commission, commission, name),
  };
}

function scheduleOf(value: unknown, name: string): Schedule {
  try {
    return parseSchedule(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SymbolFileError(`symbol ${name} has ${error.message}`);
  }
}

/** Numbers of the right type can still make no symbol. */
function requireSense(spec: SymbolSpec): void {
  const { name, digits, market } = spec;
  const problem = [
    [!Number.isInteger(digits) || digits < 0 || digits > 8, 'digits must be an integer, 0 to 8'],
    [!(spec.trade_tick_size > 0), 'trade_tick_size must be above 0'],
    [!(spec.trade_contract_size > 0), 'trade_contract_size must be above 0'],
    [!(spec.volume_step > 0), 'volume_step must be above 0'],
    [!(spec.volume_min > 0 && spec.volume_max >= spec.volume_min), 'volume_min must be above 0, up to volume_max'],
    [profitFormula(spec.trade_calc_mode) === null, 'trade_calc_mode is not simulated'],
    [!(market.spread >= 0), 'spread must be 0 or more'],
    [market.depth !== null && !(market.depth >= spec.volume_step), 'depth must be null or a volume_step at least'],
    [market.commission.charged !== 'both' && market.commission.charged !== 'in', 'commission is charged both or in'],
  ].find(([isWrong]) => isWrong)?.[1];
  if (problem !== undefined) throw new SymbolFileError(`symbol ${name}: ${String(problem)}`);
}
