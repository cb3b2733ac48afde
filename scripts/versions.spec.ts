import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { healthFields } from '@libs/records';

const root = join(__dirname, '..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };

/** Files of the repository whose names match, without those of packages, builds and fixtures. */
function filesNamed(pattern: RegExp, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      const isLeftOut = /^(node_modules|dist|coverage|fixtures|sdk|\..*)$/.test(entry.name) && entry.name !== '.ci';
      return isLeftOut ? [] : filesNamed(pattern, path);
    }
    return pattern.test(path) ? [path] : [];
  });
}

/** Every match of a pattern in files, as `file: match`. */
const found = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) => [...textOf(file).matchAll(pattern)].map(([match]) => `${file}: ${match.trim()}`));

describe(`version ${version}`, () => {
  const isCurrent = (place: string): boolean =>
    new RegExp(`[^\\d.]${version.replaceAll('.', '\\.')}(?![\\d.]*\\d)`).test(place);

  it.each([
    ['every package', /(^|\/)package\.json$/, /^ {2}"version": .*$/gm, 3],
    [
      'the Python package',
      /^python\/(pyproject\.toml|src\/trading_gateway\/__init__\.py)$/,
      /^(version|__version__) = .*$/gm,
      2,
    ],
    ['every chart', /(^|\/)Chart\.yaml$/, /^(version|appVersion): .*$/gm, 0],
    ['the images, in the manifests', /\.ya?ml$/, /image: '?trading-\S*$/gm, 6],
    ['the images, by their label', /(^|\/)Dockerfile\.\w+$/, /^LABEL org\.opencontainers\.image\.version=.*$/gm, 2],
    ['the images, where they are built', /(^|\/)Dockerfile\.\w+$/, / -t trading-\S+/g, 3],
    [
      'packed files that the pages name',
      /\.md$/,
      /(trading-gateway|trading-gateway-client|libs-strategy)-\S*\.tgz/g,
      4,
    ],
  ])('is that of %s', (_what, name, pattern, least) => {
    const places = found(filesNamed(name), pattern);
    expect(places.length).toBeGreaterThanOrEqual(least);
    expect(places.filter((place) => !isCurrent(place))).toEqual([]);
  });

  it('is that of every lock file', () => {
    const locks = filesNamed(/(^|\/)package-lock\.json$/);
    expect(locks).toContain('package-lock.json');
    for (const file of locks) {
      const lock = JSON.parse(textOf(file)) as { version: string; packages: Record<string, { version: string }> };
      expect([file, lock.version, lock.packages['']?.version]).toEqual([file, version, version]);
    }
  });

  it('is the newest one of the changelog, with its date and what an upgrade needs', () => {
    const changelog = textOf('CHANGELOG.md');
    expect(/^## \[(\d.*?)\]/m.exec(changelog)?.[1]).toBe(version);
    const [section = ''] = changelog.split(`## [${version}]`).slice(1);
    expect(section).toMatch(/^ - \d{4}-\d\d-\d\d\n\n### Upgrade notes\n/);
  });

  it('is supported, and so is the minor version before it, for three months', () => {
    const minors = [...textOf('CHANGELOG.md').matchAll(/^## \[(\d+\.\d+)\.\d+\] - (\d{4}-\d\d-\d\d)$/gm)];
    const released = new Map(minors.map(([, minor = '', date = '']) => [minor, date]));
    const [[newest, date] = ['', ''], [before] = ['']] = [...released];
    const until = new Date(`${date}T00:00:00Z`);
    until.setUTCMonth(until.getUTCMonth() + 3);
    const rows = [...textOf('SECURITY.md').matchAll(/^\| (\d+\.\d+) \|.*$/gm)].map(([row, minor]) => [minor, row]);
    expect(rows.map(([minor]) => minor)).toEqual([newest, before]);
    expect(version).toMatch(`${newest}.`);
    expect(rows[1]?.[1]).toContain(until.toISOString().slice(0, 10));
  });

  it('is that of the API: the document and /health take it from package.json, and the example shows it', () => {
    for (const file of ['gateway.docs.ts', 'health/health-report.ts']) {
      expect(textOf(`apps/gateway/src/${file}`)).toMatch(/^import \{ version \} from '[./]+\/package\.json';$/m);
    }
    expect(JSON.stringify(healthFields.version)).toContain(`"${version}"`);
  });
});
