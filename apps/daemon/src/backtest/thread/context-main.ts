import 'reflect-metadata';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage';
import { MetadataStorage, useContainer } from 'class-validator';
import type { Position, Stream } from '@libs/strategy';
import * as indicators from 'trading-signals';
import { barNumbers, barOf, type BarNumbers } from '../../strategies/worker/bar-numbers';
import { indicatorsModule } from '../../strategies/kept-indicators';
import { exportedStrategy, providedModule } from '../../strategies/worker/exported-strategy';
import type { StrategyEvent } from '../../core/strategy-event';
import type { Deployment, Loaded, Reaction } from '../../strategies/worker/messages';
import type { View } from '../../live/view';
import { ownStack } from '../../strategies/worker/own-stack';
import { StrategyInstance } from '../../strategies/worker/strategy-instance';
import { takeAwayTheWorld } from '../../strategies/worker/world';

/** A bundled strategy file, compiled as the body of a function. */
export type CompiledFile = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void;

/** What the entry of a strategy's context exports. */
export interface ContextEntry {
  /** Removes clock, randomness and network, and starts to record the console. */
  begin(formatted: (parts: readonly unknown[]) => string): void;
  /** Runs a strategy file and creates its strategy. @param deployment as JSON */
  load(compiled: CompiledFile, deployment: string): { readonly loaded: Loaded } | { readonly error: string };
  /**
   * Passes an event to the strategy. Event and view are copied: what the strategy does to them stays in its context.
   * @returns null where nothing follows, as mostly: each context has objects of its own, which are slow to read for the thread
   */
  handle(event: StrategyEvent, view: View): Reaction | null;
  /**
   * Sets the stream and the bars that {@link bars} passes, and the view that each of them comes with.
   * @param passed receives the index of each bar before it is passed
   */
  showBars(stream: Stream, numbers: BarNumbers, view: View, passed: Int32Array<ArrayBuffer>): void;
  /**
   * Passes bars to the strategy by their indexes in the numbers, up to the first one that something follows. A call from outside of
   * the context for each of them would take as long as many a strategy does.
   * @param isPast whether they are past at the start
   * @returns as {@link handle}
   */
  bars(from: number, until: number, isPast: boolean): Reaction | null;
  /** Whether the globals are as they were before the first file ran: then another file finds the same world. */
  hasSameGlobals(): boolean;
  /** Notes an error in a promise that the strategy did not wait for. */
  blame(reason: unknown): void;
  /** Takes the error that {@link blame} noted. */
  takeStray(): string | null;
  ownStack(error: unknown): string;
}

/** The strategy's side of a backtest: runs inside of its context, and reaches nothing but what it is called with. */
let instance: StrategyInstance | null = null;
const early: string[] = [];

let globals: GlobalValues | null = null;

export function begin(formatted: (parts: readonly unknown[]) => string): void {
  takeAwayTheWorld((...parts) => {
    if (instance) instance.say(formatted(parts));
    else early.push(formatted(parts));
  });
}

export function hasSameGlobals(): boolean {
  return globals?.areSame ?? false;
}

export function load(compiled: CompiledFile, text: string): ReturnType<ContextEntry['load']> {
  try {
    forgetClasses();
    globals ??= new GlobalValues(Object.values(indicators));
    const deployment = JSON.parse(text) as Omit<Deployment, 'code' | 'file'>;
    const module = { exports: {} };
    compiled(module.exports, moduleOf, module);
    instance = new StrategyInstance(exportedStrategy(module.exports, deployment.source), deployment);
    for (const said of early.splice(0)) instance.say(said);
    return { loaded: instance.loaded };
  } catch (error) {
    return { error: ownStack(error) };
  }
}

/** The global in which class-validator keeps the rules of all classes. */
const rulesOfClasses = 'classValidatorMetadataStorage';

/**
 * Begins without the classes of the file before: each run of a file declares its own, and whoever holds one of them holds all that
 * the file has made.
 */
function forgetClasses(): void {
  Reflect.set(globalThis, rulesOfClasses, new MetadataStorage());
  useContainer(instances());
  defaultMetadataStorage.clear();
}

/** A container of class-validator: it has one instance of each class. */
function instances(): { get(type: new () => unknown): unknown } {
  const made = new Map<unknown, unknown>();
  return {
    get(type) {
      if (!made.has(type)) made.set(type, new type());
      return made.get(type);
    },
  };
}

function moduleOf(id: string): unknown {
  return id === indicatorsModule ? indicators : providedModule(id);
}

export function handle(event: StrategyEvent, view: View): Reaction | null {
  if (!instance) throw new Error('no strategy is loaded');
  const reaction = instance.handle(copyOf(event), new CopiedView(view));
  return isNothing(reaction) ? null : reaction;
}

let shown: {
  readonly stream: Stream;
  readonly numbers: BarNumbers;
  readonly view: CopiedView;
  readonly passed: Int32Array<ArrayBuffer>;
} | null = null;

export function showBars(
  { alias, broker, symbol, timeframe }: Stream,
  numbers: BarNumbers,
  view: View,
  passed: Int32Array<ArrayBuffer>,
): void {
  const stream = { alias, broker, symbol, timeframe };
  shown = { stream, numbers, view: new CopiedView(view), passed };
}

export function bars(from: number, until: number, isPast: boolean): Reaction | null {
  if (!instance || !shown) throw new Error('no strategy is loaded');
  const { stream, numbers, view, passed } = shown;
  for (let index = from; index < until; index++) {
    passed[0] = index;
    view.forget();
    const first = index * barNumbers;
    const serverMs = numbers[first + 1] ?? 0;
    const timeMs = numbers[first + 2] ?? 0;
    const reaction = instance.handleBar(barOf(numbers, first, stream), serverMs, timeMs, isPast, view);
    if (reaction !== null) return reaction;
  }
  return null;
}

function isNothing({ intents, logs, error, state, stateProblem }: Reaction): boolean {
  return intents.length === 0 && logs.length === 0 && error === null && state === null && stateProblem === null;
}

export function blame(reason: unknown): void {
  instance?.blame(reason);
}

export function takeStray(): string | null {
  return instance?.takeStray() ?? null;
}

export { ownStack };

function copyOf(event: StrategyEvent): StrategyEvent {
  switch (event.type) {
    case 'bar': {
      const { type, bar, warmingUp, serverMs, closedMs, onArrival } = event;
      return { type, bar: { ...bar }, warmingUp, serverMs, closedMs, onArrival };
    }
    case 'tick':
      return { type: event.type, tick: { ...event.tick }, serverMs: event.serverMs };
    case 'fill':
      return { type: event.type, fill: { ...event.fill } };
    case 'reject':
      return { type: event.type, reject: { ...event.reject } };
    case 'gone':
      return { type: event.type, gone: { ...event.gone } };
  }
}

function copyOfPosition(position: Position): Position {
  const { trail } = position;
  return trail === null ? { ...position } : { ...position, trail: { ...trail } };
}

/** Copies of the rows of a list. It is of another context, in which an iterator is slow. */
function copiesOfRows<Row>(rows: readonly Row[], copyOfRow: (row: Row) => Row): Row[] {
  const copies: Row[] = [];
  for (let at = 0; at < rows.length; at++) copies.push(copyOfRow(rows[at] as Row));
  return copies;
}

/** Copies of objects of which no member is an object. */
function copiesOf<Value extends object>(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { ...value }]));
}

type CopiedPart = 'positions' | 'orders' | 'quotes' | 'symbols' | 'accounts';

/** Copies each part of a view when the strategy first reads it. */
class CopiedView implements View {
  private copies: { -readonly [Part in CopiedPart]?: View[Part] } | null = null;

  constructor(private readonly original: View) {}

  /** Forgets the copies: the next event has its own. */
  forget(): void {
    this.copies = null;
  }

  private get made() {
    return (this.copies ??= {});
  }

  get positions(): readonly Position[] {
    return (this.made.positions ??= copiesOfRows(this.original.positions, copyOfPosition));
  }

  get orders(): View['orders'] {
    return (this.made.orders ??= copiesOfRows(this.original.orders, (row) => ({ ...row })));
  }

  get quotes(): View['quotes'] {
    return (this.made.quotes ??= copiesOf(this.original.quotes));
  }

  get symbols(): View['symbols'] {
    return (this.made.symbols ??= copiesOf(this.original.symbols));
  }

  /** No copy: the strategy receives nothing of it but numbers. */
  get grids(): View['grids'] {
    return this.original.grids;
  }

  get maxVolume(): View['maxVolume'] {
    return this.original.maxVolume;
  }

  get accounts(): View['accounts'] {
    return (this.made.accounts ??= copiesOf(this.original.accounts));
  }

  get equity(): number {
    return this.original.equity;
  }

  get inFlight(): number {
    return this.original.inFlight;
  }
}

/** The globals of a context with everything that is reached through their objects: what code may change for the code after it. */
class GlobalValues {
  private readonly owners: readonly Members[];

  /** @param kept functions and objects outside of the globals that the code after it finds, too */
  constructor(kept: readonly unknown[] = []) {
    this.owners = present(kept);
  }

  /** Whether nothing was added, removed or replaced since. */
  get areSame(): boolean {
    return this.owners.every(hasSame);
  }
}

/** Names and values of the members of an object, and the functions of those that are computed. */
interface Members {
  readonly owner: object;
  readonly names: readonly PropertyKey[];
  readonly values: readonly unknown[];
  readonly getters: readonly unknown[];
}

function membersOf(owner: object): Members {
  const names = Reflect.ownKeys(owner);
  const members = names.map((name) => memberOf(owner, name));
  return { owner, names, values: members.map((one) => one?.value), getters: members.map((one) => one?.get) };
}

function memberOf(owner: object, name: PropertyKey): { readonly value?: unknown; readonly get?: unknown } | undefined {
  return Object.getOwnPropertyDescriptor(owner, name);
}

/** Asked of thousands of members before each set, so nothing is made of them. */
function hasSame({ owner, names, values, getters }: Members): boolean {
  const now = Reflect.ownKeys(owner);
  if (now.length !== names.length) return false;
  for (let at = 0; at < names.length; at++) {
    const name = names[at] as PropertyKey;
    if (now[at] !== name) return false;
    // New for each file.
    if (name === rulesOfClasses) continue;
    const member = memberOf(owner, name);
    if (member === undefined || member.get !== getters[at] || !Object.is(member.value, values[at])) return false;
  }
  return true;
}

/** The members of the global object, of its functions and their prototypes, and of all plain objects in these. */
function present(kept: readonly unknown[]): Members[] {
  const found: Members[] = [];
  const owners = new Set<object>([globalThis, ...kept.filter(hasMembers)]);
  for (const owner of owners) {
    const members = membersOf(owner);
    found.push(members);
    for (const [at, name] of members.names.entries()) {
      const value = members.values[at];
      if (name === rulesOfClasses) continue;
      if (typeof value === 'object' && value !== null) owners.add(value);
      else if (typeof value === 'function' && (owner === globalThis || name === 'prototype')) owners.add(value);
    }
  }
  return found;
}

function hasMembers(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
