import { Injectable } from '@nestjs/common';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { ServerTime } from '../server-time/server-time';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';

/** Most answers kept: a client asks for the same few again and again. */
const mostAnswers = 64;

/** Everything that an answer shows, as it was when the answer was made. */
interface Stamp {
  readonly prices: number;
  readonly claims: number;
  readonly evidence: number;
  readonly zone: unknown;
}

interface Kept {
  readonly stamp: Stamp;
  readonly body: string;
}

/**
 * Bodies of reads of the account, kept until something that they show changes. Only for a terminal that reports every change; any
 * other one is read each time.
 */
@Injectable()
export class ReadCache {
  private readonly answers = new Map<string, Kept>();

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly journal: TradeJournal,
    private readonly evidence: AccountEvidence,
  ) {}

  /**
   * The body of an answer, as JSON. Text, because Node sends it in one write with the head.
   * @param key the route with its query, as text
   * @param read reads positions, orders or the account's record; times and client keys may be added
   * @throws ApiError reconnect_cooldown or terminal_unavailable without a session, and what `read` throws
   */
  async body(key: string, read: () => Promise<object>): Promise<string> {
    if (!this.terminal.isVerified) await this.terminal.connected();
    const stamp = this.stamp();
    const kept = stamp && this.answers.get(key);
    if (kept && isSame(kept.stamp, stamp)) return kept.body;
    const body = JSON.stringify(await read());
    // What changed during the read may be in the body or not.
    if (stamp && isSame(stamp, this.stamp())) this.keep(key, { stamp, body });
    return body;
  }

  private keep(key: string, kept: Kept): void {
    this.answers.delete(key);
    this.answers.set(key, kept);
    if (this.answers.size <= mostAnswers) return;
    for (const oldest of this.answers.keys()) {
      this.answers.delete(oldest);
      return;
    }
  }

  private stamp(): Stamp | null {
    const prices = this.terminal.pushes?.priceRevision ?? null;
    if (prices === null) return null;
    const { journal, evidence, serverTime } = this;
    return { prices, claims: journal.claimsRevision, evidence: evidence.revision, zone: serverTime.rule };
  }
}

function isSame(a: Stamp, b: Stamp | null): boolean {
  if (b === null || a.prices !== b.prices || a.claims !== b.claims) return false;
  return a.evidence === b.evidence && a.zone === b.zone;
}
