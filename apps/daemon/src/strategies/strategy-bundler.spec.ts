import { bundleEntry, entries } from './strategy-bundler';

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
