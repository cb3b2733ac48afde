import { Decimal } from 'decimal.js';
import { DealType } from '@libs/terminal-client';
import type { Clock } from '@libs/clock';
import { obstacleText } from '@libs/order-drafts';
import type { AccountEvidence } from '../account-evidence/account-evidence';
import type { AuditLog } from '../audit/audit-log';
import type { AccountViewReader } from '../entry-limits/account-view';
import type { KillSwitch } from '../kill-switch/kill-switch';
import type { OpenDifferences } from '../reconciliation/open-differences';
import type { TerminalAccess } from '../terminal/terminal-access';
import type { TerminalSession } from '../terminal-session/terminal-session';
import type { KnownKey } from '../trade-core/known-key';
import type { TradeJournal } from '../trade-journal/trade-journal';
import type { Signals } from '../signals/signals';
import { peakStep, type Drawdown, type PeakMemory } from './drawdown';
import type { GatewayFacts } from './state-watch';
import type { ReadEvents } from './trade-intake';

/** The parts of the gateway that are watched. */
export interface WatchedParts {
  readonly session: TerminalSession;
  readonly evidence: AccountEvidence;
  readonly differences: OpenDifferences;
  readonly terminal: TerminalAccess;
  readonly killSwitch: KillSwitch;
  readonly audit: AuditLog;
  readonly journal: TradeJournal;
  readonly accountView: AccountViewReader;
  readonly log: ReadEvents;
  readonly signals: Pick<Signals, 'reports'> | null;
  /** Login from the settings; null if it is unset. */
  readonly login: number | null;
}

/** Time between two reads of the account for drawdowns. */
const accountEveryMs = 5_000;
const eventsAtOnce = 200;

/** Reads what rules watch. All but the account is known without a call to the terminal. */
export class FactsReader {
  private readAtMs = -Infinity;
  private day: Drawdown | null = null;

  constructor(
    private readonly parts: WatchedParts,
    private readonly clock: Clock,
    private readonly needs: { readonly day: boolean; readonly peak: boolean },
    private peak: PeakMemory | null,
  ) {}

  /** The peak to store. */
  get peakMemory(): PeakMemory | null {
    return this.peak;
  }

  async read(): Promise<GatewayFacts> {
    const { session, evidence, differences, killSwitch, journal, terminal, login, signals } = this.parts;
    const { state, problem } = session.status();
    const isConnected = state === 'connected';
    const isAccountRead = isConnected && (await this.readAccountIfDue());
    const { error: doubt } = evidence;
    return {
      nowMs: this.clock.nowMs(),
      account: terminal.login ?? login,
      currencyDigits: session.currencyDigits,
      isHalted: await killSwitch.isActive(),
      terminalProblem: isConnected ? (doubt?.lastError.message ?? this.tradingProblem()) : problem,
      storageProblems: this.storageProblems(),
      differences: new Map(differences.rows.map(({ kind, ticket, message }) => [`${kind} ${ticket}`, message])),
      signalProblems: new Map(
        (signals?.reports() ?? []).flatMap(({ name, problem }) => (problem === null ? [] : [[name, problem] as const])),
      ),
      settledAs: (key) => settledAs(journal.lookUp(key)),
      unknownOutcomes: new Map(journal.unresolved().map(({ record, key }) => [key, record.route])),
      drawdowns: { day: isAccountRead ? this.day : null, peak: isAccountRead ? this.peakDrawdown() : null },
    };
  }

  private tradingProblem(): string | null {
    const { tradingObstacle: obstacle } = this.parts.session;
    return obstacle === null ? null : `orders cannot be placed: ${obstacleText(obstacle)}`;
  }

  private storageProblems(): string[] {
    const { audit, killSwitch, journal } = this.parts;
    return [
      ...(journal.isWritable ? [] : ['the trade journal cannot be written']),
      ...(journal.trust.isLost ? ['the trade journal is lost'] : []),
      ...(audit.status.state === 'ok' ? [] : ['the audit log cannot be written']),
      ...(killSwitch.status.state === 'ok' ? [] : ['the kill-switch file cannot be written']),
    ];
  }

  /** @returns whether the figures of the account are current */
  private async readAccountIfDue(): Promise<boolean> {
    if (!this.needs.day && !this.needs.peak) return false;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.readAtMs < accountEveryMs) return true;
    try {
      if (this.needs.peak) await this.readPeak();
      if (this.needs.day) this.day = await this.readDay();
      this.readAtMs = nowMs;
      return true;
    } catch {
      this.readAtMs = -Infinity;
      return false;
    }
  }

  /** The equity at the start of the day is what remains without the day's results and floating profit. */
  private async readDay(): Promise<Drawdown | null> {
    const { accountView, terminal } = this.parts;
    const { dailyLoss } = await accountView.read({ volumes: false, dailyLoss: true, executed: [] });
    const equity = new Decimal((await terminal.readExplainedAccount()).equity);
    return dailyLoss === null ? null : { equity, reference: equity.plus(dailyLoss) };
  }

  private async readPeak(): Promise<void> {
    const { terminal, log } = this.parts;
    const { login, server, equity } = await terminal.readExplainedAccount();
    // Without its events, deposits and withdrawals since the last reading are unknown: the peak begins again.
    const before = this.peak && log.reachesBackTo(this.peak.seq) ? this.peak : null;
    const { operations, seq } = await this.operationsSince(before?.seq ?? log.lastSeq);
    this.peak = peakStep(before, { account: `${login}@${server}`, equity, operations, seq });
  }

  private async operationsSince(since: number): Promise<{ readonly operations: Decimal; readonly seq: number }> {
    let operations = new Decimal(0);
    for (let seq = since; ;) {
      const events = this.parts.log.after(seq, eventsAtOnce);
      for (const { deal } of events)
        if (deal && transfers.includes(deal.type)) operations = operations.plus(deal.profit);
      seq = events.at(-1)?.seq ?? seq;
      if (events.length < eventsAtOnce) return { operations, seq };
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private peakDrawdown(): Drawdown | null {
    if (this.peak === null) return null;
    return { equity: new Decimal(this.peak.last), reference: new Decimal(this.peak.peak) };
  }
}

/** Deals that move money into the account or out of it. */
const transfers: readonly number[] = [DealType.BALANCE, DealType.CREDIT, DealType.CORRECTION, DealType.BONUS];

/** What became of a request whose outcome was unknown, as the end of a sentence; empty if its record is gone. */
function settledAs(known: KnownKey | undefined): string {
  switch (known?.kind === 'request' ? known.record.status : known?.entry.status) {
    case 'recovered':
    case 'completed':
      return ': it was executed';
    case 'absent':
      return ': it was not executed';
    case 'accepted':
      return ': an operator accepted that it stays unknown';
    default:
      return '';
  }
}
