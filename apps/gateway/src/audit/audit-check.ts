import type { auditVerificationFields, RecordOf } from '@libs/records';
import { parsedLine } from './audit-tail';

/** What a check of an audit log found. `problems` has the first ones, in the order in which they were found. */
export type AuditFindings = Readonly<Omit<RecordOf<typeof auditVerificationFields>, 'verified_at' | 'consistent'>> & {
  readonly problems: readonly string[];
};

interface Line {
  readonly sequence: number;
  readonly timestamp: string;
  readonly event: string;
  readonly intent_id?: string | null;
  readonly record?: string | null;
}

const outcomes: readonly string[] = ['broker_response', 'unknown_outcome', 'recovered', 'refused', 'outcome_accepted'];
const mostProblems = 100;

/**
 * Checks the lines of one audit log in their order: numbers without gaps, times that do not go back, each record of the journal
 * once, and an outcome for each intent. A rotated log continues with the number after the last one of the file before it.
 */
export class AuditCheck {
  private readonly counts = { lines: 0, intents: 0, unknown: 0, torn: 0 };
  private readonly problems: string[] = [];
  private problemCount = 0;
  private readonly open = new Map<string, number>();
  private readonly unresolved = new Set<string>();
  /** The last record of each series. */
  private readonly records = new Map<string, number>();
  private first: Line | null = null;
  private last: Line | null = null;
  /** Numbers of the lines before this one that are not whole. */
  private torn: number[] = [];
  private number = 0;

  add(text: string): void {
    this.number += 1;
    const line = parsed(text);
    if (line === null) {
      this.torn.push(this.number);
      return;
    }
    this.counts.lines += 1;
    this.checkOrder(line);
    this.first ??= line;
    this.last = line;
    if (line.intent_id != null) this.checkIntent(line, line.intent_id);
    if (line.record != null) this.checkRecord(line.record);
  }

  /** @param isInFlight whether the request of an intent is still running */
  findings(isInFlight: (intentId: string) => boolean = () => false): AuditFindings {
    const { counts, first, last } = this;
    const left = [...this.open].filter(([intent]) => !isInFlight(intent));
    const without = left.map(([intent, at]) => `line ${at}: intent ${intent} has no outcome`);
    return {
      ...counts,
      // The very last line may be in the middle of being written, or wait for the next start, which ends it.
      torn: counts.torn + this.torn.length,
      unresolved: this.unresolved.size,
      in_flight: this.open.size - left.length,
      first_sequence: first?.sequence ?? null,
      last_sequence: last?.sequence ?? null,
      problems: [...this.problems, ...without].slice(0, mostProblems),
      problem_count: this.problemCount + without.length,
    };
  }

  private checkOrder({ sequence, timestamp }: Line): void {
    const { last, torn } = this;
    const isNext = last === null || sequence === last.sequence + 1;
    // A crash or a full disk can only cut lines short that were never acknowledged; then the next one carries their number.
    if (isNext) this.counts.torn += torn.length;
    else for (const at of torn) this.problem(at, 'is not JSON');
    this.torn = [];
    if (last === null) return;
    if (!isNext) this.problem(this.number, `sequence ${sequence} follows ${last.sequence}`);
    if (timestamp < last.timestamp) this.problem(this.number, `${timestamp} is before ${last.timestamp}`);
  }

  private checkIntent({ event }: Line, intent: string): void {
    if (event === 'intent') {
      this.counts.intents += 1;
      if (this.open.has(intent)) this.problem(this.number, `intent ${intent} is there twice`);
      this.open.set(intent, this.number);
    } else if (outcomes.includes(event)) {
      this.open.delete(intent);
      if (event === 'unknown_outcome') {
        this.counts.unknown += 1;
        this.unresolved.add(intent);
      } else this.unresolved.delete(intent);
    }
  }

  private checkRecord(record: string): void {
    const [series = '', text = ''] = record.split('/');
    const number = Number(text);
    const last = this.records.get(series);
    if (last !== undefined && number !== last + 1) {
      this.problem(this.number, `record ${number} of the journal follows record ${last}`);
    }
    this.records.set(series, number);
  }

  private problem(at: number, text: string): void {
    this.problemCount += 1;
    if (this.problems.length < mostProblems) this.problems.push(`line ${at}: ${text}`);
  }
}

function parsed(text: string): Line | null {
  const line = (parsedLine(text) ?? {}) as Partial<Line>;
  const isLine =
    Number.isInteger(line.sequence) && typeof line.timestamp === 'string' && typeof line.event === 'string';
  return isLine ? (line as Line) : null;
}
