import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReleaseError, run } from './commands.mjs';

/** The images that are released; that of the terminal is built where the terminal may be used. */
export const imageNames = ['gateway', 'daemon'];

/** The image has no `cat`. */
const printPackages = `
  const folder = '/var/lib/dpkg/status.d/';
  for (const name of fs.readdirSync(folder)) console.log(fs.readFileSync(folder + name, 'utf8'));`;

/** The name of an archive without its ending. */
export function imageName(name, version) {
  return `trading-${name}-image-${version}`;
}

/** The arguments of buildah that build an image from the files of `source`. @param base another base image than the Dockerfile's */
function buildArguments(name, source, seconds, base) {
  return [
    ...['bud', '--isolation', 'chroot', '--format', 'docker', '--timestamp', String(seconds)],
    ...(base === undefined ? [] : ['--build-arg', `BASE=${base}`]),
    ...(name === 'gateway' ? ['--target', 'gateway'] : []),
    ...['--file', join(source, `Dockerfile.${name}`), '--tag', `localhost/trading-${name}`, source],
  ];
}

/** Asked for before minutes of building. @throws ReleaseError */
export function requireBuildah() {
  try {
    run('buildah', ['--version']);
  } catch {
    throw new ReleaseError('there is no buildah, which builds the images: apt-get install buildah');
  }
}

/**
 * Builds both images, each as an OCI archive for `docker load`, `podman load` and `skopeo copy`, and a bill of its Debian packages.
 * @param made the folder of the artifacts
 * @param storage the arguments of buildah that name its storage
 * @param seconds since the epoch, the time of all files that are made
 * @param base another base image than that of the Dockerfiles
 * @throws ReleaseError
 */
export function buildImages({ source, made, storage, version, seconds, base }) {
  const buildah = (...args) => run('buildah', [...storage, ...args]).toString();
  for (const name of imageNames) {
    buildah(...buildArguments(name, source, seconds, base));
    const layout = mkdtempSync(join(tmpdir(), 'image-'));
    try {
      buildah('push', '--quiet', '--format', 'oci', `localhost/trading-${name}`, `oci:${layout}:${version}`);
      const { Docker: docker } = JSON.parse(buildah('inspect', '--type', 'image', `localhost/trading-${name}`));
      complete(layout, `docker.io/library/trading-${name}:${version}`, docker.config.Healthcheck);
      const same = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner'];
      run('tar', [...same, '-cf', join(made, `${imageName(name, version)}.tar`), '-C', layout, '.']);
    } finally {
      rmSync(layout, { recursive: true, force: true });
    }
    const container = buildah('from', `localhost/trading-${name}`).trim();
    const status = buildah('run', '--isolation', 'chroot', container, '--', 'node', '-e', printPackages);
    buildah('rm', container);
    const bill = `${JSON.stringify(debianBill(name, version, status), null, 2)}\n`;
    writeFileSync(join(made, `${imageName(name, version)}.cdx.json`), bill);
  }
}

/**
 * Gives the image of an OCI layout the name that `docker load` uses, and the health check: the format does not know it, so buildah leaves it
 * out, but Docker writes it there and reads it.
 */
function complete(layout, name, healthcheck) {
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'));
  const [entry] = index.manifests;
  const manifest = blob(layout, entry);
  const config = blob(layout, manifest.config);
  for (const { digest } of [entry, manifest.config]) rmSync(pathOf(layout, digest));
  const checked = { ...config, config: { ...config.config, Healthcheck: healthcheck } };
  const written = putBlob(layout, { ...manifest, config: { ...manifest.config, ...putBlob(layout, checked) } });
  const annotations = { ...entry.annotations, 'io.containerd.image.name': name };
  const named = { ...index, manifests: [{ ...entry, ...written, annotations }] };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(named));
}

function blob(layout, { digest }) {
  return JSON.parse(readFileSync(pathOf(layout, digest), 'utf8'));
}

function putBlob(layout, content) {
  const bytes = Buffer.from(JSON.stringify(content));
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  writeFileSync(pathOf(layout, digest), bytes);
  return { digest, size: bytes.length };
}

function pathOf(layout, digest) {
  return join(layout, 'blobs', ...digest.split(':'));
}

/** The installed packages of a dpkg status file, in CycloneDX. The packages of npm are in the bill of the product. */
function debianBill(name, version, status) {
  const components = status
    .split('\n\n')
    .map((stanza) =>
      Object.fromEntries([...stanza.matchAll(/^(\w+): (.*)$/gm)].map(([, field, value]) => [field, value])),
    )
    .filter(({ Status }) => Status === 'install ok installed')
    .map(({ Package, Version, Architecture }) => ({
      type: 'library',
      name: Package,
      version: Version,
      purl: `pkg:deb/debian/${Package}@${encodeURIComponent(Version)}?arch=${Architecture}`,
    }));
  if (components.length === 0) throw new ReleaseError(`the image of the ${name} has no Debian packages`);
  const component = { type: 'container', name: `trading-${name}`, version };
  return { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components };
}
