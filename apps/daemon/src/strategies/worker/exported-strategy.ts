import type { Strategy } from '@libs/strategy';
import * as sdk from '@libs/strategy';
import * as classTransformer from 'class-transformer';
import * as classValidator from 'class-validator';

/** Modules that the daemon provides. Every other import is bundled, or refused by the bundler. */
const provided: Readonly<Record<string, unknown>> = {
  '@libs/strategy': sdk,
  'class-transformer': classTransformer,
  'class-validator': classValidator,
};

/** What `require` in a bundled strategy file returns. @throws Error for a module that is not provided */
export function providedModule(id: string): unknown {
  if (Object.hasOwn(provided, id)) return provided[id];
  throw new Error(`a strategy cannot import ${id}`);
}

/**
 * The strategy that a bundled file exports.
 * @param source path of the source file, for error messages
 * @throws Error when it exports no strategy
 */
export function exportedStrategy(exported: unknown, source: string): Strategy {
  // `module.exports = defineStrategy(…)` is how CommonJS says it.
  const strategy = isStrategy(exported) ? exported : (exported as { default?: unknown } | null)?.default;
  if (isStrategy(strategy)) return strategy;
  const what =
    strategy === undefined ? 'has no default export' : 'has a default export that was not created by defineStrategy';
  throw new Error(`${source} ${what}: write \`export default defineStrategy({ … })\``);
}

function isStrategy(value: unknown): value is Strategy {
  return typeof value === 'object' && value !== null && 'strategy' in value && value.strategy === true;
}
