import type { IntentRecord, HaltRecord } from '../core/records';
import { microsOf } from '../logs/log-line';
import type { ComparedTrade } from './compared-trade';
import type { Evidence, Records } from './live-comparison';

/** What the log of a strategy says about entries that were not made. */
interface Denial extends Evidence {
  readonly timeMs: number;
}

/** The log of a strategy. */
export interface StrategyLines {
  readonly lines: readonly string[];
  /** Whether rotation has removed no line. */
  readonly isWhole: boolean;
}

/** Intents that concern a ticket are denied in these words; the others are entries. */
const ofTicket = /^(ticket \d|an earlier close)/;

/** Lines that say something about entries, with their details as JSON. */
const recordedLine = /^(\S+Z) [A-Z]+ (an intent was denied|failed|running|halted|resumed)(?: (\{.*\}))?$/;

/**
 * What the daemon has on record about entries that a live strategy did not make. The times of the records are those of the
 * daemon's clock.
 */
export class RecordedEvidence implements Records {
  private readonly denials: Denial[] = [];
  /** Times in which the strategy did not run. */
  private readonly absences: IdleTime[] = [];
  private halts: IdleTime[] = [];
  private readonly refused: IntentRecord[];
  /** Since when it has not run, and why; null while it runs. */
  private failed: Pick<IdleTime, 'fromMs' | 'reason'> | null = null;

  /** @param log its lines, ascending, and whether they are all lines that it ever had */
  constructor(
    { lines, isWhole }: StrategyLines,
    intents: readonly IntentRecord[],
    private readonly toleranceMs: number,
  ) {
    const beginsMs = (microsOf(lines[0]?.split(' ')[0] ?? '') ?? 0) / 1_000;
    if (isWhole) this.absences.push({ fromMs: -Infinity, toMs: beginsMs, reason: 'its log begins later' });
    this.refused = intents.filter(({ isEntry, state }) => isEntry && state !== 'done' && state !== 'open');
    for (const line of lines) {
      const [, time = '', text = '', details = '{}'] = recordedLine.exec(line) ?? [];
      const micros = microsOf(time);
      const members = membersOf(details);
      if (micros !== null && members !== null) this.note(micros / 1_000, text, members);
    }
    if (this.failed !== null) this.absences.push({ ...this.failed, toMs: Infinity });
  }

  of({ symbol, side, openedMs }: ComparedTrade): Evidence | null {
    const isNear = (timeMs: number): boolean => Math.abs(timeMs - openedMs) <= this.toleranceMs;
    const refused = this.refused.findIndex(
      (intent) => intent.symbol === symbol && sideOf(intent) === side && isNear(intent.createdAtMs),
    );
    if (refused !== -1) {
      const [intent] = this.refused.splice(refused, 1);
      return { cause: 'rejected', detail: intent?.outcome ?? 'no reason is recorded' };
    }
    const denied = this.denials.findIndex(({ timeMs }) => isNear(timeMs));
    if (denied !== -1) {
      const [denial] = this.denials.splice(denied, 1);
      if (denial) return { cause: denial.cause, detail: denial.detail };
    }
    const halt = idleAt(this.halts, openedMs);
    if (halt) return { cause: 'halted', detail: halt.reason };
    const absence = idleAt(this.absences, openedMs);
    return absence ? { cause: 'not running', detail: absence.reason } : null;
  }

  private note(timeMs: number, text: string, members: Readonly<Record<string, unknown>>): void {
    const { problem, reason, kind } = members;
    if (text === 'failed') this.failed ??= { fromMs: timeMs, reason: String(problem) };
    else if (text === 'running') {
      if (this.failed !== null) this.absences.push({ ...this.failed, toMs: timeMs });
      this.failed = null;
    } else if (text === 'an intent was denied') this.deny(timeMs, String(reason));
    else if (text === 'resumed') this.endHalt(timeMs);
    else if (kind === 'daily' || kind === 'persistent') {
      this.halts.push(haltedTime({ kind, reason: String(reason), atMs: timeMs }));
    }
  }

  private endHalt(timeMs: number): void {
    this.halts = this.halts.map((halt) => ({ ...halt, toMs: Math.min(halt.toMs, timeMs) }));
  }

  private deny(timeMs: number, reason: string): void {
    if (ofTicket.test(reason)) return;
    const cause = reason === 'stale_bar' ? 'late bar' : reason.startsWith('halted: ') ? 'halted' : 'denied';
    this.denials.push({ timeMs, cause, detail: reason });
  }
}

function sideOf({ call }: IntentRecord): 'buy' | 'sell' {
  const body: unknown = call.body;
  const type = typeof body === 'object' && body !== null && 'type' in body ? String(body.type) : '';
  return type.startsWith('SELL') ? 'sell' : 'buy';
}

/** Null for a line that was cut off. */
function membersOf(json: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  } catch {
    return null;
  }
}

/** A time in which a strategy made no entries. */
export interface IdleTime {
  /** UTC milliseconds. */
  readonly fromMs: number;
  /** Exclusive; Infinity while it lasts. */
  readonly toMs: number;
  readonly reason: string;
}

const dayMs = 86_400_000;

/** The time of a halt that no operator ends: a daily one ends with the day, in UTC. */
export function haltedTime({ kind, reason, atMs: fromMs }: Pick<HaltRecord, 'kind' | 'reason' | 'atMs'>): IdleTime {
  const toMs = kind === 'daily' ? (Math.floor(fromMs / dayMs) + 1) * dayMs : Infinity;
  return { fromMs, toMs, reason };
}

/** The time that an instant lies in; undefined if it lies in none. */
export function idleAt(times: readonly IdleTime[], timeMs: number): IdleTime | undefined {
  return times.find(({ fromMs, toMs }) => timeMs >= fromMs && timeMs < toMs);
}
