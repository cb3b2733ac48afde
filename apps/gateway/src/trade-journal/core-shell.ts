import type { Clock } from '@libs/clock';
import type { StampedEvent } from '../audit/audit-record';
import type { CoreEffect, CoreEventBody, Moment } from '../trade-core/core-event';
import { eventLine, stateLine, type CoreRecording } from '../trade-core/core-recording';
import type { IntentRecord } from '../trade-core/journal-records';
import { TradeCore } from '../trade-core/trade-core';
import type { LiveRequest } from '../trade-core/trade-state';
import type { JournalLog, JournalWriter } from './journal-writer';
import type { RunningTime } from './running-time';
import { TradeAttempt } from './trade-attempt';

type Append = Extract<CoreEffect, { readonly type: 'append' }>;

/** What became of an event, once its effects were performed. */
export interface Performed {
  /** All effects, in the order in which they were performed. */
  readonly effects: readonly CoreEffect[];
  /** Why a write failed; null if none did. */
  readonly error: Error | null;
}

/** Performs what the trade core decides: writes its changes, and delivers how that ended. */
export class CoreShell {
  readonly core: TradeCore;
  private readonly attempts = new WeakMap<LiveRequest, TradeAttempt>();
  /** Writes in flight, with their events. */
  private readonly events = new Map<number, readonly StampedEvent[]>();
  private readonly writes = new Map<number, Promise<Performed>>();
  private readonly listeners: ((intent: IntentRecord) => void)[] = [];

  constructor(
    private readonly writer: JournalWriter,
    private readonly clock: Clock,
    private readonly running: RunningTime,
    responseTtlMs: number,
    private readonly log: JournalLog,
    private readonly recording: CoreRecording | null = null,
  ) {
    this.core = new TradeCore(responseTtlMs);
    recording?.write(stateLine(this.core.state, responseTtlMs));
  }

  get at(): Moment {
    return { utcMs: this.clock.nowMs(), runningMs: this.running.nowMs() };
  }

  /** Calls the listener when the outcome of a send is on disk, or kept in memory because the disk fails. It must not throw. */
  onSettled(listener: (intent: IntentRecord) => void): void {
    this.listeners.push(listener);
  }

  /** Delivers an event whose effects the caller performs. */
  deliver(body: CoreEventBody): readonly CoreEffect[] {
    const event = { ...body, at: this.at };
    const effects: CoreEffect[] = [];
    this.core.handle(event, effects);
    this.recording?.write(eventLine(event, effects));
    return effects;
  }

  /** Delivers an event, and performs its effects in their order. */
  async run(body: CoreEventBody): Promise<Performed> {
    return this.perform(this.deliver(body));
  }

  /** Resolves once a write has ended, and what follows from it was performed. */
  async ended(write: number): Promise<void> {
    await this.writes.get(write);
  }

  /** Resolves once no write is in flight. */
  async idle(): Promise<void> {
    while (this.writes.size > 0) await Promise.all(this.writes.values());
  }

  /** All requests in memory. */
  all(): TradeAttempt[] {
    return [...this.core.state.requests.values()].map((request) => this.attemptOf(request));
  }

  find(key: string): TradeAttempt | undefined {
    const request = this.core.state.requests.get(key);
    return request && this.attemptOf(request);
  }

  /** The request of an intent. */
  ofIntent(intentId: string): TradeAttempt | undefined {
    for (const request of this.core.state.requests.values()) {
      if (request.intents.has(intentId)) return this.attemptOf(request);
    }
    return undefined;
  }

  /** A request that begins. */
  begun(key: string, killGated: boolean): TradeAttempt {
    const request = this.core.state.requests.get(key);
    if (!request) throw new Error('a request that begins is missing');
    const attempt = new TradeAttempt(request, killGated);
    this.attempts.set(request, attempt);
    return attempt;
  }

  /** Whether the core has the request, and not another one under its key. */
  has({ key, request }: TradeAttempt): boolean {
    return this.core.state.requests.get(key) === request;
  }

  /** Has the core take in a settled request, of which an outcome or an answer changes. */
  takeUp(attempt: TradeAttempt): void {
    if (this.has(attempt)) return;
    const { record, intents, key } = attempt;
    const other = this.core.state.requests.get(key);
    if (other && other.record.id !== record.id)
      throw new Error(`the key of request ${record.id} is used by another one`);
    if (!other) this.deliver({ type: 'found', record, intents: [...intents.values()], isWritten: true });
    const request = this.core.state.requests.get(key);
    if (!request) return;
    attempt.request = request;
    if (!other) this.attempts.set(request, attempt);
  }

  private attemptOf(request: LiveRequest): TradeAttempt {
    const attempt = this.attempts.get(request) ?? new TradeAttempt(request, true);
    this.attempts.set(request, attempt);
    return attempt;
  }

  private async perform(effects: readonly CoreEffect[]): Promise<Performed> {
    const performed: CoreEffect[] = [];
    let error: Error | null = null;
    const take = (one: Performed): void => {
      performed.push(...one.effects);
      error ??= one.error;
    };
    for (const effect of effects) {
      performed.push(effect);
      switch (effect.type) {
        case 'append':
          // No refusal waits for the disk.
          if (effect.kind === 'refusals') void this.append(effect);
          else take(await this.append(effect));
          break;
        case 'wait':
          error ??= (await this.writes.get(effect.write))?.error ?? null;
          break;
        case 'keep in log': {
          const isKept = await this.writer.keptInLog(this.events.get(effect.write) ?? []);
          this.events.delete(effect.write);
          take(await this.run({ type: 'kept in log', write: effect.write, isKept }));
          break;
        }
        case 'show':
          for (const listener of this.listeners) listener(effect.intent);
          break;
        default:
          // The caller answers, refuses and sends by what it gets back.
          break;
      }
    }
    return { effects: performed, error };
  }

  private append(effect: Append): Promise<Performed> {
    const done = this.written(effect).finally(() => this.writes.delete(effect.write));
    this.writes.set(effect.write, done);
    return done;
  }

  private async written(effect: Append): Promise<Performed> {
    const { write, changes } = effect;
    const events = this.writer.stamped(effect.events);
    try {
      await this.writer.apply(changes, events);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error('a write failed', { cause });
      this.logFailure(effect, error);
      this.events.set(write, events);
      const { effects } = await this.run({ type: 'persist failed', write });
      this.events.delete(write);
      return { effects, error };
    }
    // The sender waits for the line of an intent, with other checks of a send; a fence holds as soon as it is on disk.
    if (effect.kind !== 'intent' && effect.kind !== 'fences') await this.writer.linesWritten(events);
    return this.run({ type: 'persisted', write });
  }

  private logFailure({ kind, key, changes }: Append, err: Error): void {
    if (kind === 'refusals' || kind === 'retention' || kind === 'fences') return;
    const facts = { err, key, ...intentFacts(changes) };
    if (kind === 'void') this.log.error(facts, 'a void cannot be written');
    else if (kind === 'intent') this.log.error(facts, 'the trade journal cannot be written');
    else this.log.error(facts, 'the trade journal cannot be written; kept in memory');
  }
}

function intentFacts(changes: Append['changes']): object {
  const put = changes.find((change) => 'put' in change && change.put === 'intent');
  return put && 'intent' in put ? { intent_id: put.intent.id, purpose: put.intent.purpose } : {};
}
