import { fastMarket } from '../e2e/programs/markets';
import { Scratch } from '../e2e/programs/scratch';
import { DrillRig, logOf } from '../e2e/daemon/drill-rig';

/** A bar of a minute lasts half a second. */
const speed = 120;

/** Says every live bar by its stream and the minute at which it closed. */
const tellBars = `if (!trade.warmingUp) trade.log('closed ' + trade.timeMs / 60000 + ' ' + bar.stream);`;

describe('a strategy with two timeframes of one symbol', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('gets the longer bar first where both close at one instant, however its streams are listed', async () => {
    const rig = await DrillRig.start(scratch, fastMarket(speed));
    const module = rig.module(tellBars);
    const [minutes, fives] = ['demo:EURUSD@M1', 'demo:EURUSD@M5'];
    const daemon = await rig.daemon([
      { name: 'one', module, magic: 1, more: { streams: { minutes, fives } } },
      { name: 'other', module, magic: 2, more: { streams: { fives, minutes } } },
    ]);
    for (const name of ['one', 'other']) {
      await daemon.untilStatus(name, ({ state }) => state === 'running');
      const closes = await closesOf(name, 6);
      const sorted = [...closes].sort((a, b) => a.minute - b.minute || a.stream.localeCompare(b.stream));
      expect(closes).toEqual(sorted);
      // Both streams close at the fifth minutes: `fives` comes before `minutes`, also by name.
      const both = closes.filter(({ minute }) => minute % 5 === 0).map(({ stream }) => stream);
      expect(both.join(' ')).toMatch(/^(minutes )?(fives minutes ?)+(fives)?$/);
    }

    async function closesOf(name: string, fiveMinutes: number): Promise<{ minute: number; stream: string }[]> {
      for (;;) {
        const log = await logOf(daemon, name);
        const closes = [...log.matchAll(/closed (\d+) (\w+)/g)].map(([, minute, stream = '']) => {
          return { minute: Number(minute), stream };
        });
        if (closes.filter(({ stream }) => stream === 'fives').length >= fiveMinutes) return closes;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  });
});
