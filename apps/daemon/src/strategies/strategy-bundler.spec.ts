import { bundleEntry, entries } from './strategy-bundler';

describe('the thread of a backtest', () => {
  it('loads class-validator only for a symbol file, and contains only what is used of it', async () => {
    const code = await bundleEntry(entries.backtest);
    const modules = [...code.matchAll(/^\/\/ .*node_modules\/((?:class-validator|libphonenumber-js)\/.*)$/gm)];
    const paths = modules.map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !isLoadedLater(code, path))).toEqual([]);
    // What class-validator needs for telephone numbers is most of it.
    expect(paths.filter((path) => path.startsWith('libphonenumber-js/'))).toEqual([]);
  });
});

/** esbuild wraps a module that is not needed at the start into a function. */
function isLoadedLater(code: string, path: string): boolean {
  const name = path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`= __(?:esm|commonJS)\\(\\{\\s*"[^"]*node_modules/${name}"`).test(code);
}
