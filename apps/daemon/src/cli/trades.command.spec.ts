import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TradeReason } from '@libs/trade-constants';
import { ContractGateway } from '../testing/contract-gateway';
import { leave, owned } from '../testing/fleet-rig';
import { printedBy } from '../testing/printed';
import { spanOf } from '../live-report/live-period';
import { periodOf } from './live-arguments';

describe('daemon trades', () => {
  let gateway: ContractGateway;
  let folder: string;
  let config: string;
  let stateDir: string;

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    folder = mkdtempSync(join(tmpdir(), 'trades-'));
    [config, stateDir] = [join(folder, 'daemon.yaml'), join(folder, 'state')];
    writeFileSync(join(folder, 'ema.ts'), '');
    const child = { module: './ema.ts', weight: 0.5, streams: { main: 'demo:EURUSD@M1' } };
    const strategy = { name: 'ema', module: './ema.ts', magic: 41, capital: 10_000, streams: child.streams };
    const children = [
      { ...child, alias: 'a', magic: 51 },
      { ...child, alias: 'b', magic: 52 },
    ];
    const document = {
      gateways: { demo: { url: gateway.url, apiKeyEnv: 'TRADES_KEY' } },
      strategies: [strategy],
      portfolios: [{ name: 'book', capital: 5_000, children }],
    };
    writeFileSync(config, JSON.stringify(document));
    process.env['TRADES_KEY'] = 'k';
  });
  afterEach(async () => {
    delete process.env['TRADES_KEY'];
    await gateway.stop();
    rmSync(folder, { recursive: true });
  });

  const command = (...args: readonly string[]) =>
    printedBy('trades', ...args, '--config', config, '--state-dir', stateDir);
  const year = ['--from', '2023-12-31', '--to', '2024-02-01'];

  it('lists the trades of a strategy while no daemon runs, by its records and by its magic', async () => {
    const [first, second, other] = [gateway.openAtBroker(41), gateway.openAtBroker(41), gateway.openAtBroker(51)];
    gateway.closeAtBroker(first, TradeReason.TP, 5);
    await leave(stateDir, { name: 'ema', tickets: [owned('demo', first)] });
    const text = await command('ema', ...year);
    expect(text).toMatch(/^account {3}100001 on Demo, demo, in USD, by gateway demo$/m);
    expect(text).toMatch(
      /^records {3}the state directory; no daemon runs on it; 1 of 2 trades is known only by its magic/m,
    );
    expect(text).toMatch(
      new RegExp(
        `2024-01-01 00:00 +buy +EURUSD +0.1 +1.10000 +2024-01-01 00:00 +1.20000 +tp +-0.71 +4.29 +demo:${first} +records$`,
        'm',
      ),
    );
    expect(text).toMatch(new RegExp(`open +- +- +-0.35 +0.15 +demo:${second} +magic$`, 'm'));
    expect(text).toMatch(/^1 closed, result 4.29; 1 open at the end, floating result with costs so far 0.15$/m);
    expect(text).not.toContain(String(other));
    expect(await command('ema', '--from', '2023-12-01', '--to', '2023-12-31')).toMatch(/^0 closed, result 0.00$/m);
  });

  it('gives a portfolio with its children as JSON and as CSV', async () => {
    const [a, b] = [gateway.openAtBroker(51), gateway.openAtBroker(52)];
    gateway.closeAtBroker(b, TradeReason.CLIENT, -3);
    const csv = join(folder, 'trades.csv');
    const body = JSON.parse(await command('book', ...year, '--json', '--csv', csv)) as object;
    expect(body).toMatchObject({
      ...{ name: 'book', records: 'none', lostGateways: [], from: '2023-12-31T00:00:00.000Z' },
      accounts: [{ gateway: 'demo', login: 100001, tradeMode: 'demo' }],
      trades: [
        { strategy: 'book/b', position: b, realized: -3.71, exitReason: 'other', knownBy: 'magic' },
        { strategy: 'book/a', position: a, closedMs: null },
      ],
    });
    const [heads, first] = readFileSync(csv, 'utf8').split('\n');
    expect(heads).toMatch(/^strategy,gateway,position,symbol,side,volume,opened,/);
    expect(first).toMatch(
      /^book\/b,demo,\d+,EURUSD,buy,0.1,2024-01-01T00:00:00.000Z,1.1,2024-01-01T00:00:00.000Z,1.2,/,
    );
    // Without a period: the last days of the market, which are not those of the clock.
    expect(await command('book/a')).toMatch(/^0 closed, result 0.00; 1 open at the end/m);
  });

  it('names a position of the records that the account lacks without a deal', async () => {
    const [shown, closed, lacking] = [gateway.openAtBroker(41), gateway.openAtBroker(41), gateway.openAtBroker(41)];
    gateway.closeAtBroker(closed, TradeReason.TP, 5);
    gateway.positions.splice(1, 1);
    await leave(stateDir, { name: 'ema', tickets: [shown, closed, lacking].map((ticket) => owned('demo', ticket)) });
    const text = await command('ema');
    expect(text).toContain(`missing   position ${lacking} on demo: it is not shown, and no deal has closed it`);
    expect(text.match(/^missing/gm)).toHaveLength(1);
    expect(JSON.parse(await command('ema', '--json'))).toMatchObject({
      lacking: [{ gateway: 'demo', position: lacking }],
    });
  });

  it('names a gateway of the records that is no longer configured', async () => {
    await leave(stateDir, { name: 'ema', tickets: [owned('old', 7)] });
    expect(await command('ema', ...year)).toContain(
      'missing   what was traded through old, which is no longer configured',
    );
  });

  it('fails when the gateway does not answer, when it has another account, and for a name that is not configured', async () => {
    await expect(command('eam', ...year)).rejects.toThrow('no strategy or portfolio eam; did you mean ema?');
    await expect(command(...year)).rejects.toThrow('trades needs a strategy name');
    gateway.always = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
    await expect(command('ema', ...year)).rejects.toThrow('away');
  });
});

describe('the period of a command', () => {
  const [clock, market] = [Date.UTC(2026, 5, 1), Date.UTC(2026, 0, 31)];
  const day = (date: number) => Date.UTC(2026, 0, date);
  const span = (flags: Parameters<typeof periodOf>[0]) => spanOf(periodOf(flags), market, clock);

  it('is the last days of the market, or from one instant to another', () => {
    expect(span({})).toEqual({ fromMs: day(1), toMs: market, isUntilNow: true });
    expect(span({ days: 5 })).toEqual({ fromMs: day(26), toMs: market, isUntilNow: true });
    expect(span({ from: '2026-01-05' })).toEqual({ fromMs: day(5), toMs: market, isUntilNow: true });
    const [from, to] = ['2026-01-05', '2026-01-07'];
    expect(span({ from, to })).toEqual({ fromMs: day(5), toMs: day(7), isUntilNow: false });
    expect(spanOf(periodOf({}), null, clock).toMs).toBe(clock);
  });

  it('is refused when it is empty or ambiguous', () => {
    expect(() => periodOf({ from: '2026-01-07', to: '2026-01-07' })).toThrow('--from must be before --to');
    expect(() => span({ from: '2026-03-01' })).toThrow(
      '--from 2026-03-01T00:00:00.000Z is not before the newest quote, of 2026-01-31T00:00:00.000Z',
    );
    expect(() => periodOf({ days: 5, to: '2026-01-07' })).toThrow('--days cannot be combined with --from and --to');
  });
});
