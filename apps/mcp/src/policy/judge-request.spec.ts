import { outsideOf, type RequestFacts } from './judge-request';
import { WithoutPerson } from './policy-file';

const nowMs = Date.UTC(2026, 0, 7, 10, 30);
const policy: WithoutPerson = Object.assign(new WithoutPerson(), {
  actions: ['open', 'close', 'cancel'],
  symbols: ['EURUSD'],
  max_lots: 0.1,
  max_open_lots: 0.3,
  max_loss: 50,
  max_requests_per_hour: 2,
  max_requests_per_day: 3,
  hours: { days: ['wed'], from: '08:00', to: '17:00' },
});
const facts: RequestFacts = {
  ...{
    action: 'open',
    symbol: 'EURUSD',
    lots: 0.1,
    atRisk: 50,
    currency: 'USD',
    magic: 7,
    tradeMode: 0,
    openLots: 0.2,
    nowMs,
  },
  ...{ unsettledLots: 0, isJoining: false, sentAgoMs: [] },
};
const [hourMs, dayMs] = [3_600_000, 86_400_000];

describe('the policy', () => {
  it('allows a request at its limits', () => {
    expect(outsideOf(policy, 7, facts)).toEqual([]);
    expect(outsideOf(policy, 7, { ...facts, sentAgoMs: [hourMs, dayMs - 1, 0] })).toHaveLength(1);
    expect(outsideOf(policy, 7, { ...facts, sentAgoMs: [hourMs, dayMs, 1] })).toEqual([]);
  });

  it.each<[string, Partial<RequestFacts>, string]>([
    ['a real account', { tradeMode: 2 }, 'paper only'],
    ['an unknown kind of account', { tradeMode: Number.NaN }, 'paper only'],
    ['another action', { action: 'change' }, 'does not allow to change'],
    ['another symbol', { symbol: 'EURUSD.x' }, 'not in the policy'],
    ['a position of another program', { magic: 0 }, 'not opened through this server'],
    ['more lots', { lots: 0.11 }, 'max_lots'],
    ['lots that are no number', { lots: Number.NaN }, 'max_lots'],
    ['more open lots', { openLots: 0.21 }, 'max_open_lots'],
    ['more lots that may be open', { unsettledLots: 0.01 }, '0.31 open lots, with the 0.01 of handles'],
    ['lots that may be open and are no number', { unsettledLots: Number.NaN }, 'max_open_lots'],
    ['an order that changes a position', { isJoining: true }, 'a netting account'],
    ['more at risk', { atRisk: 50.01 }, 'max_loss'],
    ['more at risk in yen', { atRisk: 7500, currency: 'JPY' }, '7500 at risk are more than max_loss 50'],
    ['more at risk in dinars', { atRisk: 50.001, currency: 'BHD' }, '50.001 at risk are more than max_loss 50'],
    ['a loss that is no number', { atRisk: Number.NaN }, 'max_loss'],
    ['a loss without a bound', { atRisk: null }, 'no bound'],
    ['more requests in an hour', { sentAgoMs: [hourMs - 1, 0] }, 'max_requests_per_hour'],
    ['more requests in a day', { sentAgoMs: [1, 2, 3].map((hours) => hours * hourMs) }, 'max_requests_per_day'],
    ['a time before the hours', { nowMs: Date.UTC(2026, 0, 7, 7, 59, 59) }, 'outside of the hours'],
    ['the end of the hours', { nowMs: Date.UTC(2026, 0, 7, 17) }, 'outside of the hours'],
    ['another day', { nowMs: Date.UTC(2026, 0, 8, 10) }, 'outside of the hours'],
  ])('leaves %s to a person', (_name, change, reason) => {
    expect(outsideOf(policy, 7, { ...facts, ...change }).join()).toContain(reason);
  });

  it.each<[string, number, boolean]>([
    ['at the begin', Date.UTC(2026, 0, 7, 22), true],
    ['before midnight', Date.UTC(2026, 0, 7, 23, 59, 59), true],
    ['after midnight, on the next day', Date.UTC(2026, 0, 8, 5, 59, 59), true],
    ['at the end', Date.UTC(2026, 0, 8, 6), false],
    ['before the begin', Date.UTC(2026, 0, 7, 21, 59, 59), false],
    ['before the end, on the first day', Date.UTC(2026, 0, 7, 5), false],
    ['after the begin, on the next day', Date.UTC(2026, 0, 8, 23), false],
  ])('has hours over midnight, of the day on which they begin: %s', (_name, nowMs, isAllowed) => {
    const night = { ...policy, hours: { days: ['wed'], from: '22:00', to: '06:00' } };
    expect(outsideOf(night, 7, { ...facts, nowMs })).toHaveLength(isAllowed ? 0 : 1);
  });

  it('needs no bound of a loss to cancel an order, and counts no open lots to close', () => {
    expect(outsideOf(policy, 7, { ...facts, action: 'cancel', atRisk: null, openLots: 9 })).toEqual([]);
    expect(outsideOf(policy, 7, { ...facts, action: 'close', openLots: 9 })).toEqual([]);
  });

  it('leaves everything to a person where it allows nothing', () => {
    expect(outsideOf(undefined, 7, facts)).toEqual(['the policy allows no request without a person']);
  });
});
