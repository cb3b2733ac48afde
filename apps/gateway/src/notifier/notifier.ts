import type { Clock, Timer } from '@libs/clock';
import type { ChannelPump, ChannelReport, PumpLog } from './channel-pump';
import { dayBefore, dayOf, isReportDue, type DailyReport } from './daily-report';
import type { FactsReader } from './gateway-facts';
import { isWatchRule, type NotifierFile, type ReportRule } from './notifier-file';
import type { Intake, NotifierStore, SetAside } from './notifier.store';
import { watch, type WatchedStep, type WatchMemories } from './state-watch';
import type { TradeIntake } from './trade-intake';

/** Injection token of {@link Notifier}; null without NOTIFIER_FILE. */
export const NOTIFIER = Symbol('NOTIFIER');

const tickMs = 1_000;

/** The parts of a notifier. */
export interface NotifierParts {
  readonly file: NotifierFile;
  readonly store: NotifierStore;
  readonly intake: TradeIntake;
  readonly facts: FactsReader;
  readonly report: DailyReport;
  readonly pumps: readonly ChannelPump[];
  /** The broker's clock in milliseconds; null while it is unknown. */
  readonly serverMs: () => number | null;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: PumpLog;
}

/**
 * Looks at the event log and at the state of the gateway once a second, puts what its rules name into the queues of the
 * channels, and has each channel delivered. No request waits for it.
 */
export class Notifier {
  private timer: Timer | null = null;
  private looking: Promise<void> | null = null;
  private memories: WatchMemories;
  private lastProblem = '';

  constructor(private readonly parts: NotifierParts) {
    this.memories = (parts.store.fact('watches') ?? {}) as WatchMemories;
  }

  /** Begins to watch and to deliver. */
  start(): void {
    this.timer = this.parts.clock.every(tickMs, () => void this.look());
    void this.look();
  }

  /** Ends deliveries under way; what waits is delivered after the next start. The queues can still be read and changed. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    this.timer = null;
    await Promise.all(this.parts.pumps.map((pump) => pump.stop()));
    await this.looking;
  }

  async close(): Promise<void> {
    await this.parts.store.close();
  }

  reports(): ChannelReport[] {
    return this.parts.pumps.map((pump) => pump.report());
  }

  /** Messages that were set aside, by channel, the oldest first. */
  setAside(): readonly (SetAside & { readonly channel: string })[] {
    const { pumps, store } = this.parts;
    return pumps.flatMap(({ channel: { name } }) => store.asideOf(name).map((one) => ({ ...one, channel: name })));
  }

  /**
   * Sends messages that were set aside again, after those that wait. @returns the ids of those that were set aside
   * @throws StoreWriteError if the disk fails; nothing is then changed
   */
  async sendAgain(channel: string, ids: readonly string[]): Promise<readonly string[]> {
    const queued = await this.parts.store.queueAgain(channel, ids);
    if (queued.length > 0)
      this.parts.log.log({ channel, ids: queued }, 'notifications that were set aside will be sent again');
    return queued;
  }

  /**
   * Removes messages that were set aside. @returns the ids of those that were set aside
   * @throws StoreWriteError if the disk fails; nothing is then changed
   */
  async drop(channel: string, ids: readonly string[]): Promise<readonly string[]> {
    const dropped = await this.parts.store.dropAside(channel, ids);
    if (dropped.length > 0)
      this.parts.log.warn({ channel, ids: dropped }, 'notifications that were set aside were dropped');
    return dropped;
  }

  /** One look, or the running one. Never rejects. */
  look(): Promise<void> {
    return (this.looking ??= this.lookOnce().finally(() => (this.looking = null)));
  }

  private async lookOnce(): Promise<void> {
    const { store, pumps } = this.parts;
    if (!store.condition.writable) await store.probe();
    await this.attempt('the state of the gateway', () => this.watchStates());
    await this.attempt('the daily report', () => this.reportDays());
    await this.attempt('the trade events', () => this.takeEvents());
    for (const pump of pumps) pump.wake();
  }

  /** Logged once for each problem, and tried again with the next look. */
  private async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const problem = `${what}: ${error instanceof Error ? error.message : String(error)}`;
      if (problem !== this.lastProblem && this.timer) {
        this.parts.log.warn({ problem }, 'the notifier failed and will retry');
      }
      this.lastProblem = problem;
    }
  }

  private async takeEvents(): Promise<void> {
    const { intake, store } = this.parts;
    await this.dropRemoved();
    if (!store.condition.writable) return;
    await intake.begin();
    while (this.timer && (await intake.run())) for (const pump of this.parts.pumps) pump.wake();
  }

  /** Channels that are no longer in the file. */
  private async dropRemoved(): Promise<void> {
    const { store, file, log } = this.parts;
    const named = new Set(file.channels.map(({ name }) => name));
    for (const channel of store.channels().filter((name) => !named.has(name))) {
      const dropped = await store.drop(channel);
      log.warn({ channel, dropped }, 'the channel is no longer in NOTIFIER_FILE: its notifications were dropped');
    }
  }

  private async watchStates(): Promise<void> {
    const { file, facts, store, newId } = this.parts;
    const rules = file.rules.filter(isWatchRule);
    if (rules.length === 0) return;
    const peak = JSON.stringify(facts.peakMemory);
    const step = watch(rules, this.memories, await facts.read(), newId);
    const isChanged = JSON.stringify(step.memories) !== JSON.stringify(this.memories);
    if (!isChanged && step.notifications.length === 0 && peak === JSON.stringify(facts.peakMemory)) return;
    await store.take(intakesOf(step), { watches: step.memories, peak: facts.peakMemory });
    this.memories = step.memories;
  }

  private async reportDays(): Promise<void> {
    const serverMs = this.parts.serverMs();
    if (serverMs === null) return;
    for (const rule of this.parts.file.rules) {
      if (rule.on === 'daily_report') await this.reportDay(rule, serverMs);
    }
  }

  private async reportDay({ atMinute, channels }: ReportRule, serverMs: number): Promise<void> {
    const { store, report } = this.parts;
    const name = `report-${atMinute}-${channels.join()}`;
    const lastDay = store.fact(name);
    if (typeof lastDay !== 'number') return store.take([], { [name]: dayBefore(serverMs, atMinute) });
    if (!isReportDue(serverMs, atMinute, lastDay)) return;
    const message = await report.build(serverMs, atMinute);
    await store.take(
      channels.map((channel) => ({ channel, messages: [message] })),
      { [name]: dayOf(serverMs) },
    );
  }
}

function intakesOf({ notifications }: WatchedStep): Intake[] {
  return notifications.flatMap(({ channels, message }) =>
    channels.map((channel) => ({ channel, messages: [message] })),
  );
}
