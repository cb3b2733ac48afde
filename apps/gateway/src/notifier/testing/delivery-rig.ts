import type { VirtualClock } from '@libs/clock';
import type { StoreEngine } from '@libs/store';
import { EventLog } from '../../streams/event-log';
import { EventLogStore } from '../../streams/event-log.store';
import { KnownAccount } from '../../streams/known-account';
import type { UnnumberedEvent } from '../../streams/trade-event';
import { ChannelPump } from '../channel-pump';
import type { TradesRule } from '../notifier-file';
import { NotifierStore } from '../notifier.store';
import { TradeIntake } from '../trade-intake';
import { RecordingChannel } from './recording-channel';

const firstSeq = 1_000;

/** The simulated disk, which a test makes. */
interface RigDisk {
  readonly view: { readonly stores: StoreEngine };
  crash(kind: 'process' | 'power'): unknown;
}

/** The event log, the queues and the pumps of a gateway on a disk that can fail, with receivers that outlive it. */
export class DeliveryRig {
  readonly one = new RecordingChannel('one');
  readonly two = new RecordingChannel('two', 3);
  readonly channels = [this.one, this.two] as const;
  readonly logged: string[] = [];
  log!: EventLog;
  store!: NotifierStore;
  pumps: ChannelPump[] = [];
  private intake!: TradeIntake;
  private events!: EventLogStore;
  private run = 0;
  private appending: Promise<void> = Promise.resolve();
  private looking: Promise<void> = Promise.resolve();

  private constructor(
    readonly clock: VirtualClock,
    private readonly disk: RigDisk,
    private readonly keep: number,
  ) {}

  /** @param keep events that the log keeps */
  static async start(clock: VirtualClock, disk: RigDisk, keep = 20_000): Promise<DeliveryRig> {
    const rig = new DeliveryRig(clock, disk, keep);
    rig.open();
    await rig.pass(2_000);
    return rig;
  }

  /** Appends events, after those before; they count once they are in the log. */
  append(count: number): void {
    const { log } = this;
    const recorded_at = new Date(this.clock.nowMs()).toISOString();
    const facts = { login: 1, server: 's', ticket: 1, symbol: 'EURUSD', magic: 1 };
    const event: UnnumberedEvent = { event: 'deal', action: 'added', recorded_at, ...facts };
    const events = Array.from({ length: count }, () => event);
    this.appending = this.appending.then(() =>
      log.append(events, 'account', new KnownAccount()).catch(() => undefined),
    );
  }

  /** Lets time pass, with a look each second; over hours, once a minute. */
  async pass(ms: number): Promise<void> {
    const { run } = this;
    const stepMs = ms >= 3_600_000 ? 60_000 : 1_000;
    for (let passed = 0; passed < ms; passed += stepMs) {
      void this.look(run);
      await this.clock.advance(stepMs);
    }
  }

  /** Kills the gateway and starts it again. */
  crash(kind: 'process' | 'power'): void {
    for (const pump of this.pumps) void pump.stop();
    this.disk.crash(kind);
    this.open();
  }

  private open(): void {
    this.run += 1;
    // What the killed gateway waited for never ends.
    this.appending = this.looking = Promise.resolve();
    const { stores } = this.disk.view;
    this.events = new EventLogStore(stores, '/state/trade-events', this.keep, firstSeq);
    this.log = new EventLog(this.events, () => undefined);
    this.store = new NotifierStore(stores, '/state/notifications');
    const rule: TradesRule = {
      ...{ on: 'trades', channels: ['one', 'two'], events: ['deal'], actions: ['added'], symbols: [], magics: [] },
    };
    const nowIso = (): string => new Date(this.clock.nowMs()).toISOString();
    const digits = { of: () => 5, money: 2, learn: () => Promise.resolve() };
    this.intake = new TradeIntake(this.log, this.store, [rule], ['one', 'two'], nowIso, digits);
    const log = {
      warn: (facts: object, message: string) => void this.logged.push(`${message} ${JSON.stringify(facts)}`),
      log: (facts: object, message: string) => void this.logged.push(`${message} ${JSON.stringify(facts)}`),
    };
    const counts = { delivered: () => undefined, failed: () => undefined };
    this.pumps = this.channels.map((channel) => new ChannelPump(channel, this.store, this.clock, log, counts));
  }

  /** As the notifier does, one look at a time. */
  private look(run: number): Promise<void> {
    this.looking = this.looking.then(() => this.lookOnce(run));
    return this.looking;
  }

  private async lookOnce(run: number): Promise<void> {
    if (run !== this.run) return;
    try {
      if (!this.store.condition.writable) await this.store.probe();
      await this.log.requireWritable().catch(() => undefined);
      await this.intake.begin();
      while (run === this.run && (await this.intake.run()));
    } catch {
      // The next look tries again.
    }
    for (const pump of this.pumps) pump.wake();
  }
}
