import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { VirtualClock } from '@libs/clock';
import { SimulatedDisk } from '@libs/simulated-disk';
import { createDaemon } from './daemon.app';
import { readDaemonSettings } from './daemon.config';
import type { DaemonEdge } from './daemon.edge';
import { StateStore } from './state/state-store';
import { spec } from './testing/desk-rig';

const stateDir = '/simulated-state-of-a-daemon';

/** A machine in memory that cannot reach its gateway. */
class TestMachine {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  readonly disk = new SimulatedDisk(this.clock, () => 0.5);
  readonly asked: string[] = [];
  readonly bundled: string[] = [];
  readonly held: string[] = [];

  get edge(): DaemonEdge {
    const { clock, disk } = this;
    return {
      ...{ clock, stores: disk.view.stores, files: disk.view.files },
      network: {
        fetch: (url) => {
          this.asked.push(url);
          return Promise.reject(new TypeError('fetch failed'));
        },
        setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
      },
      recordings: null,
      strategies: {
        bundle: (path) => {
          this.bundled.push(path);
          return Promise.reject(new Error('no such file'));
        },
        threads: () => Promise.resolve({ start: () => Promise.reject(new Error('no threads')) as never }),
      },
      hold: (path) => {
        this.held.push(path);
        return Promise.resolve({ release: () => Promise.resolve() });
      },
      ports: () => ({ open: () => Promise.resolve(), close: () => undefined }),
      newSession: () => 'first',
    };
  }
}

describe('the edge of the daemon', () => {
  it('is the only way to disk, gateways and strategies', async () => {
    const machine = new TestMachine();
    const gateway = { name: 'demo', url: 'http://demo.test', apiKeyEnv: 'K', maxClockSkewMs: null };
    const file = {
      gateways: [{ ...gateway, expect: { login: null, tradeMode: null } }],
      strategies: [{ ...spec, name: 'solo' }],
      portfolios: [],
    };
    const configured = { readFile: () => file, apiKey: () => 'k' };
    const settings = readDaemonSettings({});
    const opening = createDaemon({ settings, configured, stateDir, host: '127.0.0.1' }, pino({ level: 'silent' }), {
      ...machine.edge,
    });
    await machine.clock.advance(1_000);
    const { daemon, control } = await opening;
    const deployed = daemon.deploy();
    await machine.clock.advance(30_000);
    await deployed;
    expect(machine.held).toEqual([stateDir]);
    expect(new Set(machine.asked)).toContain('http://demo.test/account');
    expect(machine.disk.list(stateDir)).toEqual(
      expect.arrayContaining([`${stateDir}/commands`, `${stateDir}/logs/solo.log`, `${stateDir}/state.lmdb`]),
    );
    const stopping = Promise.all([daemon.stop(), control.close()]);
    await machine.clock.advance(10_000);
    await stopping;
    expect(existsSync(stateDir)).toBe(false);
    const store = StateStore.open(stateDir, machine.clock, machine.disk.view.stores);
    expect(store.strategyNames()).toEqual([]);
  });
});
