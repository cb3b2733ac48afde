import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithPython } from '../contract/python';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { freePort } from '../e2e/programs/launcher-program';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';

interface Check {
  readonly group: string;
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'unconfirmed';
  readonly seen: unknown;
}

interface Verified {
  readonly exitCode: number | null;
  readonly output: string;
  readonly checks: readonly Check[];
  /** Both files, as they were written. */
  readonly files: string;
}

const scratch = new Scratch();
afterEach(() => scratch.clear());

async function verify(gateway: GatewayProgram, args: readonly string[] = []): Promise<Verified> {
  const out = join(scratch.folder(), 'report');
  const program = new StartedProgram({
    command: process.execPath,
    args: [join(repository, 'scripts/verify-terminal/main.mjs'), '--url', gateway.url, '--out', out, ...args],
    env: { ...bareEnvironment(), API_KEY: gateway.key },
  });
  scratch.undo(() => program.stop());
  const exitCode = await program.exitCode();
  const [json, markdown] = ['report.json', 'report.md'].map((name) => readFileSync(join(out, name), 'utf8'));
  const { checks } = JSON.parse(json ?? '') as { checks: readonly Check[] };
  return { exitCode, output: program.output, checks, files: `${json}\n${markdown}` };
}

const namesOf = (checks: readonly Check[], outcome: Check['outcome']): string[] =>
  checks.filter((check) => check.outcome === outcome).map(({ group, name }) => `${group}: ${name}`);

const token = 'link-token';

/** The port that a program says it listens on. */
async function listening(command: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const program = new StartedProgram({ command, args, env: { ...bareEnvironment(), ...env } });
  scratch.undo(() => program.stop());
  return (await program.line(/^listening on \d+$/)).replace(/\D/g, '');
}

interface Behind {
  readonly env?: Record<string, string>;
  /** The bridge in between, over the stand-in of the package. */
  readonly isBridged?: boolean;
}

/** A gateway in front of a simulator that is served over the link, which it reaches through a relay that is not there yet. */
async function behindRelay({ env = {}, isBridged = false }: Behind = {}): Promise<{
  gateway: GatewayProgram;
  relay: readonly string[];
  fault: typeof fault;
}> {
  const simulator = await listening(
    process.execPath,
    [join(repository, 'scripts/simulator.mjs'), '--port', '0', '--token', token],
    { SIM_HISTORY_DAYS: '40', ...env },
  );
  const bridge = (): Promise<string> =>
    listening('python3', ['-B', join(repository, 'bridge/mt5_bridge.py'), '--port', '0'], {
      PYTHONPATH: join(repository, 'test/fake-mt5'),
      TERMINAL_BRIDGE_TOKEN: token,
      FAKE_MT5_ADDR: `127.0.0.1:${simulator}`,
      FAKE_MT5_TOKEN: token,
    });
  const port = isBridged ? await bridge() : simulator;
  const relayPort = String(await freePort());
  const gateway = await GatewayProgram.start(scratch, {
    TERMINAL_DRIVER: 'bridge',
    TERMINAL_BRIDGE_ADDR: `127.0.0.1:${port}`,
    TERMINAL_LINK_ADDR: `127.0.0.1:${relayPort}`,
    TERMINAL_BRIDGE_TOKEN: token,
    TERMINAL_RECONNECT_COOLDOWN_SECONDS: '1',
  });
  async function fault(...args: string[]): Promise<void> {
    const program = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'scripts/simulator-fault.mjs'), ...args, '--port', simulator, '--token', token],
      env: bareEnvironment(),
    });
    expect(await program.exitCode()).toBe(0);
  }
  return { gateway, relay: ['--relay', relayPort, '--bridge', `127.0.0.1:${port}`], fault };
}

/** Every trade was made and confirmed, and the order whose answer was lost had been executed. */
function expectTraded({ exitCode, checks, output }: Verified): void {
  expect({ exitCode, failed: namesOf(checks, 'failed'), output }).toMatchObject({ exitCode: 0, failed: [] });
  const trades = checks.filter(({ group }) => group === 'trade');
  expect(namesOf(trades, 'unconfirmed')).toEqual([]);
  expect(trades.find(({ name }) => name.includes('answer is lost'))?.seen).toMatchObject({
    at_the_bridge: 10_009,
    settled_as: 'recovered',
    replay: 200,
    positions: 1,
  });
}

describeWithPython('npm run verify:terminal through the bridge (needs python3)', () => {
  it('trades, cuts the link during a send, and sees it settled', async () => {
    const { gateway, relay } = await behindRelay({ isBridged: true });
    expectTraded(await verify(gateway, ['--trade', '--login', '100001', ...relay]));
  });
});

describe('npm run verify:terminal', () => {
  it('reads without sending anything, and writes a report without key, name and account number', async () => {
    const gateway = await GatewayProgram.startReady(scratch, { API_KEY: 'a-key-to-look-for' });
    const { exitCode, output, checks, files } = await verify(gateway);
    expect({ exitCode, failed: namesOf(checks, 'failed') }).toEqual({ exitCode: 0, failed: [] });
    const groups = ['session', 'account', 'symbols', 'quotes', 'clock', 'bars', 'ticks', 'lists', 'history'];
    expect([...new Set(checks.map(({ group }) => group))]).toEqual([...groups, 'calculators', 'errors', 'latency']);
    expect(files).toContain('GET /symbol_info_tick');
    expect(namesOf(checks, 'unconfirmed')).not.toContain('session: terminal and package are of a known build');
    for (const secret of ['a-key-to-look-for', '100001', 'Simulated account']) {
      expect(`${files}${output}`).not.toContain(secret);
    }
    expect((await gateway.call('/history_orders_get')).body).toMatchObject({ data: [] });
  });

  it.each([
    ['hedging', {}],
    ['netting', { env: { SIM_MARGIN_MODE: 'netting' } }],
  ] as const)('on a %s account: trades, cuts the link during a send, and sees it settled', async (_mode, behind) => {
    const { gateway, relay } = await behindRelay(behind);
    expectTraded(await verify(gateway, ['--trade', '--login', '100001', ...relay]));
  });

  it('reports what a broken terminal fails, with exit code 1', async () => {
    const { gateway, relay, fault } = await behindRelay();
    await fault('failed-reads', '--methods', 'historyDealsGet');
    await fault('trading-off', 'server');
    const args = ['--trade', '--login', '100001', '--wait', '30', ...relay];
    const { exitCode, checks } = await verify(gateway, args);
    expect(exitCode).toBe(1);
    expect(namesOf(checks, 'failed')).toEqual(
      expect.arrayContaining([
        'account: trading by programs is allowed',
        'history: deals and orders of thirty days are readable',
        'trade: a market order with sl and tp is executed',
      ]),
    );
    expect(namesOf(checks, 'passed')).toContain('trade: nothing is left open under the magic');
  });

  it('sends nothing where a netting account has a position of the symbol already', async () => {
    const gateway = await GatewayProgram.startReady(scratch, { SIM_MARGIN_MODE: 'netting' });
    const order = { symbol: 'EURUSD', volume: 0.3, type: 'BUY', magic: 1 };
    expect(await gateway.trade('/order', order)).toMatchObject({ status: 200 });
    const { exitCode, checks } = await verify(gateway, ['--trade', '--login', '100001']);
    expect(exitCode).toBe(1);
    expect(checks.filter(({ group }) => group === 'trade')).toMatchObject([{ outcome: 'failed' }]);
    expect((await gateway.call('/get_positions')).body).toMatchObject({ data: [{ magic: 1, volume: 0.3 }], total: 1 });
  });

  it('sends nothing on another account than the one that is named', async () => {
    const gateway = await GatewayProgram.startReady(scratch);
    const { exitCode, output, checks } = await verify(gateway, ['--trade', '--login', '4711']);
    expect(exitCode).toBe(2);
    expect(output).toContain('No order was sent: --login 4711 is not the account that is logged in');
    expect(checks.filter(({ group }) => group === 'trade')).toEqual([]);
  });

  it('names a wrong argument, and says when no gateway answers', async () => {
    const run = async (env: Record<string, string>, ...args: string[]): Promise<[number | null, string]> => {
      const out = join(scratch.folder(), 'report');
      const program = new StartedProgram({
        command: process.execPath,
        args: [join(repository, 'scripts/verify-terminal/main.mjs'), '--out', out, ...args],
        env: { ...bareEnvironment(), ...env },
      });
      return [await program.exitCode(), program.output];
    };
    const key = { API_KEY: 'k' };
    for (const [env, args, problem] of [
      [{}, [], 'API_KEY is not set'],
      [key, ['--trade'], '--trade needs --login'],
      [key, ['--relay', '1'], '--relay goes with --trade'],
      [key, ['--wait', 'x'], '--wait must be a whole number from 0 to 3600, not "x"'],
      [key, ['--key', 'k'], "Unknown option '--key'"],
      [key, ['--trade', '--login', '1', '--bridge', 'here', '--relay', '1'], '--bridge "here" is not HOST:PORT'],
    ] as const) {
      const [code, output] = await run(env, ...args);
      expect({ code, output }).toMatchObject({ code: 2, output: expect.stringContaining(problem) });
    }
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const [code, output] = await run(key, '--url', nowhere, '--wait', '1');
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('nothing (ECONNREFUSED)') });
  });
});
