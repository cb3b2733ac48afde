import { Module } from 'node:module';
import type { Strategy } from '@libs/strategy';
import { exportedStrategy, providedModule } from './exported-strategy';

interface Compiled {
  /** Node's internal compile method; unlike `vm`, it uses the source map in the text. */
  _compile(code: string, file: string): void;
}

/** Node forgets a file's source map with its module, and stack traces would name lines of the bundle. */
const loaded = new Map<string, Module>();

/**
 * Runs a bundled strategy file and returns what it exports.
 * @param source path of the source file, for error messages
 * @throws what the file throws while it loads, or Error when it exports no strategy
 */
export function loadStrategy(code: string, file: string, source: string): Strategy {
  const module = new Module(file) as Module & Compiled;
  loaded.set(file, module);
  // Node's module and `require` lead to all of its modules: the file gets others under these names. Its lines stay the same.
  module._compile(`module.exports = function (exports, require, module, __filename, __dirname) {${code}\n};`, file);
  const run = module.exports as (exports: object, require: typeof providedModule, module: { exports: object }) => void;
  const own = { exports: {} };
  run.call(own.exports, own.exports, (id) => providedModule(id), own);
  return exportedStrategy(own.exports, source);
}

/** Releases a file that is no longer in use. */
export function forgetStrategy(file: string): void {
  loaded.delete(file);
}
