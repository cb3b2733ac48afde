import { AccountRows } from './account-rows';
import type { CoreEffect } from './core-effect';
import type { CoreEvent } from './core-event';
import type { CoreSnapshot } from './core-state';
import { StrategyCore } from './strategy-core';

/** Receives what one core handles, a line of JSON for its state before and one for each event with its effects. */
export interface CoreRecording {
  write(line: string): void;
}

/** The recordings of all cores of a program. */
export interface CoreRecordings {
  /** Begins the recording of a core of this strategy. */
  of(strategy: string): CoreRecording;
}

/** The first line of a recording: the state before its first event. */
export function stateLine(state: CoreSnapshot): string {
  return JSON.stringify(state);
}

/** The line of an event and its effects. */
export function eventLine(event: CoreEvent, effects: readonly CoreEffect[]): string {
  return JSON.stringify({ event, effects });
}

/** Delivers the events of a recording to a core of its own. */
export class CoreReplay {
  private core: StrategyCore;

  /** @param state the first line of the recording */
  constructor(state: string) {
    this.core = coreOf(state);
  }

  /** Has another core continue, with the state of this one. */
  restart(): void {
    this.core = coreOf(stateLine(this.core.state.snapshot));
  }

  /** The line that this core writes for the event in the next line of the recording. Other bytes show another decision. */
  next(line: string): string {
    const { event } = JSON.parse(line) as { readonly event: CoreEvent };
    const effects: CoreEffect[] = [];
    this.core.handle(revived(event), effects);
    return eventLine(event, effects);
  }
}

function coreOf(state: string): StrategyCore {
  return new StrategyCore(JSON.parse(state) as CoreSnapshot);
}

function revived(event: CoreEvent): CoreEvent {
  if (event.type !== 'rows') return event;
  const { positions, orders, accountProfit } = event.rows;
  return { ...event, rows: new AccountRows(positions, orders, accountProfit) };
}
