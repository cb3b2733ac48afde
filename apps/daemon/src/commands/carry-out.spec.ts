import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, magicOf, owned, leave } from '../testing/fleet-rig';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { carryOut, isLong } from './carry-out';

const report = { at: '2026-01-05T12:00:00.000Z', added: ['a'], removed: [], changed: [], problems: ['b: no magic'] };
const commanded = ({ deployed, store }: FleetRig) => ({
  ...deployed,
  store,
  reload: () => Promise.resolve({ ...report, outcome: 'partial' } as const),
});

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
    expect(await carryOut({ command: 'resume', name: 'book/a' }, commanded(rig))).toEqual({
      ok: false,
      message: 'book/a is halted with its portfolio: resume book, which resumes its children',
    });
    expect(rig.child('a').book.record.halt).toEqual(halt);
    expect(await carryOut({ command: 'resume', name: 'book' }, commanded(rig))).toMatchObject({
      ok: true,
    });
    expect(rig.child('a').book.record.halt).toBeNull();
    await rig.child('a').account.halt('persistent', 'separately');
    expect(await carryOut({ command: 'resume', name: 'book/a' }, commanded(rig))).toMatchObject({
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

  const run = (name: string, reason = 'news') => carryOut({ command: 'halt', name, reason }, commanded(rig));
  const halts = () => ['a', 'b'].map((alias) => rig.child(alias).book.record.halt?.reason ?? null);

  it('of a child halts it alone, durably', async () => {
    expect(await run('book/a')).toEqual({ ok: true, message: 'book/a halted' });
    expect(halts()).toEqual(['news', null]);
    expect(rig.store.strategy('book/a')?.halt).toMatchObject({ kind: 'persistent', reason: 'news' });
    expect(await run('book/a', 'again')).toEqual({ ok: true, message: 'book/a is halted: news' });
  });

  it('is no error in the log, as one of a limit is', async () => {
    await run('book');
    await rig.child('b').account.halt('persistent', 'too many errors');
    await rig.logs.flushed();
    const levelsOf = async (name: string): Promise<string[]> => {
      const { lines } = await rig.logs.read(name, { lines: 100, level: 'debug', sinceMicros: null });
      return lines.flatMap((line) => (/ halted /.test(line) ? [line.split(' ')[1] ?? ''] : []));
    };
    expect(await levelsOf('book')).toEqual(['WARNING']);
    expect(await levelsOf('book/b')).toEqual(['WARNING', 'ERROR']);
  });

  it('names the host of the fleet that runs what does not run here', async () => {
    const hostOf = (name: string): Promise<string | null> => Promise.resolve(name === 'far' ? 'host-1' : null);
    const asked = (name: string) => carryOut({ command: 'halt', name, reason: 'news' }, { ...commanded(rig), hostOf });
    expect(await asked('far')).toEqual({
      ok: false,
      message: 'far runs on host-1: give the command on that host, with its state directory',
    });
    expect(await asked('nope')).toEqual({ ok: false, message: 'no strategy nope' });
    expect(await run('nope')).toEqual({ ok: false, message: 'no strategy nope' });
  });

  it('of a portfolio halts it and its children, and resume ends it', async () => {
    expect(await run('book')).toEqual({ ok: true, message: 'book halted' });
    expect(halts()).toEqual(['portfolio book: news', 'portfolio book: news']);
    expect(rig.store.strategy('book')?.halt).toMatchObject({ kind: 'persistent', reason: 'news' });
    await carryOut({ command: 'resume', name: 'book' }, commanded(rig));
    expect([rig.portfolio.record.halt, ...halts()]).toEqual([null, null, null]);
  });

  it('of a portfolio does not close positions', async () => {
    const ticket = floating(gateway, magicOf('a'), 1);
    await rig.store.write({ tickets: [owned('demo', ticket)('book/a')] });
    rig.child('a').book.apply({ tickets: [owned('demo', ticket)('book/a')] });
    await run('book');
    await rig.look();
    expect(gateway.sends).toEqual([]);
  });

  it('makes a halt for the day one that lasts', async () => {
    await rig.child('a').account.halt('daily', 'daily loss');
    expect(await run('book/a')).toEqual({ ok: true, message: 'book/a halted' });
    expect(rig.child('a').book.record.halt).toMatchObject({ kind: 'persistent', reason: 'news' });
  });

  it('reports that it ends with a restart if the state cannot be written', async () => {
    await rig.store.close();
    expect(await run('book/a')).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^book\/a halted only until the next restart: its state cannot be written: ./),
    });
    expect(halts()).toEqual(['news', null]);
  });
});

describe('flatten', () => {
  let gateway: ContractGateway;
  let rig: FleetRig;
  let tickets: readonly number[];
  const stateDir = () => mkdtempSync(join(tmpdir(), 'fleet-'));
  const flatten = (name: string) => carryOut({ command: 'flatten', name, reason: 'enough' }, commanded(rig));
  const open = () => gateway.positions.map(({ ticket }) => ticket);

  beforeEach(async () => {
    gateway = await ContractGateway.start();
    tickets = ['a', 'b'].map((alias) => floating(gateway, magicOf(alias), 1));
    const folder = stateDir();
    const left = ['a', 'b'].map((alias, index) => {
      return { name: `book/${alias}`, tickets: [owned('demo', tickets[index] ?? 0)] };
    });
    await leave(folder, ...left);
    rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } }, folder);
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
  });

  const closed = async (count: number): Promise<void> => {
    while (open().length > 2 - count) await rig.look();
  };

  it('of a child closes its positions alone, and resume ends the halt', async () => {
    await rig.look();
    expect(await flatten('book/a')).toEqual({
      ...{ ok: true, message: 'book/a halted; it has 1 position, 0 pending orders' },
    });
    expect(rig.store.strategy('book/a')?.halt).toMatchObject({ kind: 'persistent', reason: 'enough', flattens: true });
    await closed(1);
    await rig.look();
    expect(open()).toEqual([tickets[1]]);
    expect(rig.child('b').book.record.halt).toBeNull();
    await carryOut({ command: 'resume', name: 'book/a' }, commanded(rig));
    expect(rig.child('a').book.record.halt).toBeNull();
  });

  it('closes by the books while the gateway refuses the list of positions, for a child and for a portfolio', async () => {
    gateway.hidesLists = true;
    await rig.look();
    expect(await flatten('book/a')).toMatchObject({ ok: true, message: expect.stringMatching(/not been read yet/) });
    await closed(1);
    expect(open()).toEqual([tickets[1]]);
    await flatten('book');
    await closed(2);
    expect(gateway.sends.map(({ body }) => body['position'])).toEqual(tickets.map((ticket) => ({ ticket })));
  });

  it('names a position that the list lacks, and closes it by its ticket', async () => {
    const [lacking] = gateway.positions.splice(0, 1);
    await rig.look();
    expect(await flatten('book/a')).toEqual({
      ...{ ok: true, message: 'book/a halted; it has 1 position, 0 pending orders' },
    });
    while (gateway.sends.length === 0) await rig.look();
    expect(gateway.sends.map(({ body }) => body['position'])).toEqual([{ ticket: lacking?.['ticket'] }]);
  });

  it('of a portfolio closes the positions of all children, including one that was halted before', async () => {
    await rig.look();
    await rig.child('a').account.halt('persistent', 'separately');
    expect(await flatten('book')).toEqual({
      ...{ ok: true, message: 'book halted; it has 2 positions, 0 pending orders' },
    });
    expect(rig.store.strategy('book')?.halt).toMatchObject({ flattens: true });
    await closed(2);
    // Each position is closed by one request.
    expect(gateway.sends.map(({ path }) => path)).toEqual(['/close_position', '/close_position']);
  });

  it('does not say that nothing is open while an order was executed that the account does not show yet', async () => {
    gateway.positions.splice(0);
    const over = { ...owned('demo', tickets[0] ?? 0)('book/a'), volumeOut: '0.1', closed: true };
    const executed = { ...owned('demo', 99)('book/a'), volumeIn: '0', working: true };
    rig.child('a').book.apply({ tickets: [over, executed] });
    await rig.look();
    expect(await flatten('book/a')).toEqual({
      ok: true,
      message:
        'book/a halted; it has 0 positions, 0 pending orders, 1 order of which the account does not show the position yet',
    });
  });

  it('states that positions on a gateway that is not configured stay open', async () => {
    rig.child('a').book.apply({ tickets: [owned('old', 7)('book/a')] });
    expect(await flatten('book/a')).toEqual({
      ok: false,
      message: 'book/a halted, but EURUSD 7 on old cannot be closed: the gateway is not configured',
    });
  });

  it('states that the positions are not known before the account was read', async () => {
    expect(await flatten('book/a')).toEqual({
      ok: true,
      message: 'book/a halted; an account has not been read yet, so its positions are not known',
    });
    expect(await flatten('missing')).toEqual({ ok: false, message: 'no strategy missing' });
  });
});

describe('reload', () => {
  it('has the report as its message, and fails when there were problems', async () => {
    const gateway = await ContractGateway.start();
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'] } });
    const { ok, message } = await carryOut({ command: 'reload' }, commanded(rig));
    expect([ok, JSON.parse(message)]).toEqual([false, { ...report, outcome: 'partial' }]);
    expect([isLong({ command: 'reload' }), isLong({ command: 'dump' })]).toEqual([true, false]);
    await rig.stop();
    await gateway.stop();
  });
});
