import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, leave, magicOf, owned } from '../testing/fleet-rig';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordEquity } from './believed-result';

describe('the equity that is recorded', () => {
  let gateway: ContractGateway;
  let other: ContractGateway;
  let rig: FleetRig;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
    other = await ContractGateway.start();
    const ticket = floating(gateway, magicOf('a'), 12.5);
    const stateDir = mkdtempSync(join(tmpdir(), 'believed-'));
    await leave(stateDir, { name: 'book/a', record: { realized: '-3.25' }, tickets: [owned('one', ticket)] });
    rig = await FleetRig.start(
      { gateways: { one: gateway, two: other }, children: { a: ['one'], b: ['two'] } },
      stateDir,
    );
  });
  afterEach(async () => {
    await rig.stop();
    await gateway.stop();
    await other.stop();
  });
  const recorded = async (name: string) => {
    recordEquity(rig.deployed, rig.logs, rig.clock.nowMs());
    const { readings } = await rig.logs.equityOf(name).read(0, 1);
    return readings.map(({ realized, unrealized }) => [realized, unrealized]);
  };
  const verify = async (): Promise<void> => {
    for (const { session } of rig.gateways.all) await session.verify();
  };

  it('is what deals brought and what positions are worth, of a strategy and of its portfolio', async () => {
    await verify();
    await rig.look();
    expect(await recorded('book/a')).toEqual([[-3.25, 12.5]]);
    expect(await recorded('book/b')).toEqual([[0, 0]]);
    expect(await recorded('book')).toEqual([[-3.25, 12.5]]);
  });

  it('is not recorded before its account was read, nor that of the portfolio', async () => {
    expect(await recorded('book/a')).toEqual([]);
    await verify();
    await rig.look('two');
    expect(await recorded('book/a')).toEqual([]);
    expect(await recorded('book/b')).toEqual([[0, 0]]);
    expect(await recorded('book')).toEqual([]);
  });

  it('is not recorded while its account is not explained, or was not read lately; others are', async () => {
    await verify();
    gateway.unexplained = [{ kind: 'position_missing', ticket: 5, symbol: 'EURUSD', message: 'position 5 is missing' }];
    await rig.look();
    expect(await recorded('book/a')).toEqual([]);
    expect(await recorded('book')).toEqual([]);
    expect(await recorded('book/b')).toEqual([[0, 0]]);
    gateway.unexplained = [];
    await rig.look('one');
    expect(await recorded('book/a')).toEqual([[-3.25, 12.5]]);
    await rig.clock.advance(11_000);
    expect(await recorded('book/b')).toEqual([[0, 0]]);
    expect(await recorded('book/a')).toEqual([[-3.25, 12.5]]);
  });
});
