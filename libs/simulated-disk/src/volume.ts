import { basename, dirname, resolve } from 'node:path';
import { DiskError, FolderRemovalError, type DiskErrorCode } from './disk-error';
import { GrowingBytes, type DiskNode, type FileNode } from './nodes';

/** Disk space is given out in blocks of this size, as tmpfs and ext4 do. */
export const blockBytes = 4_096;

/** What an operator or a broken disk does to a path: it cannot be written, or neither written nor looked up. */
export type Denial = 'write' | 'all';

type NameChange = { readonly path: string; readonly node: DiskNode | null };

/** The names, files and space of one file system, without time: what each call of the kernel does at its instant. */
export class Volume {
  private names = new Map<string, DiskNode>();
  private durableNames: Map<string, DiskNode>;
  /** Changes of names that a crash of the machine may take, the oldest first. */
  private pendingNames: (readonly NameChange[])[] = [];
  private readonly denials = new Map<string, Denial>();
  private inodes = 1n;
  freeBytes = Number.POSITIVE_INFINITY;
  isReadOnly = false;
  /** Every sync fails with EIO. */
  failsSyncs = false;

  constructor() {
    this.names.set('/', { kind: 'folder', ino: this.inodes++ });
    this.durableNames = new Map(this.names);
  }

  lookup(path: string): DiskNode | undefined {
    return this.names.get(resolve(path));
  }

  /** @throws DiskError */
  stat(path: string, syscall = 'stat'): DiskNode {
    this.requireFolders(path, syscall);
    if (this.denialOf(path) === 'all') throw new DiskError('EACCES', syscall, path);
    const node = this.lookup(path);
    if (!node) throw new DiskError('ENOENT', syscall, path);
    return node;
  }

  /** The names in a folder. @throws DiskError */
  namesIn(path: string): string[] {
    const full = resolve(path);
    if (this.stat(full, 'scandir').kind === 'file') throw new DiskError('ENOTDIR', 'scandir', path);
    return this.list(full)
      .filter((name) => dirname(name) === full && name !== full)
      .map((name) => basename(name));
  }

  /** Makes a folder and those above it. @throws DiskError */
  makeFolders(path: string): void {
    const full = resolve(path);
    const node = this.names.get(full);
    if (node?.kind === 'folder') return;
    if (node) throw new DiskError('EEXIST', 'mkdir', path);
    const parent = dirname(full);
    if (this.names.get(parent)?.kind === 'file') throw new DiskError('ENOTDIR', 'mkdir', path);
    try {
      this.makeFolders(parent);
    } catch (error) {
      throw error instanceof DiskError && error.code === 'EEXIST' ? new DiskError('ENOTDIR', 'mkdir', path) : error;
    }
    if (this.isReadOnly) throw new DiskError('EROFS', 'mkdir', path);
    if (this.denialOf(parent) !== undefined) throw new DiskError('EACCES', 'mkdir', path);
    this.name(full, { kind: 'folder', ino: this.inodes++ });
  }

  /** The file at a path, made when there is none. @throws DiskError */
  openForWriting(path: string): FileNode {
    this.requireFolders(path, 'open');
    const full = resolve(path);
    const node = this.names.get(full);
    if (node?.kind === 'folder') throw new DiskError('EISDIR', 'open', path);
    if (this.isReadOnly) throw new DiskError('EROFS', 'open', path);
    const denied = this.denialOf(full) ?? (node ? undefined : this.denialOf(dirname(full)));
    if (denied !== undefined) throw new DiskError('EACCES', 'open', path);
    return node ?? this.addFile(full);
  }

  /** Empties a file; what it held may come back at a crash of the machine until it is synced. */
  empty(file: FileNode): void {
    if (file.bytes.length === 0 && !file.database) return;
    file.emptied ??= file.bytes.slice(0, file.syncedBytes);
    file.bytes = new GrowingBytes();
    file.database = null;
    file.syncedBytes = 0;
    this.allocate(file, 0);
  }

  /** Writes at the end of a file. On a full disk the blocks that it has are used up first. @throws DiskError */
  append(file: FileNode, bytes: Buffer): void {
    if (this.isReadOnly) throw new DiskError('EROFS', 'write');
    const most = file.allocatedBytes + Math.floor(this.freeBytes / blockBytes) * blockBytes - file.bytes.length;
    const written = bytes.subarray(0, Math.max(0, most));
    this.allocate(file, file.bytes.length + written.length);
    file.bytes.append(written);
    if (written.length < bytes.length) throw new DiskError('ENOSPC', 'write');
  }

  /** Whether a file may have this size in all; takes the blocks for it. */
  allocate(file: FileNode, bytes: number): boolean {
    const blocks = Math.ceil(bytes / blockBytes) * blockBytes;
    const growth = blocks - file.allocatedBytes;
    if (growth > 0 && growth > this.freeBytes) return false;
    this.freeBytes -= growth;
    file.allocatedBytes = blocks;
    return true;
  }

  /** A sync commits the journal of the file system: all names as they are now. @throws DiskError */
  sync(node: DiskNode, syscall: 'fsync' | 'fdatasync'): void {
    if (this.failsSyncs) throw new DiskError('EIO', syscall);
    this.syncNames();
    if (node.kind !== 'file') return;
    node.syncedBytes = node.bytes.length;
    node.emptied = null;
  }

  /** @throws DiskError, FolderRemovalError */
  remove(path: string, force: boolean): void {
    const full = resolve(path);
    if (force && !this.names.has(full) && !this.isBelowFile(full)) return;
    this.requireFolders(path, 'lstat');
    const node = this.names.get(full);
    if (!node) throw new DiskError('ENOENT', 'lstat', path);
    if (node.kind === 'folder') throw new FolderRemovalError(path);
    if (this.isReadOnly) throw new DiskError('EROFS', 'unlink', path);
    if (this.denialOf(dirname(full)) !== undefined) throw new DiskError('EACCES', 'unlink', path);
    this.unname(full);
  }

  /** Renames a file. @throws DiskError */
  rename(from: string, to: string): void {
    const refuse = (code: DiskErrorCode): DiskError => new DiskError(code, 'rename', from, to);
    const [source, target] = [resolve(from), resolve(to)];
    for (const path of [source, target]) {
      if (this.isBelowFile(path)) throw refuse('ENOTDIR');
      if (!this.names.has(dirname(path))) throw refuse('ENOENT');
    }
    if (this.isReadOnly) throw refuse('EROFS');
    if (this.denialOf(dirname(source)) !== undefined || this.denialOf(dirname(target)) !== undefined) {
      throw refuse('EACCES');
    }
    const node = this.names.get(source);
    if (!node) throw refuse('ENOENT');
    if (source === target) return;
    if (isAtOrBelow(source, target)) throw refuse('ENOTEMPTY');
    if (this.names.get(target)?.kind === 'folder') throw refuse('EISDIR');
    this.name(target, node);
    this.unname(source);
    // One change: a crash leaves the old name or the new one.
    this.pendingNames.push(this.pendingNames.splice(-2).flat());
  }

  deny(path: string, denial: Denial): void {
    this.denials.set(resolve(path), denial);
  }

  allow(path: string): void {
    this.denials.delete(resolve(path));
  }

  /** Puts a node at a path, durably, as an operator does on a quiet machine. */
  place(path: string, kind: 'folder' | 'file', text = ''): void {
    this.removeTree(path);
    const full = resolve(path);
    this.makeFolders(dirname(full));
    if (kind === 'folder') this.name(full, { kind, ino: this.inodes++ });
    else {
      const file = this.addFile(full);
      const bytes = Buffer.from(text);
      file.bytes = new GrowingBytes(bytes);
      file.syncedBytes = bytes.length;
      this.allocate(file, bytes.length);
    }
    this.syncNames();
  }

  /** Moves a file or folder with all below it, durably. */
  moveTree(from: string, to: string): void {
    const [source, target] = [resolve(from), resolve(to)];
    this.makeFolders(dirname(target));
    for (const [path, node] of [...this.names]) {
      if (!isAtOrBelow(path, source)) continue;
      this.name(target + path.slice(source.length), node);
      this.unname(path);
    }
    this.syncNames();
  }

  /** Removes a file, or a folder with all below it, durably. Open files live on without a name. */
  removeTree(path: string): void {
    const full = resolve(path);
    for (const name of [...this.names.keys()]) if (isAtOrBelow(name, full)) this.unname(name);
    this.syncNames();
  }

  /** What is at or below a path, in the order of the names. */
  list(path: string): string[] {
    const full = resolve(path);
    return [...this.names.keys()].filter((name) => isAtOrBelow(name, full)).sort();
  }

  /** What the kernel wrote back without a sync before the machine lost its power. */
  losePower(random: () => number): void {
    const kept = this.pendingNames.slice(0, pick(random, this.pendingNames.length + 1));
    applyNames(this.durableNames, kept);
    this.names = new Map(this.durableNames);
    this.pendingNames = [];
    for (const node of new Set(this.names.values())) if (node.kind === 'file') tear(node, random);
  }

  private syncNames(): void {
    applyNames(this.durableNames, this.pendingNames);
    this.pendingNames = [];
  }

  private addFile(path: string): FileNode {
    const content = { bytes: new GrowingBytes(), syncedBytes: 0, emptied: null, database: null, allocatedBytes: 0 };
    const file: FileNode = { kind: 'file', ino: this.inodes++, ...content };
    this.name(path, file);
    return file;
  }

  private name(path: string, node: DiskNode): void {
    this.names.set(path, node);
    this.pendingNames.push([{ path, node }]);
  }

  private unname(path: string): void {
    const node = this.names.get(path);
    this.names.delete(path);
    this.pendingNames.push([{ path, node: null }]);
    if (node?.kind === 'file' && ![...this.names.values()].includes(node)) this.freeBytes += node.allocatedBytes;
  }

  /** @throws DiskError unless everything above the path is a folder that can be entered */
  private requireFolders(path: string, syscall: string): void {
    const full = resolve(path);
    if (this.isBelowFile(full)) throw new DiskError('ENOTDIR', syscall, path);
    for (let folder = dirname(full); ; folder = dirname(folder)) {
      if (this.denialOf(folder) === 'all') throw new DiskError('EACCES', syscall, path);
      if (!this.names.has(folder)) throw new DiskError('ENOENT', syscall, path);
      if (folder === '/') return;
    }
  }

  private isBelowFile(full: string): boolean {
    for (let folder = dirname(full); folder !== '/'; folder = dirname(folder)) {
      if (this.names.get(folder)?.kind === 'file') return true;
    }
    return false;
  }

  private denialOf(path: string): Denial | undefined {
    return this.denials.get(resolve(path));
  }
}

/** A whole number below `count`. */
export function pick(random: () => number, count: number): number {
  return Math.min(count - 1, Math.floor(random() * count));
}

/** Of what was not synced, any part from the start of the file may be on the disk. */
function tear(file: FileNode, random: () => number): void {
  if (file.database) return;
  const unsynced = file.bytes.length - file.syncedBytes;
  if (file.emptied !== null && random() < 0.5) file.bytes = new GrowingBytes(file.emptied);
  else if (unsynced > 0) file.bytes.cut(file.syncedBytes + pick(random, unsynced + 1));
  file.syncedBytes = file.bytes.length;
  file.emptied = null;
}

function applyNames(names: Map<string, DiskNode>, changes: readonly (readonly NameChange[])[]): void {
  for (const { path, node } of changes.flat()) {
    if (node) names.set(path, node);
    else names.delete(path);
  }
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}
