import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { logOptions } from '@libs/logging';
import { pino } from 'pino';
import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, leave, magicOf, owned } from '../testing/fleet-rig';
import { LogBook } from './log-book';

const query = { lines: 10, sinceMicros: null, level: 'debug' } as const;
type Line = Readonly<Record<string, unknown>>;

function logger(lines: Line[]) {
  return pino(logOptions('daemon', 'INFO'), { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
}

describe('the log of the daemon itself', () => {
  it('has the lines of the daemon about a strategy, and not those of the strategy', async () => {
    const lines: Line[] = [];
    const logs = new LogBook(mkdtempSync(join(tmpdir(), 'logs-')), new VirtualClock(), logger(lines));
    const log = logs.of('ema');
    log.info('fill', { deal: 7, volume: 0.1 });
    log.said('I feel lucky', { volume: 9 });
    log.warning('an intent was denied', { reason: 'stale_bar' });
    log.error('failed', { problem: 'no answer within 1000 ms: the thread was ended' });
    log.debug('detail');
    expect(lines).toMatchObject([
      { level: 'INFO', app: 'daemon', strategy: 'ema', msg: 'fill', deal: 7, volume: 0.1 },
      { level: 'WARNING', strategy: 'ema', msg: 'an intent was denied', reason: 'stale_bar' },
      { level: 'ERROR', strategy: 'ema', msg: 'failed' },
    ]);
    for (const { time } of lines) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await logs.read('ema', query)).lines).toHaveLength(5);
  });

  it('has the halts of strategies and portfolios, and a portfolio has a log of its own', async () => {
    const lines: Line[] = [];
    const gateway = await ContractGateway.start();
    const stateDir = mkdtempSync(join(tmpdir(), 'fleet-'));
    const ticket = floating(gateway, magicOf('a'), -6_000);
    const day = { date: '1970-01-01', equity: '50000' };
    await leave(
      stateDir,
      { name: 'book/a', tickets: [owned('demo', ticket)] },
      { name: 'book', record: { peakEquity: '50000', day } },
    );
    const configured = { gateways: { demo: gateway }, children: { a: ['demo'] }, risk: { maxDrawdownPct: 10 } };
    const rig = await FleetRig.start(configured, stateDir, logger(lines));
    await rig.look();
    rig.portfolio.watch();
    const halted = lines.filter(({ msg }) => msg === 'halted');
    expect(halted).toMatchObject([
      { level: 'ERROR', portfolio: 'book', kind: 'persistent' },
      { level: 'ERROR', strategy: 'book/a', kind: 'persistent' },
    ]);
    await rig.portfolio.resume();
    const { lines: own } = await rig.logs.read('book', query);
    expect(own.map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual(['ERROR halted', 'INFO resumed']);
    await rig.stop();
    await gateway.stop();
  });
});
