import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import type { Fault } from '@libs/simulator';
import { Retcode } from '@libs/terminal-client';
import { TradingGateway } from '../trade-journal/testing/trading-gateway';
import { effort } from '../../../../test/setup/effort';

const maxVolume = 1;
const maxVolumePerSymbol = 0.6;
const symbols = ['EURUSD', 'GBPUSD'] as const;

type Command =
  | { readonly kind: 'market'; readonly symbol: string; readonly type: 'BUY' | 'SELL'; readonly volume: number }
  | { readonly kind: 'pending'; readonly symbol: string; readonly type: 'BUY' | 'SELL'; readonly volume: number }
  | { readonly kind: 'close_all' }
  | { readonly kind: 'cancel_all' };
interface Round {
  readonly faults: readonly Fault[];
  readonly commands: readonly Command[];
  /** Milliseconds that pass afterwards. */
  readonly settleMs: number;
}

const order = {
  symbol: fc.constantFrom(...symbols),
  type: fc.constantFrom('BUY' as const, 'SELL' as const),
  volume: fc.integer({ min: 1, max: 7 }).map((tenths) => tenths / 10),
};
const command: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('market' as const), ...order }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('pending' as const), ...order }), weight: 3 },
  { arbitrary: fc.constant({ kind: 'close_all' as const }), weight: 1 },
  { arbitrary: fc.constant({ kind: 'cancel_all' as const }), weight: 1 },
);
const fault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  { kind: 'retcode', retcode: Retcode.TIMEOUT, acts: true, times: 1 },
  { kind: 'retcode', retcode: Retcode.TIMEOUT, times: 1 },
  { kind: 'retcode', retcode: Retcode.REJECT, times: 1 },
  { kind: 'lose-answer', times: 1 },
  { kind: 'lag', ms: 4_000 },
  { kind: 'latency', ms: 300, calls: 'sends' },
);
const round: fc.Arbitrary<Round> = fc.record({
  faults: fc.array(fault, { maxLength: 2 }),
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
  settleMs: fc.constantFrom(0, 5_000, 90_000),
});

describe('the limits on open volume', () => {
  const folder = mkdtempSync(join(tmpdir(), 'symbols-'));
  const file = join(folder, 'symbols.json');
  beforeAll(() => {
    // A market order of more than 0.25 lots of EURUSD is filled in part.
    writeFileSync(file, JSON.stringify({ symbols: [{ name: 'EURUSD', market: { depth: 0.25 } }] }));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['hedging', 'netting'])(
    'hold for any simultaneous requests, with partial fills, cancels, closes and unknown outcomes: %s',
    async (mode) => {
      await fc.assert(
        fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), (rounds) => holds(mode, file, rounds)),
        { numRuns: effort(5, 60) },
      );
    },
  );
});

async function holds(mode: string, file: string, rounds: readonly Round[]): Promise<void> {
  const gateway = await TradingGateway.start({
    ...{ SIM_MARGIN_MODE: mode, SIM_SYMBOLS: file, SIM_BALANCE: '1000000', TERMINAL_TRADE_TIMEOUT_MS: '1000' },
    ...{ MAX_OPEN_VOLUME: String(maxVolume), MAX_OPEN_VOLUME_PER_SYMBOL: String(maxVolumePerSymbol) },
    FILL_CONFIRM_TIMEOUT_MS: '0',
  });
  try {
    for (const { faults, commands, settleMs } of rounds) {
      for (const one of faults) gateway.simulator.faults.set(one);
      await gateway.waitFor(Promise.all(commands.map((each) => run(gateway, each))));
      gateway.simulator.faults.clear();
      await expectWithinLimits(gateway);
      await gateway.clock.advance(settleMs);
      await expectWithinLimits(gateway);
    }
  } finally {
    await gateway.stop();
  }
}

async function run(gateway: TradingGateway, given: Command): Promise<void> {
  switch (given.kind) {
    case 'close_all':
      await gateway.post('/close_all_positions');
      return;
    case 'cancel_all':
      for (const { ticket } of (await gateway.get<{ data?: { ticket: number }[] }>('/orders')).body.data ?? []) {
        await gateway.send('DELETE', `/orders/${ticket}`);
      }
      return;
    case 'market': {
      const { symbol, type, volume } = given;
      await gateway.post('/order', { symbol, type, volume, type_filling: 'IOC' });
      return;
    }
    case 'pending': {
      const { symbol, type, volume } = given;
      const { bid } = await gateway.quote(symbol);
      const price = Number((type === 'BUY' ? bid - 0.02 : bid + 0.02).toFixed(5));
      await gateway.post('/order', { symbol, type: `${type}_LIMIT`, volume, price });
    }
  }
}

/** Open volume at the broker. */
async function expectWithinLimits(gateway: TradingGateway): Promise<void> {
  const session = gateway.simulator.connect();
  await session.connect();
  const open = [
    ...(await session.positionsGet()).map(({ symbol, volume }) => ({ symbol, volume })),
    ...(await session.ordersGet()).map(({ symbol, volume_current: volume }) => ({ symbol, volume })),
  ];
  await session.shutdown();
  const sum = (rows: typeof open): number => Decimal.sum(0, ...rows.map(({ volume }) => volume)).toNumber();
  expect(sum(open)).toBeLessThanOrEqual(maxVolume);
  for (const symbol of symbols) {
    expect(sum(open.filter((row) => row.symbol === symbol))).toBeLessThanOrEqual(maxVolumePerSymbol);
  }
}
