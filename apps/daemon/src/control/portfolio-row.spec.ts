import { ContractGateway } from '../testing/contract-gateway';
import { FleetRig, floating, leave, magicOf, owned } from '../testing/fleet-rig';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portfolioStatusOf } from './portfolio-row';
import { statusOf } from './snapshots';

type Positions = readonly { readonly strategy: string; readonly ticket: number }[];

describe('the row of a portfolio', () => {
  let gateway: ContractGateway;
  beforeEach(async () => (gateway = await ContractGateway.start()));
  afterEach(() => gateway.stop());

  const trade = (symbol: string, timestamp: string | null) => ({
    ...({ timestamp, side: 'buy', symbol, volume: 0.1, price: 1.1, realized: 3 } as const),
  });

  it('has every member that the row of a strategy has', async () => {
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } });
    await rig.look();
    const members = (row: object): string[] => Object.keys(row).sort();
    expect(members(portfolioStatusOf(rig.portfolio))).toEqual(
      expect.arrayContaining(members(statusOf(rig.child('a')))),
    );
    await rig.stop();
  });

  it('has the positions, the newest trade and the sums of its children', async () => {
    const [one, two] = [floating(gateway, magicOf('a'), 5), floating(gateway, magicOf('b'), 7)];
    const stateDir = mkdtempSync(join(tmpdir(), 'fleet-'));
    await leave(
      stateDir,
      {
        ...{ name: 'book/a', tickets: [owned('demo', one)] },
        record: { trades: 1, lastTrade: trade('EURUSD', '2024-01-02T00:00:00.000Z') },
      },
      {
        ...{ name: 'book/b', tickets: [owned('demo', two)] },
        record: { trades: 2, lastTrade: trade('GBPUSD', '2024-01-03T00:00:00.000Z') },
      },
    );
    const rig = await FleetRig.start({ gateways: { demo: gateway }, children: { a: ['demo'], b: ['demo'] } }, stateDir);
    await rig.look();
    const unknown = { id: 'i1', action: 'close', position: 1, broker: null, volume: null } as const;
    await rig.child('a').trading.desk.carryOut(unknown, { receivedNanos: null, decidedNanos: 0 });
    const row = portfolioStatusOf(rig.portfolio);
    expect(row).toMatchObject({
      ...{ trades: 3, unrealized: 12, errors: 0, missedBars: 0, version: null, magic: null },
      lastTrade: { symbol: 'GBPUSD' },
      pendingStackLayers: [],
      pendingOrders: [],
      orders: { denied: 1, submitted: 0, inFlight: 0 },
    });
    expect((row.positions as Positions).map(({ strategy, ticket }) => [strategy, ticket])).toEqual([
      ['book/a', one],
      ['book/b', two],
    ]);
    await rig.stop();
  });
});
