import { Module } from 'node:module';
import type { Strategy } from '@libs/strategy';
import * as sdk from '@libs/strategy';
import * as classTransformer from 'class-transformer';
import * as classValidator from 'class-validator';

/** What a strategy file may import without bringing it along. Everything else is bundled, or refused when bundling. */
const provided: Readonly<Record<string, unknown>> = {
  '@libs/strategy': sdk,
  'class-transformer': classTransformer,
  'class-validator': classValidator,
};

interface Compiled {
  /** Node's own entry for a file's text; unlike `vm`, it heeds the source map inside. */
  _compile(code: string, file: string): void;
}

/** Node forgets a file's source map with its module, and stack traces would name lines of the bundle. */
const loaded = new Map<string, Module>();

/**
 * Runs a bundled strategy file and returns what it exports.
 * @param source path of the file as its author knows it
 * @throws what the file throws while it loads, or Error when it exports no strategy
 */
export function loadStrategy(code: string, file: string, source: string): Strategy {
  const module = new Module(file) as Module & Compiled;
  module.require = ((id: string): unknown => {
    if (Object.hasOwn(provided, id)) return provided[id];
    throw new Error(`a strategy cannot import ${id}`);
  }) as typeof module.require;
  loaded.set(file, module);
  module._compile(code, file);
  const exported: unknown = module.exports;
  // `module.exports = defineStrategy(…)` is how CommonJS says it.
  const strategy = isStrategy(exported) ? exported : (exported as { default?: unknown } | null)?.default;
  if (isStrategy(strategy)) return strategy;
  const what =
    strategy === undefined ? 'has no default export' : 'has a default export that defineStrategy did not make';
  throw new Error(`${source} ${what}: write \`export default defineStrategy({ … })\``);
}

/** Lets go of a file that nothing runs from any more. */
export function forgetStrategy(file: string): void {
  loaded.delete(file);
}

function isStrategy(value: unknown): value is Strategy {
  return typeof value === 'object' && value !== null && 'strategy' in value && value.strategy === true;
}
