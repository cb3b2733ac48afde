import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { buildImages, imageName, imageNames } from '../../scripts/release/images.mjs';
import { BASE, buildah, makeBase } from './image-base.mjs';
import { root } from './report.mjs';

const key = 'key-of-the-image-test';
/** What an image may take, with all its layers. */
const goalMb = 250;

/** Builds the slim images and starts the product from them, as the user that they name. */
export async function checkSlimImages(report, folder) {
  if (!makeBase(report, folder)) return;
  if (!build(report, folder)) return;

  const port = String(await freePort());
  const gateway = startFrom(folder, 'gateway', {
    API_KEY: key,
    TERMINAL_API_PORT: port,
    TERMINAL_API_HOST: '127.0.0.1',
    TERMINAL_LOGIN: '100001',
    TERMINAL_PASSWORD: 'simulator',
    TERMINAL_SERVER: 'Simulator-Demo',
    SIM_LOGIN: '100001',
    SIM_PASSWORD: 'simulator',
    SIM_SERVER: 'Simulator-Demo',
  });
  const controlPort = String(await freePort());
  const daemon = startFrom(folder, 'daemon', {
    API_KEY: key,
    GATEWAY_URL: `http://127.0.0.1:${port}`,
    DAEMON_CONTROL_HOST: '127.0.0.1',
    DAEMON_CONTROL_PORT: controlPort,
  });
  try {
    const at = `http://127.0.0.1:${port}`;
    report.check('the gateway listens on TERMINAL_API_PORT', await answers(`${at}/health/live`), gateway.output());
    report.check('it is ready on the simulated broker', await answers(`${at}/health/ready`), gateway.output());
    const account = await fetch(`${at}/account`, { headers: { authorization: `Bearer ${key}` } }).then((r) => r.json());
    report.check('it answers with the account', account.ok === true, JSON.stringify(account));
    report.check('without a key it does not', (await fetch(`${at}/account`)).status === 401);
    checkInside(report, gateway, ['TERMINAL_API_PORT', '5001', '/health/live']);
    const control = `http://127.0.0.1:${controlPort}`;
    report.check('the daemon answers on its control port', await answers(`${control}/health`), daemon.output());
    checkInside(report, daemon, ['DAEMON_CONTROL_PORT', '7070', '/health']);
    const running = await until(async () => {
      const rows = await fetch(`${control}/list`).then((response) => response.json());
      return rows.length > 0 && rows.every((row) => row.state === 'running');
    });
    report.check('its strategy runs', running, daemon.output());
  } finally {
    for (const program of [daemon, gateway]) {
      report.check(`the ${program.name} ends on SIGTERM`, await program.stop(), program.output());
    }
  }
}

/** By the release's own function, so that what is started is what others load. */
function build(report, folder) {
  const [, storage] = buildah(folder);
  const made = join(folder, 'made');
  mkdirSync(made);
  const started = performance.now();
  try {
    buildImages({ source: root, made, storage, version: 'test', seconds: Math.floor(Date.now() / 1_000), base: BASE });
  } catch (error) {
    return report.check('the images are built and archived', false, error.message);
  }
  report.figure(`the images were built and archived in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  for (const name of imageNames) checkImage(report, folder, name);
  return true;
}

function checkImage(report, folder, name) {
  const config = configIn(archiveOf(folder, name));
  report.check(
    `the archive of the ${name}'s image runs as app and says how it is`,
    config.User === 'app' && config.Healthcheck?.Test?.length > 0,
  );
  const [all, base] = [sizeOf(folder, `trading-${name}`), sizeOf(folder, 'trading-base')];
  report.figure(`${name}: ${all} MB, made with a base image of ${base} MB`);
  report.check(`the image of the ${name} has at most ${goalMb} MB`, all <= goalMb, `${all} MB`);
  const bill = JSON.parse(readFileSync(join(folder, 'made', `${imageName(name, 'test')}.cdx.json`), 'utf8'));
  const hasLibc = bill.components.some(({ purl }) => purl.startsWith('pkg:deb/debian/libc6@'));
  report.check(`the bill of the ${name}'s image has its Debian packages`, hasLibc);
}

function archiveOf(folder, name) {
  return join(folder, 'made', `${imageName(name, 'test')}.tar`);
}

/** The configuration of the image in an OCI archive. */
function configIn(archive) {
  const read = (path) => JSON.parse(spawnSync('tar', ['-xOf', archive, `./${path}`], { encoding: 'utf8' }).stdout);
  const blob = ({ digest }) => read(`blobs/${digest.replace(':', '/')}`);
  return blob(blob(read('index.json').manifests[0]).config).config;
}

/** The size of an image as stored, all its layers together. */
function sizeOf(folder, tag) {
  const { stdout } = spawnSync(...buildah(folder, 'images', '--json'), { encoding: 'utf8' });
  const image = JSON.parse(stdout).find(({ names }) => names?.some((name) => name.includes(tag)));
  const [, number = '0', unit] = /^([\d.]+) ?([KMG]B)$/.exec(image?.size ?? '') ?? [];
  return Math.round(Number(number) * (unit === 'GB' ? 1_000 : unit === 'KB' ? 0.001 : 1));
}

/** Starts an image's own command as its own user, with the machine's network (chroot isolation has no other). */
function startFrom(folder, name, env) {
  const [file, from] = buildah(folder, 'from', `oci-archive:${archiveOf(folder, name)}`);
  const container = spawnSync(file, from, { encoding: 'utf8' }).stdout.trim();
  const image = JSON.parse(spawnSync(...buildah(folder, 'inspect', container), { encoding: 'utf8' }).stdout).Docker
    .config;
  const settings = Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]);
  const inside = (command) => buildah(folder, 'run', '--isolation', 'chroot', ...settings, container, '--', ...command);
  const [program, args] = inside([...(image.Entrypoint ?? []), ...image.Cmd]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    name,
    inside,
    output: () => output,
    async stop() {
      process.kill(-child.pid, 'SIGTERM');
      const ended = await Promise.race([exited.then(() => true), delay(30_000).then(() => false)]);
      if (!ended) process.kill(-child.pid, 'SIGKILL');
      await exited;
      spawnSync(...buildah(folder, 'rm', container));
      return ended;
    },
  };
}

function checkInside(report, program, healthcheck) {
  const run = (...command) => spawnSync(...program.inside(command), { encoding: 'utf8' });
  report.check(
    `the ${program.name}'s own health check is content`,
    run('node', '/app/deploy/healthcheck.cjs', ...healthcheck).status === 0,
  );
  const node = (code) => run('node', '-p', code);
  report.check(`the ${program.name} runs as app`, node('process.getuid()').stdout.trim() === '10001');
  const writing = node(
    `['/config', '/app', '/etc', '/usr', '/'].filter((at) => { try { fs.writeFileSync(at + '/here', ''); return true } catch {} }).join()`,
  );
  const where = writing.stdout.trim();
  report.check(`the ${program.name} can write to its volume and nowhere else`, where === '/config', writing.stderr);
  const resolved = node(`require('dns').promises.lookup('localhost').then(({ address }) => console.log(address)), ''`);
  report.check(`the ${program.name} resolves names`, /127|::1/.test(resolved.stdout), resolved.stderr);
  report.check(
    `the ${program.name} has no shell and no npm`,
    ['sh', 'npm'].every((name) => run(name, '-v').status !== 0),
  );
}

async function answers(url) {
  return until(
    async () => (await fetch(url)).ok || (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).ok,
  );
}

async function until(holds) {
  for (let tries = 0; tries < 240; tries++) {
    if (await holds().catch(() => false)) return true;
    await delay(250);
  }
  return false;
}

function delay(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
