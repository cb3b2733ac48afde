// `npm run bench -- keys`: what a used key costs on disk when the journal holds five million. It fails above 100 bytes.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWhatIsMissing } from '../scripts/launcher/build.mjs';
import { root } from '../scripts/launcher/commands.mjs';
import { installWhatIsMissing } from '../scripts/launcher/installation.mjs';

const keys = Number(process.env.BENCH_KEYS ?? 5_000_000);
const atOnce = 4_000;
const mostBytes = 100;

await installWhatIsMissing();
await buildWhatIsMissing();
const { JournalStore } = createRequire(import.meta.url)(
  join(root, 'dist/apps/gateway/src/trade-journal/journal.store.js'),
);
const folder = mkdtempSync(join(tmpdir(), 'bench-keys-'));
try {
  const store = new JournalStore(folder, () => 'bench');
  const entry = { status: 'completed', route: 'POST /order', responseStatus: 200, fingerprint: '0123456789abcdef' };
  for (let first = 1; first <= keys; first += atOnce) {
    await store.write((tables) => {
      for (let n = first; n < Math.min(first + atOnce, keys + 1); n++) {
        tables.keys.remember(`my-bot-${n}`, { ...entry, ticket: n, createdAtMs: 1_000_000, endedAtRunningMs: 60_000 });
      }
    });
  }
  for (let n = 1; n <= keys; n += 99_991) {
    if (store.keys.memory(`my-bot-${n}`)?.ticket !== n) throw new Error(`key ${n} is missing`);
  }
  const bytes = statSync(join(folder, 'data.mdb')).size;
  console.log(`${keys} keys, ${bytes} bytes, ${(bytes / keys).toFixed(1)} bytes a key`);
  process.exitCode = bytes / keys <= mostBytes ? 0 : 1;
  await store.close();
} finally {
  rmSync(folder, { recursive: true });
}
