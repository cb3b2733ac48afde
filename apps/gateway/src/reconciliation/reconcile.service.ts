import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { isInside, terminalWindow } from '../history/history-window';
import { keyedDeal, keyedOrder } from '../history/keyed-rows';
import { positionRow } from '../positions/position-rows';
import { ServerTime } from '../server-time/server-time';
import { BrokerClock } from '../terminal/broker-clock';
import { SymbolDigits } from '../terminal/symbol-digits';
import { TerminalAccess } from '../terminal/terminal-access';
import type { IntentRecord } from '../trade-core/journal-records';
import type { TradeAttempt } from '../trade-journal/trade-attempt';
import { TradeJournal } from '../trade-journal/trade-journal';
import { readBroker } from './broker-snapshot';
import { findDifferences, type JournalView } from './differences';
import type { ReconcileResponse, UnresolvedRequest } from './reconcile.response';

const hourMs = 3_600_000;

/** Compares the broker's data with the journal. */
@Injectable()
export class ReconcileService {
  constructor(
    private readonly terminal: TerminalAccess,
    private readonly serverTime: ServerTime,
    private readonly journal: TradeJournal,
    private readonly clock: Clock,
    private readonly brokerClock: BrokerClock,
    private readonly digits: SymbolDigits,
  ) {}

  /** @throws ApiError if any part of the broker's data could not be read */
  async reconcile(magic: number | null, lookbackHours: number): Promise<ReconcileResponse> {
    const nowMs = this.clock.nowMs();
    const marketMs = this.brokerClock.nowMs();
    const span = { fromMs: marketMs - lookbackHours * hourMs, toMs: null };
    const window = terminalWindow(span, this.serverTime, marketMs);
    const all = await this.terminal.lists(window, (terminal) => readBroker(terminal, window));
    const intents = await this.journal.intents.since(nowMs - lookbackHours * hourMs);
    const isMeant = (row: { readonly magic: number }): boolean => magic === null || row.magic === magic;
    const broker = {
      ...all,
      positions: all.positions.filter(isMeant),
      orders: all.orders.filter(isMeant),
      deals: all.deals.filter(isMeant),
    };
    await this.digits.learn(broker.positions.map(({ symbol }) => symbol));
    const differences = findDifferences(
      { ...broker, deals: all.deals },
      journalView(
        this.journal,
        this.digits,
        intents.filter(
          ({ request, serverTimeMsc }) => isMeant(request) && isInside(span, this.serverTime, serverTimeMsc),
        ),
      ),
    );
    return {
      ok: true,
      as_of: new Date(nowMs).toISOString(),
      magic,
      positions: broker.positions.map((position) => positionRow(position, this.serverTime, this.journal)),
      orders: broker.orders.map((order) => keyedOrder(order, this.serverTime, this.journal)),
      deals: broker.deals
        .filter(({ time_msc }) => isInside(span, this.serverTime, time_msc))
        .map((deal) => keyedDeal(deal, this.serverTime, this.journal)),
      unresolved: this.journal
        .unresolved()
        .filter((attempt) => concerns(attempt, magic))
        .map(unresolvedRequest),
      differences,
      discrepancies: differences,
    };
  }
}

/** What is compared with the broker. @param intents settled and open ones, oldest first */
export function journalView(
  journal: TradeJournal,
  digits: SymbolDigits,
  intents: readonly IntentRecord[],
): JournalView {
  return {
    intents,
    claimOf: (ticket) => journal.claim(ticket),
    open: [...journal.running(), ...journal.unresolved()].flatMap(({ openIntents }) => openIntents),
    mayBeBehind: (intent) => journal.intents.isLate(intent),
    digitsOf: (symbol) => digits.of(symbol),
  };
}

function concerns({ openIntents }: TradeAttempt, magic: number | null): boolean {
  return magic === null || openIntents.some(({ request }) => request.magic === magic);
}

function unresolvedRequest({ record, openIntents }: TradeAttempt): UnresolvedRequest {
  return {
    client_order_id: record.clientOrderId,
    id: record.id,
    request_id: record.requestId,
    route: record.route,
    created_at: new Date(record.createdAtMs).toISOString(),
    sends: openIntents.map(({ id, purpose, request, outcome }) => ({
      intent_id: id,
      purpose,
      symbol: request.symbol,
      volume: request.volume,
      position: request.position || null,
      order: request.order || null,
      magic: request.magic,
      comment: request.comment,
      reason: outcome.kind === 'unknown' ? outcome.reason : outcome.kind,
      undecidable: outcome.kind === 'unknown' && outcome.undecidable === true,
    })),
  };
}
