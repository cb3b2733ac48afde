import { spec } from '../core/testing/spec';
import type { StrategySpec } from '../core/strategy-spec';
import type { DaemonFile, GatewaySpec } from './daemon-file';
import { changesBetween, fixedMembers } from './file-changes';

const gateway: GatewaySpec = {
  ...{ name: 'demo', url: 'http://127.0.0.1:5001', apiKeyEnv: 'API_KEY', maxClockSkewMs: null },
  expect: { login: 100_001, tradeMode: 'demo' },
};
const file = (...strategies: readonly StrategySpec[]): DaemonFile => ({
  gateways: [gateway],
  strategies,
  portfolios: [],
});
const named = (name: string, changes: Partial<StrategySpec> = {}): StrategySpec => ({ ...spec, name, ...changes });

describe('the changes between two configurations', () => {
  it('list what was added, removed, changed and kept', () => {
    const { strategies } = changesBetween(
      file(named('stays'), named('goes'), named('moves')),
      file(named('comes'), named('moves', { magic: 8 }), named('stays')),
    );
    expect(strategies).toEqual({
      added: [named('comes')],
      removed: [named('goes')],
      changed: [{ spec: named('moves', { magic: 8 }), swaps: true }],
      same: [named('stays')],
    });
  });

  it('are empty for a file with the same content in another order', () => {
    const was = named('one', { params: { fast: 12, slow: 26 } });
    const { strategies, gateways } = changesBetween(file(was), {
      ...file(named('one', { params: { slow: 26, fast: 12 } })),
      gateways: [{ ...gateway, expect: { tradeMode: 'demo', login: 100_001 } }],
    });
    expect([strategies.changed, gateways.changed]).toEqual([[], []]);
  });

  it.each<[string, Partial<StrategySpec>]>([
    ['module', { module: '/other.ts' }],
    ['params', { params: { fast: 13 } }],
    ['streams', { streams: [{ alias: 'eur', broker: 'demo', symbol: 'EURUSD', timeframe: 'M5' }] }],
    ['magic', { magic: 8 }],
    ['workerGroup', { workerGroup: 'majors' }],
  ])('take a new thread when its %s is other', (_member, changes) => {
    const { strategies } = changesBetween(file(spec), file({ ...spec, ...changes }));
    expect(strategies.changed).toEqual([{ spec: { ...spec, ...changes }, swaps: true }]);
  });

  it.each<[string, Partial<StrategySpec>]>([
    ['capital', { capital: 5 }],
    ['risk', { risk: { ...spec.risk, maxVolume: 1 } }],
    ['onMismatch', { onMismatch: 'adopt' }],
    ['onLostStop', { onLostStop: 'restore' }],
    ['backtest', { backtest: '/r.json' }],
    ['runsOn', { runsOn: ['fast'] }],
  ])('take none when only its %s is', (_member, changes) => {
    const { strategies } = changesBetween(file(spec), file({ ...spec, ...changes }));
    expect(strategies.changed).toEqual([{ spec: { ...spec, ...changes }, swaps: false }]);
  });

  it('name what of a gateway cannot change while it is used', () => {
    expect(fixedMembers(gateway, { ...gateway, maxClockSkewMs: 5 })).toEqual([]);
    expect(fixedMembers(gateway, { ...gateway, url: 'http://other', apiKeyEnv: 'B' })).toEqual(['url', 'apiKeyEnv']);
  });
});
