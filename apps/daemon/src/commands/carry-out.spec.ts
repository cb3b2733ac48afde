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
