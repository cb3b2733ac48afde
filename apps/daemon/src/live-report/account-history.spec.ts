import { GatewayClient } from '@libs/gateway-client';
import { TradeReason } from '@libs/trade-constants';
import { ContractGateway } from '../testing/contract-gateway';
import { owned } from '../testing/fleet-rig';
import { readHistory } from './account-history';
import { tradeOf } from './live-trade';

describe('the history of an account', () => {
  let gateway: ContractGateway;
  beforeEach(async () => {
    gateway = await ContractGateway.start();
  });
  afterEach(() => gateway.stop());

  const reads = () => new GatewayClient({ baseUrl: gateway.url, apiKey: 'k', readAttempts: 1 }).reads;
  const history = async (tickets: readonly number[] = [], fromMs = 0) => {
    const records = tickets.map((ticket) => ({
      ...owned('demo', ticket)('ema'),
      stream: 'main',
      intentId: 'i1',
      tag: 'up',
    }));
    const strategies = [{ name: 'ema', magic: 41 }];
    return readHistory({
      gateway: 'demo',
      reads: reads(),
      strategies,
      tickets: records,
      fromMs,
      untilMs: Date.UTC(2025, 0, 1),
    });
  };
  const trades = async (...of: Parameters<typeof history>) => (await history(...of)).map(tradeOf);

  it('has the positions of the records, and those of the magic that the records lack', async () => {
    const [first, second, other] = [gateway.openAtBroker(41), gateway.openAtBroker(41), gateway.openAtBroker(99)];
    gateway.closeAtBroker(first, TradeReason.TP, 5);
    expect(await trades([first])).toMatchObject([
      {
        position: first,
        knownBy: 'records',
        intentId: 'i1',
        tag: 'up',
        realized: 4.29,
        exitReason: 'tp',
        floating: null,
      },
      { position: second, knownBy: 'magic', intentId: null, realized: -0.35, closedMs: null, floating: 0.5 },
    ]);
    expect(await trades([other])).toHaveLength(3);
  });

  it('reads the entry of a position that was opened before the period', async () => {
    const ticket = gateway.openAtBroker(41);
    gateway.closeAtBroker(ticket, TradeReason.SL, -7);
    const [, exit] = gateway.deals;
    if (exit) exit['time_utc'] = '2024-03-01T00:00:00Z';
    // By hand: the deal that closes it does not carry the magic.
    if (exit) exit['magic'] = 0;
    expect(await trades([], Date.UTC(2024, 1, 1))).toMatchObject([
      { position: ticket, openedMs: Date.UTC(2024, 0, 1), closedMs: Date.UTC(2024, 2, 1), realized: -7.71 },
    ]);
    expect(await trades([], Date.UTC(2024, 3, 1))).toEqual([]);
  });

  it('has a position that was opened before the period and is open', async () => {
    const ticket = gateway.openAtBroker(41);
    expect(await trades([], Date.UTC(2024, 3, 1))).toMatchObject([{ position: ticket, closedMs: null }]);
  });

  it('fails when a read fails: no history is not an empty one', async () => {
    gateway.openAtBroker(41);
    gateway.onRead = (route) => {
      const isDown = route === 'get_positions';
      if (isDown)
        gateway.always = { status: 503, body: { ok: false, error: 'away', error_type: 'terminal_unavailable' } };
    };
    await expect(trades([], Date.UTC(2024, 3, 1))).rejects.toThrow('away');
  });
});
