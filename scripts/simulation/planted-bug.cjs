// Plants a known bug into the sources as they are loaded, to show that the simulation finds it. A bug is a unified diff of a
// few lines under test/simulation/planted; its first line says what is wrong, and one that begins with "on: " which account or
// start a seed needs to show it. It is found by its text, not by line numbers.
const { readdirSync, readFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const root = join(__dirname, '../..');
const folder = join(root, 'test/simulation/planted');

/** The names of all planted bugs. */
function plantedBugs() {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.patch'))
    .map((name) => name.slice(0, -'.patch'.length))
    .sort();
}

/** One bug by its name. @throws Error when there is none, or its file is not a unified diff */
function readBug(name) {
  if (!plantedBugs().includes(name)) throw new Error(`there is no planted bug ${name}: ${plantedBugs().join(', ')}`);
  return parsePatch(name, readFileSync(join(folder, `${name}.patch`), 'utf8'));
}

/** @throws Error when the text is not a unified diff after its first line */
function parsePatch(name, text) {
  const [why = '', ...lines] = text.split('\n');
  const changes = [];
  let file = null;
  let on = [];
  for (const line of lines) {
    const [, path] = /^\+\+\+ b\/(.+)$/.exec(line) ?? [];
    if (path) file = path;
    else if (line.startsWith('on: ')) on = line.slice('on: '.length).split(', ');
    else if (line.startsWith('@@ ')) changes.push({ file, before: [], after: [] });
    else if (changes.length > 0 && !line.startsWith('--- ')) addLine(changes.at(-1), line);
  }
  if (why === '' || changes.length === 0 || changes.some((change) => change.file === null)) {
    throw new Error(`${name}.patch is not a unified diff below a line that says what is wrong`);
  }
  return {
    name,
    why,
    on,
    changes: changes.map(({ before, after, ...change }) => ({
      ...change,
      before: textOf(before),
      after: textOf(after),
    })),
  };
}

/**
 * The source of a file with the bug in it.
 * @throws Error when one of its changes does not apply exactly once
 */
function planted(bug, path, source) {
  const file = relative(root, path);
  return bug.changes
    .filter((change) => change.file === file)
    .reduce((text, { before, after }) => {
      const times = text.split(before).length - 1;
      if (times !== 1) throw new Error(`the planted bug ${bug.name} applies ${times} times to ${file}, not once`);
      return text.replace(before, () => after);
    }, source);
}

function addLine({ before, after }, line) {
  if (line.startsWith('-')) before.push(line.slice(1));
  else if (line.startsWith('+')) after.push(line.slice(1));
  else if (line.startsWith(' ')) for (const side of [before, after]) side.push(line.slice(1));
}

function textOf(lines) {
  return lines.map((line) => `${line}\n`).join('');
}

module.exports = { parsePatch, planted, plantedBugs, readBug };
