import type { CoreEffect, PersistEffect } from '../core/core-effect';
import type { CoreEventBody, CoreMoment } from '../core/core-event';
import { beginningLine, eventLine, type CoreRecording, type CoreRecordings } from '../core/core-recording';
import type { CoreBeginning, CoreState } from '../core/core-state';
import { StrategyCore } from '../core/strategy-core';
import type { Persistence } from '../state/persistence';
import { CoreNotices } from './core-notices';
import { DurableState } from './durable-state';
import type { DeskSurroundings } from './desk-surroundings';
import type { TradingEvents } from './trading-events';

/** What the core of a strategy works with in the daemon. */
export type CoreSurroundings = Pick<DeskSurroundings, 'clock' | 'gateways' | 'shutdown' | 'log'> & {
  readonly events: TradingEvents;
  /** Null: nothing is recorded. */
  readonly recordings: CoreRecordings | null;
};

/** The core of one strategy in the daemon: adds the moment to its events, and performs the effects that need no answer. */
export class LiveCore {
  readonly durable: DurableState;
  readonly notices: CoreNotices;
  private readonly core: StrategyCore;
  private readonly recording: CoreRecording | null;

  constructor(
    beginning: CoreBeginning,
    persistence: Persistence,
    private readonly around: CoreSurroundings,
  ) {
    this.core = new StrategyCore(beginning);
    this.recording = around.recordings?.of(beginning.spec.name) ?? null;
    this.recording?.write(beginningLine(beginning));
    this.durable = new DurableState(this.core.state.book, persistence, around.log);
    this.notices = new CoreNotices(around.log, around.events);
  }

  /** To be read only: events change it. */
  get state(): CoreState {
    return this.core.state;
  }

  /** Delivers an event. @returns its effects, for the caller to perform in this order */
  handle(event: CoreEventBody): readonly CoreEffect[] {
    const effects: CoreEffect[] = [];
    const delivered = { ...event, at: this.moment };
    this.core.handle(delivered, effects);
    this.recording?.write(eventLine(delivered, effects));
    return effects;
  }

  /**
   * Delivers an event and performs its effects, except for those that are returned.
   * @returns what requests, the settlement or the strategy's queue have to perform
   */
  deliver(event: CoreEventBody): { readonly rest: readonly CoreEffect[]; readonly written: Promise<unknown> } {
    const writes: Promise<void>[] = [];
    const rest = this.handle(event).filter((effect) => {
      const performed = this.perform(effect);
      if (performed instanceof Promise) writes.push(performed);
      return performed === 'not performed';
    });
    return { rest, written: Promise.all(writes) };
  }

  /** Performs an effect. A write begins at once, and ends later. */
  perform(effect: CoreEffect): Promise<void> | undefined | 'not performed' {
    switch (effect.type) {
      case 'persist':
        return effect.key === null ? this.write(effect) : 'not performed';
      case 'submit':
      case 'ask':
      case 'find order':
      case 'read order':
      case 'read external deals':
      case 'read deals':
      case 'queue':
      case 'cancel':
        return 'not performed';
      default:
        this.notices.tell(effect);
        return undefined;
    }
  }

  private async write({ n, change }: PersistEffect): Promise<void> {
    const isDurable = await this.durable.write(change);
    this.handle({ type: 'persisted', n, isDurable });
  }

  private get moment(): CoreMoment {
    const { clock, gateways, shutdown } = this.around;
    const journals: Record<string, string | null> = {};
    for (const [name, { session }] of gateways) journals[name] = session.journalId;
    return { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs(), isStopping: shutdown.isStopping, journals };
  }
}
