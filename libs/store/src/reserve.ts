import { closeSync, fstatSync, openSync } from 'node:fs';
import { usedBytes, writeZeros } from './database-file';

/** The reserve may be short by this much before it is filled up, so that not every commit writes to it. */
const slackBytes = 64 * 1024;

/**
 * Disk space that the database's file already has beyond its last page. LMDB's next pages overwrite it in place, which works
 * on a full disk, so that a bounded number of commits still succeeds there.
 */
export class Reserve {
  private readonly file: number;

  constructor(
    path: string,
    private readonly bytes: number,
  ) {
    this.file = openSync(path, 'r+');
  }

  /**
   * Extends the file up to the reserve. Only within a write transaction: nothing else may extend the file meanwhile.
   * @throws Error of the file system when the disk does not have the space
   */
  fillUp(): void {
    if (this.bytes === 0) return;
    const used = usedBytes(this.file);
    const { size } = fstatSync(this.file);
    if (used === null || size - used > this.bytes - slackBytes) return;
    writeZeros(this.file, size, used + this.bytes - size);
  }

  close(): void {
    closeSync(this.file);
  }
}
