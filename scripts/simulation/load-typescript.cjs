// Lets `require` load the repository's TypeScript as it stands, compiled by swc as the tests are. What was compiled is kept
// by content under node_modules/.cache, because every seed runs in a process of its own.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { planted, readBug } = require('./planted-bug.cjs');

const root = join(__dirname, '../..');
const settings = readFileSync(join(root, 'swc.json'), 'utf8');
const cache = join(root, 'node_modules/.cache/simulation');
const compiler = require('@swc/core/package.json').version;
let swc = null;
/** A known bug that is in what is loaded from now on; see planted-bug.cjs. */
let bug = null;

mkdirSync(cache, { recursive: true });

const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, ...rest) {
  return resolve.call(this, sourceOf(request), ...rest);
};

Module._extensions['.ts'] = (module, file) => module._compile(compiled(file), file);

/** The same names as in tsconfig.json. */
function sourceOf(request) {
  const [, library, part = ''] = /^@libs\/([^/]+)(?:\/([^/]+))?$/.exec(request) ?? [];
  return library ? join(root, 'libs', library, 'src', part) : request;
}

function compiled(file) {
  const text = readFileSync(file, 'utf8');
  const source = bug ? planted(bug, file, text) : text;
  const name = createHash('sha256').update(`${compiler}\0${settings}\0${file}\0${source}`).digest('hex');
  const kept = join(cache, `${name}.js`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  swc ??= require('@swc/core');
  const { code } = swc.transformSync(source, {
    ...JSON.parse(settings),
    swcrc: false,
    filename: file,
    sourceRoot: dirname(file),
  });
  const fresh = `${kept}.${process.pid}`;
  writeFileSync(fresh, code);
  renameSync(fresh, kept);
  return code;
}

module.exports = { plant: (name) => (bug = readBug(name)) };
