import { Injectable, type OnModuleInit } from '@nestjs/common';
import { latestDateS } from '@libs/terminal-client';
import { BrokerClock } from '../terminal/broker-clock';
import { TerminalAccess } from '../terminal/terminal-access';
import { TerminalSession } from '../terminal-session/terminal-session';
import type { AccountTraces } from './journal-trust';
import { tagPattern } from './key-marks';
import { TradeJournal } from './trade-journal';

const dayS = 86_400;
/** Retention of the journal's intents, plus a day for the server's time zone. */
const lookbackS = 36 * dayS;

/** Searches the account for positions, orders and deals with the tag of a key, which only a journal creates. */
@Injectable()
export class TaggedTraces implements AccountTraces, OnModuleInit {
  constructor(
    private readonly journal: TradeJournal,
    private readonly session: TerminalSession,
    private readonly terminal: TerminalAccess,
    private readonly brokerClock: BrokerClock,
  ) {}

  /** Before the session starts, so that a new journal is proven at the first connect. */
  onModuleInit(): void {
    this.journal.trust.proveWith(this);
    this.session.onConnected(() => void this.journal.trust.settle());
  }

  async find(): Promise<string | null> {
    const nowS = Math.floor(this.brokerClock.nowMs() / 1_000);
    const window = { from: Math.max(0, nowS - lookbackS), to: latestDateS };
    const [positions, orders, doneOrders, deals] = await this.terminal.read(async (terminal) => [
      await terminal.positionsGet(),
      await terminal.ordersGet(),
      await terminal.historyOrdersGet(window),
      await terminal.historyDealsGet(window),
    ]);
    return (
      traceOf('position', positions) ??
      traceOf('order', orders) ??
      traceOf('order', doneOrders) ??
      traceOf('deal', deals)
    );
  }
}

function traceOf(kind: string, rows: readonly { readonly ticket: number; readonly comment: string }[]): string | null {
  const tagged = rows.find(({ comment }) => tagPattern.test(comment));
  return tagged ? `${kind} ${tagged.ticket}, which carries the tag of a key` : null;
}
