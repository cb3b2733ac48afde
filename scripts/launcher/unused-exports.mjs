import { readdirSync, readFileSync } from 'node:fs';

const folders = ['apps', 'libs', 'scripts', 'bench', 'test', 'strategies', 'examples'];

/** Source whose exports are checked; tests and what serves them may export more than they use. */
const isChecked = (path) => /^(apps|libs)\/.*\.tsx?$/.test(path) && !/\.spec\.ts$|\/(testing|bench)\//.test(path);
const exported = /^export (?:abstract |async )?(const|function\*?|class|enum|interface|type) (\w+)/gm;

/**
 * Values that a file exports and that no other file names, and types that nothing names: other files use a type without its name.
 * Comments and texts count as well, so that nothing is reported by mistake.
 * @param sources the text of each source file by its path, tests and scripts included
 */
export function unusedExports(sources) {
  const filesOf = new Map();
  for (const text of sources.values()) {
    for (const word of new Set(text.match(/\w+/g))) filesOf.set(word, (filesOf.get(word) ?? 0) + 1);
  }
  return [...sources]
    .filter(([path]) => isChecked(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(exported)]
        .filter(([, , name]) => filesOf.get(name) === 1)
        .filter(([, kind, name]) => !/^(interface|type)$/.test(kind) || timesIn(text, name) === 1)
        .map(([, , name]) => `${path}: ${name}`),
    )
    .sort();
}

/** The text of each source file of the repository by its path. */
export function sourcesOf(root) {
  const paths = folders.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true }).map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  );
  const sources = paths.filter((path) => /\.(ts|tsx|js|mjs|cjs)$/.test(path) && !/(^|\/)node_modules\//.test(path));
  return new Map(sources.map((path) => [path, readFileSync(`${root}/${path}`, 'utf8')]));
}

function timesIn(text, name) {
  return text.match(/\w+/g).filter((word) => word === name).length;
}
