import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, magicOf, owned, leave } from '../testing/fleet-rig';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { carryOut } from './carry-out';

describe('resume of a child', () => {
  it('is refused while its portfolio is halted, and changes nothing', async () => {
    const gateway = await ContractGateway.start();
    const stateDir = mkdtempSync(join(tmpdir(), 'fleet-'));
    const ticket = floating(gateway, magicOf('a'), -6_000);
    await leave(
      stateDir,
      { name: 'book/a', tickets: [owned('demo', ticket)] },
      { name: 'book', record: { peakEquity: '50000', day: { date: '1970-01-01', equity: '50000' } } },
    );
    const configured = { gateways: { demo: gateway }, children: { a: ['demo'] }, risk: { maxDrawdownPct: 10 } };
    const rig = await FleetRig.start(configured, stateDir);
    await rig.look();
    rig.portfolio.watch();
    await rig.clock.advance(1_000);
    const { halt } = rig.child('a').book.record;
    expect(halt?.reason).toMatch(/^portfolio book: drawdown/);
    expect(await carryOut({ command: 'resume', name: 'book/a' }, { ...rig.deployed, store: rig.store })).toEqual({
      ok: false,
      message: 'book/a is halted with its portfolio: resume book, which resumes its children',
    });
    expect(rig.child('a').book.record.halt).toEqual(halt);
    expect(await carryOut({ command: 'resume', name: 'book' }, { ...rig.deployed, store: rig.store })).toMatchObject({
      ok: true,
    });
    expect(rig.child('a').book.record.halt).toBeNull();
    await rig.child('a').account.halt('persistent', 'by itself');
    expect(await carryOut({ command: 'resume', name: 'book/a' }, { ...rig.deployed, store: rig.store })).toMatchObject({
      ok: true,
    });
    await rig.stop();
    await gateway.stop();
  });
});

describe('halt', () => {
  let gateway: ContractGateway;
  let rig: FleetRig;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    const configured = { gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] }, risk: {} };
    rig = await FleetRig.start(configured, mkdtempSync(join(tmpdir(), 'fleet-')));
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const run = (name: string, reason = 'news') =>
    carryOut({ command: 'halt', name, reason }, { ...rig.deployed, store: rig.store });
  const halts = () => ['a', 'b'].map((alias) => rig.child(alias).book.record.halt?.reason ?? null);

  it('of a child halts it alone, durably', async () => {
    expect(await run('book/a')).toEqual({ ok: true, message: 'book/a halted' });
    expect(halts()).toEqual(['news', null]);
    expect(rig.store.strategy('book/a')?.halt).toMatchObject({ kind: 'persistent', reason: 'news' });
    expect(await run('book/a', 'again')).toEqual({ ok: true, message: 'book/a is halted: news' });
  });

  it('of a portfolio halts it and its children, and resume ends it', async () => {
    expect(await run('book')).toEqual({ ok: true, message: 'book halted' });
    expect(halts()).toEqual(['portfolio book: news', 'portfolio book: news']);
    expect(rig.store.strategy('book')?.halt).toMatchObject({ kind: 'persistent', reason: 'news' });
    await carryOut({ command: 'resume', name: 'book' }, { ...rig.deployed, store: rig.store });
    expect([rig.portfolio.record.halt, ...halts()]).toEqual([null, null, null]);
  });

  it('makes a halt for the day one that lasts', async () => {
    await rig.child('a').account.halt('daily', 'daily loss');
    expect(await run('book/a')).toEqual({ ok: true, message: 'book/a halted' });
    expect(rig.child('a').book.record.halt).toMatchObject({ kind: 'persistent', reason: 'news' });
  });

  it('states that a restart forgets it when the state cannot be written', async () => {
    await rig.store.close();
    expect(await run('book/a')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^book\/a halted, but a restart forgets it: its state cannot be written: ./),
    });
    expect(halts()).toEqual(['news', null]);
  });
});
