import { createServer, type AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChaosBroker } from '../chaos/chaos-broker';
import { ChaosGateway, pause } from '../chaos/chaos-gateway';
import { FaultyProxy } from '../e2e/daemon/faulty-proxy';
import { Scratch } from '../e2e/programs/scratch';
import { StartedProgram } from '../e2e/programs/started-program';
import { effort } from '../setup/effort';
import { testSeed } from '../setup/test-seed';
import { describeWithPackage, pythonEnvironment } from './python-package';

const kills = effort(3, 500);
/** A kill comes at most so long after the bot began to send: an order takes some 5 to 20 ms. */
const longestMs = 25;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describeWithPackage('a bot on the MetaTrader5 package (needs Python 3.10 with numpy, httpx and hatchling)', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it(`has its orders once, and sees them, through ${kills} kills of bot, gateway and connection`, async () => {
    let random = testSeed() % 2_147_483_647;
    const draw = (below: number): number => (random = (random * 48_271 + 1) % 2_147_483_647) % below;
    const broker = await ChaosBroker.start(scratch);
    const port = await freePort();
    const gateway = new ChaosGateway(scratch, broker.settings, { env: { TERMINAL_API_PORT: String(port) } });
    await gateway.start();
    const way = await FaultyProxy.start(`http://127.0.0.1:${port}`);
    scratch.undo(() => way.stop());
    const folder = scratch.folder();
    const [notes, stop] = [join(folder, 'notes'), join(folder, 'stop')];
    const env = pythonEnvironment(join(folder, 'keys'), { GATEWAY_URL: way.url, API_KEY: 'chaos-key' });
    let bot = startBot();

    function startBot(): StartedProgram {
      const program = new StartedProgram({ command: 'python3', args: ['-m', 'kill_bot', notes, stop], env });
      scratch.undo(() => program.stop());
      return program;
    }

    for (let kill = 0; kill < kills; kill++) {
      // Each kill waits until the bot has bought since the last one.
      const seen = bot.lines.length;
      await nextLine(bot, seen, /^got/);
      await nextLine(bot, bot.lines.length, /^begin/);
      await pause(draw(longestMs));
      const target = ['bot', 'gateway', 'connection'][kill % 3];
      if (target === 'bot') {
        bot.signal('SIGKILL');
        await bot.exitCode();
        bot = startBot();
      } else if (target === 'gateway') {
        await gateway.kill();
        await pause(draw(500));
        await gateway.start();
      } else {
        let left = 1 + draw(3);
        const how = draw(2) === 0 ? ('lost-before' as const) : ('lost-after' as const);
        way.fault = (_method, path) => (path === '/order_send' && left-- > 0 ? how : null);
        way.cut();
      }
    }
    await nextLine(bot, bot.lines.length, /^got/);
    writeFileSync(stop, '');
    expect({ code: await bot.exitCode(), output: bot.output }).toMatchObject({ code: 0 });

    const lines = readFileSync(notes, 'utf8').trim().split('\n');
    const got = new Map<number, number>();
    for (const line of lines) {
      const [what, number, ticket] = line.split(' ');
      if (what === 'got') got.set(Number(number), Number(ticket));
    }
    const deals = await broker.look((terminal) => terminal.historyDealsGet({ from: 0, to: 1e11 }));
    const bought = deals.filter(({ magic }) => magic !== 0).map(({ magic, position_id }) => [magic, position_id]);
    expect(bought.sort(byNumber)).toEqual([...got].sort(byNumber));
    expect(got.size).toBe(Math.max(...got.keys()));
    process.stdout.write(`${kills} kills, ${got.size} orders: 0 doubled, 0 lost\n`);
  });
});

function byNumber([one = 0]: readonly number[], [other = 0]: readonly number[]): number {
  return one - other;
}

async function nextLine(program: StartedProgram, from: number, pattern: RegExp): Promise<void> {
  let hasEnded = false;
  void program.exitCode().then(() => (hasEnded = true));
  while (!program.lines.slice(from).some((line) => pattern.test(line))) {
    if (hasEnded) throw new Error(`it has ended, and not by this test:\n${program.output}`);
    await pause(2);
  }
}
