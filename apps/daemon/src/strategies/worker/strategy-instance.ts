import type { Bar, Handlers, Strategy, Stream } from '@libs/strategy';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { eventTimeMs } from '../../core/event-time';
import { BarHistory } from './bar-history';
import { KeptState } from './kept-state';
import type { StateText } from '../../core/records';
import type { StrategyEvent } from '../../core/strategy-event';
import type { Loaded, Reaction } from './messages';
import type { View } from '../../live/view';
import { ownStack } from './own-stack';
import { TradeDesk } from './trade-desk';
import { pastOf } from './warmup';

const unchanged = { state: null, stateProblem: null } as const;

interface Start {
  readonly params: Readonly<Record<string, unknown>>;
  readonly streams: readonly Stream[];
  readonly idPrefix: string;
  readonly state: StateText | null;
}

/**
 * One deployment of a strategy: events in, reactions out, nothing else. It has no clock and no connections, so that a
 * worker thread and a backtest run the very same thing.
 */
export class StrategyInstance {
  readonly loaded: Loaded;
  private readonly handlers: Handlers;
  private readonly history: BarHistory;
  private readonly desk: TradeDesk;
  /** Null if the strategy declares no state. */
  private readonly kept: KeptState | null;
  private readonly timerMs: number | null;
  private nextTimerMs: number | null = null;
  /** How far the broker's clock is ahead of the bars' times, by stream. */
  private readonly offsets = new Map<string, number>();
  /** The stream whose offset was noted last, and that offset. */
  private noted: { readonly stream: string; readonly offsetMs: number } | null = null;
  private strayError: string | null = null;
  /** Bars of the past that go on into the history alone, by stream. */
  private readonly unplayed = new Map<string, number>();

  /**
   * @throws Error when the parameters or the stored state are refused, a stream is missing or the strategy's `create` throws
   */
  constructor(strategy: Strategy, { params, streams, idPrefix, state }: Start) {
    const checked = checkedParams(strategy.params, params);
    const byAlias = Object.fromEntries(streams.map((stream) => [stream.alias, stream]));
    const { needed, played } = pastOf(strategy.warmupBars(checked), strategy.historyBars(checked), streams);
    for (const [alias, count] of Object.entries(needed)) this.unplayed.set(alias, count - (played[alias] ?? 0));
    this.history = new BarHistory(needed);
    this.kept = strategy.state === null ? null : new KeptState(strategy.state, state);
    this.desk = new TradeDesk(byAlias, this.history, idPrefix, this.kept);
    this.timerMs = strategy.timerSeconds === null ? null : strategy.timerSeconds * 1_000;
    this.handlers = handlersOf(strategy.create({ params: checked, streams: byAlias }));
    const { handlers } = this;
    const wantsTicks = handlers.onTick !== undefined;
    const wantsFills = handlers.onFill !== undefined || (handlers.onTimer !== undefined && this.timerMs !== null);
    const plain = JSON.parse(JSON.stringify(checked)) as Readonly<Record<string, unknown>>;
    this.loaded = {
      version: strategy.version,
      params: plain,
      pastBars: needed,
      warmupBars: played,
      wantsTicks,
      wantsFills,
      state: this.kept?.text ?? null,
    };
  }

  /** Continues with a state that the version before it has left. @throws Error if it is refused, and changes nothing then */
  adopt(state: StateText): StateText | null {
    this.kept?.adopt(state);
    return this.kept?.text ?? null;
  }

  /** Passes an event to the strategy. The reaction holds an error of the handler; intents before the error count. */
  handle(event: StrategyEvent, view: View): Reaction {
    const timeMs = eventTimeMs(event) ?? this.desk.timeMs;
    const isPast = event.type === 'bar' && event.warmingUp;
    this.desk.open(view, timeMs, isPast);
    const error = this.errorOf(event, timeMs);
    const { intents, logs } = this.desk.takeOut();
    const { state, stateProblem } = this.takeState(isPast);
    return { intents, logs, error, state, stateProblem };
  }

  /**
   * As {@link handle}, of a bar alone.
   * @param serverMs its open on the broker's clock
   * @param timeMs market time of the event
   * @param isPast whether it is played in before the start
   * @returns null where nothing follows, as mostly
   */
  handleBar(bar: Bar, serverMs: number, timeMs: number, isPast: boolean, view: View): Reaction | null {
    this.desk.open(view, timeMs, isPast);
    const error = this.errorOfBar(bar, serverMs, timeMs, isPast);
    if (error === null && this.kept === null && this.desk.isUntouched) return null;
    const { intents, logs } = this.desk.takeOut();
    const { state, stateProblem } = this.takeState(isPast);
    return { intents, logs, error, state, stateProblem };
  }

  private errorOfBar(bar: Bar, serverMs: number, timeMs: number, isPast: boolean): string | null {
    try {
      this.noteBar(bar, serverMs, timeMs);
      if (isPast && this.isUnplayed(bar.stream)) return null;
      this.fireTimer(timeMs);
      const answer: unknown = this.handlers.onBar?.(bar, this.desk);
      if (answer instanceof Promise) this.refuseAsync(answer, 'bar');
      return this.takeStray();
    } catch (error) {
      return ownStack(error);
    }
  }

  /** Runs the handlers of an event. @returns the stack trace of what one of them threw; null when all ended well */
  private errorOf(event: StrategyEvent, timeMs: number): string | null {
    if (event.type === 'bar') return this.errorOfBar(event.bar, event.serverMs, timeMs, event.warmingUp);
    try {
      this.fireTimer(timeMs);
      this.dispatch(event);
      return this.takeStray();
    } catch (error) {
      return ownStack(error);
    }
  }

  /** The past is played in with each start: what it changes would be changed again each time. */
  private takeState(isPast: boolean): Pick<Reaction, 'state' | 'stateProblem'> {
    if (this.kept === null) return unchanged;
    try {
      if (isPast) this.kept.undo();
      return { state: isPast ? null : this.kept.take(), stateProblem: null };
    } catch (error) {
      return { state: null, stateProblem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Writes a line to its log on its behalf. */
  say(text: string): void {
    this.desk.log(text);
  }

  /** Notes an error that occurred after its handler ended; it is in the next reaction. */
  blame(reason: unknown): void {
    this.strayError ??= `in a promise that is not awaited: ${ownStack(reason)}`;
  }

  /** Takes the error that {@link blame} noted; null without one. */
  takeStray(): string | null {
    const error = this.strayError;
    this.strayError = null;
    return error;
  }

  private dispatch(event: Exclude<StrategyEvent, { readonly type: 'bar' }>): void {
    const answer: unknown = this.callHandler(event);
    if (answer instanceof Promise) this.refuseAsync(answer, event.type);
  }

  /** @throws Error always */
  private refuseAsync(answer: Promise<unknown>, type: StrategyEvent['type']): never {
    answer.catch((reason: unknown) => this.blame(reason));
    throw new Error(`the handler of a ${type} is async: a handler must complete its work before it returns`);
  }

  private callHandler(event: Exclude<StrategyEvent, { readonly type: 'bar' }>): void {
    switch (event.type) {
      case 'tick':
        return this.handlers.onTick?.(event.tick, this.desk);
      case 'fill':
        return this.handlers.onFill?.(event.fill, this.desk);
      case 'reject':
        return this.handlers.onReject?.(event.reject, this.desk);
      case 'gone':
        return this.handlers.onOrderGone?.(event.gone, this.desk);
    }
  }

  /**
   * Adds a bar to the history, even if its handlers fail. When the broker's offset becomes known, market time goes back
   * by it, and the timer must not wait until that time has passed again.
   */
  private noteBar(bar: Bar, serverMs: number, timeMs: number): void {
    this.history.add(bar);
    const offsetMs = serverMs - bar.timeMs;
    if (this.noted?.offsetMs === offsetMs && this.noted.stream === bar.stream) return;
    this.noted = { stream: bar.stream, offsetMs };
    const before = this.offsets.get(bar.stream);
    if (before === offsetMs) return;
    this.offsets.set(bar.stream, offsetMs);
    if (before === undefined || this.nextTimerMs === null || this.timerMs === null) return;
    if (timeMs < this.nextTimerMs - this.timerMs) this.nextTimerMs = null;
  }

  /** Whether a bar of the past is before those that are played in. */
  private isUnplayed(stream: string): boolean {
    const left = this.unplayed.get(stream) ?? 0;
    if (left === 0) return false;
    this.unplayed.set(stream, left - 1);
    return true;
  }

  /** Market time has no ticks of its own: the timer fires with the first event at or after each multiple. */
  private fireTimer(timeMs: number): void {
    if (this.timerMs === null || !this.handlers.onTimer) return;
    const due = this.nextTimerMs;
    if (due === null || timeMs >= due) this.nextTimerMs = (Math.floor(timeMs / this.timerMs) + 1) * this.timerMs;
    if (due !== null && timeMs >= due) this.handlers.onTimer({ timeMs }, this.desk);
  }
}

const knownHandlers: readonly string[] = [
  'onBar',
  'onTick',
  'onFill',
  'onReject',
  'onOrderGone',
  'onTimer',
] satisfies (keyof Handlers)[];

/** @throws Error if `create` did not return an object of known handlers */
function handlersOf(value: unknown): Handlers {
  if (typeof value !== 'object' || value === null || value instanceof Promise) {
    throw new Error('create must return an object of handlers, such as { onBar(bar, trade) { … } }');
  }
  for (const [name, handler] of Object.entries(value)) {
    if (/^on[A-Za-z]/.test(name) && !knownHandlers.includes(name)) {
      throw new Error(
        `create returned a handler ${name}, which is not a known handler; the handlers are ${knownHandlers.join(', ')}`,
      );
    }
    if (knownHandlers.includes(name) && typeof handler !== 'function') throw new Error(`${name} is not a function`);
  }
  return value;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The configured parameters as an instance of the strategy's class: checked by its decorators, and where it has none,
 * as in plain JavaScript, by the kind of the default.
 * @throws Error naming every parameter that is unknown or refused, with the value it has
 */
function checkedParams(type: new () => object, params: Values): object {
  const defaults = new Map<string, unknown>(Object.entries(new type()));
  const decorated = new Set(decoratedNames(type));
  const known = [...new Set([...decorated, ...defaults.keys()])];
  const unknown = Object.keys(params).filter((name) => !known.includes(name));
  const instance = plainToInstance(type, params, { exposeDefaultValues: true });
  const errors = validateSync(instance, { forbidUnknownValues: false });
  const problems = [
    ...unknown.map(
      (name) => `${name} is not a parameter of this strategy; the parameters are ${known.join(', ') || 'none'}`,
    ),
    ...errors.flatMap((error) => described(error)),
    ...[...defaults].flatMap(([name, value]) => (decorated.has(name) ? [] : (unlike(name, value, params) ?? []))),
  ];
  if (problems.length === 0) return instance;
  throw new Error(`params: ${problems.join('; ')}`);
}

function decoratedNames(type: new () => object): string[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .map(({ propertyName }) => propertyName);
}

/** What is wrong with a property, and with those within it. */
function described({ property, constraints, children, value }: ValidationError, path = ''): string[] {
  const name = `${path}${property}`;
  const own = Object.values(constraints ?? {}).map(
    (message) => `${message.replace(property, name)} (it is ${JSON.stringify(value)})`,
  );
  // A list or a nested class that fails says so by its members.
  const within = (children ?? []).flatMap((child) => described(child, `${name}.`));
  return [...(within.length > 0 ? [] : own), ...within];
}

function unlike(name: string, value: unknown, params: Values): string | null {
  const given = params[name];
  if (given === undefined || value === undefined || value === null || kindOf(given) === kindOf(value)) return null;
  return `${name} must be a ${kindOf(value)}, as its default is (it is ${JSON.stringify(given)})`;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
