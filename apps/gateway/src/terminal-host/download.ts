import { type Clock } from '@libs/clock';
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { type HostLog } from './host-events';
import { type Lifetime } from './lifetime';
import { secureGet } from './secure-fetch';

/** Time without data after which a download is aborted. */
const longestIdleMs = 30_000;
const progressMs = 5_000;
const maxBytes = 1024 * 1024 * 1024;

/**
 * Downloads a file to `path` and returns its SHA-256; logs the progress.
 * @throws InsecureAddressError or FetchFailedError; no partial file is left behind
 */
export async function download(
  { clock, log, lifetime }: { clock: Clock; log: HostLog; lifetime: Lifetime },
  { url, path, timeoutMs }: { url: string; path: string; timeoutMs: number },
): Promise<{ sha256: string; bytes: number }> {
  log.event('download started', { url: shownAddress(url) });
  try {
    const deadlines = { totalMs: timeoutMs, idleMs: longestIdleMs };
    return await secureGet(clock, url, deadlines, lifetime.signal, async ({ chunks, length }) => {
      const hash = createHash('sha256');
      const file = await open(path, 'w', 0o600);
      let bytes = 0;
      let reportedMs = clock.monotonicMs();
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > maxBytes) throw new Error(`exceeds ${maxBytes} bytes`);
          hash.update(chunk);
          await file.writeFile(chunk);
          if (clock.monotonicMs() - reportedMs < progressMs) continue;
          reportedMs = clock.monotonicMs();
          log.event('download progress', { bytes, of: length ?? null });
        }
        await file.sync();
      } finally {
        await file.close();
      }
      if (length !== undefined && bytes !== length) throw new Error(`ended after ${bytes} of ${length} bytes`);
      const sha256 = hash.digest('hex');
      log.event('download finished', { bytes, sha256 });
      return { sha256, bytes };
    });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** An address without its query, which may hold a token, for the log. */
export function shownAddress(url: string): string {
  if (!URL.canParse(url)) return 'not a URL';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
