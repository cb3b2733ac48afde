import { blankRecord, type IntentRecord, type OwnedTicket, type StrategyRecord } from './records';
import { spec } from './testing/spec';
import { StrategyBook } from './strategy-book';
import { entryDenied, undisturbed, type Circumstances } from './risk';

const owned = (ticket: number): OwnedTicket => ({
  ...{ strategy: 'ema', broker: 'demo', ticket, stream: 'eur', symbol: 'EURUSD', intentId: null },
  ...{ deals: [], volumeIn: '0', volumeOut: '0', closed: false },
});
const request = (broker: string, isEntry: boolean): IntentRecord => ({
  ...{ key: 'k', strategy: 'ema', broker, intentId: 'i', stream: 'eur', symbol: 'EURUSD', ticket: null, isEntry },
  ...{ call: { method: 'POST', path: '/order' }, createdAtMs: 0, state: 'open', outcome: null },
});
const halted: Partial<StrategyRecord> = { halt: { kind: 'daily', reason: 'too much', atMs: 0 } };

interface Case {
  readonly volume?: number;
  readonly tickets?: readonly number[];
  readonly inFlight?: readonly IntentRecord[];
  readonly limits?: Partial<typeof spec.risk>;
  readonly record?: Partial<StrategyRecord>;
  readonly circumstances?: Partial<Circumstances>;
}

/** Whether an entry on `demo` is denied, and why. */
function denied({ volume = 0.1, tickets = [], inFlight = [], limits, record, circumstances }: Case): string | null {
  const limited = { ...spec, risk: { ...spec.risk, ...limits } };
  const book = new StrategyBook(limited, { ...blankRecord('ema'), ...record }, tickets.map(owned));
  return entryDenied(volume, 'demo', { book, inFlight }, { ...undisturbed, ...circumstances });
}

describe('an entry', () => {
  it('is allowed if no rule denies it', () => {
    expect(denied({})).toBeNull();
    expect(denied({ tickets: [1], inFlight: [request('other', false)], limits: { maxOpenPositions: 2 } })).toBeNull();
  });

  it.each<[string, Case]>([
    ['stale_bar', { circumstances: { staleBarMs: 61_000, stopping: true } }],
    ['the daemon is shutting down', { circumstances: { stopping: true }, record: halted }],
    ['not renewed', { circumstances: { leaseProblem: 'not renewed' }, record: halted }],
    ['halted: too much', { record: halted, circumstances: { accountMismatch: 'another login' } }],
    ['another login', { circumstances: { accountMismatch: 'another login', stateWritable: false } }],
    ['the state cannot be written', { circumstances: { stateWritable: false }, inFlight: [request('demo', false)] }],
    [
      'the outcome of an earlier request is unknown',
      { inFlight: [request('demo', false)], circumstances: { accountProblem: 'not read' } },
    ],
    ['not read', { circumstances: { accountProblem: 'not read', staleSymbol: true } }],
    ['the quotes of the symbol are stale', { circumstances: { staleSymbol: true, clockSkewMs: 5 } }],
    ["the broker's clock is off by 5 ms", { circumstances: { clockSkewMs: 5.4 }, volume: 0 }],
    ['the volume is not above 0', { volume: 0 }],
    ['volume 2 is above maxVolume 1', { volume: 2, limits: { maxVolume: 1, maxOpenPositions: 0 } }],
    ['maxOpenPositions 2 reached', { tickets: [1, 2], limits: { maxOpenPositions: 2 } }],
    [
      'maxOpenPositions 2 reached',
      { tickets: [1], inFlight: [request('other', true)], limits: { maxOpenPositions: 2 } },
    ],
  ])('is denied by the first rule that applies: %s', (reason, facts) => {
    expect(denied(facts)).toBe(reason);
  });
});
