import { mkdtempSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStoredReport, StoredReports, type StoredReport } from '../backtest/stored-report';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig } from '../testing/fleet-rig';
import { areEqual, settingsOfPortfolio, settingsOfStrategy, type RunningStrategy } from './backtest-settings';

const folder = mkdtempSync(join(tmpdir(), 'stored-'));
const path = join(folder, 'report.json');
const risk = { maxVolume: null, maxOpenPositions: null, maxDailyLoss: null, maxDrawdownPct: null };
const strategy = {
  ...{ file: 'nothing.ts', version: 3, params: { fast: 5, slow: 13 }, streams: { one: 'EURUSD@M1' }, risk },
};
const report = {
  strategy,
  account: { currency: 'USD', leverage: 100, capital: 50_000 },
  range: { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z', files: ['a.csv'], bars: 9, gaps: {} },
  assumptions: { spreadPoints: null, symbols: {} },
  fillRule: null,
  figures: { netProfit: 5, startEquity: 50_000, endEquity: 50_005 },
  haltReason: null,
  trades: [{}],
  fills: [{}],
  equity: Array.from({ length: 2_501 }, (_, index) => [index * 60_000, 50_000 + index]),
};
const stored = async (value: unknown): Promise<StoredReport> => {
  writeFileSync(path, JSON.stringify(value));
  const read = await readStoredReport(path);
  if (read === null) throw new Error('there is no report');
  return read;
};

describe('the report that a configuration names', () => {
  it('is read without its long lists, to its last point', async () => {
    const { report: read, writtenMs } = await stored(report);
    expect(read).toMatchObject({ strategy, figures: report.figures, account: report.account });
    expect(Object.keys(read)).not.toContain('trades');
    expect(read.equity.length).toBeLessThanOrEqual(1_000);
    expect(read.equity.at(-1)).toEqual([150_000_000, 52_500]);
    expect(Math.abs(Date.now() - writtenMs)).toBeLessThan(60_000);
  });

  it('is null without a file, and an error with its reason if the file is no report', async () => {
    expect(await readStoredReport(join(folder, 'gone.json'))).toBeNull();
    mkdirSync(join(folder, 'folder'));
    await expect(readStoredReport(join(folder, 'folder'))).rejects.toThrow('it is not a file');
    for (const text of [
      '',
      '{"a":',
      'null',
      '[]',
      '{}',
      JSON.stringify({ ...report, figures: null }),
      JSON.stringify({ ...report, strategy: { file: 'x.ts' } }),
    ]) {
      writeFileSync(path, text);
      await expect(readStoredReport(path)).rejects.toThrow(/cannot be read|is not a report/);
    }
    // What `daemon report` writes has no assumptions of a broker.
    await expect(stored({ ...report, assumptions: undefined })).rejects.toThrow('is not a report that daemon backtest');
  });

  it('is read again after it changed', async () => {
    const reports = new StoredReports();
    expect(await reports.read(path.replace('report', 'later'))).toBeNull();
    writeFileSync(path, '{');
    await expect(reports.read(path)).rejects.toThrow('cannot be read');
    writeFileSync(path, JSON.stringify(report));
    const first = await reports.read(path);
    expect(first?.report.figures.netProfit).toBe(5);
    expect(await reports.read(path)).toBe(first);
    writeFileSync(path, JSON.stringify({ ...report, figures: { ...report.figures, netProfit: 6 } }));
    utimesSync(path, 1, 1);
    expect((await reports.read(path))?.report.figures.netProfit).toBe(6);
  });
});

describe('the settings of a backtest beside those that run', () => {
  let gateway: ContractGateway;
  let rig: FleetRig;
  beforeAll(async () => {
    gateway = await ContractGateway.start();
    rig = await FleetRig.start({ gateways: { one: gateway }, children: { a: ['one'] }, module: '/x/nothing.ts' });
    for (const { session } of rig.gateways.all) await session.verify();
  });
  const running = (live: RunningStrategy['live'] = { loaded: { params: strategy.params } }): RunningStrategy => {
    const { spec, accounts, services } = rig.child('a');
    return { spec, accounts, services, version: 3, live };
  };
  afterAll(async () => {
    await rig.stop();
    await gateway.stop();
  });
  const account = () => {
    const { currency = '', leverage = 0 } = rig.gateways.get('one').session.account ?? {};
    return { currency, leverage, capital: 50_000 };
  };
  const differing = async (changes: object, shared: object = {}, runs = running()) => {
    const settings = settingsOfStrategy(
      runs,
      await stored({ ...report, account: { ...account(), ...shared }, strategy: { ...strategy, ...changes } }),
    );
    return [areEqual(settings), settings.filter(({ isEqual }) => isEqual !== true).map(({ name }) => name)];
  };

  it('are equal only if each of them is', async () => {
    expect(await differing({})).toEqual([true, []]);
    expect(await differing({ file: 'other.ts' })).toEqual([false, ['strategy file']]);
    expect(await differing({ version: 2 })).toEqual([false, ['version']]);
    expect(await differing({ params: { fast: 6, slow: 13 } })).toEqual([false, ['param fast']]);
    expect(await differing({ params: { fast: 5 } })).toEqual([false, ['param slow']]);
    expect(await differing({ params: { ...strategy.params, more: 1 } })).toEqual([false, ['param more']]);
    expect(await differing({ streams: { one: 'EURUSD@M5' } })).toEqual([false, ['stream one']]);
    expect(await differing({ risk: { ...risk, maxVolume: 1 } })).toEqual([false, ['limit maxVolume']]);
    expect(await differing({}, { capital: 1 })).toEqual([false, ['capital']]);
    expect(await differing({}, { currency: 'JPY' })).toEqual([false, ['currency']]);
  });

  it('are not known to be equal where one is not known', async () => {
    const limits = ['limit maxVolume', 'limit maxOpenPositions', 'limit maxDailyLoss', 'limit maxDrawdownPct'];
    expect(await differing({ risk: undefined })).toEqual([null, limits]);
    expect(await differing({ risk: undefined, version: 1 })).toEqual([false, ['version', ...limits]]);
    expect(await differing({}, {}, running(null))).toEqual([null, ['param fast', 'param slow']]);
  });

  it('are those of each strategy of a portfolio, and of no single strategy', async () => {
    const portfolio = { name: 'book', risk: { maxDailyLoss: null, maxDrawdownPct: null } };
    const portfolioOf = () => ({ spec: rig.portfolio.spec, children: [running()] });
    const several = { ...report, account: account(), strategy: undefined, portfolio };
    const ofPortfolio = async (own: object) => {
      const strategies = [{ name: 'book/a', capital: 50_000, strategy: { ...strategy, ...own } }];
      const settings = settingsOfPortfolio(portfolioOf(), await stored({ ...several, strategies }));
      return [areEqual(settings), settings.filter(({ isEqual }) => isEqual !== true).map(({ name }) => name)];
    };
    expect(await ofPortfolio({})).toEqual([true, []]);
    expect(await ofPortfolio({ version: 9 })).toEqual([false, ['book/a version']]);
    const single = settingsOfPortfolio(portfolioOf(), await stored(report));
    expect(areEqual(single)).toBe(false);
    expect(areEqual(settingsOfStrategy(running(), await stored({ ...several, strategies: [] })))).toBe(false);
  });
});
