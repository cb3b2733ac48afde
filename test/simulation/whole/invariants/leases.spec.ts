import * as lease from './leases';

const trend = (token: number) => ({ name: 'trend', token });
const send = { number: 3, marker: 'k1' };

describe('a lease', () => {
  it('is issued with a higher token each time', () => {
    expect(lease.tokenNotHigher(trend(2), 1)).toEqual([]);
    expect(lease.tokenNotHigher(trend(2), 2)).toHaveLength(1);
  });

  it('is the one that state is written under, and that is renewed', () => {
    expect([...lease.writtenUnderOldToken(trend(2), 2), ...lease.renewedOldToken(trend(2), 2)]).toEqual([]);
    expect(lease.writtenUnderOldToken(trend(1), 2)).toHaveLength(1);
    expect(lease.renewedOldToken(trend(1), 2)).toHaveLength(1);
  });

  it('permits entries for two thirds of its duration', () => {
    expect(lease.enteredAfterLease('k1', 6_600, 0, 10_000)).toEqual([]);
    expect(lease.enteredAfterLease('k1', 6_700, 0, 10_000)).toHaveLength(1);
    expect(lease.enteredAfterLease('k1', 100, null, 10_000)).toHaveLength(1);
  });

  it('is named by every request of its unit', () => {
    expect(lease.unfenced('k1', 'trend', 'trend;1')).toEqual([]);
    expect(lease.unfenced('k1', 'trend', 'trend-2;1')).toHaveLength(1);
    expect(lease.unfenced('k1', 'trend', undefined)).toHaveLength(1);
  });

  it('covers exits that the database or the host has', () => {
    expect(lease.exitNotKept('k1', true)).toEqual([]);
    expect(lease.exitNotKept('k1', false)).toHaveLength(1);
  });

  it('is the only one that is sent under, once its fence is raised or its holder trades', () => {
    expect(lease.sentForEarlierHolder(send, trend(2), { raised: 2, trading: 2 })).toEqual([]);
    expect(lease.sentForEarlierHolder(send, trend(1), { raised: 2, trading: 1 })).toHaveLength(1);
    expect(lease.sentForEarlierHolder(send, trend(1), { raised: 1, trading: 2 })).toHaveLength(1);
  });
});
