import type { TradePosition } from '@libs/terminal-client';
import { remainingVolume } from './remaining-volume';

const shown = (volume: number, atMsc: number) => ({ volume, time_update_msc: atMsc }) as TradePosition;

describe('the rest of a position after a close of 0.04 of 0.1 lots', () => {
  it.each<[string, TradePosition | null | undefined, number]>([
    ['is computed if the position could not be read', undefined, 0.06],
    ['is none if it is gone', null, 0],
    ['is what the list shows after the close', shown(0.02, 500), 0.02],
    ['is computed while the list shows it as it was', shown(0.1, 400), 0.06],
    ['is what another close had left of it before', shown(0.03, 400), 0.03],
  ])('%s', (_what, position, rest) => {
    expect(remainingVolume(0.1, 0.04, position, 500)).toBe(rest);
  });
});
