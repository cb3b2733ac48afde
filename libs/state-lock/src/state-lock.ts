import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { makeFoldersSync } from '@libs/files';

/** Another process holds the state directory. */
export class StateDirLockedError extends Error {}

/** The state directory does not exist and cannot be made. */
export class StateDirFolderError extends Error {}
/** Another process writes the file. */
export class FileLockedError extends Error {}

/**
 * Holds a state directory for this process, for as long as it lives: two gateways on one journal, or two daemons on one
 * book, would each act as the only sender. The operating system releases the lock when the process ends, in
 * any way; no file has to be removed manually.
 */
export class StateLock {
  private constructor(private readonly server: Server) {}

  /**
   * @param program names the program, such as `gateway`: different programs may share a directory
   * @throws StateDirLockedError when another process on this machine holds it
   * @throws StateDirFolderError when the directory cannot be made
   */
  static async take(
    stateDir: string,
    program: string,
    platform: NodeJS.Platform = process.platform,
  ): Promise<StateLock> {
    makeFolder(stateDir);
    const path = realpathSync(stateDir);
    const server = await hold(lockAddress(path, program, join(path, `${program}.lock`), platform));
    if (server === null) throw new StateDirLockedError(`another ${program} process is using ${path}`);
    return new StateLock(server);
  }

  /**
   * Holds one file that only one process may write, by whatever path it is named; it need not be there yet.
   * @throws FileLockedError when another process on this machine holds it
   */
  static async takeFile(
    file: string,
    program: string,
    platform: NodeJS.Platform = process.platform,
  ): Promise<StateLock> {
    makeFoldersSync(dirname(file));
    const path = realPathOf(file);
    const server = await hold(lockAddress(path, program, `${path}.lock`, platform));
    if (server === null) throw new FileLockedError(`another ${program} process is writing ${path}`);
    return new StateLock(server);
  }

  async release(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function makeFolder(path: string): void {
  try {
    makeFoldersSync(path, 0o700);
  } catch (cause) {
    throw new StateDirFolderError(`the folder ${path} cannot be created: ${messageOf(cause)}`, { cause });
  }
}

/** Listens on the address, or null when another process does. */
async function hold(address: string): Promise<Server | null> {
  try {
    return await listen(address);
  } catch (error) {
    if (!isAddressInUse(error)) throw error;
  }
  // A socket file outlives its process, and then nothing answers behind it.
  if (!existsSync(address) || (await isAnswered(address))) return null;
  rmSync(address, { force: true });
  return listen(address);
}

/** Linux has sockets without a file and Windows has pipes; elsewhere a socket in the directory has to do. */
function lockAddress(path: string, program: string, socketFile: string, platform: NodeJS.Platform): string {
  const name = `${program}-${createHash('sha256').update(path).digest('hex').slice(0, 32)}`;
  if (platform === 'linux') return `\0trading-${name}`;
  if (platform === 'win32') return `\\\\.\\pipe\\trading-${name}`;
  return socketFile;
}

function realPathOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
}

async function listen(address: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  server.unref();
  return server;
}

function isAnswered(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isAddressInUse(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EADDRINUSE';
}
