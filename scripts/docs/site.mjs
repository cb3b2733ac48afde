// `npm run docs -- site`: the documentation as a site of static files, by VitePress, from the Markdown of the repository.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { LaunchError, npm, run, tool } from '../launcher/commands.mjs';
import { step } from '../launcher/progress.mjs';
import { apiPage } from './api-page.mjs';
import { documentOfGateway } from './routes.mjs';
import { schemaFiles, schemasPage } from './schemas.mjs';
import { addressOf, madePages, navigation } from './site/navigation.mjs';

const folder = '.build/docs-site';

/**
 * Builds the site.
 * @param document file of an OpenAPI document; undefined: that of a gateway that is started
 * @param base path of the address at which the site is served
 * @returns the folder of the site, in the repository
 * @throws LaunchError with what VitePress printed, such as its list of dead links
 */
export async function buildSite({ root, document: saved, base = '/' }) {
  const document = saved ? JSON.parse(readFileSync(saved, 'utf8')) : await documentOfGateway(root);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const schemas = schemaFiles(root);
  const sources = sourcesOf(root, { 'api.md': apiPage(document), 'schemas.md': schemasPage(schemas) });
  const sections = sectionsOf(sources);

  const at = (path) => join(root, folder, path);
  for (const old of ['pages', 'out', '.vitepress']) rmSync(at(old), { recursive: true, force: true });
  const isSource = (path) => !/package(-lock)?\.json$/.test(path);
  cpSync(join(root, 'scripts/docs/site'), at('.vitepress'), { recursive: true, filter: isSource });
  write(at('.vitepress/site.json'), JSON.stringify({ version, base, sections }));
  cpSync(join(root, 'docs/images'), at('pages/public/images'), { recursive: true });
  cpSync(at('.vitepress/home.md'), at('pages/index.md'));
  for (const [file, { text, isCode }] of sources) {
    write(at(`pages${addressOf(file)}.md`), isCode ? `---\nsearch: false\noutline: false\n---\n\n${text}` : text);
  }
  await installVitePress(root, at);
  await step('Building the site (vitepress build)', () =>
    run('The site', tool(`../${folder}/node_modules/vitepress/bin/vitepress.js`, 'build', at(''))),
  );
  // Beside the pages: their Markdown for programs, and the documents that they name.
  for (const [file, { text }] of sources) write(at(`out${addressOf(file)}.md`), text);
  write(at('out/openapi.json'), JSON.stringify(document, null, 2));
  for (const [name, schema] of Object.entries(schemas)) {
    write(at(`out/schemas/${name}`), `${JSON.stringify(schema, null, 2)}\n`);
  }
  write(at('out/llms.txt'), contentsOf(sources, sections, base.replace(/\/$/, '')));
  requireSelfContained(at('out'));
  return `${folder}/out`;
}

/** In a folder of its own: a start of the product installs none of it. */
async function installVitePress(root, at) {
  const source = join(root, 'scripts/docs/site');
  const lock = readFileSync(join(source, 'package-lock.json'), 'utf8');
  // Without its name: the tests know packages of the repository by theirs.
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  write(at('package.json'), JSON.stringify({ ...manifest, name: undefined }));
  write(at('package-lock.json'), lock);
  const installed = at('node_modules/.installed-from');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  const command = npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', at(''));
  await step('Installing VitePress (npm ci)', () => run('The installation', command));
  write(installed, lock);
}

/** Every file of the site by its path in the repository: the pages of the navigation, and what they link to. */
function sourcesOf(root, made) {
  const found = new Map();
  const waiting = navigation.flatMap(({ pages }) => pages.map(([file]) => file));
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    if (found.has(file)) continue;
    const isCode = extname(file) !== '.md';
    const written = madePages.includes(file) ? made[file] : readFileSync(join(root, file), 'utf8');
    const linked = (target) => {
      const path = fileAt(root, file, target);
      waiting.push(path);
      return path;
    };
    found.set(file, { isCode, text: isCode ? codePage(file, written) : withLinks(written, file, linked) });
  }
  return found;
}

/** The file that a link of another one names; of a folder its README, or its first page. */
function fileAt(root, from, target) {
  const path = posix.join(posix.dirname(from), target);
  if (madePages.includes(path) || !statSync(join(root, path)).isDirectory()) return path;
  const first = navigation.flatMap(({ pages }) => pages).find(([file]) => file.startsWith(`${path}/`));
  return existsSync(join(root, path, 'README.md')) || !first ? posix.join(path, 'README.md') : first[0];
}

/** A page whose links between files of the repository are links of the site; those in code stay. */
function withLinks(text, file, linked) {
  const parts = text.split(/(^ *```.*?^ *```$|`[^`\n]+`(?!\]))/gms);
  const inSite = (link, words, target, anchor = '') => {
    if (/^(https?:|mailto:|\/)/.test(target)) return link;
    if (/^(docs\/|\.\.\/)?images\//.test(target)) return `[${words}](/${target.replace(/^(docs|\.\.)\//, '')})`;
    const path = linked(target);
    const named = /^[\w./-]+\.md$/.test(words) ? (names.get(path) ?? words) : words;
    return `[${named}](${addressOf(path)}${anchor})`;
  };
  const link = /\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)/g;
  return parts.map((part, index) => (index % 2 === 1 ? part : part.replaceAll(link, inSite))).join('');
}

/** The name of each page in the navigation, in place of a file name as the words of a link. */
const names = new Map(navigation.flatMap(({ pages }) => pages));

function codePage(file, text) {
  return `# ${file}\n\n\`\`\`\`${extname(file).slice(1) || 'text'}\n${text.trimEnd()}\n\`\`\`\`\n`;
}

function sectionsOf(sources) {
  return navigation.map(({ title, collapsed, pages }) => ({
    title,
    collapsed,
    pages: pages.map(([file, name]) => ({
      file,
      text: name ?? /^# (.*)$/m.exec(sources.get(file).text)?.[1] ?? file,
      link: addressOf(file),
    })),
  }));
}

/** llms.txt: each page with its first sentence, and where its Markdown is. */
function contentsOf(sources, sections, base) {
  const line = ({ file, text, link }) => `- [${text}](${base}${link}.md): ${firstSentence(sources.get(file).text)}`;
  return [
    '# Trading gateway\n',
    '> An HTTP API for one MetaTrader-style trading account, and a daemon that runs strategies through it.\n',
    `The OpenAPI document is at [openapi.json](${base}/openapi.json).\n`,
    ...sections.map(({ title, pages }) => `## ${title}\n\n${pages.map(line).join('\n')}\n`),
  ].join('\n');
}

function firstSentence(text) {
  const prose = text
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('**', '');
  const paragraph = prose.split(/\n{2,}/).find((part) => /^[A-Z`]/.test(part)) ?? '';
  const [first = ''] = paragraph.replaceAll('\n', ' ').split(/(?<=[.:?!])\s/);
  return first.replace(/:$/, '.');
}

/** @throws LaunchError naming the pages that load something from another address */
function requireSelfContained(out) {
  const outside = /<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)="(?:https?:)?\/\/|url\((?:https?:)?\/\//;
  const files = readdirSync(out, { recursive: true }).filter((name) => /\.(html|css)$/.test(name));
  const found = files.filter((name) => outside.test(readFileSync(join(out, name), 'utf8')));
  if (found.length > 0) throw new LaunchError(`these pages load something from another address: ${found.join(', ')}`);
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
