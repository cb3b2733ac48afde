import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { VirtualClock } from '@libs/clock';
import { CommandFolder } from '@libs/command-folder';
import { SimulatedDisk } from '@libs/simulated-disk';
import { SimulatedPostgres } from '@libs/simulated-postgres';
import type { StoreEngine } from '@libs/store';
import { commandOf } from './commands/command';
import { createDaemon } from './daemon.app';
import { readDaemonSettings } from './daemon.config';
import type { DaemonFile } from './daemon-file/daemon-file';
import type { DaemonEdge } from './daemon.edge';
import { StateStore } from './state/state-store';
import { spec } from './core/testing/spec';

const stateDir = '/simulated-state-of-a-daemon';

/** A machine in memory that cannot reach its gateway. */
class TestMachine {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 7, 10));
  readonly disk = new SimulatedDisk(this.clock, () => 0.5);
  readonly asked: string[] = [];
  readonly bundled: string[] = [];
  readonly held: string[] = [];
  /** Ends each request without an answer. */
  readonly unanswered: ((error: Error) => void)[] = [];

  get edge(): DaemonEdge {
    const { clock, disk } = this;
    return {
      ...{ clock, stores: disk.view.stores, files: disk.view.files },
      network: {
        fetch: (url) => {
          this.asked.push(url);
          // A gateway that takes the request and never answers.
          if (url.includes('silent')) return new Promise((_, reject) => this.unanswered.push(reject));
          return Promise.reject(new TypeError('fetch failed'));
        },
        setTimer: (delayMs, run) => clock.setTimer(delayMs, run),
      },
      recordings: null,
      openDatabase: () => Promise.reject(new Error('no database')),
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

const gatewayOf = (name: string) => ({
  ...{ name, url: `http://${name}.test`, apiKeyEnv: 'K', maxClockSkewMs: null },
  expect: { login: null, tradeMode: null },
});
const file: DaemonFile = {
  gateways: [gatewayOf('demo')],
  strategies: [{ ...spec, name: 'solo' }],
  portfolios: [],
};

/** A daemon that has deployed its strategies, and what ends it. */
async function deployed(machine: TestMachine, readFile: () => DaemonFile) {
  const configured = { readFile, apiKey: () => 'k' };
  const settings = readDaemonSettings({});
  const opening = createDaemon({ settings, configured, stateDir, host: '127.0.0.1' }, pino({ level: 'silent' }), {
    ...machine.edge,
  });
  await machine.clock.advance(1_000);
  const { daemon, control } = await opening;
  const deploying = daemon.deploy();
  await machine.clock.advance(30_000);
  await deploying;
  return async (): Promise<void> => {
    const stopping = Promise.all([daemon.stop(), control.close()]);
    await machine.clock.advance(10_000);
    await stopping;
  };
}

describe('the edge of the daemon', () => {
  it('is the only way to disk, gateways and strategies', async () => {
    const machine = new TestMachine();
    const stop = await deployed(machine, () => file);
    expect(machine.held).toEqual([stateDir]);
    expect(new Set(machine.asked)).toContain('http://demo.test/account');
    expect(machine.disk.list(stateDir)).toEqual(
      expect.arrayContaining([`${stateDir}/commands`, `${stateDir}/logs/solo.log`, `${stateDir}/state.lmdb`]),
    );
    await stop();
    expect(existsSync(stateDir)).toBe(false);
    const store = StateStore.open(stateDir, machine.clock, machine.disk.view.stores);
    expect(store.strategyNames()).toEqual([]);
  });
});

describe('the deployment', () => {
  it('goes on to further strategies while one waits for its gateway', async () => {
    const machine = new TestMachine();
    const stream = { alias: 'main', broker: 'silent', symbol: 'EURUSD', timeframe: 'M1' };
    const configured: DaemonFile = {
      gateways: [gatewayOf('silent'), gatewayOf('demo')],
      strategies: [
        { ...spec, name: 'waiting', streams: [stream] },
        { ...spec, name: 'solo', magic: spec.magic + 1 },
      ],
      portfolios: [],
    };
    const options = { configured: { readFile: () => configured, apiKey: () => 'k' }, stateDir, host: '127.0.0.1' };
    const settings = readDaemonSettings({});
    const opening = createDaemon({ settings, ...options }, pino({ level: 'silent' }), machine.edge);
    await machine.clock.advance(1_000);
    const { daemon, control } = await opening;
    const deploying = daemon.deploy();
    await machine.clock.advance(400);
    expect(daemon.strategies.map(({ spec: { name }, state }) => [name, state])).toEqual([
      ['waiting', 'starting'],
      ['solo', 'failed'],
    ]);
    for (const end of machine.unanswered) end(new TypeError('fetch failed'));
    await machine.clock.advance(30_000);
    for (const end of machine.unanswered) end(new TypeError('fetch failed'));
    const stopping = Promise.all([deploying, daemon.stop(), control.close()]);
    await machine.clock.advance(10_000);
    await stopping;
  });
});

describe('a daemon that does not start', () => {
  const settings = { 'with a database': { DAEMON_DATABASE_URL: 'postgres://simulated@localhost/trading' }, alone: {} };

  it.each(Object.entries(settings))('releases its directory after it has closed its files: %s', async (_, given) => {
    const { edge, clock } = new TestMachine();
    const ended: string[] = [];
    const stores = Object.assign(Object.create(edge.stores) as StoreEngine, {
      open: <T>(...options: Parameters<typeof edge.stores.open<T>>) => {
        const store = edge.stores.open(...options);
        const close = store.close.bind(store);
        return Object.assign(store, { close: () => close().then(() => void ended.push(options[0].name)) });
      },
    });
    const options = {
      ...{ settings: readDaemonSettings(given), stateDir, host: '127.0.0.1' },
      configured: { readFile: () => file, apiKey: () => 'k' },
    };
    const opening = createDaemon(options, pino({ level: 'silent' }), {
      ...{ ...edge, stores },
      openDatabase: () => Promise.resolve(new SimulatedPostgres(clock).connect()),
      strategies: { ...edge.strategies, threads: () => Promise.reject(new Error('no threads')) },
      hold: () => Promise.resolve({ release: () => Promise.resolve(void ended.push('the directory')) }),
    });
    const refused = opening.catch((error: unknown) => String(error));
    await clock.advance(10_000);
    expect(await refused).toBe('Error: no threads');
    expect(ended).toEqual([expect.stringMatching('the (journal of exits|state)'), 'the directory']);
  });
});

describe('the commands of the operator', () => {
  it('do not wait for a reload that waits for a gateway', async () => {
    const machine = new TestMachine();
    let current = file;
    const stop = await deployed(machine, () => current);
    const commands = new CommandFolder(stateDir, machine.disk.view.files, commandOf);
    const results = () => machine.disk.list(`${stateDir}/commands`).filter((path) => path.endsWith('.result'));
    current = { ...file, gateways: [...file.gateways, gatewayOf('silent')] };
    await inTime(machine, commands.leave('1', { command: 'reload' }));
    const second = await inTime(machine, commands.leave('2', { command: 'halt', name: 'missing', reason: 'news' }));
    await machine.clock.advance(1_000);
    expect(results()).toEqual([second]);
    while (results().length === 1) {
      for (const end of machine.unanswered.splice(0)) end(new TypeError('the connection was closed'));
      await machine.clock.advance(1_000);
    }
    expect(results()).toEqual([`${stateDir}/commands/1.result`, second]);
    await stop();
  });
});

/** Has the clock run until a write of the simulated disk is done. */
async function inTime<T>(machine: TestMachine, work: Promise<T>): Promise<T> {
  await machine.clock.advance(100);
  return work;
}
