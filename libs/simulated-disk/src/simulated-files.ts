import { Files, type FileFacts, type OpenFile, type OpenFlag } from '@libs/files';
import { DiskError } from './disk-error';
import type { Machine } from './machine';
import { blockBytes, pick, type Volume } from './volume';
import type { DiskNode, FileNode } from './nodes';

/** Files of a simulated disk, as `node:fs/promises` has them. */
export class SimulatedFiles extends Files {
  constructor(
    private readonly machine: Machine,
    private readonly volume: Volume,
  ) {
    super();
  }

  mkdir(path: string): Promise<void> {
    return this.call(() => this.volume.makeFolders(path));
  }

  open(path: string, flag: OpenFlag): Promise<OpenFile> {
    return this.call(() => {
      if (flag === 'r') return new SimulatedFile(this.machine, this.volume, this.volume.stat(path, 'open'), flag);
      const file = this.volume.openForWriting(path);
      if (flag === 'w') this.volume.empty(file);
      return new SimulatedFile(this.machine, this.volume, file, flag);
    });
  }

  /** Rights are not simulated; only whether there is such a file. */
  chmod(path: string): Promise<void> {
    return this.call(() => void this.volume.stat(path));
  }

  readdir(path: string): Promise<string[]> {
    return this.call(() => this.volume.namesIn(path));
  }

  stat(path: string): Promise<FileFacts> {
    return this.call(() => factsOf(this.volume.stat(path)));
  }

  rm(path: string, { force = false }: { readonly force?: boolean } = {}): Promise<void> {
    return this.call(() => this.volume.remove(path, force));
  }

  rename(from: string, to: string): Promise<void> {
    return this.call(() => this.volume.rename(from, to));
  }

  /** A call that the kernel has done or not when the machine crashes. */
  private call<R>(act: () => R): Promise<R> {
    return this.machine.perform(this.machine.pace().operationMs, act, (random) => doneOrNot(random, act));
  }
}

class SimulatedFile implements OpenFile {
  private isOpen = true;

  constructor(
    private readonly machine: Machine,
    private readonly volume: Volume,
    private readonly node: DiskNode,
    private readonly flag: OpenFlag,
  ) {}

  stat(): Promise<FileFacts> {
    return this.call('fstat', () => factsOf(this.node));
  }

  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }> {
    return this.call('read', () => {
      if (length === 0) return { bytesRead: 0 };
      if (this.node.kind === 'folder') throw new DiskError('EISDIR', 'read');
      if (this.flag === 'a' || this.flag === 'w') throw new DiskError('EBADF', 'read');
      return { bytesRead: this.node.bytes.slice(position, position + length).copy(buffer, offset) };
    });
  }

  appendFile(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const append = (part: Buffer): void => {
      if (this.node.kind === 'folder' || this.flag === 'r') throw new DiskError('EBADF', 'write');
      if (part.length > 0) this.volume.append(this.node, part);
    };
    const { operationMs } = this.machine.pace();
    if (!this.isOpen) return Promise.reject(new DiskError('EBADF', 'writeFile'));
    return this.machine.perform(
      operationMs,
      () => append(bytes),
      (random) => doneOrNot(random, () => append(bytes.subarray(0, pick(random, bytes.length + 1)))),
    );
  }

  datasync(): Promise<void> {
    return this.flush('fdatasync');
  }

  sync(): Promise<void> {
    return this.flush('fsync');
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    await this.machine.perform(this.machine.pace().operationMs, noEffect, noEffect);
  }

  private flush(syscall: 'fsync' | 'fdatasync'): Promise<void> {
    return this.call(syscall, () => this.volume.sync(this.node, syscall), this.machine.pace().syncMs);
  }

  private call<R>(syscall: string, act: () => R, delayMs = this.machine.pace().operationMs): Promise<R> {
    if (!this.isOpen) return Promise.reject(new DiskError('EBADF', syscall));
    return this.machine.perform(delayMs, act, (random) => doneOrNot(random, act));
  }
}

function doneOrNot(random: () => number, act: () => unknown): void {
  if (random() < 0.5) return;
  try {
    act();
  } catch {
    // The caller no longer runs.
    return;
  }
}

function noEffect(): void {
  return;
}

function factsOf(node: DiskNode): FileFacts {
  return { size: BigInt(sizeOf(node)), dev: 1n, ino: node.ino, isDirectory: () => node.kind === 'folder' };
}

function sizeOf(node: DiskNode): number {
  return node.kind === 'folder' ? blockBytes : fileSize(node);
}

function fileSize(file: FileNode): number {
  return file.database ? file.allocatedBytes : file.bytes.length;
}
