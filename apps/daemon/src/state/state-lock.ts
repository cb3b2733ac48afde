import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Another daemon holds the state directory. */
export class StateDirLockedError extends Error {}

/**
 * Holds a state directory for this process by a name in the kernel's abstract socket space: taken atomically, and free
 * the instant the process ends, however it ends.
 */
export class StateLock {
  private constructor(private readonly server: Server) {}

  /** @throws StateDirLockedError when another process on this machine holds it */
  static async take(stateDir: string): Promise<StateLock> {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    const path = realpathSync(stateDir);
    const name = createHash('sha256').update(path).digest('hex').slice(0, 32);
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        const taken = error.code === 'EADDRINUSE';
        reject(taken ? new StateDirLockedError(`another daemon is using ${path}`) : error);
      });
      server.listen(`\0strategy-daemon-${name}`, resolve);
    });
    server.unref();
    return new StateLock(server);
  }

  async release(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}
