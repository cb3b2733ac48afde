import { TradeAction } from '@libs/terminal-client';
import { sentLongAfterSwitch } from '../invariants/account';
import { auditedIntents } from '../invariants/audit-log';
import { sentThoughHalted } from '../invariants/halted';
import { isChange, ticketOf } from '../invariants/protection';
import { LastPause } from '../judging/last-pause';
import { mayFlatten, type SendRecord } from '../sends';
import type { VirtualTime } from '../virtual-time';
import type { SiteJudge } from './gateway-site';
import { enteredDifferently, orderedTwice, protectionLost, unasked } from './invariants/orders';
import { trailedBack } from './invariants/trails';
import type { WholeJudge } from './whole-judge';

/** The switch is read right before the send that it lets pass, in one call to a disk. */
const haltMarginMs = 1;
const slowCallMs = 50;

/** Holds what one gateway sends against the requests of the daemon. */
export class GatewaySiteJudge implements SiteJudge {
  /** An operator's flattening may be under way: it sends what no client asked for. */
  isFlattening = false;
  private readonly flattened = new Set<SendRecord>();
  private readonly byTag = new Map<string, SendRecord[]>();
  private haltedSince: { readonly ms: number; readonly run: number | null } | null = null;
  private otherAccountSinceMs: number | null = null;
  private readonly pause = new LastPause();

  constructor(
    private readonly site: number,
    private readonly login: number,
    private readonly time: VirtualTime,
    private readonly judge: WholeJudge,
  ) {}

  /** Since when trading is certainly halted; null when it may be on. */
  get haltedSinceMs(): number | null {
    return this.haltedSince?.ms ?? null;
  }

  sending(send: SendRecord): void {
    if (this.isFlattening && mayFlatten(send.request)) {
      this.flattened.add(send);
      return;
    }
    this.judge.report('nothing is sent while trading is halted', this.haltProblems(send));
    if (isChange(send)) {
      const asks = this.judge.asks.changesOf(this.site, ticketOf(send));
      this.judge.report('protection changes only on request', protectionLost(send, asks));
      // A change of the other level repeats the stop-loss as it stands.
      const isMoved = send.request.sl !== send.standing?.sl;
      const trailing = asks.filter(({ body }) => isMoved && body['sl'] === send.request.sl);
      if (this.judge.isTrailing(trailing)) this.judge.report('a trailing stop is not moved back', trailedBack(send));
      return;
    }
    if (send.request.action === TradeAction.REMOVE) return;
    const ask = this.judge.asks.withTag(this.site, send.request.comment);
    this.judge.report('nothing is sent that the daemon did not ask for', unasked(send, ask));
    if (!ask) return;
    this.judge.fleet?.sending(this.site, send, ask);
    const earlier = this.byTag.get(send.request.comment) ?? [];
    this.judge.report('no key has two orders', orderedTwice(send, ask, earlier));
    this.judge.report('an entry is sent as it was asked for', enteredDifferently(send, ask));
    this.byTag.set(send.request.comment, [...earlier, send]);
  }

  executed(send: SendRecord): void {
    if (send.fate !== 'done') return;
    this.judge.report(
      'nothing goes to another account',
      sentLongAfterSwitch(send, this.otherAccountSinceMs, this.login, this.pause.nearMs(-Infinity)),
    );
  }

  gatewayEnded(): void {
    // A halt that only the process knew may be forgotten.
    if (this.haltedSince !== null && this.haltedSince.run !== null) this.haltedSince = null;
  }

  failedToStart(run: number, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.judge.report('a gateway starts', [`run ${run} of gateway ${this.site} could not start: ${reason}`]);
  }

  paused(ms: number): void {
    this.pause.begin(this.time.elapsedMs, ms);
  }

  otherAccount(sinceMs: number | null): void {
    this.otherAccountSinceMs = sinceMs;
  }

  halted(run: number | null): void {
    this.haltedSince ??= { ms: this.time.elapsedMs, run };
  }

  maybeReleased(): void {
    this.haltedSince = null;
  }

  journalLost(auditLogs: readonly string[]): void {
    // What the audit log has is known to the next start. The rest may be sent again.
    const audited = auditedIntents(auditLogs);
    const isKnown = ({ intentId }: SendRecord): boolean => audited.has(intentId);
    for (const [tag, sends] of this.byTag) this.byTag.set(tag, sends.filter(isKnown));
  }

  journalAccepted(): void {
    // What was sent before stays known.
  }

  private haltProblems(send: SendRecord): string[] {
    const sinceMs = this.haltedSinceMs;
    const pausedMs = sinceMs === null ? 0 : this.pause.nearMs(sinceMs);
    return sentThoughHalted(send, sinceMs, haltMarginMs + 2 * slowCallMs + pausedMs);
  }
}
