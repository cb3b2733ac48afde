import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChaosBroker } from '../chaos/chaos-broker';
import { ChaosGateway, pause } from '../chaos/chaos-gateway';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { freePort } from '../e2e/programs/launcher-program';
import { describeWhere } from '../e2e/programs/needs';
import { Scratch } from '../e2e/programs/scratch';
import { repository, StartedProgram } from '../e2e/programs/started-program';
import { effort } from '../setup/effort';
import { testSeed } from '../setup/test-seed';
import { hasNeeds, pythonEnvironment } from './python-package';

const python = join(repository, '.build/nautilus/bin/python');
const hasNautilus = spawnSync(python, ['-c', 'import nautilus_trader, httpx, numpy'], { stdio: 'ignore' }).status === 0;
const needs = 'needs nautilus_trader 2.0.0rc6 in .build/nautilus and hatchling, which .ci/prepare.sh installs';

describeWhere(hasNeeds && hasNautilus)(`the clients for NautilusTrader (${needs})`, () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  const environment = (folder: string, url: string, key: string): Record<string, string> => {
    const { PYTHONPATH = '', ...env } = pythonEnvironment(folder, { GATEWAY_URL: url, API_KEY: key });
    return { ...env, PYTHONPATH: `${PYTHONPATH}:${join(repository, 'python/tests/nautilus')}` };
  };

  const zones = { SIM_SERVER_TIME_ZONE: 'Europe/Athens', TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens' };
  it.each([
    ['test_nautilus', 'hedging'],
    ['test_netting', 'netting'],
  ])('pass %s on a %s account', async (tests, mode) => {
    // Of all kinds of symbols.
    const gateway = await GatewayProgram.startReady(scratch, {
      ...zones,
      SIM_MARGIN_MODE: mode,
      SIM_SYMBOLS: undefined,
    });
    const env = environment(scratch.folder(), gateway.url, gateway.key);
    const program = new StartedProgram({ command: python, args: ['-m', 'unittest', '-q', tests], env });
    scratch.undo(() => program.stop());
    expect({ code: await program.exitCode(), output: program.output }).toEqual({
      code: 0,
      output: expect.stringMatching(/Ran [1-9]\d* tests? in [\d.]+s\n\nOK$/),
    });
    await gateway.stop();
  });

  it('run the node of docs/nautilus.md, which is that of the examples', async () => {
    const example = readFileSync(join(repository, 'python/examples/nautilus_node.py'), 'utf8');
    expect(readFileSync(join(repository, 'docs/nautilus.md'), 'utf8')).toContain(`\`\`\`python\n${example}\`\`\`\n`);
    const gateway = await GatewayProgram.startReady(scratch);
    const env = environment(scratch.folder(), gateway.url, gateway.key);
    const program = new StartedProgram({ command: python, args: ['-c', example], env });
    scratch.undo(() => program.stop());
    await program.line(/PositionClosed/);
    program.signal('SIGINT');
    expect(await program.exitCode()).toBe(0);
  });

  const kills = effort(1, 100);
  it(`have the books of the account after ${kills} kills of node and gateway, and every order once`, async () => {
    let random = testSeed() % 2_147_483_647;
    const draw = (below: number): number => (random = (random * 48_271 + 1) % 2_147_483_647) % below;
    const broker = await ChaosBroker.start(scratch);
    const port = await freePort();
    const gateway = new ChaosGateway(scratch, broker.settings, { env: { TERMINAL_API_PORT: String(port) } });
    await gateway.start();
    const folder = scratch.folder();
    const [notes, stop] = [join(folder, 'notes'), join(folder, 'stop')];
    const env = environment(folder, `http://127.0.0.1:${port}`, 'chaos-key');
    const start = (): StartedProgram => {
      const program = new StartedProgram({ command: python, args: ['-m', 'kill_node', notes, stop], env });
      scratch.undo(() => program.stop());
      return program;
    };
    let node = start();
    for (let kill = 0; kill < kills; kill++) {
      // An order that is refused while a gateway starts proves nothing: one was filled since the last kill, and the next is killed.
      let seen = node.lines.length;
      for (const next of [/^closed .* FILLED$/, /^submitted /]) {
        while (!node.lines.slice(seen).some((line) => next.test(line))) await pause(2);
        seen = node.lines.length;
      }
      await pause(draw(25));
      if (kill % 2 === 0) {
        node.signal('SIGKILL');
        await node.exitCode();
        node = start();
      } else {
        await gateway.kill();
        await pause(draw(500));
        await gateway.start();
      }
    }
    writeFileSync(stop, '');
    expect({ code: await node.exitCode(), output: node.output }).toMatchObject({ code: 0 });
    expect(existsSync(`${notes}.books`)).toBe(true);
    // Read by a node that has just started, from the gateway.
    const books = JSON.parse(readFileSync(`${notes}.books`, 'utf8')) as readonly (readonly [string, string, number])[];
    const positions = await broker.look((terminal) => terminal.positionsGet());
    const units = positions.map(({ identifier, type, volume }) => [
      String(identifier),
      type === 0 ? 'LONG' : 'SHORT',
      Math.round(volume * 100_000),
    ]);
    expect([...books].sort()).toEqual(units.sort());
    // Each order has one deal if it was filled, and none if it was rejected; at a kill of the node, either.
    const history = JSON.parse((await gateway.call('GET', '/history_deals_get'))?.text ?? '') as {
      readonly data: readonly {
        readonly symbol: string;
        readonly client_order_id: string | null;
        readonly position_id: number;
      }[];
    };
    const traded = history.data.filter(({ symbol }) => symbol !== '').map(({ client_order_id }) => client_order_id);
    expect(new Set(traded).size).toBe(traded.length);
    const noted = readFileSync(notes, 'utf8').split('\n');
    const withStatus = (pattern: RegExp): string[] =>
      noted.flatMap((line) => (pattern.test(line) ? [line.split(' ')[1] ?? ''] : []));
    const filled = withStatus(/^closed .* FILLED$/);
    expect(filled.filter((key) => !traded.includes(key))).toEqual([]);
    // A bracket is one order: its position has the levels, and no other has any.
    const brackets = withStatus(/^submitted .* with levels$/);
    const opened = history.data.filter(({ client_order_id: key }) => key !== null && brackets.includes(key));
    const withLevels = opened.map(({ position_id }) => position_id);
    expect(
      positions.filter(({ identifier, sl, tp }) => withLevels.includes(identifier) !== (sl > 0 && tp > 0)),
    ).toEqual([]);
    // One kill may meet the only bracket.
    expect(kills === 1 || withLevels.length > 0).toBe(true);
    const refused = new Set(withStatus(/^closed .* (REJECTED|DENIED)$/));
    expect(traded.filter((key) => key === null || refused.has(key))).toEqual([]);
    const open = withStatus(/^submitted /).length - filled.length - refused.size;
    expect(open).toBeLessThanOrEqual(Math.ceil(kills / 2));
    process.stdout.write(`${kills} kills, ${traded.length} orders: 0 doubled, equal books\n`);
  });
});
