import type { Difference } from '@libs/gateway-client';
import { needs, type NeedsSource } from './needs';

const calm: NeedsSource = {
  ...{ books: { unresolved: [], differences: [] }, notifications: [], audit: 'ok', isStreamLive: true },
  ...{ notCurrent: [], signals: [{ name: 'trend', problem: null }] },
  strategies: { daemon: 'reachable', strategies: [{ name: 'a', halted: false, problem: null }], error: null },
};
const textsOf = (changes: Partial<NeedsSource>): readonly string[] =>
  needs({ ...calm, ...changes }).map(({ text, tab }) => `${tab}: ${text}`);

describe('what needs attention', () => {
  it('is nothing on a calm day, and nothing while nothing is known', () => {
    expect(needs(calm)).toEqual([]);
    expect(textsOf({ books: null, strategies: null, notifications: null, audit: null })).toEqual([]);
    expect(textsOf({ strategies: { daemon: 'none', strategies: null, error: null } })).toEqual([]);
  });

  it('is a strategy that was halted or has a problem, and a daemon that does not answer', () => {
    const strategies = [
      { name: 'a', halted: true, haltReason: 'news' },
      { name: 'b', halted: false, problem: 'no prices' },
      { name: 'c', halted: true },
    ];
    expect(textsOf({ strategies: { daemon: 'reachable', strategies, error: null } })).toEqual([
      'Strategies: a halted: news',
      'Strategies: b: no prices',
      'Strategies: c halted: for an unknown reason',
    ]);
    expect(textsOf({ strategies: { daemon: 'unreachable', strategies: null, error: 'refused' } })).toEqual([
      'Strategies: the daemon does not answer',
    ]);
  });

  it('is a stop-loss that is not as it was set, before other differences', () => {
    const difference = (kind: Difference['kind'], field: Difference['field']): Difference => ({
      ...{ kind, field, ticket: 7, symbol: 'EURUSD', intent_id: null, expected: 1.09, actual: 0, message: 'another' },
    });
    const differences = [
      difference('position_without_intent', null),
      difference('level_mismatch', 'tp'),
      difference('level_mismatch', 'sl'),
    ];
    expect(textsOf({ books: { unresolved: [], differences } })).toEqual([
      'Requests: 1 stop-loss is not as it was set',
      'Requests: 2 differences from the journal',
    ]);
  });

  it('is a source whose alerts were lost or failed', () => {
    const signals = [{ name: 'trend', problem: 'EURUSD: alert 7 expired: it waited too long' }];
    expect(textsOf({ signals })).toEqual(['Requests: signals of trend: EURUSD: alert 7 expired: it waited too long']);
  });

  it('is an audit log that cannot be written, a notification that was set aside, and a broken stream', () => {
    expect(textsOf({ audit: 'failing', notifications: [{ id: '1' }, { id: '2' }], isStreamLive: false })).toEqual([
      ...['System: audit log failing', 'System: 2 notifications set aside', 'Events: trade events are not live'],
    ]);
  });
});
