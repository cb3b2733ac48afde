import { ApiError } from '@libs/envelope';
import { LastErrorCode } from '@libs/terminal-client';
import type { TerminalWindow } from './history-window';
import { readBySlices } from './history-slices';

const day = 86_400;

const unavailable = (code: number) =>
  new ApiError('terminal_unavailable', 'the terminal did not answer the read', { terminalError: { code } });

/** A terminal with a row at each of these seconds, which rejects reads of more rows than allowed. */
function terminalWith(seconds: readonly number[], { mostRows = Infinity, countsEnd = true } = {}) {
  const asked: TerminalWindow[] = [];
  const read = async ({ from, to }: TerminalWindow): Promise<number[]> => {
    asked.push({ from, to });
    const rows = seconds.filter((second) => second >= from && (countsEnd ? second <= to : second < to));
    if (rows.length > mostRows) {
      throw unavailable(LastErrorCode.NO_MEMORY);
    }
    return rows;
  };
  return { asked, read };
}

async function all(window: TerminalWindow, read: (slice: TerminalWindow) => Promise<readonly number[]>) {
  const rows = new Set<number>();
  for await (const slice of readBySlices(window, read)) for (const row of slice) rows.add(row);
  return [...rows];
}

describe('history read in slices', () => {
  it('reads at most 92 days at once, for a window of any length', async () => {
    const { asked, read } = terminalWith([]);
    await all({ from: 0, to: 20_000 * day }, read);
    expect(Math.max(...asked.map(({ from, to }) => to - from))).toBe(92 * day);
    expect(asked[0]?.from).toBe(0);
    expect(asked.at(-1)?.to).toBe(20_000 * day);
    expect(asked.slice(1).every(({ from }, index) => from === asked[index]?.to)).toBe(true);
  });

  it.each([true, false])(
    'gives every row, in order (the terminal counts the end of a window: %s)',
    async (countsEnd) => {
      const seconds = Array.from({ length: 5_000 }, (_, index) => index * 40_000 + (index % 7));
      const { read } = terminalWith(seconds, { countsEnd });
      expect(await all({ from: 0, to: 5_000 * 40_000 }, read)).toEqual(seconds);
    },
  );

  it('reads shorter slices where an answer would be too large', async () => {
    const burst = Array.from({ length: 3_000 }, (_, index) => 40 * day + index);
    const { read } = terminalWith(burst, { mostRows: 100 });
    expect(await all({ from: 0, to: 90 * day }, read)).toEqual(burst);
  });

  it('passes on other errors', async () => {
    const failure = unavailable(LastErrorCode.INTERNAL_FAIL_CONNECT);
    await expect(all({ from: 0, to: day }, () => Promise.reject(failure))).rejects.toBe(failure);
  });
});
