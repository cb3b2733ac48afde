import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.mjs';
import { provenanceName, sha256Of, writeChecksums, artifactsIn } from './checksums.mjs';
import { ReleaseError, run } from './commands.mjs';
import { buildImages, requireBuildah } from './images.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What a user needs besides the programs, as one archive each. */
const archives = {
  docs: ['docs', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'],
  deploy: [
    'deploy',
    'docker-compose.yml',
    'docker-compose.fleet.yml',
    'Dockerfile.gateway',
    'Dockerfile.daemon',
    '.env.example',
  ],
};

/**
 * Builds every artifact of a tag from the files of its commit, never from the working tree.
 * @param into folder that must not exist; by default .build/release/TAG
 * @param modules installed packages to use instead of `npm ci`
 * @param images whether the images are built, too, which takes buildah
 * @param imageBase another base image than that of the Dockerfiles
 * @throws ReleaseError
 */
export function buildRelease(tag, { into = join(root, '.build/release', tag), modules, images = false, imageBase }) {
  const startedOn = new Date().toISOString();
  const commit = commitOf(tag);
  const target = resolve(into);
  if (existsSync(target)) throw new ReleaseError(`${into} exists: name another folder with --into`);
  requireHatchling();
  if (images) requireBuildah();
  const work = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const source = join(work, 'source');
    const made = join(work, 'made');
    for (const folder of [source, made]) mkdirSync(folder);
    run('tar', ['-x', '-C', source], { input: git('archive', commit) });
    const version = versionOf(source, tag);
    // Before packages and results of builds are among the files.
    if (images) {
      const storage = ['--root', join(work, 'images'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs'];
      buildImages({ source, made, storage, version, seconds: secondsOf(commit), base: imageBase });
    }
    install(source, modules);
    packPrograms(source, made);
    packPython(source, made, commit);
    for (const [name, paths] of Object.entries(archives)) {
      const prefix = `trading-gateway-${name}-${version}`;
      writeFileSync(join(made, `${prefix}.tar.gz`), gzipSync(git('archive', `--prefix=${prefix}/`, commit, ...paths)));
    }
    writeFileSync(join(made, `trading-gateway-${version}.cdx.json`), billOfMaterials(source, work));
    writeFileSync(join(made, provenanceName), provenance({ made, source, tag, commit, startedOn, modules, imageBase }));
    writeChecksums(made);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(made, target, { recursive: true });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  console.log(
    `${target}:\n${readdirSync(target)
      .sort()
      .map((name) => `  ${name}`)
      .join('\n')}`,
  );
}

function git(...args) {
  return run('git', args, { cwd: root });
}

/** When a commit was made, in seconds since the epoch. */
function secondsOf(commit) {
  return git('show', '-s', '--format=%ct', commit).toString().trim();
}

/** Asked for before minutes of building. */
function requireHatchling() {
  try {
    run('python3', ['-c', 'import hatchling']);
  } catch {
    throw new ReleaseError('python3 has no hatchling, which builds the Python package: pip install hatchling');
  }
}

function commitOf(tag) {
  try {
    return git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`).toString().trim();
  } catch {
    throw new ReleaseError(`there is no tag ${tag}: git tag -s ${tag}`);
  }
}

/** @throws ReleaseError unless every part has the version that the tag states */
function versionOf(source, tag) {
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const [, python] = /^version = "(.*)"$/m.exec(readFileSync(join(source, 'python/pyproject.toml'), 'utf8')) ?? [];
  for (const [part, stated] of Object.entries({ 'package.json': version, 'python/pyproject.toml': python })) {
    if (tag !== `v${stated}`) throw new ReleaseError(`${part} at ${tag} has version ${stated}`);
  }
  return version;
}

function install(source, modules) {
  if (modules === undefined) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: source });
  else symlinkSync(resolve(modules), join(source, 'node_modules'));
}

/** The gateway with the daemon, the client and the SDK of strategies. */
function packPrograms(source, made) {
  run('npm', ['run', '--silent', 'build'], { cwd: source });
  run('npm', ['run', '--silent', 'build:client'], { cwd: source });
  // In a clone the package is private, so that nobody publishes a working tree by mistake.
  const manifest = join(source, 'package.json');
  const published = JSON.parse(readFileSync(manifest, 'utf8'));
  delete published.private;
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
  for (const folder of ['.', 'libs/gateway-client', 'dist/strategy-sdk']) {
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', made], { cwd: join(source, folder) });
  }
}

/** Wheel and source distribution, with the time of the commit in their archives. */
function packPython(source, made, commit) {
  const env = { SOURCE_DATE_EPOCH: secondsOf(commit) };
  run('python3', ['-m', 'hatchling', 'build', '-d', made], { cwd: join(source, 'python'), env });
}

/** An in-toto statement with the SLSA predicate, not signed: what was made, from which commit, and how. */
function provenance({ made, source, tag, commit, startedOn, modules, imageBase }) {
  const origin = git('config', '--default', 'unknown', '--get', 'remote.origin.url').toString().trim();
  const subject = artifactsIn(made).map((name) => ({ name, digest: { sha256: sha256Of(join(made, name)) } }));
  // An address may have a password in it.
  const repository = origin.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `git+${repository}/scripts/release.mjs`,
        externalParameters: { tag },
        internalParameters: {
          node: process.version,
          packages: modules === undefined ? 'npm ci' : 'given',
          ...(imageBase === undefined ? {} : { imageBase }),
        },
        resolvedDependencies: [
          { uri: `git+${repository}@refs/tags/${tag}`, digest: { gitCommit: commit } },
          { uri: 'package-lock.json', digest: { sha256: sha256Of(join(source, 'package-lock.json')) } },
        ],
      },
      runDetails: {
        builder: { id: process.env.GITHUB_WORKFLOW_REF ?? 'local' },
        metadata: {
          invocationId: process.env.GITHUB_RUN_ID ?? startedOn,
          startedOn,
          finishedOn: new Date().toISOString(),
        },
      },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
