import type { CoreEffect, PersistEffect, RequestedEffect } from '../core/core-effect';
import type { CoreEventBody, CoreMoment, SettlementEvent } from '../core/core-event';
import { eventLine, stateLine, type CoreRecording, type CoreRecordings } from '../core/core-recording';
import { startOf, type CoreState, type StoredState } from '../core/core-state';
import type { ForcedExit } from '../core/halt-rules';
import type { StopAction } from '../core/lost-stops';
import { ticketOf } from '../core/intent-call';
import type { Sweep } from '../core/pending-sweep';
import { StrategyCore } from '../core/strategy-core';
import { ticketKey } from '../core/ledger';
import { nanosNow } from '../latency/nanos';
import type { OwnedTicket } from '../core/records';
import { DurableState, type Persistence } from '../state/persistence';
import { CoreNotices, type TradingEvents } from './trading-events';
import { RequestEffects } from './request-effects';
import { noOrigin, type DeskSurroundings, type Origin } from './surroundings';

/** What the core of a strategy works with in the daemon. */
export interface CoreSurroundings extends DeskSurroundings {
  readonly events: TradingEvents;
  /** Null: nothing is recorded. */
  readonly recordings: CoreRecordings | null;
}

/** The core of one strategy in the daemon: adds the moment to its events, and performs every effect of them. */
export class LiveCore {
  readonly durable: DurableState;
  readonly notices: CoreNotices;
  readonly requests: RequestEffects;
  private readonly core: StrategyCore;
  private readonly recording: CoreRecording | null;
  /** Stop-losses that trailing stops are moving, by ticket. */
  private readonly moves = new Map<string, Promise<void>>();

  constructor(
    stored: StoredState,
    persistence: Persistence,
    private readonly around: CoreSurroundings,
  ) {
    this.core = new StrategyCore(startOf(stored));
    this.recording = around.recordings?.of(stored.spec.name) ?? null;
    this.recording?.write(stateLine(this.core.state.snapshot));
    this.durable = new DurableState(this.core.state.book, persistence, around.log);
    this.notices = new CoreNotices(around.log, around.events);
    this.requests = new RequestEffects(this, around);
  }

  /** To be read only: events change it. */
  get state(): CoreState {
    return this.core.state;
  }

  /** Delivers an event of the settlement. @returns its effects, for the settlement to perform in this order */
  handle(event: SettlementEvent): readonly CoreEffect[] {
    return this.effectsOf(event);
  }

  /**
   * Delivers an event and performs its effects, in their order. Resolves when the writes have ended, and the outcome of each
   * request is certain and the books show it, or its recovery continues in the background.
   * @param origin of the requests that follow
   */
  deliver(event: Exclude<CoreEventBody, SettlementEvent>, origin: Origin = noOrigin): Promise<void> {
    const performed: Promise<void>[] = [];
    for (const effect of this.effectsOf(event)) {
      const ends = this.perform(effect, origin);
      if (ends) performed.push(ends);
    }
    const all = Promise.all(performed).then(() => undefined);
    // A rejection that no caller waits for must not end the process: the request is held for it, which is logged.
    all.catch(() => undefined);
    return all;
  }

  /** Performs an effect. A write or a request begins at once, and ends later. */
  perform(effect: CoreEffect, origin: Origin = noOrigin): Promise<void> | undefined {
    switch (effect.type) {
      case 'persist':
        return isRequested(effect) ? this.requests.follow(effect, origin) : this.write(effect);
      case 'submit':
      case 'ask':
      case 'find order':
        return this.requests.follow(effect, origin);
      case 'queue':
        this.around.events.emit({ type: 'reached', layer: effect.layer });
        return undefined;
      case 'cancel':
        this.act(effect.sweep, 'cancelling a pending order');
        return undefined;
      case 'close':
        this.act(effect.exit, 'closing a position');
        return undefined;
      case 'lost stop': {
        const { action } = effect.action.intent;
        this.act(effect.action, action === 'close' ? 'closing a position' : 'restoring a stop-loss');
        return undefined;
      }
      case 'trail':
        this.beginMove(effect);
        return undefined;
      case 'read order':
      case 'read external deals':
      case 'read deals':
        throw new Error(`the settlement has to perform the effect "${effect.type}"`);
      default:
        this.notices.tell(effect);
        return undefined;
    }
  }

  private effectsOf(event: CoreEventBody): readonly CoreEffect[] {
    const effects: CoreEffect[] = [];
    const delivered = { ...event, at: this.moment };
    this.core.handle(delivered, effects);
    this.recording?.write(eventLine(delivered, effects));
    return effects;
  }

  private async write({ n, change }: PersistEffect): Promise<void> {
    const isDurable = await this.durable.write(change);
    await this.deliver({ type: 'persisted', n, isDurable });
  }

  /** Not queued and not waited for: it must also work while the strategy's thread hangs or has ended. */
  private act({ intent, reason }: Sweep | ForcedExit | Omit<StopAction, 'noted'>, what: string): void {
    const { keys, log } = this.around;
    log.info(what, { ticket: ticketOf(intent), reason });
    const event = { type: 'intent', intent, circumstances: null, key: keys.next() } as const;
    this.deliver(event, { receivedNanos: null, decidedNanos: nanosNow() }).catch((error: unknown) =>
      log.error(`${what} failed`, { error: String(error) }),
    );
  }

  /** Resolves when no trailing stop moves the stop-loss of these tickets, or when an outcome is recovered in the background. */
  async moved(tickets: readonly OwnedTicket[]): Promise<void> {
    await Promise.all(tickets.flatMap(({ broker, ticket }) => this.moves.get(ticketKey(broker, ticket)) ?? []));
  }

  private beginMove(effect: Extract<CoreEffect, { type: 'trail' }>): void {
    const key = ticketKey(effect.broker, effect.ticket);
    const ends = this.trail(effect).finally(() => this.moves.delete(key));
    this.moves.set(key, ends);
  }

  /** Reads the account first: the stop-loss may not be where the last snapshot has it. Not queued, as {@link cancel}. */
  private async trail({ broker, ticket }: Extract<CoreEffect, { type: 'trail' }>): Promise<void> {
    const { gateways, keys, log } = this.around;
    const { sync, session } = gateways.get(broker) ?? {};
    const failed = (error: unknown): void => log.error('moving a stop-loss failed', { ticket, error: String(error) });
    const isRead = (await sync?.now().then(() => sync.current, failed)) === true;
    const isNetting = session?.isHedging === false;
    const event = { type: 'trail turn', broker, ticket, key: keys.next(), isCurrent: isRead, isNetting } as const;
    await this.deliver(event, { receivedNanos: null, decidedNanos: nanosNow() }).catch(failed);
  }

  private get moment(): CoreMoment {
    const { clock, gateways, shutdown } = this.around;
    const journals: Record<string, string | null> = {};
    for (const [name, { session }] of gateways) journals[name] = session.journalId;
    return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), isStopping: shutdown.isStopping, journals };
  }
}

function isRequested(effect: PersistEffect): effect is PersistEffect & RequestedEffect {
  return effect.key !== null;
}
