import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { root } from './report.mjs';

const shellScripts = [
  'deploy/image-files.sh',
  'deploy/terminal/build-in.sh',
  'deploy/terminal/desktop.sh',
  'deploy/terminal/install-windows-packages.sh',
  'deploy/terminal/install-wine.sh',
  'deploy/terminal/start.sh',
  'deploy/prometheus/start.sh',
];

/** What the images run besides our programs, and what the Dockerfiles promise. */
export async function checkScripts(report, folder) {
  report.run('shell scripts pass shellcheck', 'shellcheck', shellScripts);
  const plugin = join(root, 'deploy/terminal/desktop_auth.py');
  report.run("the desktop's plugin is Python", 'python3', [
    '-c',
    'import ast,sys;ast.parse(open(sys.argv[1]).read())',
    plugin,
  ]);
  for (const name of ['Dockerfile.gateway', 'Dockerfile.daemon']) checkDockerfile(report, name);

  if (spawnSync('which', ['promtool'], { stdio: 'ignore' }).status !== 0)
    return report.notRun('promtool is not installed');
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials, { recursive: true });
  for (const [name, text] of Object.entries({ 'api-key': 'x', 'daemon-token': 'x', 'gateway.json': '[]' }))
    writeFileSync(join(credentials, name), text);
  const config = readFileSync(join(root, 'deploy/prometheus/prometheus.yml'), 'utf8');
  writeFileSync(join(folder, 'prometheus.yml'), config.replaceAll('/tmp/credentials', credentials));
  const own = join(root, 'deploy/prometheus');
  for (const name of readdirSync(own).filter((file) => file.endsWith('.rules.yml')))
    copyFileSync(join(own, name), join(folder, name));
  report.run('promtool accepts the Prometheus configuration', 'promtool', [
    'check',
    'config',
    join(folder, 'prometheus.yml'),
  ]);
}

/** @param source a path, or all files of one ending in a folder, such as docs/*.md */
function isThere(source) {
  if (!source.includes('*')) return existsSync(join(root, source));
  return readdirSync(join(root, dirname(source))).some((name) => name.endsWith(extname(source)));
}

function checkDockerfile(report, name) {
  const text = readFileSync(join(root, name), 'utf8').replaceAll('\\\n', ' ');
  const sources = [...text.matchAll(/^COPY (?!--from)(?:--\S+ )*(.+) \S+$/gm)].flatMap(([, list]) => list.split(/\s+/));
  const gone = sources.filter((source) => !isThere(source));
  report.check(`${name} copies what is there`, gone.length === 0, gone.join());
  const allowed = [...readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  const hidden = sources.filter((source) => !allowed.some((path) => source === path || source.startsWith(`${path}/`)));
  report.check(`${name} copies what .dockerignore lets through`, hidden.length === 0, hidden.join());
  const stages = text.split(/^FROM /m).slice(1);
  const final = stages.filter((stage) => /^(CMD|ENTRYPOINT) /m.test(stage));
  const lastUsers = final.map((stage) => [...stage.matchAll(/^USER (\S+)$/gm)].at(-1)?.[1]);
  report.check(`${name} runs as another user than root`, final.length > 0 && lastUsers.every((user) => user === 'app'));
  report.check(
    `${name} checks liveness`,
    final.every((stage) => /HEALTHCHECK[^\n]*"\/health(\/live)?"\]/.test(stage)),
  );
  const downloads = [...text.matchAll(/curl --[^\n]*/g)].map(([command]) => command);
  report.check(
    `${name} downloads by HTTPS and checks what it got`,
    downloads.every((command) => /--proto '=https'/.test(command) && /sha256sum --check/.test(command)),
  );
}
