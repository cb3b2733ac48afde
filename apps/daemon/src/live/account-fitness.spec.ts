import { spec } from '../core/testing/spec';
import { accountUnfitness, stackUnfitness } from './account-fitness';

const stream = (broker: string, symbol = 'EURUSD') => ({
  alias: `${broker}-${symbol}`,
  broker,
  symbol,
  timeframe: 'M1',
});
const deployed = (name: string, ...streams: readonly ReturnType<typeof stream>[]) => ({ ...spec, name, streams });
const [netting, hedging] = [0, 2];
const accounts = (facts: Readonly<Record<string, readonly [mode: number, currency: string]>>) => (broker: string) => {
  const [margin_mode, currency] = facts[broker] ?? [];
  return margin_mode === undefined || currency === undefined ? null : { margin_mode, currency };
};

describe('a strategy on accounts', () => {
  it('whose currencies differ is refused, naming them', () => {
    const both = deployed('a', stream('demo'), stream('live'));
    const known = accounts({ demo: [hedging, 'USD'], live: [hedging, 'EUR'] });
    expect(accountUnfitness(both, [both], known)).toContain('USD on demo and EUR on live');
    expect(accountUnfitness(both, [both], accounts({ demo: [hedging, 'USD'], live: [hedging, 'USD'] }))).toBeNull();
    expect(accountUnfitness(both, [both], accounts({ demo: [hedging, 'USD'] }))).toBeNull();
  });

  it('with netting is refused if another strategy trades the same symbol there', () => {
    const a = deployed('a', stream('demo'));
    const b = deployed('b', stream('demo'), stream('demo', 'GBPUSD'));
    const reason = accountUnfitness(a, [a, b], accounts({ demo: [netting, 'USD'] }));
    expect(reason).toBe('demo is a netting account: EURUSD would share one position with b');
    expect(accountUnfitness(a, [a, b], accounts({ demo: [hedging, 'USD'] }))).toBeNull();
    const elsewhere = deployed('b', stream('live'), stream('demo', 'GBPUSD'));
    expect(
      accountUnfitness(a, [a, elsewhere], accounts({ demo: [netting, 'USD'], live: [netting, 'USD'] })),
    ).toBeNull();
  });

  it('with netting may have two streams of one symbol, and no stacks', () => {
    const a = deployed('a', stream('demo'), { ...stream('demo'), alias: 'slow', timeframe: 'H1' });
    expect(accountUnfitness(a, [a], accounts({ demo: [netting, 'USD'] }))).toBeNull();
    expect(stackUnfitness('demo', { margin_mode: netting, currency: 'USD' })).toContain('hedging account');
    expect(stackUnfitness('demo', { margin_mode: hedging, currency: 'USD' })).toBeNull();
  });
});
