import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');

/** The navigation of the site, whose modules are made for Node itself and not for Jest. */
const { files, titles, addresses, made } = JSON.parse(
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { addressOf, madePages, navigation } from ${JSON.stringify(join(__dirname, 'site/navigation.mjs'))};
       const files = navigation.flatMap(({ pages }) => pages.map(([file]) => file));
       const titles = navigation.map(({ title }) => title);
       console.log(JSON.stringify({ files, titles, addresses: files.map(addressOf), made: madePages }));`,
    ],
    { encoding: 'utf8' },
  ),
) as Readonly<Record<'files' | 'titles' | 'addresses' | 'made', readonly string[]>>;

describe('the navigation of the documentation site', () => {
  it('has every page of docs/ once, and no page that does not exist', () => {
    const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name.replaceAll('\\', '/')}`);
    expect(files.filter((file) => file.startsWith('docs/')).sort()).toEqual(pages.sort());
    expect(files.filter((file) => !made.includes(file) && !existsSync(join(root, file)))).toEqual([]);
  });

  it('is by task, each page at an address of its own', () => {
    expect(titles.slice(0, 6)).toEqual(['Start', 'Trade', 'Strategies', 'Research', 'Operate', 'Reference']);
    expect(new Set(addresses).size).toBe(files.length);
  });

  it('has each sentence and each example of a page once: a merge may keep both versions of a paragraph', () => {
    const doubled = files
      .filter((file) => !made.includes(file) && file.startsWith('docs/'))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        // Rows of tables, such as those of settings of two programs, may be alike.
        const prose = text.replace(/^\|.*$/gm, '').split(/\n\s*\n/);
        const parts = prose.flatMap((block) => (block.startsWith('```') ? [block] : sentencesOf(block)));
        const long = parts.map((part) => part.replace(/\s+/g, ' ').trim()).filter((part) => part.length > 60);
        return long.filter((part, at) => long.indexOf(part) < at).map((part) => `${file}: ${part}`);
      });
    expect(doubled).toEqual([]);
  });

  it('has a heading on each page, which is its name in the search', () => {
    const texts = files.filter((file) => !made.includes(file)).map((file) => readFileSync(join(root, file), 'utf8'));
    expect(texts.filter((text) => !/^# \S/m.test(text))).toEqual([]);
  });
});

function sentencesOf(block: string): string[] {
  return block.split(/(?<=[.!?])\s+/);
}
