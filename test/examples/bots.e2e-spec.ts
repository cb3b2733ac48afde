import { join } from 'node:path';
import { build } from 'esbuild';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { requireProgram } from '../e2e/programs/needs';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';

jest.setTimeout(120_000);

const examples = join(repository, 'examples');
const scratch = new Scratch();
let gateway: GatewayProgram;

beforeAll(async () => {
  gateway = await GatewayProgram.startReady(scratch);
});

afterAll(() => scratch.clear());

interface Run {
  readonly code: number | null;
  readonly lines: readonly string[];
}

async function run(apiKey: string, command: string, ...args: readonly string[]): Promise<Run> {
  const env = { ...bareEnvironment(), GATEWAY_URL: gateway.url, API_KEY: apiKey };
  const program = new StartedProgram({ command, args, env });
  scratch.undo(() => program.stop());
  return { code: await program.exitCode(), lines: program.lines };
}

async function bundled(): Promise<string> {
  const outfile = join(scratch.folder(), 'bot.js');
  const entryPoints = [join(examples, 'typescript/bot.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', logLevel: 'silent' });
  return outfile;
}

const bots: readonly (readonly [string, (apiKey: string) => Promise<Run>])[] = [
  ['TypeScript', async (apiKey) => run(apiKey, process.execPath, await bundled())],
  ['Python', (apiKey) => run(apiKey, requireProgram('python3'), join(examples, 'python/bot.py'))],
  ['bash', (apiKey) => run(apiKey, requireProgram('bash'), join(examples, 'bash/bot.sh'))],
];

describe('the example bot', () => {
  it.each(bots)('in %s trades, is protected, closes, and shows the replay and its events', async (_language, start) => {
    const { code, lines } = await start(gateway.key);
    expect(lines).toEqual([
      expect.stringMatching(/^account 100001: \d+\.\d\d USD$/),
      expect.stringMatching(/^bars EURUSD M1: 20, the last of \d{4}-\d\d-\d\dT\d\d:\d\d:00Z? closes at \d\.\d+$/),
      expect.stringMatching(/^order (BUY|SELL) 0\.1 EURUSD: position \d+$/),
      expect.stringMatching(/^replay: order \d+ again, replayed true$/),
      expect.stringMatching(/^protected: sl \d\.\d+ tp \d\.\d+$/),
      expect.stringMatching(/^closed: result -?\d+\.\d\d USD in 2 deals$/),
      expect.stringMatching(/^events: .*position opened, .*position closed$/),
    ]);
    expect(code).toBe(0);
    const ticket = /position (\d+)$/.exec(lines[2] ?? '')?.[1];
    expect(lines[3]).toBe(`replay: order ${ticket} again, replayed true`);
    const { body } = await gateway.call(`/get_deal_from_ticket?ticket=${ticket}`);
    expect(body).toMatchObject({ ok: true, volume_opened: 0.1, closed: true, deals: 2 });
    const total = (Number(body.profit) + Number(body.commission) + Number(body.swap) + Number(body.fee)).toFixed(2);
    expect(lines[5]).toContain(`result ${total} USD`);
    expect((await gateway.call('/get_positions')).body).toMatchObject({ data: [] });
  });

  it.each(bots)('in %s says why and fails when the key is wrong', async (_language, start) => {
    const { code, lines } = await start('wrong');
    expect(code).not.toBe(0);
    expect(lines.join('\n')).toMatch(/bearer token/);
  });
});
