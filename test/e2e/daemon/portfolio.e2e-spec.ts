import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from '../programs/gateway-program';
import { fastMarket } from '../programs/markets';
import { Scratch } from '../programs/scratch';
import { bareEnvironment, repository, StartedProgram } from '../programs/started-program';
import { DaemonProgram, strategyFile, type StatusBody } from './daemon-program';
import { holdOne } from './drill-rig';

interface PortfolioBody {
  readonly kind: string;
  readonly state: string;
  readonly halted: boolean;
  readonly haltReason: string | null;
  readonly capital: number;
  readonly balance: number;
  readonly realized: number;
  readonly trades: number;
  readonly drawdownPct: number;
  readonly unreachable: readonly string[];
  readonly children: readonly (StatusBody & { readonly name: string; readonly capital: number })[];
}

describe('a portfolio', () => {
  const scratch = new Scratch();
  let gateway: GatewayProgram;
  let folder: string;
  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch, fastMarket());
    folder = scratch.folder();
  });
  afterEach(() => scratch.clear());

  const flipping = (volume: number): string => `if (trade.warmingUp) return;
    const [open] = trade.positions();
    if (open) trade.close(open); else trade.buy('main', { volume: ${volume} });`;

  const start = (risk: object, onBar: string) => {
    const module = strategyFile(folder, 'child', onBar);
    const child = (alias: string, weight: number, magic: number, symbol: string) => {
      return { alias, weight, module, magic, streams: { main: `demo:${symbol}@M1` } };
    };
    const document = {
      gateways: { demo: { url: gateway.url, apiKeyEnv: 'API_KEY', maxClockSkewSeconds: 0 } },
      portfolios: [
        {
          ...{ name: 'book', capital: 1_000, risk },
          children: [child('one', 0.6, 1, 'EURUSD'), child('two', 0.4, 2, 'GBPUSD')],
        },
      ],
    };
    writeFileSync(join(folder, 'daemon.yaml'), JSON.stringify(document));
    const stateDir = join(folder, 'state');
    return DaemonProgram.start(scratch, { config: join(folder, 'daemon.yaml'), stateDir, env: { API_KEY: 'e2e-key' } });
  };
  const book = (daemon: DaemonProgram, satisfies: (body: PortfolioBody) => boolean) =>
    daemon.until<PortfolioBody>('/status/book', satisfies);

  it('sums its children up, and all of them are the account', async () => {
    const daemon = await start({}, flipping(0.1));
    await book(daemon, ({ children }) => children.every(({ trades }) => trades >= 4));
    await gateway.call('/kill', { method: 'POST' });
    const body = await book(daemon, ({ children }) =>
      children.every(
        ({ orders, inboundQueueDepth }) => orders.blocked > 0 && orders.inFlight + inboundQueueDepth === 0,
      ),
    );
    expect(body).toMatchObject({ kind: 'portfolio', state: 'running', capital: 1_000, unreachable: [] });
    const [one, two] = body.children;
    expect([one?.name, one?.capital, two?.name, two?.capital]).toEqual(['book/one', 600, 'book/two', 400]);
    expect(body.realized).toBeCloseTo((one?.realized ?? 0) + (two?.realized ?? 0), 6);
    expect(body.balance).toBeCloseTo(1_000 + body.realized, 6);
    const account = (await gateway.call('/account')).body;
    expect(body.realized).toBeCloseTo(Number(account['balance']) - 10_000, 6);
    expect(await daemon.status('book/two')).toMatchObject({ name: 'book/two', kind: 'child' });
    expect((await daemon.call('/list')).body).toMatchObject([
      { name: 'book', kind: 'portfolio', children: ['book/one', 'book/two'] },
      { name: 'book/one', kind: 'child', parent: 'book' },
      { name: 'book/two', kind: 'child', parent: 'book' },
    ]);
    expect((await daemon.call('/status')).body).toHaveLength(1);
    expect((await daemon.call('/logs/book/one')).status).toBe(200);
  });

  it('is shown with the positions of its children', async () => {
    const daemon = await start({}, holdOne);
    await book(daemon, ({ children }) => children.every(({ positions }) => positions.length === 1));
    const status = new StartedProgram({
      command: process.execPath,
      args: [join(repository, 'dist/apps/daemon/src/main.js'), 'status', 'book', '--state-dir', join(folder, 'state')],
      env: bareEnvironment(),
    });
    expect(await status.exitCode()).toBe(0);
    const [headings = [], row = []] = status.lines.map((line) => line.split(/ {2,}/));
    expect(row[headings.indexOf('POSITIONS')]).toBe('2');
  });

  it('halts every child when its drawdown reaches its limit, also after a restart', async () => {
    const risk = { maxDrawdownPct: 0.01 };
    let daemon = await start(risk, flipping(1));
    const halted = await book(daemon, ({ halted }) => halted);
    expect(halted.haltReason).toContain('maxDrawdownPct 0.01');
    const both = ({ children }: PortfolioBody) => children.every((child) => child.halted);
    expect((await book(daemon, both)).children[0]?.haltReason).toContain('portfolio book');
    await daemon.kill();
    daemon = await start(risk, flipping(1));
    expect(await book(daemon, both)).toMatchObject({ state: 'halted', halted: true });
  });
});
