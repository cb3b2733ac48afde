import { join } from 'node:path';
import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { StoreEngine } from '@libs/store';
import { AccountMarginMode, type TerminalClient } from '@libs/terminal-client';
import { AccountNotices } from '../account-evidence/account-notices';
import { AccountEvidence, type AcknowledgedFill, type AcknowledgedOrder } from '../account-evidence/account-evidence';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { ServerTime } from '../server-time/server-time';
import { ServerTimeModule } from '../server-time/server-time.module';
import { PeriodicWork } from '../schedule/periodic-work';
import { QuoteAges } from '../symbols/quote-ages';
import { SymbolsModule } from '../symbols/symbols.module';
import { BadPrices } from '../terminal/bad-prices';
import { TerminalAccess } from '../terminal/terminal-access';
import { SHOWN_TERMINAL } from '../terminal/shown-terminal';
import { BROKER_BOOKS, TerminalModule } from '../terminal/terminal.module';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { closes, type IntentRecord } from '../trade-core/journal-records';
import { makesOrder } from '../trade-core/ticket-claims';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TerminalSession } from '../terminal-session/terminal-session';
import type { AccountReads } from './account-looks';
import { EvidenceEscalation } from './evidence-escalation';
import { EventLog } from './event-log';
import { EventLogStore } from './event-log.store';
import { OwnOrders } from './own-orders';
import { StreamConnections } from './stream-connections';
import { StreamsController } from './streams.controller';
import { TickFeed } from './tick-feed';
import { touchedBy } from './touched-by';
import { TradeWatcher } from './trade-watcher';

/** Age, in running time, of sends that the lists may not show yet after a restart. */
const recalledMs = 10 * 60_000;

/** About a day of busy trading, some tens of megabytes. */
const eventsKept = 20_000;

/**
 * Live streams, and the event log behind them. The watcher follows the session, with or without listeners.
 */
@Module({
  imports: [TerminalModule, ServerTimeModule, TradeJournalModule, SymbolsModule],
  controllers: [StreamsController],
  providers: [
    {
      provide: EventLogStore,
      useFactory: (settings: GatewaySettings, clock: Clock, stores: StoreEngine) =>
        new EventLogStore(stores, join(settings.STATE_DIR, 'trade-events'), eventsKept, clock.nowMs()),
      inject: [GATEWAY_SETTINGS, Clock, StoreEngine],
    },
    {
      provide: EventLog,
      useFactory: (store: EventLogStore) => {
        const logger = new Logger('streams');
        return new EventLog(store, (error) => logger.error({ err: error }, 'a subscriber of trade events failed'));
      },
      inject: [EventLogStore],
    },
    {
      provide: TickFeed,
      useFactory: (
        terminal: TerminalAccess,
        serverTime: ServerTime,
        clock: Clock,
        badPrices: BadPrices,
        ages: QuoteAges,
        notices: AccountNotices,
      ) => new TickFeed(terminal, serverTime, clock, badPrices, ages, notices),
      inject: [TerminalAccess, ServerTime, Clock, BadPrices, QuoteAges, AccountNotices],
    },
    {
      provide: TradeWatcher,
      useFactory: (
        terminal: TerminalAccess,
        log: EventLog,
        serverTime: ServerTime,
        periodic: PeriodicWork,
        shown: TerminalClient,
        evidence: AccountEvidence,
        ownOrders: OwnOrders,
        books: string,
      ) => {
        const reads: AccountReads = {
          // The lists as they are shown: the watcher finds out whether they are explained.
          read: (call) => terminal.readShown(call),
          readAccount: () => terminal.readAccount(),
          probe: () => terminal.probe(),
          pushes: shown.pushes,
          books,
        };
        const logger = new Logger('streams');
        const clock = periodic.clockOf('trade-events');
        return new TradeWatcher(reads, log, serverTime, clock, logger, evidence, ownOrders);
      },
      inject: [
        ...[TerminalAccess, EventLog, ServerTime, PeriodicWork, SHOWN_TERMINAL, AccountEvidence, OwnOrders],
        BROKER_BOOKS,
      ],
    },
    {
      provide: OwnOrders,
      useFactory: (clock: Clock, journal: TradeJournal, evidence: AccountEvidence, terminal: TerminalAccess) => {
        const orders = new OwnOrders(clock, (ticket) => journal.claim(ticket) !== undefined);
        evidence.awaitBy({
          orders: () => orders.awaited,
          fills: () => orders.fills,
          isBeforeChange: (row) => {
            const { intents } = journal;
            const isNetted = 'identifier' in row && !terminal.isHedging;
            return orders.isBeforeChange(row, isNetted ? intents.lateOnNetted(row) : intents.late(row.ticket));
          },
        });
        return orders;
      },
      inject: [Clock, TradeJournal, AccountEvidence, TerminalAccess],
    },
    StreamConnections,
    EvidenceEscalation,
  ],
  exports: [EventLog, TradeWatcher],
})
export class StreamsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly session: TerminalSession,
    private readonly watcher: TradeWatcher,
    private readonly store: EventLogStore,
    private readonly journal: TradeJournal,
    private readonly ownOrders: OwnOrders,
    @Inject(BROKER_BOOKS) private readonly books: string,
  ) {}

  /** Before the session starts, so that the first connect is observed. */
  onModuleInit(): void {
    let isHedging = false;
    let isRecalled = false;
    this.session.onConnected((account) => {
      isHedging = account.margin_mode === AccountMarginMode.RETAIL_HEDGING;
      if (!isRecalled) this.recall(isHedging);
      isRecalled = true;
      this.watcher.connected(account);
    });
    this.session.onDisconnected(() => this.watcher.disconnected());
    this.journal.shell.onSettled((intent) => {
      this.expect(intent, isHedging);
      const touched = touchedBy(intent, isHedging);
      if (touched) this.watcher.traded(touched);
    });
  }

  /** An acknowledged order must be shown soon. */
  private expect(intent: IntentRecord, isHedging: boolean): void {
    const order = acknowledgedOrder(intent);
    if (order) this.ownOrders.acknowledged(order);
    const fill = acknowledgedFill(intent, isHedging);
    if (fill) this.ownOrders.acknowledgedFill(fill);
  }

  /** Orders that the broker acknowledged just before the last stop: the lists may be those of before. */
  private recall(isHedging: boolean): void {
    // A broker that begins anew has none of them.
    if (this.books !== '') return;
    for (const intent of this.journal.intents.writtenWithin(recalledMs)) {
      const order = acknowledgedOrder(intent);
      if (order) this.ownOrders.recalled(order);
      const fill = acknowledgedFill(intent, isHedging);
      if (fill) this.ownOrders.acknowledgedFill(fill);
    }
  }

  /** After the sockets are closed, so that the log has the last trades and can be read until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.watcher.stop();
    await this.store.close();
  }
}

/** The order that a send made; null if none is known. */
function acknowledgedOrder({
  purpose,
  request,
  positionVolume,
  by,
  outcome,
  serverTimeMsc,
}: IntentRecord): AcknowledgedOrder | null {
  if (outcome.kind !== 'done') return null;
  const { symbol, position } = request;
  if (purpose === 'cancel') {
    return { ticket: request.order, symbol, closed: [], time: Math.floor(serverTimeMsc / 1_000), isCancelled: true };
  }
  if (!makesOrder(purpose) || outcome.result.order <= 0) return null;
  const { order: ticket } = outcome.result;
  const opposite = by ? [{ ticket: request.position_by, volume: by.positionVolume }] : [];
  const closed = closes(purpose) ? [{ ticket: position, volume: positionVolume }, ...opposite] : [];
  return { ticket, symbol, closed, time: Math.floor(serverTimeMsc / 1_000) };
}

/** What a send has filled, by the answer of the broker; null if that names no deal. */
function acknowledgedFill(
  { purpose, request, positionId, outcome, serverTimeMsc }: IntentRecord,
  isHedging: boolean,
): AcknowledgedFill | null {
  if (outcome.kind !== 'done' || !makesOrder(purpose)) return null;
  const { deal, order, volume } = outcome.result;
  if (deal <= 0 || order <= 0) return null;
  return {
    deal,
    order,
    position: closes(purpose) ? positionId : isHedging ? order : null,
    symbol: request.symbol,
    time: Math.floor(serverTimeMsc / 1_000),
    isWhole: volume >= request.volume,
  };
}
