import { join } from 'node:path';
import { build } from 'esbuild';
import { FaultyProxy, type Fault } from '../e2e/daemon/faulty-proxy';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { requireProgram } from '../e2e/programs/needs';
import { Scratch } from '../e2e/programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../e2e/programs/started-program';

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

interface Way {
  readonly apiKey: string;
  readonly url?: string;
  readonly patience?: string;
  readonly volume?: string;
}

async function run(way: Way, command: string, ...args: readonly string[]): Promise<Run> {
  const { apiKey, url = gateway.url, patience = '', volume = '0.1' } = way;
  const env = { ...bareEnvironment(), GATEWAY_URL: url, API_KEY: apiKey, PATIENCE_SECONDS: patience, VOLUME: volume };
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

const bots: readonly (readonly [string, (way: Way) => Promise<Run>])[] = [
  ['TypeScript', async (way) => run(way, process.execPath, await bundled())],
  ['Python', (way) => run(way, requireProgram('python3'), join(examples, 'python/bot.py'))],
  ['bash', (way) => run(way, requireProgram('bash'), join(examples, 'bash/bot.sh'))],
];

describe('the example bot', () => {
  it.each(bots)('in %s trades, is protected, closes, and shows the replay and its events', async (_language, start) => {
    const { code, lines } = await start({ apiKey: gateway.key });
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
    const { code, lines } = await start({ apiKey: 'wrong' });
    expect(code).not.toBe(0);
    expect(lines.join('\n')).toMatch(/bearer token/);
  });

  const through = async (fault: FaultyProxy['fault']): Promise<FaultyProxy> => {
    const proxy = await FaultyProxy.start(gateway.url);
    scratch.undo(() => proxy.stop());
    proxy.fault = fault;
    return proxy;
  };
  /** What happens to the first answer of each trade request, and the first of each read. */
  const foreign = (status: number, body: object): Fault => ({
    status,
    headers: { 'content-type': 'application/json' },
    body,
  });
  const losses: readonly (readonly [string, Fault])[] = [
    ['lost on the way there', 'lost-before'],
    ['lost on the way back', 'lost-after'],
    ['cut short', 'cut-short'],
    ['the 502 of a proxy', 'bad-gateway'],
    ['the 200 of a proxy', foreign(200, { status: 'fine', order: 5 })],
    ['the 403 of a proxy', foreign(403, { message: 'Forbidden' })],
  ];

  describe.each(losses)('while the first answer to everything is %s', (_what, loss) => {
    it.each(bots)('in %s does each thing once', async (_language, start) => {
      const asked = new Set<string>();
      const proxy = await through((method, path) => {
        const isFirst = !asked.has(`${method} ${path}`) && !path.startsWith('/stream/');
        asked.add(`${method} ${path}`);
        return isFirst ? loss : null;
      });
      const { code, lines } = await start({ apiKey: gateway.key, url: proxy.url });
      expect({ code, lines }).toMatchObject({ code: 0, lines: { length: 7 } });
      const ticket = /position (\d+)$/.exec(lines[2] ?? '')?.[1];
      const { body } = await gateway.call(`/get_deal_from_ticket?ticket=${ticket}`);
      expect(body).toMatchObject({ ok: true, volume_opened: 0.1, closed: true, deals: 2 });
      expect((await gateway.call('/get_positions')).body).toMatchObject({ data: [] });
    });
  });

  it.each(bots)('in %s does each thing once while the broker’s every answer is lost', async (_language, start) => {
    const faulty = await GatewayProgram.startReady(scratch, { SIM_FAULTS: '1', TERMINAL_TRADE_TIMEOUT_MS: '1000' });
    const fault = ['scripts/simulator-fault.mjs', 'lose-answer', '--state-dir', faulty.stateDir];
    const faulting = new StartedProgram({ command: process.execPath, args: fault, env: bareEnvironment() });
    expect({ code: await faulting.exitCode(), said: faulting.output }).toMatchObject({ code: 0 });
    const { code, lines } = await start({ apiKey: faulty.key, url: faulty.url });
    expect({ code, lines }).toMatchObject({ code: 0, lines: { length: 7 } });
    expect((await faulty.call('/positions_total')).body).toMatchObject({ total: 0 });
    const { data } = (await faulty.call('/history_deals_get')).body as { data: readonly { symbol: string }[] };
    expect(data.filter(({ symbol }) => symbol === 'EURUSD')).toHaveLength(2);
  });

  it.each(bots)('in %s calls an outcome unknown, not refused, when no answer comes', async (_language, start) => {
    const proxy = await through((_method, path) => (path === '/order' ? 'bad-gateway' : null));
    const { code, lines } = await start({ apiKey: gateway.key, url: proxy.url, patience: '2' });
    expect({ code, lines }).toMatchObject({ code: 3 });
    expect(lines.join('\n')).toMatch(/^unknown: the outcome of \S+ is not known yet: .*under the same key/m);
    expect(lines.join('\n')).not.toMatch(/refused/i);
    expect(proxy.keys('/order')).toHaveLength(1);
  });

  const refusal = (status: number, error_type: string, error: string): Fault => ({
    ...{ status, headers: { 'content-type': 'application/json' } },
    body: { ok: false, error, error_type, request_id: 'r' },
  });
  /** What comes of the requests of an order, in this order; the last one stays. */
  const orderMeets = (...faults: readonly (Fault | null)[]): Promise<FaultyProxy> => {
    let asked = 0;
    return through((_method, path) => {
      const isRefusedToo = path.startsWith('/trade_requests/') && asked === faults.length;
      if (path === '/order') asked = Math.min(asked + 1, faults.length);
      return path === '/order' || isRefusedToo ? (faults[asked - 1] ?? null) : null;
    });
  };
  const halted = refusal(423, 'kill_switch_active', 'the kill switch is active');

  it.each(bots)('in %s calls an executed order unknown when its API key is refused later', async (_language, start) => {
    const wrong = refusal(401, 'authentication_error', 'a valid bearer token is required');
    const proxy = await orderMeets('lost-after', wrong);
    const { code, lines } = await start({ apiKey: gateway.key, url: proxy.url, patience: '3' });
    expect({ code, lines }).toMatchObject({ code: 3 });
    expect(lines.join('\n')).not.toMatch(/refused/i);
    expect(proxy.keys('/order')).toHaveLength(1);
  });

  it.each(bots)('in %s finds an executed order whose repetition is refused', async (_language, start) => {
    const proxy = await orderMeets('lost-after', halted, null);
    const { code, lines } = await start({ apiKey: gateway.key, url: proxy.url });
    expect({ code, lines }).toMatchObject({ code: 0, lines: { length: 7 } });
    expect(proxy.keys('/order')).toHaveLength(1);
  });

  it.each(bots)('in %s makes the key of an order void before it calls it refused', async (_language, start) => {
    const proxy = await orderMeets('lost-before', halted, null);
    const { code, lines } = await start({ apiKey: gateway.key, url: proxy.url });
    expect({ code, lines }).toMatchObject({ code: 1 });
    expect(lines.join('\n')).toMatch(/^refused: the kill switch is active/m);
    const [key] = proxy.keys('/order');
    expect((await gateway.call(`/trade_requests/${key}`)).body).toMatchObject({ status: 'void' });
  });

  it.each(bots)('in %s says refused, and why, when the gateway refuses', async (_language, start) => {
    const { code, lines } = await start({ apiKey: gateway.key, volume: '1000' });
    expect(code).toBe(1);
    expect(lines.join('\n')).toMatch(/^refused: .*1000/m);
  });
});
