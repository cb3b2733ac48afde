import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import type { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

/** Opens a position at one bar and closes it at the next. */
export const flip = `if (trade.warmingUp) return;
  const [open] = trade.positions();
  if (open) trade.close(open); else trade.buy('main', { volume: 0.1 });`;
/** Sees to it that one position is open. */
export const holdOne = `if (!trade.warmingUp && trade.inFlight + trade.positions().length === 0) trade.buy('main', { volume: 0.1 });`;
/** Says when a bar does not follow the one before. */
export const tellHoles = `const [before, now] = trade.bars('main', 2);
  if (before && now && now.timeMs - before.timeMs !== 60000) trade.log('a hole before ' + now.timeMs);`;

interface Start {
  readonly expect?: object;
  /** Name of the state directory. */
  readonly state?: string;
}

/** A real gateway, a way to it that fails on demand, and daemons behind that. */
export class DrillRig {
  private constructor(
    private readonly scratch: Scratch,
    readonly gateway: GatewayProgram,
    readonly proxy: FaultyProxy,
    readonly folder: string,
  ) {}

  static async start(scratch: Scratch, env: Readonly<Record<string, string>> = {}): Promise<DrillRig> {
    const gateway = await GatewayProgram.startReady(scratch, { ...fastMarket(), ...env });
    const proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    return new DrillRig(scratch, gateway, proxy, scratch.folder());
  }

  /** Another account at another gateway. */
  async stranger(): Promise<GatewayProgram> {
    const login = { SIM_LOGIN: '100002', TERMINAL_LOGIN: '100002' };
    return GatewayProgram.startReady(this.scratch, { ...fastMarket(), ...login });
  }

  daemon(strategies: readonly StrategyText[], { expect = {}, state = 'state' }: Start = {}): Promise<DaemonProgram> {
    return DaemonProgram.start(this.scratch, {
      config: configuration(this.folder, this.proxy.url, strategies, expect),
      stateDir: join(this.folder, state),
      env: { API_KEY: 'e2e-key' },
    });
  }

  /** A strategy file whose `onBar` is this text. */
  module(onBar: string, name = 'probe', more = ''): string {
    return strategyFile(this.folder, name, onBar, more);
  }

  async positions(gateway = this.gateway): Promise<readonly { ticket: number; volume: number; magic: number }[]> {
    const { body } = await gateway.call('/get_positions');
    return body['data'] as { ticket: number; volume: number; magic: number }[];
  }

  async balance(): Promise<number> {
    return Number((await this.gateway.call('/account')).body['balance']);
  }
}

/** A strategy's log, from its first line. */
export async function logOf(daemon: DaemonProgram, name: string): Promise<string> {
  const { body } = await daemon.call<{ lines: string[] }>(`/logs/${name}?lines=10000`);
  return body.lines.join('\n');
}
