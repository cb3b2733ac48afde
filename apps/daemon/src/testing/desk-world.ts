import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clockwork } from './clockwork';
import { ContractGateway, type Fault } from './contract-gateway';
import { DeskRig } from './desk-rig';

const minuteMs = 60_000;
const weekendMs = 3 * 24 * 60 * minuteMs;

/** One strategy's order desk before a gateway that loses requests and answers, and a daemon that ends and starts again. */
export class DeskWorld {
  private constructor(
    readonly gateway: ContractGateway,
    private readonly stateDir: string,
    public time: Clockwork,
    /** Another one after a restart. */
    public rig: DeskRig,
  ) {}

  static async start(): Promise<DeskWorld> {
    const gateway = await ContractGateway.start();
    const time = new Clockwork();
    const stateDir = mkdtempSync(join(tmpdir(), 'rig-'));
    return new DeskWorld(gateway, stateDir, time, await DeskRig.start(gateway, { clock: time.clock, stateDir }));
  }

  async end(): Promise<void> {
    this.gateway.always = null;
    await this.rig.stop();
    await this.gateway.stop();
  }

  /** Ticket of the first position at the broker. */
  get ticket(): number {
    return Number(this.gateway.positions[0]?.['ticket']);
  }

  /** Requests that reached the gateway, by their path. */
  sent(path: string): ContractGateway['sends'] {
    return this.gateway.sends.filter((send) => send.path === path);
  }

  async minutesPass(count: number): Promise<void> {
    for (let minutes = 0; minutes < count; minutes++) await this.time.run(minuteMs);
  }

  /** Resolves when no request is in flight, or one is a problem. */
  settled(): Promise<void> {
    return this.time.until(() => this.rig.desk.inFlight === 0 || this.rig.desk.problem !== null);
  }

  /** The daemon has ended and starts again. @param time its clock from now on */
  async startAgain(time = this.time): Promise<void> {
    this.time = time;
    this.rig = await DeskRig.start(this.gateway, { clock: this.time.clock, stateDir: this.stateDir });
    this.rig.desk.takeUp(this.rig.store.openIntents('ema'));
    await this.settled();
  }

  /** The daemon ends before it has an answer, and starts again three days later. */
  async overTheWeekend(
    path: string,
    fault: Fault,
    request: () => Promise<void>,
    meanwhile: () => unknown = () => undefined,
  ): Promise<void> {
    this.gateway.faults.push({ path, fault });
    const sending = request();
    this.rig.stopNow();
    await this.time.inTime(sending);
    await this.rig.stop();
    await meanwhile();
    await this.time.clock.advance(weekendMs);
    await this.startAgain();
    await this.time.inTime(this.rig.sync.now());
  }
}
