import type { Files, OpenFile } from '@libs/files';
import type { CoreRecording } from '../trade-core/core-recording';
import type { JournalLog } from './journal-writer';

const mostBytes = 256 * 1024 * 1024;

/**
 * Writes the events of the trade core to a file, for a report of a defect: `gateway replay` repeats them. It never delays the
 * core; a failed write or a full file ends the recording. The file of the start before is kept beside it, as `.1`.
 */
export class RecordingFile implements CoreRecording {
  private waiting: string[] = [];
  private writing: Promise<void> | null = null;
  private file: OpenFile | null = null;
  private bytes = 0;
  private hasEnded = false;

  constructor(
    private readonly files: Files,
    private readonly path: string,
    private readonly log: JournalLog,
  ) {}

  write(line: string): void {
    if (this.hasEnded) return;
    this.waiting.push(`${line}\n`);
    this.writing ??= this.writeAll().finally(() => (this.writing = null));
  }

  /** Resolves once everything is written, and closes the file. */
  async end(): Promise<void> {
    while (this.writing) await this.writing;
    this.hasEnded = true;
    await this.file?.close();
  }

  private async writeAll(): Promise<void> {
    try {
      this.file ??= await this.open();
      while (this.waiting.length > 0) {
        const text = this.waiting.join('');
        this.waiting = [];
        this.bytes += Buffer.byteLength(text);
        if (this.bytes > mostBytes) throw new Error(`it has ${mostBytes} bytes`);
        await this.file.appendFile(text);
      }
    } catch (error) {
      this.hasEnded = true;
      this.waiting = [];
      this.log.error({ err: error, file: this.path }, 'the recording of trade requests ends');
    }
  }

  private async open(): Promise<OpenFile> {
    await this.files.rename(this.path, `${this.path}.1`).catch(() => undefined);
    return this.files.open(this.path, 'w', 0o600);
  }
}
