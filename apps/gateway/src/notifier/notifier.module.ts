import { join } from 'node:path';
import {
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Clock, within } from '@libs/clock';
import { StoreEngine } from '@libs/store';
import { AuditLog } from '../audit/audit-log';
import { AccountViewReader } from '../entry-limits/account-view';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { EntryLimitsModule } from '../entry-limits/entry-limits.module';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { NEW_ID, type NewId } from '../gateway.edge';
import { KillSwitch } from '../kill-switch/kill-switch';
import { KillSwitchModule } from '../kill-switch/kill-switch.module';
import { ServerTime } from '../server-time/server-time';
import { PeriodicWork } from '../schedule/periodic-work';
import { OpenDifferences } from '../reconciliation/open-differences';
import { ReconciliationModule } from '../reconciliation/reconciliation.module';
import { ServerTimeModule } from '../server-time/server-time.module';
import { SIGNALS, type Signals } from '../signals/signals';
import { SignalsModule } from '../signals/signals.module';
import { EventLog } from '../streams/event-log';
import { StreamsModule } from '../streams/streams.module';
import { BrokerClock } from '../terminal/broker-clock';
import { SymbolDigits } from '../terminal/symbol-digits';
import { TerminalAccess } from '../terminal/terminal-access';
import { TerminalModule } from '../terminal/terminal.module';
import { TerminalSession } from '../terminal-session/terminal-session';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TradeJournalModule } from '../trade-journal/trade-journal.module';
import { ChannelPump } from './channel-pump';
import { channelOf } from './channels/channel-of';
import { DailyReport } from './daily-report';
import type { PeakMemory } from './drawdown';
import { FactsReader, type WatchedParts } from './gateway-facts';
import { NotifiedFile } from './notifier.config';
import { NotificationsController } from './notifications.controller';
import { NOTIFIER, Notifier } from './notifier';
import type { NotifierFile } from './notifier-file';
import { NotifierMetrics, notifierMetrics, waitingMetrics } from './notifier.metrics';
import { NotifierStore } from './notifier.store';
import { TradeIntake } from './trade-intake';

/** Longest wait for a look or an attempt that is under way at shutdown. */
const stopLimitMs = 3_000;

/** Messages about trades and about the state of the gateway, as NOTIFIER_FILE names them. */
@Module({
  imports: [
    TerminalModule,
    ServerTimeModule,
    KillSwitchModule,
    EntryLimitsModule,
    TradeJournalModule,
    StreamsModule,
    ReconciliationModule,
    SignalsModule,
  ],
  controllers: [NotificationsController],
  providers: [
    NotifiedFile,
    NotifierMetrics,
    ...notifierMetrics,
    ...waitingMetrics,
    {
      provide: DailyReport,
      useFactory: (view: AccountViewReader, terminal: TerminalAccess, clock: Clock) =>
        new DailyReport(view, terminal, () => clock.nowMs()),
      inject: [AccountViewReader, TerminalAccess, Clock],
    },
    {
      provide: 'WATCHED_PARTS',
      useFactory: (
        session: TerminalSession,
        terminal: TerminalAccess,
        killSwitch: KillSwitch,
        audit: AuditLog,
        journal: TradeJournal,
        accountView: AccountViewReader,
        log: EventLog,
        evidence: AccountEvidence,
        differences: OpenDifferences,
        settings: GatewaySettings,
        signals: Signals | null,
      ): WatchedParts => {
        const login = settings.TERMINAL_LOGIN ?? null;
        const parts = { session, terminal, killSwitch, audit, journal, accountView, log, evidence, differences, login };
        return { ...parts, signals };
      },
      inject: [
        ...[TerminalSession, TerminalAccess, KillSwitch, AuditLog, TradeJournal, AccountViewReader, EventLog],
        AccountEvidence,
        OpenDifferences,
        GATEWAY_SETTINGS,
        SIGNALS,
      ],
    },
    {
      provide: NOTIFIER,
      useFactory: (
        { file }: NotifiedFile,
        settings: GatewaySettings,
        stores: StoreEngine,
        periodic: PeriodicWork,
        newId: NewId,
        watched: WatchedParts,
        report: DailyReport,
        metrics: NotifierMetrics,
        serverTime: ServerTime,
        brokerClock: BrokerClock,
        digits: SymbolDigits,
      ) => {
        if (file === null) return null;
        const clock = periodic.clockOf('notifier');
        const store = new NotifierStore(stores, join(settings.STATE_DIR, 'notifications'));
        const log = new Logger('notifier');
        const notifier = new Notifier({
          file,
          store,
          report,
          newId,
          clock,
          log,
          intake: intakeOf(file, watched, store, clock, digits),
          facts: new FactsReader(watched, clock, needsOf(file), (store.fact('peak') ?? null) as PeakMemory | null),
          pumps: file.channels.map((spec) => new ChannelPump(channelOf(spec, clock), store, clock, log, metrics)),
          serverMs: () => serverTime.toServerMs(brokerClock.nowMs()),
        });
        metrics.show(() => notifier.reports());
        return notifier;
      },
      inject: [
        ...[NotifiedFile, GATEWAY_SETTINGS, StoreEngine, PeriodicWork, NEW_ID, 'WATCHED_PARTS', DailyReport],
        ...[NotifierMetrics, ServerTime, BrokerClock, SymbolDigits],
      ],
    },
  ],
  exports: [NOTIFIER],
})
export class NotifierModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(NOTIFIER) private readonly notifier: Notifier | null,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.notifier?.start();
  }

  async onModuleDestroy(): Promise<void> {
    if (this.notifier) await within(this.clock, stopLimitMs, this.notifier.stop());
  }

  /** After the sockets are closed, because health, metrics and an operator read the queues until then. */
  async onApplicationShutdown(): Promise<void> {
    await this.notifier?.close();
  }
}

function intakeOf(
  file: NotifierFile,
  { log, session }: WatchedParts,
  store: NotifierStore,
  clock: Clock,
  digits: SymbolDigits,
): TradeIntake {
  const rules = file.rules.flatMap((rule) => (rule.on === 'trades' ? [rule] : []));
  const channels = [...new Set(rules.flatMap((rule) => rule.channels))];
  return new TradeIntake(log, store, rules, channels, () => new Date(clock.nowMs()).toISOString(), {
    of: (symbol) => digits.of(symbol),
    learn: (symbols) => digits.learn(symbols),
    get money() {
      return session.currencyDigits;
    },
  });
}

function needsOf({ rules }: NotifierFile): { readonly day: boolean; readonly peak: boolean } {
  const has = (from: 'day' | 'peak'): boolean => rules.some((rule) => rule.on === 'drawdown' && rule.from === from);
  return { day: has('day'), peak: has('peak') };
}
