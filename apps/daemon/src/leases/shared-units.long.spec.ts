import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock } from '@libs/clock';
import { machineFiles } from '@libs/files';
import type { RaiseFenceRequest, RaiseOutcome } from '@libs/gateway-client';
import { Database, type DatabaseOptions } from '@libs/postgres';
import { pino } from 'pino';
import { describeWithPostgres, PostgresServer } from '../../../../test/e2e/programs/postgres';
import { blankRecord } from '../core/records';
import { readDaemonSettings } from '../daemon.config';
import type { DaemonFile } from '../daemon-file/daemon-file';
import { readDaemonFile } from '../daemon-file/read-daemon-file';
import { Shutdown } from '../shutdown';
import { StateStore } from '../state/state-store';
import { configuration } from '../../../../test/e2e/daemon/daemon-program';
import { openUnits } from './open-units';
import type { SharedUnits } from './shared-units';

let onError = (_line: string): void => undefined;
const logger = pino({ level: 'error' }, { write: (line: string) => onError(line) });
const machine = { files: machineFiles, openDatabase: (options: DatabaseOptions) => Database.open(options) };
const folder = (): string => mkdtempSync(join(tmpdir(), 'shared-units-'));
/** A gateway that answers, and has no fence. */
const find = (): Promise<null> => Promise.resolve(null);

describeWithPostgres('the units that hosts share', () => {
  let server: PostgresServer;
  let sessions = 0;
  const open: SharedUnits[] = [];
  beforeAll(() => void (server = PostgresServer.start()));
  afterEach(async () => {
    for (const units of open.splice(0)) await units.end();
  });
  afterAll(() => server.end());

  const fileOf = (magic: number): DaemonFile => {
    const path = configuration(folder(), 'http://127.0.0.1:1', [
      { name: 'trend', module: __filename, magic, more: { runsOn: ['fast'] } },
    ]);
    return readDaemonFile(path, { API_KEY: 'k' });
  };
  const opened = async (stateDir = folder()): Promise<SharedUnits> => {
    const settings = readDaemonSettings({
      DAEMON_DATABASE_URL: server.url,
      DAEMON_LEASE_SECONDS: '3',
      DAEMON_LABELS: 'fast',
    });
    const clock = new SystemClock();
    const newSession = (): string => `session-${sessions++}`;
    const units = await openUnits(settings, { stateDir, clock, logger, newSession, ...machine });
    if (!units) throw new Error('no units');
    open.push(units);
    return units;
  };
  /** Resolves when the host runs the strategy. @param raises what the gateway is asked for, in order */
  const started = (units: SharedUnits, raises: RaiseFenceRequest[] = [], stored = 0): Promise<void> =>
    new Promise((resolve) => {
      const raise = (strategy: string, request: RaiseFenceRequest): Promise<RaiseOutcome> => {
        raises.push(request);
        if (request.token <= stored) return Promise.resolve({ kind: 'conflict', stored, error: 'lower' });
        const fence = { strategy, token: request.token, magics: [], state: 'raised', raised_at: null } as const;
        return Promise.resolve({ kind: 'raised', fence });
      };
      const onChange = (): void => {
        if (units.part.strategies.length > 0) resolve();
      };
      units.start({
        shutdown: new Shutdown(),
        fencesOf: () => ({ find, raise }),
        onChange,
        onNotified: () => undefined,
      });
    });

  it('run nowhere before their fences are raised, above what the gateways have, and then with the state of the last host', async () => {
    const [first, second] = [await opened(), await opened()];
    for (const units of [first, second]) units.configure(fileOf(1));
    const [spec] = first.strategies;
    if (!spec) throw new Error('no strategy');
    expect([first.part.strategies, first.part.gateways.length]).toEqual([[], 1]);
    expect(() => first.leaseOf(spec)).toThrow('trend does not run on this host');
    const raises: RaiseFenceRequest[] = [];
    await started(first, raises, 40);
    expect(raises).toEqual([
      { token: 1, magics: [1] },
      { token: 41, magics: [1] },
    ]);
    expect(first.leaseOf(spec).fence).toEqual({ name: 'trend', token: 41 });
    await first.state.write({ strategy: { ...blankRecord('trend'), trades: 3 } });

    const taken = started(second);
    expect(second.part.strategies).toEqual([]);
    await first.end();
    await taken;
    expect(second.leaseOf(spec).fence.token).toBe(42);
    expect(second.state.strategy('trend')).toMatchObject({ trades: 3 });
  });

  it('keep their magic numbers while they are held', async () => {
    const units = await opened();
    units.configure(fileOf(1));
    await started(units);
    expect(() => units.configure(fileOf(2))).toThrow('trend: gateways and magic numbers cannot change while its lease');
    expect(units.configuration.strategies[0]?.magic).toBe(1);
    units.configure({ ...fileOf(1), strategies: [] });
    expect([units.unconfigured.map(({ fence }) => fence.name), units.part.strategies]).toEqual([['trend'], []]);
  });

  it('keep their magic numbers while they are prepared, for which their fences are raised', async () => {
    const units = await opened();
    units.configure(fileOf(1));
    let answers = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answers = resolve));
    const asked = new Promise<void>((resolve) => {
      const raise = async (strategy: string, { token }: RaiseFenceRequest): Promise<RaiseOutcome> => {
        resolve();
        await answered;
        return { kind: 'raised', fence: { strategy, token, magics: [1], state: 'raised', raised_at: null } };
      };
      units.start({
        shutdown: new Shutdown(),
        fencesOf: () => ({ find, raise }),
        onChange: () => undefined,
        onNotified: () => undefined,
      });
    });
    await asked;
    expect(units.part.strategies).toEqual([]);
    expect(() => units.configure(fileOf(2))).toThrow('trend: gateways and magic numbers cannot change while its lease');
    expect(units.configuration.strategies[0]?.magic).toBe(1);
    answers();
  });

  it('keep the state of the next lease when the preparation of the first one ends late', async () => {
    const units = await opened();
    units.configure(fileOf(1));
    const tokens: number[] = [];
    let isAsked = (): void => undefined;
    let answers = (): void => undefined;
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    let onChange = (): void => undefined;
    const raise = async (strategy: string, { token }: RaiseFenceRequest): Promise<RaiseOutcome> => {
      isAsked();
      if (tokens.push(token) === 1) await new Promise<void>((resolve) => (answers = resolve));
      const fence = { strategy, token, magics: [], state: 'raised', raised_at: null } as const;
      return { kind: 'raised', fence };
    };
    units.start({
      shutdown: new Shutdown(),
      fencesOf: () => ({ find, raise }),
      onChange: () => onChange(),
      onNotified: () => undefined,
    });
    await asked;
    const runs = new Promise<void>((resolve) => (onChange = resolve));
    units.configure({ ...fileOf(1), strategies: [] });
    await units.stopped(units.unconfigured);
    units.configure(fileOf(1));
    await runs;
    const refused = new Promise<void>((resolve) => {
      onError = (line) => (line.includes('its unit cannot run here') ? resolve() : undefined);
    });
    answers();
    await refused;
    const write = units.state.write({ strategy: { ...blankRecord('trend'), trades: 3 } });
    await expect(write).resolves.toBeUndefined();
    expect(units.leases.map(({ fence }) => fence.token)).toEqual(tokens.slice(1));
  });

  it('are shared by a URL that a file holds', async () => {
    const file = join(folder(), 'url');
    writeFileSync(file, `${server.url}\n`);
    const settings = readDaemonSettings({ DAEMON_DATABASE_URL_FILE: file, DAEMON_HOST_NAME: 'by-file' });
    const around = { stateDir: folder(), clock: new SystemClock(), logger, newSession: () => 's', ...machine };
    const units = await openUnits(settings, around);
    if (units) open.push(units);
    expect(units?.host).toBe('by-file');
  });

  it('are refused beside the state of a daemon without a database, and absent without one', async () => {
    const stateDir = folder();
    await StateStore.open(stateDir).close();
    await expect(opened(stateDir)).rejects.toThrow('is the state of a daemon without a database');
    const around = { stateDir, clock: new SystemClock(), logger, newSession: () => 's', ...machine };
    expect(await openUnits(readDaemonSettings({}), around)).toBeNull();
  });
});
