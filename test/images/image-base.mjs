import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './report.mjs';

export const BASE = 'localhost/trading-base:bookworm';

/** Storage of this test alone: vfs needs no kernel support, and nothing of the machine's own images is touched. */
export function buildah(folder, ...args) {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs'];
  return ['buildah', [...storage, ...args]];
}

/**
 * A Debian with the Node of the Dockerfiles in it, in the place of their base image. The tree is kept between runs in
 * IMAGE_BASE_TREE, by default in the temporary folder.
 */
export function makeBase(report, folder) {
  const tree = process.env.IMAGE_BASE_TREE ?? join(tmpdir(), 'trading-image-base');
  if (!existsSync(join(tree, 'etc/debian_version'))) {
    rmSync(tree, { recursive: true, force: true });
    const args = ['--variant=minbase', '--include=ca-certificates', 'bookworm', tree, 'http://deb.debian.org/debian'];
    if (report.run('debootstrap makes a Debian 12', 'debootstrap', args) === undefined) return false;
  }
  if (!putNode(report, tree, folder)) return false;
  // The certificates that this machine trusts, which its way to the registries may need.
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  if (existsSync(`/${certificates}`)) writeFileSync(join(tree, certificates), readFileSync(`/${certificates}`));
  const container = report.run('a base image is made of it', ...buildah(folder, 'from', 'scratch'))?.trim();
  if (container === undefined) return false;
  const env = [
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `NODE_EXTRA_CA_CERTS=/${certificates}`,
  ].flatMap((entry) => ['--env', entry]);
  const steps = [
    ['copy', '-q', container, tree, '/'],
    ['config', ...env, container],
    ['commit', '-q', '--rm', container, BASE],
  ];
  for (const args of steps) {
    if (spawnSync(...buildah(folder, ...args)).status !== 0) return report.check(`buildah ${args[0]}`, false);
  }
  return true;
}

/** The npm of this machine, with the Node of the registry that has the version of the base image. */
function putNode(report, tree, folder) {
  const [, major] = /^ARG BASE=\S*\/node:(\d+)-/m.exec(readFileSync(join(root, 'Dockerfile.gateway'), 'utf8')) ?? [];
  const program = `node-${process.platform}-${process.arch}`;
  const args = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', join(folder, 'node')];
  const made = report.run(`npm installs Node ${major}`, 'npm', ['install', ...args, `${program}@${major}`]);
  if (made === undefined) return false;
  const npm = dirname(
    dirname(
      spawnSync('readlink', ['-f', spawnSync('which', ['npm'], { encoding: 'utf8' }).stdout.trim()], {
        encoding: 'utf8',
      }).stdout.trim(),
    ),
  );
  mkdirSync(join(tree, 'usr/local/lib/node_modules'), { recursive: true });
  cpSync(join(folder, 'node/node_modules', program, 'bin/node'), join(tree, 'usr/local/bin/node'));
  const installed = join(tree, 'usr/local/lib/node_modules/npm');
  rmSync(installed, { recursive: true, force: true });
  cpSync(npm, installed, { recursive: true, verbatimSymlinks: true });
  for (const name of ['npm', 'npx']) {
    rmSync(join(tree, 'usr/local/bin', name), { force: true });
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(tree, 'usr/local/bin', name));
  }
  return true;
}
