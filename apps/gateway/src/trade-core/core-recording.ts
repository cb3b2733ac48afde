import type { CoreEffect, CoreEvent } from './core-event';
import { TradeCore } from './trade-core';
import type { TradeState } from './trade-state';

/** Receives what the core handles, a line of JSON for its state before and one for each event with its effects. */
export interface CoreRecording {
  write(line: string): void;
}

/** The first line of a recording: the state before its first event. */
export function stateLine(state: TradeState, responseTtlMs: number): string {
  return JSON.stringify({ responseTtlMs, state }, (_, value: unknown) => {
    if (value instanceof Map) return { $map: [...(value as Map<unknown, unknown>)] };
    return value instanceof Set ? { $set: [...(value as Set<unknown>)] } : value;
  });
}

/** The line of an event and its effects. */
export function eventLine(event: CoreEvent, effects: readonly CoreEffect[]): string {
  return JSON.stringify({ event, effects });
}

/** Delivers the events of a recording to a core of its own. */
export class CoreReplay {
  private core: TradeCore;

  /** @param state the first line of the recording */
  constructor(state: string) {
    this.core = coreOf(state);
  }

  /** Has another core continue, with the state of this one. */
  restart(): void {
    this.core = coreOf(stateLine(this.core.state, this.core.responseTtlMs));
  }

  /** The line that this core writes for the event in the next line of the recording. Other bytes show another decision. */
  next(line: string): string {
    const { event } = JSON.parse(line) as { readonly event: CoreEvent };
    const effects: CoreEffect[] = [];
    this.core.handle(event, effects);
    return eventLine(event, effects);
  }
}

function coreOf(line: string): TradeCore {
  const { responseTtlMs, state } = JSON.parse(line, (_, value: unknown) => revived(value)) as {
    readonly responseTtlMs: number;
    readonly state: TradeState;
  };
  if (state.version !== 2) throw new Error(`the state of a trade core has version ${String(state.version)}, not 2`);
  return new TradeCore(responseTtlMs, state);
}

function revived(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if ('$map' in value) return new Map(value.$map as (readonly [unknown, unknown])[]);
  return '$set' in value ? new Set(value.$set as unknown[]) : value;
}
