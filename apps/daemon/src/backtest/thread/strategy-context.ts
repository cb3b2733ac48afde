import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { format } from 'node:util';
import { compileFunction, createContext, Script, type Context } from 'node:vm';
import type { Stream } from '@libs/strategy';
import type { StrategyEvent } from '../../core/strategy-event';
import type { Deployment, Loaded, Reaction } from '../../strategies/worker/messages';
import type { View } from '../../live/view';
import type { LoadedStrategy } from '../backtest';
import type { BarNumbers } from '../../strategies/worker/bar-numbers';
import type { CompiledFile, ContextEntry } from './context-main';
import type { EntryCode } from './entry-code';
import { plainRows, plainCopy } from './plain-copy';

/** Globals of Node that a strategy has in a live worker thread, too, and that reach nothing outside of it. */
const shared = [
  ...['AbortController', 'AbortSignal', 'Blob', 'Buffer', 'Event', 'EventTarget', 'TextDecoder', 'TextEncoder', 'URL'],
  ...['URLSearchParams', 'atob', 'btoa', 'structuredClone'],
] as const;

/**
 * Globals that are bound once where a file begins: in a context, each look-up of a global calls into Node, which takes a
 * hundred times as long. `Date` is missing, because it is replaced when the strategy begins.
 */
const bound = [
  ...[
    'Array',
    'BigInt',
    'Boolean',
    'Error',
    'Float64Array',
    'Infinity',
    'JSON',
    'Map',
    'Math',
    'NaN',
    'Number',
    'Object',
  ],
  ...[
    'Promise',
    'RangeError',
    'Reflect',
    'RegExp',
    'Set',
    'String',
    'Symbol',
    'TypeError',
    'WeakMap',
    'isFinite',
    'isNaN',
  ],
  ...['parseFloat', 'parseInt'],
] as const;
const binding = `(() => { let { ${bound.join(', ')} } = globalThis; return (exports, require, module) => {`;

const noReaction: Reaction = { intents: [], logs: [], error: null, state: null, stateProblem: null };

/** Under this name its frames are left out of stack traces, as those of a worker thread are. */
const entryFile = '[worker eval]';

/** The strategy could not be loaded: its file, its parameters or its streams are at fault. */
export class StrategyNotLoadedError extends Error {}

/**
 * A strategy in a `vm` context of its own, in the thread of the backtest: it has globals of its own, and no way to the broker
 * or the prices but the events. This guards against accidents; it is not a sandbox.
 */
export class StrategyContext implements LoadedStrategy {
  private constructor(
    private readonly entry: ContextEntry,
    readonly loaded: Loaded,
    /** The class of the promises of the context. */
    private readonly promises: PromiseConstructor,
    private readonly deferred: { count: number },
    private readonly compiled: CompiledFile,
  ) {}

  /** Whether it has left work for later by `queueMicrotask`. */
  get defersWork(): boolean {
    return this.deferred.count > 0;
  }

  /**
   * Runs a bundled strategy file in a new context.
   * @param entryCode the bundled entry of the context
   * @throws StrategyNotLoadedError
   */
  static load(entryCode: EntryCode, deployment: Deployment): StrategyContext {
    const { code, file } = deployment;
    const deferred = { count: 0 };
    const context = strategyContext(new SourceNames(code, file), deferred);
    const entry: ContextEntry = exportsOf(run(scriptOf(entryCode, entryFile), context));
    entry.begin((parts) => format(...parts));
    const compiled = run(scriptOf({ text: code, compiled: null }, file), context);
    const promises = compileFunction('return Promise;', [], { parsingContext: context }) as () => PromiseConstructor;
    return new StrategyContext(entry, loadedBy(entry, compiled, deployment), promises(), deferred, compiled);
  }

  /**
   * Runs the same file again in the same context: everything that it declares is made anew, while the functions stay compiled.
   * @returns null where a global is not as it was at the beginning
   * @throws StrategyNotLoadedError
   */
  again(deployment: Deployment): StrategyContext | null {
    const { entry, compiled, promises, deferred } = this;
    if (deferred.count > 0 || !entry.hasSameGlobals()) return null;
    return new StrategyContext(entry, loadedBy(entry, compiled, deployment), promises, deferred, compiled);
  }

  handle(event: StrategyEvent, view: View): Reaction {
    const reaction = this.entry.handle(event, view);
    return reaction === null ? noReaction : this.copied(reaction);
  }

  /** As {@link ContextEntry.showBars}. */
  showBars(stream: Stream, numbers: BarNumbers, view: View, passed: Int32Array<ArrayBuffer>): void {
    this.entry.showBars(stream, numbers, view, passed);
  }

  /** As {@link ContextEntry.bars}. */
  bars(from: number, until: number, isPast: boolean): Reaction | null {
    const reaction = this.entry.bars(from, until, isPast);
    return reaction === null ? null : this.copied(reaction);
  }

  private copied(reaction: Reaction): Reaction {
    const { intents, logs, error, state, stateProblem } = reaction;
    if (intents.length === 0 && logs.length === 0 && state === null) {
      return { ...noReaction, error, stateProblem };
    }
    try {
      // As between threads: nothing that the strategy still holds gets out, and a function is an error.
      return {
        intents: plainRows(intents),
        logs: logs.length === 0 ? noReaction.logs : plainRows(logs),
        error,
        state: state && plainCopy(state),
        stateProblem,
      };
    } catch (error) {
      const state = structuredClone(reaction.state);
      return { intents: [], logs: [], error: this.entry.ownStack(error), state, stateProblem: null };
    }
  }

  async rest(): Promise<string | null> {
    await new Promise((done) => setImmediate(done));
    return this.entry.takeStray();
  }

  /** Whether a promise was made in the context. */
  owns(promise: unknown): boolean {
    return promise instanceof this.promises;
  }

  /** Notes an error in a promise that the strategy did not wait for. */
  blame(reason: unknown): void {
    this.entry.blame(reason);
  }
}

/** @throws StrategyNotLoadedError */
function loadedBy(
  entry: ContextEntry,
  compiled: CompiledFile,
  { code: _, file: __, ...deployment }: Deployment,
): Loaded {
  const answer = entry.load(compiled, JSON.stringify(deployment));
  if ('error' in answer) throw new StrategyNotLoadedError(answer.error);
  return structuredClone(answer.loaded);
}

function strategyContext(names: SourceNames, deferred: { count: number }): Context {
  const globals = Object.fromEntries(shared.map((name) => [name, globalThis[name]]));
  const defer = (work: () => void): void => {
    deferred.count++;
    queueMicrotask(work);
  };
  const context = createContext({ ...globals, queueMicrotask: defer, console: {}, process: { env: {} } });
  const stackOf = (error: unknown, frames: readonly NodeJS.CallSite[]): string => names.stack(String(error), frames);
  // Node reads it from the context's own Error; the source maps of the process do not cover text compiled by `vm`.
  const begin = compileFunction('globalThis.global = globalThis; Error.prepareStackTrace = stackOf;', ['stackOf'], {
    parsingContext: context,
  });
  (begin as (stackOf: unknown) => void)(stackOf);
  return context;
}

/** Most scripts that are kept. A search runs two again and again; a portfolio has one for each of its strategies, and one more. */
const mostScripts = 16;

/** What this thread has compiled, by text: from one backtest to the next, functions that ran are not parsed again. */
const scripts = new Map<string, { readonly file: string; readonly script: Script }>();

/** The functions of an entry that have been compiled in this thread by now. */
export function compiledContext(entryCode: EntryCode): Buffer {
  return scriptOf(entryCode, entryFile).createCachedData();
}

function run(script: Script, context: Context): CompiledFile {
  return script.runInContext(context) as CompiledFile;
}

/** The file keeps its lines and columns. It may declare the names of the bound globals itself. */
function scriptOf({ text, compiled }: EntryCode, file: string): Script {
  const known = scripts.get(text);
  if (known?.file === file) return known.script;
  const options = { filename: file, columnOffset: -binding.length, cachedData: compiled ?? undefined };
  const script = new Script(`${binding}${text}\n}; })()`, options);
  if (scripts.size === mostScripts) scripts.clear();
  scripts.set(text, { file, script });
  return script;
}

function exportsOf(file: CompiledFile): ContextEntry {
  const module = { exports: {} };
  const refuse = (id: string): never => {
    throw new Error(`the context of a strategy has no module ${id}`);
  };
  file(module.exports, refuse, module);
  // The bundler exports getters, which take as long as what they get.
  return { ...(module.exports as ContextEntry) };
}

/** Maps the lines of a bundle to the lines of its source files. */
class SourceNames {
  /** Undefined until a stack is named: most strategies throw nothing, and it takes milliseconds to read. */
  private read: SourceMap | null | undefined;

  constructor(
    private readonly code: string,
    private readonly file: string,
  ) {}

  private get map(): SourceMap | null {
    if (this.read === undefined) this.read = sourceMapOf(this.code);
    return this.read;
  }

  /** A stack trace with the original lines. */
  stack(message: string, frames: readonly NodeJS.CallSite[]): string {
    return [message, ...frames.map((frame) => `    at ${this.named(frame)}`)].join('\n');
  }

  private named(frame: NodeJS.CallSite): string {
    const text = format('%s', frame);
    const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
    if (frame.getFileName() !== this.file || line === null || column === null) return text;
    const found = this.map?.findEntry(line - 1, column - 1);
    if (!found || !('originalSource' in found)) return text;
    const source = resolve(dirname(this.file), found.originalSource);
    return text.replace(
      `${this.file}:${line}:${column}`,
      () => `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`,
    );
  }
}

/** The map at the end of a bundle; null if it has none. */
function sourceMapOf(code: string): SourceMap | null {
  const [, base64] = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(code) ?? [];
  if (base64 === undefined) return null;
  return new SourceMap(JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as SourceMapPayload);
}
