import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { factsOf } from './manifest';

describe('the facts of a file in a backup', () => {
  it('are those of the whole file, also above 2 GiB', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifest-'));
    const bytes = 2 ** 31 + 1;
    writeFileSync(join(folder, 'order-audit.jsonl'), '');
    truncateSync(join(folder, 'order-audit.jsonl'), bytes);
    const facts = await factsOf(folder, 'order-audit.jsonl').finally(() => rmSync(folder, { recursive: true }));
    expect(facts).toEqual({ name: 'order-audit.jsonl', bytes, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
