import { assets as shippedAssets, type Assets, type AssetSpec } from '../market/generated/assets';
import { catalogue, forexPair } from './catalogue';
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
  const spec = merged(template, fields, name);
  const result = { ...spec, market: marketOf(spec.market, market, name) };
  for (const asset of [result.market.base, result.market.quote]) {
    if (!assets[asset]) throw new SymbolFileError(`symbol ${name} is made of ${asset}, which is no asset`);
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
  if (!isObject(fields)) throw new SymbolFileError(`symbol ${name} has a market that is no object`);
  return merged(template, fields, name);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
