import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import type { Scratch } from '../programs/scratch';
import { configuration, DaemonProgram, strategyFile, type StrategyText } from './daemon-program';
import { FaultyProxy } from './faulty-proxy';

/** What became of a reload, as `/health` shows it. */
export interface Report {
  readonly outcome: 'applied' | 'partial' | 'refused';
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly problems: readonly string[];
}
export interface ConfigBody {
  readonly config: { readonly loadedAt: string; readonly lastReload: (Report & { readonly at: string }) | null };
}
interface Row {
  readonly name: string;
  readonly state: string;
  readonly port: number;
  readonly uptimeMs: number;
}
interface Position {
  readonly magic: number;
  readonly ticket: number;
  readonly volume: number;
}

export const tell = (text: string): string => `if (!trade.warmingUp) trade.log('${text} ' + bars);`;

/** Has a daemon read its configuration anew; returns what became of it. */
export async function reloaded(daemon: DaemonProgram): Promise<Report> {
  const before = (await daemon.call<ConfigBody>('/health')).body.config.lastReload?.at;
  daemon.program.signal('SIGHUP');
  const isNew = ({ config }: ConfigBody): boolean => config.lastReload !== null && config.lastReload.at !== before;
  const { config } = await daemon.until<ConfigBody>('/health', isNew);
  return config.lastReload as Report;
}

/** A daemon whose configuration file is rewritten under it, before a gateway behind a way that fails on demand. */
export class ReloadRig {
  readonly folder: string;
  private running: DaemonProgram | null = null;

  private constructor(
    readonly scratch: Scratch,
    readonly gateway: GatewayProgram,
    readonly proxy: FaultyProxy,
  ) {
    this.folder = scratch.folder();
  }

  static async ready(scratch: Scratch): Promise<ReloadRig> {
    const gateway = await GatewayProgram.startReady(scratch, fastMarket());
    const proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    return new ReloadRig(scratch, gateway, proxy);
  }

  get daemon(): DaemonProgram {
    if (!this.running) throw new Error('the daemon was not started');
    return this.running;
  }

  set daemon(daemon: DaemonProgram) {
    this.running = daemon;
  }

  write(strategies: readonly StrategyText[]): string {
    return configuration(this.folder, this.proxy.url, strategies);
  }

  module(onBar: string, name = 'probe'): string {
    return strategyFile(this.folder, name, onBar);
  }

  async start(strategies: readonly StrategyText[], untilState = 'running'): Promise<void> {
    const config = this.write(strategies);
    const stateDir = join(this.folder, 'state');
    this.daemon = await DaemonProgram.start(this.scratch, { config, stateDir, env: { API_KEY: 'e2e-key' } });
    for (const { name } of strategies) await this.daemon.untilStatus(name, ({ state }) => state === untilState);
  }

  reload(): Promise<Report> {
    return reloaded(this.daemon);
  }

  async rows(): Promise<readonly Row[]> {
    return (await this.daemon.call<Row[]>('/list')).body;
  }

  async lines(name: string): Promise<readonly string[]> {
    return (await this.daemon.call<{ lines: string[] }>(`/logs/${name}`)).body.lines;
  }

  async untilLine(name: string, pattern: RegExp): Promise<void> {
    const isThere = async (): Promise<boolean> => (await this.lines(name)).some((line) => pattern.test(line));
    while (!(await isThere())) await new Promise((wake) => setTimeout(wake, 50));
  }

  async positions(): Promise<readonly Position[]> {
    return (await this.gateway.call('/get_positions')).body['data'] as readonly Position[];
  }
}
