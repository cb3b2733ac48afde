import { VirtualClock } from '@libs/clock';
import { CallLane, type LaneCall } from './call-lane';

/** A lane whose calls each take 100 ms, and their results in order. */
function rig(maxWaiting = 10) {
  const clock = new VirtualClock();
  const lane = new CallLane(clock, maxWaiting);
  const became: string[] = [];
  const push = (kind: LaneCall['kind'], name: string, maxWaitMs?: number): void =>
    lane.push({
      kind,
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
      run: async () => {
        became.push(name);
        await clock.sleep(100);
      },
      drop: (why) => became.push(`${name}: ${why}`),
    });
  return { clock, lane, became, push };
}

describe('the call lane of the terminal', () => {
  it('runs one call at a time and lets a send overtake waiting reads, but not the running one', async () => {
    const { clock, became, push } = rig();
    for (const name of ['read 1', 'read 2', 'read 3']) push('read', name);
    await clock.advance(50);
    expect(became).toEqual(['read 1']);
    push('send', 'send');
    await clock.advance(1_000);
    expect(became).toEqual(['read 1', 'send', 'read 2', 'read 3']);
  });

  it('rejects reads at once if too many wait, and still accepts a send', async () => {
    const { clock, became, push } = rig(2);
    for (let read = 1; read <= 5; read++) push('read', `read ${read}`);
    push('send', 'send');
    expect(became).toEqual(['read 1', 'read 4: busy', 'read 5: busy']);
    await clock.advance(1_000);
    expect(became).toEqual(['read 1', 'read 4: busy', 'read 5: busy', 'send', 'read 2', 'read 3']);
  });

  it('never starts a send whose caller has given up', async () => {
    const { clock, became, push } = rig();
    push('send', 'first', 1_000);
    push('send', 'in time', 101);
    push('send', 'too late', 200);
    await clock.advance(1_000);
    expect(became).toEqual(['first', 'in time', 'too late: expired']);
  });

  it('drops waiting calls once their caller is gone', async () => {
    const { clock, lane, became, push } = rig();
    push('send', 'running');
    push('send', 'waiting');
    lane.clear();
    await clock.advance(1_000);
    expect(became).toEqual(['running']);
    push('read', 'next');
    await clock.advance(1_000);
    expect(became).toEqual(['running', 'next']);
  });
});
