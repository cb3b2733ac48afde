import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

type Import = readonly [from: string, to: string, kind?: 'type-only'];

/** The cycles that the check finds in these imports. */
function cyclesOf(...imports: readonly Import[]): unknown {
  const modules = imports.map(([source, resolved, kind]) => ({
    source,
    dependencies: [{ resolved, dependencyTypes: ['local', kind ?? 'import'] }],
  }));
  const script = `
    import { folderCycles } from ${JSON.stringify(join(__dirname, 'folder-cycles.mjs'))};
    console.log(JSON.stringify(folderCycles(${JSON.stringify(modules)})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const [a, b, c] = ['apps/gateway/src/a/x.ts', 'apps/gateway/src/b/x.ts', 'apps/gateway/src/c/x.ts'] as const;

describe('the check of folders', () => {
  it('finds those that import each other, also through a third one, and in types only', () => {
    expect(cyclesOf([a, b], [b, c])).toEqual([]);
    expect(cyclesOf([a, b], [b, c], [c, a, 'type-only'])).toEqual([
      'apps/gateway/src/a, apps/gateway/src/b, apps/gateway/src/c',
    ]);
  });

  it('passes over tests and the files beside the folders', () => {
    expect(cyclesOf([a, b], ['apps/gateway/src/b/x.spec.ts', a])).toEqual([]);
    expect(cyclesOf([a, 'apps/gateway/src/main.ts'], ['apps/gateway/src/main.ts', a])).toEqual([]);
  });
});
