import type { Intent } from '../../core/strategy-event';
import { Notepad } from './notepad';

const buy: Intent = { id: 'a', action: 'enter', side: 'buy', stream: 'eur', options: { volume: 0.1 } };
const close: Intent = { id: 'b', action: 'close', position: 1, broker: null, volume: null };
const times = (count: number, act: () => void): void => {
  for (let index = 0; index < count; index++) act();
};

describe('the actions and log lines of one event', () => {
  it('is a hundred entries and more exits, and counts up to the one too many', () => {
    const notepad = new Notepad();
    times(100, () => notepad.want(buy));
    expect(() => notepad.want(buy)).toThrow('more than 100 entries in one event');
    times(900, () => notepad.want(close));
    expect(() => notepad.want(close)).toThrow('more than 1000 actions in one event');
    expect(notepad.takeOut().intents).toHaveLength(1_000);
    notepad.want(buy);
    expect(notepad.takeOut().intents).toEqual([buy]);
  });

  it('is two hundred lines, the rest counted', () => {
    const notepad = new Notepad();
    times(10_000, () => notepad.log('again', null));
    const { logs } = notepad.takeOut();
    expect(logs).toHaveLength(201);
    expect(logs.at(-1)).toEqual({ message: '9800 more lines of this event were dropped', details: null });
    expect(notepad.takeOut().logs).toEqual([]);
  });

  it('is of a size that can be kept, and JSON', () => {
    const notepad = new Notepad();
    notepad.log('x'.repeat(1_000_000), { text: 'y'.repeat(1_000_000) });
    notepad.log('short', { when: new Date(0), what: () => 1 });
    const [long, short] = notepad.takeOut().logs;
    expect(long?.message.length).toBeLessThan(5_000);
    expect(JSON.stringify(long?.details).length).toBeLessThan(5_000);
    expect(short).toEqual({ message: 'short', details: { when: '1970-01-01T00:00:00.000Z' } });
    const round: Record<string, unknown> = {};
    round['self'] = round;
    expect(() => notepad.log('round', round)).toThrow(TypeError);
  });
});
