import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BundleCache } from './bundle-cache';
import { bundleStrategy } from './strategy-bundler';

describe('the bundles of a round', () => {
  let folder: string;
  let bundled: string[];
  let cache: BundleCache;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bundles-'));
    writeFileSync(join(folder, 'imported.ts'), 'export const length = 3;');
    writeFileSync(join(folder, 'one.ts'), `import { length } from './imported'; export default { length };`);
    bundled = [];
    cache = new BundleCache((path) => {
      bundled.push(path);
      return bundleStrategy(path);
    });
  });

  it('are built once for a file, regardless of how many strategies use it', async () => {
    const path = join(folder, 'one.ts');
    const [one, other] = await Promise.all([cache.of(path), cache.of(path)]);
    expect(bundled).toEqual([path]);
    expect(other).toBe(one);
  });

  it('contain the changes of the file and of its imports in the next round', async () => {
    const path = join(folder, 'one.ts');
    const before = await cache.of(path);
    writeFileSync(join(folder, 'imported.ts'), 'export const length = 30;');
    expect(await cache.of(path)).toBe(before);
    cache.renew();
    const after = await cache.of(path);
    expect(after.code).not.toBe(before.code);
    cache.renew();
    expect((await cache.of(path)).code).toBe(after.code);
  });

  it('are read anew for a strategy that could not be loaded', async () => {
    const path = join(folder, 'broken.ts');
    writeFileSync(path, 'export default {');
    await expect(cache.of(path)).rejects.toThrow(/broken\.ts:1:/);
    await expect(cache.of(path)).rejects.toThrow(/broken\.ts:1:/);
    expect(bundled).toHaveLength(1);
    writeFileSync(path, 'export default {};');
    await expect(cache.again(path)).resolves.toMatchObject({ file: join(folder, 'broken.bundle.js') });
    await expect(cache.of(path)).resolves.toBeDefined();
  });
});
