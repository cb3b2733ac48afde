import fc from 'fast-check';
import { MemoryDisk } from '../testing/memory-disk';
import { PackedRows, type RowForm } from './packed-rows';

interface Row {
  readonly ticket: number;
  readonly comment: string;
  readonly magic?: number;
}

const form: RowForm<Row> = {
  fields: ['ticket', 'comment'],
  record: (cells) => ({ ticket: cells.number(0), comment: cells.text(1) }),
};
const kinds: Readonly<Record<string, (index: number) => Row>> = {
  'the same texts': (index) => ({ ticket: index / 3, comment: 'sl 1.1' }),
  'a text each': (index) => ({ ticket: -index, comment: `order ${index} €` }),
  'another form': (index) => ({ ticket: index, comment: '', magic: 7 }),
};
const batch = fc.record({
  rows: fc.nat(700),
  kind: fc.constantFrom(...Object.keys(kinds)),
  isFull: fc.boolean(),
  reads: fc.array(fc.nat(), { maxLength: 30 }),
});

/** Rows of two kinds in turns. */
function rowsFrom(start: number, count: number): Row[] {
  const makers = Object.values(kinds);
  return Array.from({ length: count }, (_, index) => {
    const place = start + index;
    return makers[place % makers.length]?.(place) ?? { ticket: 0, comment: '' };
  });
}

function pushed(rows: readonly Row[], memoryRows: number, disk: MemoryDisk): PackedRows<Row> {
  const packed = new PackedRows(form, { rows: memoryRows, disk });
  for (const row of rows) packed.push(row);
  return packed;
}

describe('rows beyond a limit', () => {
  it('are read as if they were in memory, whatever the disk refuses at times', () => {
    const property = fc.property(
      fc.integer({ min: 1, max: 600 }),
      fc.array(batch, { maxLength: 5 }),
      (rows, batches) => {
        const disk = new MemoryDisk();
        const packed = new PackedRows(form, { rows, disk });
        const all: Row[] = [];
        for (const { rows: count, kind, isFull, reads } of batches) {
          disk.isFull = isFull;
          for (let added = 0; added < count; added += 1) {
            const row = kinds[kind]?.(all.length) ?? { ticket: 0, comment: kind };
            all.push(row);
            packed.push(row);
          }
          if (all.length === 0) continue;
          for (const read of reads) expect(packed.at(read % all.length)).toEqual(all[read % all.length]);
        }
        expect(all.map((_row, index) => packed.at(index))).toEqual(all);
      },
    );
    fc.assert(property, { numRuns: 40 });
  });

  it('are on disk: the limit in whole blocks, and the block that is being filled, stay in memory', () => {
    const disk = new MemoryDisk();
    disk.isUnreadable = true;
    const packed = pushed(rowsFrom(0, 2_049), 500, disk);
    const inMemory = Array.from({ length: packed.length }, (_, index) => index).filter((index) => {
      try {
        return packed.at(index).ticket !== undefined;
      } catch {
        return false;
      }
    });
    expect(inMemory).toEqual(Array.from({ length: 2 * 256 + 1 }, (_, index) => 2_048 - 2 * 256 + index));
  });

  it('stay in memory while the disk is full, and move once it is not', () => {
    const disk = new MemoryDisk();
    disk.isFull = true;
    const rows = rowsFrom(0, 2_000);
    const packed = pushed(rows, 256, disk);
    disk.isUnreadable = true;
    expect(rows.map((_row, index) => packed.at(index))).toEqual(rows);
    expect(new Set(disk.failures)).toEqual(new Set(['write']));

    disk.isFull = false;
    for (const row of rowsFrom(2_000, 256)) packed.push(row);
    expect(() => packed.at(0)).toThrow('the history on disk cannot be read');
    disk.isUnreadable = false;
    expect(packed.at(0)).toEqual(rows[0]);
  });

  it('are read from disk once while their block is among the last eight', () => {
    const disk = new MemoryDisk();
    const packed = pushed(rowsFrom(0, 12 * 256), 256, disk);
    const readsOf = (...blocks: number[]): number => {
      const before = disk.reads;
      for (const block of blocks) packed.at(block * 256);
      return disk.reads - before;
    };
    expect(readsOf(0, 0, 1, 2, 3, 4, 5, 6, 7)).toBe(8);
    expect(readsOf(0, 8, 0)).toBe(1);
    expect(readsOf(1)).toBe(1);
    expect(readsOf(11)).toBe(0);
  });

  it('cannot be read after the list is closed', () => {
    const disk = new MemoryDisk();
    const packed = pushed(rowsFrom(0, 1_000), 256, disk);
    packed.close();
    expect(() => packed.at(0)).toThrow('the history on disk cannot be read');
    expect(disk.files).toEqual([Buffer.alloc(0)]);
  });

  it('never reach a disk without a limit', () => {
    const packed = new PackedRows(form);
    const rows = rowsFrom(0, 2_000);
    for (const row of rows) packed.push(row);
    expect(rows.map((_row, index) => packed.at(index))).toEqual(rows);
  });
});
