import { readFileSync } from 'node:fs';

/** What scripts/docs/site.mjs wrote beside: `{ version, base, sections: [{ title, pages: [{ text, link }] }] }`. */
const site = JSON.parse(readFileSync(new URL('./site.json', import.meta.url), 'utf8'));
const items = ({ pages }) => pages.map(({ text, link }) => ({ text, link }));
const bar = ['Start', 'Trade', 'Strategies', 'Research', 'Operate', 'Reference'];

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6e5f"/><path d="M6 22l7-8 5 5 8-10" fill="none" stroke="#fff" stroke-width="3.5"/></svg>',
)}`;

/** The anchor of a heading as the forges make it, so that one link works on both. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** A wide table scrolls in its own box; on a phone, each cell is a line of a card, with the heading of its column. */
function tables(markdown) {
  markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
  markdown.renderer.rules.table_close = () => '</table></div>\n';
  markdown.core.ruler.push('labels', ({ tokens }) => {
    let [headings, column] = [[], 0];
    tokens.forEach(({ type }, place) => {
      if (type === 'table_open') headings = [];
      if (type === 'tr_open') column = 0;
      if (type === 'th_open') headings.push(tokens[place + 1].content.replaceAll('`', ''));
      if (type === 'td_open') tokens[place].attrSet('data-label', headings[column++] ?? '');
    });
  });
}

export default {
  title: 'Trading gateway',
  description: 'An HTTP API for one trading account, and a daemon that runs strategies through it.',
  lang: 'en',
  base: site.base,
  srcDir: 'pages',
  outDir: 'out',
  cacheDir: 'cache',
  cleanUrls: false,
  lastUpdated: false,
  // A dead link ends the build.
  ignoreDeadLinks: [/^https?:\/\/(localhost|127\.0\.0\.1)/],
  head: [['link', { rel: 'icon', href: icon }]],
  // Texts are shown as they are written: `<name>` is no element.
  markdown: {
    html: false,
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    config: (markdown) => markdown.use(tables),
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  // The newer esbuild, which the lock file names in place of Vite's own, translates to no older browsers.
  vite: { build: { target: 'es2022' } },
  themeConfig: {
    siteTitle: 'Trading gateway',
    outline: { level: [2, 3], label: 'On this page' },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        // A question that a page answers by its name comes before the pages that only mention its words.
        miniSearch: {
          searchOptions: {
            boostDocument: (id) =>
              /^\/questions\//.test(id) ? 3 : /^\/(decisions|changelog|nautilus)/.test(id) ? 0.5 : 1,
          },
        },
      },
    },
    nav: [
      ...site.sections
        .filter(({ title }) => bar.includes(title))
        .map(({ title, pages }) => ({ text: title, link: pages[0].link, activeMatch: activeMatch(pages) })),
      { text: site.version, link: '/changelog', activeMatch: '^$' },
    ],
    sidebar: site.sections.map((section) => ({
      text: section.title,
      collapsed: section.collapsed ?? false,
      items: items(section),
    })),
    docFooter: { prev: 'Previous', next: 'Next' },
  },
};

function activeMatch(pages) {
  return `^(${pages.map(({ link }) => link).join('|')})(\\.html)?$`;
}
