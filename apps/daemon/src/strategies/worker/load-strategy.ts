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
 * @throws what the file throws while it loads, or Error when its default export is no strategy
 */
export function loadStrategy(code: string, file: string): Strategy {
  const module = new Module(file) as Module & Compiled;
  module.require = ((id: string): unknown => {
    if (Object.hasOwn(provided, id)) return provided[id];
    throw new Error(`a strategy cannot import ${id}`);
  }) as typeof module.require;
  loaded.set(file, module);
  module._compile(code, file);
  const exported = (module.exports as { default?: unknown }).default;
  if (isStrategy(exported)) return exported;
  throw new Error(`${file}: the default export is not made by defineStrategy`);
}

/** Lets go of a file that nothing runs from any more. */
export function forgetStrategy(file: string): void {
  loaded.delete(file);
}

function isStrategy(value: unknown): value is Strategy {
  return typeof value === 'object' && value !== null && 'strategy' in value && value.strategy === true;
}
