/** Tests and what serves them import what they need. */
const isTest = (file) => /\.spec\.ts$|\/(testing|bench)\//.test(file);
/** The folder that a file belongs to; undefined for a file that puts the folders together. */
const folderOf = (file) => /^((?:apps|libs)\/[^/]+\/src\/[^/]+)\//.exec(file)?.[1];

/**
 * The groups of folders below one `src` whose files import each other, even if only types.
 * @param modules the modules of dependency-cruiser's JSON
 */
export function folderCycles(modules) {
  const imports = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [folderOf(source), folderOf(resolved)];
      if (!from || !to || from === to || isTest(source) || isTest(resolved)) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  const reached = new Map([...imports.keys()].map((folder) => [folder, reachedFrom(folder, imports)]));
  const cycles = new Set();
  for (const [folder, others] of reached) {
    const mutual = [...others].filter((other) => reached.get(other)?.has(folder)).sort();
    if (others.has(folder)) cycles.add(mutual.join(', '));
  }
  return [...cycles].sort();
}

function reachedFrom(folder, imports) {
  const reached = new Set();
  const next = [folder];
  for (let from = next.pop(); from !== undefined; from = next.pop()) {
    for (const to of imports.get(from) ?? []) {
      if (!reached.has(to)) next.push(to);
      reached.add(to);
    }
  }
  return reached;
}
