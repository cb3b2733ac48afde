import { deserialize, serialize } from 'node:v8';
import { type HistoryFile, type HistoryMemory, HistoryReadError } from './history-disk';

/** Rows in one block. */
export const rowsOfBlock = 256;
/** Number of blocks that are kept in memory after they were read from the file. */
const cachedBlocks = 8;

/** Some rows as cells. */
export interface Block<Row> {
  /** The cells of its rows, one row after another. The cell of a text is the text's place in `texts`. */
  readonly numbers: Float64Array;
  readonly texts: string[];
  /** Rows of another form, by their place in the block. */
  readonly others: Map<number, Row>;
}

interface BytesInFile {
  readonly at: number;
  readonly length: number;
}

/**
 * A growing list of blocks, the last of which is being filled. With a limit, the oldest blocks move to a file; they are
 * read back one at a time. If the file cannot be written, they stay in memory, and the next block tries again.
 */
export class BlockList<Row> {
  private readonly kept: Block<Row>[] = [];
  private readonly moved: BytesInFile[] = [];
  /** Blocks that were read back, the one read last at the end. */
  private readonly cache = new Map<number, Block<Row>>();
  private file: HistoryFile | null = null;
  private fileLength = 0;

  /** @param memory null: all blocks stay in memory */
  constructor(private readonly memory: HistoryMemory | null = null) {}

  get last(): Block<Row> | undefined {
    return this.kept.at(-1);
  }

  /** Adds a block that is to be filled. The one before it is full and does not change again. */
  add(block: Block<Row>): void {
    this.kept.push(block);
    if (this.memory) this.moveOldest(this.memory);
  }

  /** @throws HistoryReadError */
  at(index: number): Block<Row> | undefined {
    const inMemory = index - this.moved.length;
    return inMemory >= 0 ? this.kept[inMemory] : this.readBack(index);
  }

  close(): void {
    this.file?.close();
    this.file = null;
  }

  private moveOldest({ rows, disk }: HistoryMemory): void {
    const full = Math.ceil(rows / rowsOfBlock);
    try {
      while (this.kept.length > full + 1) {
        this.file ??= disk.create();
        this.write(this.file, serialize(this.kept[0]));
        this.kept.shift();
      }
    } catch (error) {
      disk.reportFailure('write', error);
    }
  }

  private write(file: HistoryFile, bytes: Uint8Array): void {
    file.write(bytes, this.fileLength);
    this.moved.push({ at: this.fileLength, length: bytes.length });
    this.fileLength += bytes.length;
  }

  private readBack(index: number): Block<Row> | undefined {
    const place = this.moved[index];
    if (!place) return undefined;
    const block = this.cache.get(index) ?? this.readFrom(place);
    this.cache.delete(index);
    this.cache.set(index, block);
    for (const oldest of this.cache.keys()) {
      if (this.cache.size <= cachedBlocks) break;
      this.cache.delete(oldest);
    }
    return block;
  }

  private readFrom({ at, length }: BytesInFile): Block<Row> {
    try {
      if (!this.file) throw new Error('the file is closed');
      return deserialize(this.file.read(at, length)) as Block<Row>;
    } catch (error) {
      this.memory?.disk.reportFailure('read', error);
      throw new HistoryReadError('the history on disk cannot be read', { cause: error });
    }
  }
}
