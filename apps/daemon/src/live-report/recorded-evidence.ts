import type { IntentRecord } from '../core/records';
import { microsOf } from '../logs/log-line';
import type { ComparedTrade } from './compared-trade';
import type { Evidence } from './live-comparison';

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

/** A time in which the strategy did not run. */
interface Absence {
  readonly fromMs: number;
  /** Infinity while it lasts. */
  readonly toMs: number;
  readonly problem: string;
}

/** Intents that concern a ticket are denied in these words; the others are entries. */
const ofTicket = /^(ticket \d|an earlier close)/;

/**
 * What the daemon has on record about entries that a live strategy did not make. Each record explains one entry at most.
 * The times of the records are those of the daemon's clock.
 */
export class RecordedEvidence {
  private readonly denials: Denial[] = [];
  private readonly absences: Absence[] = [];
  private readonly refused: IntentRecord[];

  /** @param log its lines, ascending, and whether they are all lines that it ever had */
  constructor(
    { lines, isWhole }: StrategyLines,
    intents: readonly IntentRecord[],
    private readonly toleranceMs: number,
  ) {
    const beginsMs = (microsOf(lines[0]?.split(' ')[0] ?? '') ?? 0) / 1_000;
    if (isWhole) this.absences.push({ fromMs: -Infinity, toMs: beginsMs, problem: 'its log begins later' });
    this.refused = intents.filter(({ isEntry, state }) => isEntry && state !== 'done' && state !== 'open');
    let failed: { readonly fromMs: number; readonly problem: string } | null = null;
    for (const line of lines) {
      const [, time = '', text = '', details = ''] =
        /^(\S+Z) [A-Z]+ (an intent was denied|failed|running) (\{.*\})$/.exec(line) ?? [];
      const micros = microsOf(time);
      const members = membersOf(details);
      if (micros === null || members === null) continue;
      const timeMs = micros / 1_000;
      if (text === 'failed') failed ??= { fromMs: timeMs, problem: String(members['problem']) };
      else if (text === 'running') {
        if (failed !== null) this.absences.push({ ...failed, toMs: timeMs });
        failed = null;
      } else this.deny(timeMs, String(members['reason']));
    }
    if (failed !== null) this.absences.push({ ...failed, toMs: Infinity });
  }

  /** What is on record about an entry; null if nothing is. */
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
    const absence = this.absences.find(({ fromMs, toMs }) => openedMs >= fromMs && openedMs <= toMs);
    return absence ? { cause: 'not running', detail: absence.problem } : null;
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
