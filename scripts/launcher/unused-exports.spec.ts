import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The exports that the check finds in these files. */
function unusedIn(sources: Readonly<Record<string, string>>): unknown {
  const script = `
    import { unusedExports } from ${JSON.stringify(join(__dirname, 'unused-exports.mjs'))};
    console.log(JSON.stringify(unusedExports(new Map(Object.entries(${JSON.stringify(sources)})))));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const [file, other] = ['apps/gateway/src/a/x.ts', 'test/e2e/y.ts'] as const;

describe('the check of exports', () => {
  it('finds values that no other file names', () => {
    const text = 'export const limit = 1;\nexport async function read() {}\nexport class Row {}\nread(limit, Row);\n';
    expect(unusedIn({ [file]: text })).toEqual([`${file}: Row`, `${file}: limit`, `${file}: read`]);
    expect(unusedIn({ [file]: text, [other]: 'read(limit);' })).toEqual([`${file}: Row`]);
  });

  it('finds types that nothing names, in their own file either', () => {
    const text = 'export interface Row {}\nexport type Rows = Row[];\n';
    expect(unusedIn({ [file]: text })).toEqual([`${file}: Rows`]);
    expect(unusedIn({ [file]: `${text}function rows(): Rows {}` })).toEqual([]);
  });

  it('passes over what tests export', () => {
    expect(
      unusedIn({ 'apps/gateway/src/testing/rig.ts': 'export const rig = 1;\n', [other]: 'export const x = 1;' }),
    ).toEqual([]);
  });
});
