import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleEntry, bundleForScreening, bundleStrategy, entries } from './strategy-bundler';

describe('a strategy file', () => {
  it.each(['main', 'module'])('may import a library that names its entry in `%s`', async (field) => {
    const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    const library = join(folder, 'node_modules/averages');
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, 'package.json'), JSON.stringify({ name: 'averages', [field]: './dist.js' }));
    writeFileSync(join(library, 'dist.js'), 'export const average = 41.5;\n');
    writeFileSync(join(folder, 'mine.ts'), `import { average } from 'averages';\nconsole.log(average);\n`);
    expect((await bundleStrategy(join(folder, 'mine.ts'))).code).toContain('41.5');
  });
});

describe('the code of a screening', () => {
  it('leaves out the indicators of the daemon, and keeps another version of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
    const file = join(folder, 'mine.ts');
    writeFileSync(file, `import { EMA } from 'trading-signals';\nconsole.log(EMA);\n`);
    expect((await bundleForScreening(file)).screenedCode).toContain('require("trading-signals")');
    const library = join(folder, 'node_modules/trading-signals');
    mkdirSync(library, { recursive: true });
    writeFileSync(join(library, 'package.json'), '{"name":"trading-signals","main":"./dist.js"}');
    writeFileSync(join(library, 'dist.js'), 'export const EMA = 41.5;\n');
    expect((await bundleForScreening(file)).screenedCode).toContain('41.5');
  });
});

describe('the thread of a backtest', () => {
  it('contains only what the rules of symbol files use of class-validator', async () => {
    const code = await bundleEntry(entries.backtest);
    const [rules, telephones] = ['class-validator', 'libphonenumber-js'].map((name) => [
      ...code.matchAll(new RegExp(`^// .*node_modules/${name}/`, 'gm')),
    ]);
    expect(rules?.length).toBeGreaterThan(0);
    // What checks telephone numbers is most of class-validator.
    expect(telephones?.length).toBe(0);
  });
});

describe('the thread of live strategies', () => {
  it('contains the rules of class-validator without the packages behind them', async () => {
    const code = await bundleEntry(entries.worker);
    expect(code).toContain('must be a valid phone number');
    // The countries of telephone numbers, and the tables of postal codes and taxes.
    expect(code).not.toMatch(/node_modules\/(?:validator|libphonenumber-js)|GB:|"GB"/);
    expect(code.length).toBeLessThan(300_000);
  });
});
