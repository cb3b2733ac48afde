import { doubledKeys } from '@libs/settings';
import { isObject } from '@libs/terminal-client';
import { assets as shippedAssets, type Assets, type AssetSpec } from './assets';
import { profitFormula } from './profit-formula';
import { catalogue, forexPair } from './catalogue';
import type * as SymbolRules from './symbol-rules';
import type { SymbolSpec } from './symbol-spec';

/** The symbols a file describes, and the assets their generated prices are made of. */
export interface SymbolFile {
  readonly symbols: readonly SymbolSpec[];
  readonly assets: Assets;
}

/** A symbol file that cannot be used; the message has a line for each problem. */
export class SymbolFileError extends Error {}

// Loaded with the first file: class-validator takes longer to load than all of the simulator.
// eslint-disable-next-line @typescript-eslint/no-require-imports -- createRequire would not be bundled
const rules = (): typeof SymbolRules => require('./symbol-rules') as typeof SymbolRules;

/**
 * Reads `{"assets": {NAME: {value, dailyVolatility}}, "symbols": [{"name", "like"?, ...fields, "market": {...}}]}`.
 * A symbol takes every field it does not name from the catalogue symbol that `like` names, by default the one of its own
 * name. Any other symbol has to state its contract size, and the currency of its profit unless its name is that of a currency pair.
 * @throws SymbolFileError naming every entry at fault
 */
export function parseSymbolFile(content: string): SymbolFile {
  let root: unknown;
  try {
    root = JSON.parse(content);
  } catch {
    throw new SymbolFileError('it is not JSON');
  }
  const doubled = doubledKeys(content);
  if (doubled.length > 0) throw new SymbolFileError(`${doubled.join(', ')} is given more than once`);
  if (!isObject(root) || !Array.isArray(root.symbols) || root.symbols.length === 0) {
    throw new SymbolFileError('it needs a list of symbols');
  }
  const problems = Object.keys(root)
    .filter((name) => !['$schema', 'assets', 'symbols'].includes(name))
    .map((name) => `${name} is not a known member; known are assets and symbols`);
  const assets: Assets = { ...shippedAssets, ...readAssets(root.assets, problems) };
  const symbols = root.symbols.flatMap((entry: unknown, index) => readSymbol(entry, index, assets, problems) ?? []);
  const names = new Set(symbols.map(({ name }) => name));
  if (names.size < symbols.length) problems.push('two symbols have the same name');
  if (problems.length > 0) throw new SymbolFileError(problems.join('; '));
  return { symbols, assets };
}

/** The JSON Schema of such a file, by which an editor completes it and underlines what is wrong. */
export function symbolFileSchema(): object {
  const [model] = catalogue;
  if (model === undefined) throw new Error('the catalogue is empty');
  return { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Symbols', ...rules().symbolSchema(model) };
}

function readAssets(value: unknown, problems: string[]): Assets {
  if (!isObject(value)) {
    if (value !== undefined) problems.push('assets must be an object');
    return {};
  }
  for (const [name, asset] of Object.entries(value)) note(`asset ${name}`, rules().assetProblems(asset), problems);
  return value as Readonly<Record<string, AssetSpec>>;
}

/** A symbol; null if a problem was noted. */
function readSymbol(entry: unknown, index: number, assets: Assets, problems: string[]): SymbolSpec | null {
  const name = isObject(entry) ? entry.name : undefined;
  if (!isObject(entry) || typeof name !== 'string' || name.trim() === '') {
    problems.push(`symbol ${index + 1} needs a name`);
    return null;
  }
  if (name.trim() !== name) {
    problems.push(`symbol ${index + 1} has a name that begins or ends with a space: "${name}"`);
    return null;
  }
  const own = catalogue.some((spec) => spec.name === name) ? name : undefined;
  const { like = own ?? 'EURUSD', ...fields } = entry;
  const model = catalogue.find((spec) => spec.name === like);
  if (!model) {
    problems.push(`symbol ${name} is like a symbol that is not in the catalogue`);
    return null;
  }
  const isPair = /^[A-Z]{6}/.test(name);
  // A wrong contract size, or another currency of its profit, makes every amount of money wrong. The name of a pair states its own.
  const needed = isPair ? ['trade_contract_size'] : ['trade_contract_size', 'currency_profit'];
  const missing = needed.filter((field) => fields[field] === undefined).join(' and ');
  if (own === undefined && entry.like === undefined && missing !== '') {
    problems.push(`symbol ${name} needs ${missing}, or like with the name of a symbol of the catalogue`);
    return null;
  }
  const template: SymbolSpec = model.name === 'EURUSD' && isPair ? pair(name, model) : model;
  const ticks = typeof fields.digits === 'number' ? { trade_tick_size: 1 / 10 ** fields.digits } : {};
  const symbol = laidOver(template, { ...ticks, ...fields });
  const found = rules().symbolProblems(symbol, model);
  note(`symbol ${name}`, found, problems);
  if (found.length > 0) return null;
  const spec = symbol as SymbolSpec;
  if (profitFormula(spec.trade_calc_mode) === null) problems.push(`symbol ${name}: trade_calc_mode is not simulated`);
  for (const asset of [spec.market.base, spec.market.quote]) {
    if (!Object.hasOwn(assets, asset)) problems.push(`symbol ${name} is made of ${asset}, which is not an asset`);
  }
  return spec;
}

function pair(name: string, model: SymbolSpec): SymbolSpec {
  return forexPair(name, name, { spread: model.market.spread });
}

/** Fields over those of a template, and so the objects within it. A schedule replaces the template's as a whole. */
function laidOver(template: object, fields: Readonly<Record<string, unknown>>): object {
  const of = new Map<string, unknown>(Object.entries(template));
  const laid = Object.entries(fields).map(([name, value]): [string, unknown] => {
    const inner = of.get(name);
    if (!isObject(inner) || !isObject(value)) return [name, value];
    return [name, name === 'schedule' ? { holidays: [], ...value } : laidOver(inner, value)];
  });
  return { ...template, ...Object.fromEntries(laid) };
}

function note(entry: string, found: readonly { path: string; problem: string }[], problems: string[]): void {
  problems.push(...found.map(({ path, problem }) => `${entry}: ${path === '' ? problem : `${path} ${problem}`}`));
}
