import type { Tick } from '@libs/terminal-client';
import { TimeRig } from '../server-time/testing/time-rig';
import { TickBodies } from './tick-bodies';

const tick: Tick = {
  ...{ time: 1_705_399_200, bid: 1.1, ask: 1.2, last: 0, volume: 0 },
  ...{ time_msc: 1_705_399_200_250, flags: 6, volume_real: 0 },
};

describe('the body of a last quote', () => {
  let rig: TimeRig;
  let bodies: TickBodies;
  beforeEach(async () => {
    rig = await TimeRig.create({ fixedOffsetSeconds: 7_200 });
    bodies = new TickBodies(rig.serverTime);
  });
  afterEach(() => rig.end());

  const read = (symbol: string, quote: Tick) => JSON.parse(bodies.body(symbol, quote, 0.25)) as object;

  it('has every field of the quote, and its time in UTC', () => {
    expect(read('EURUSD', tick)).toEqual({
      ok: true,
      ...tick,
      time_utc: '2024-01-16T08:00:00.250Z',
      age_seconds: 0.25,
    });
  });

  it.each(Object.keys(tick) as (keyof Tick)[])('is another one if %s is another one', (field) => {
    read('EURUSD', tick);
    const next = { ...tick, [field]: tick[field] + 1 };
    expect(read('EURUSD', next)).toMatchObject(next);
  });

  it('is of its own symbol', () => {
    read('EURUSD', tick);
    expect(read('GBPUSD', { ...tick, bid: 1.3 })).toMatchObject({ bid: 1.3 });
    expect(read('EURUSD', tick)).toMatchObject({ bid: 1.1 });
  });
});
