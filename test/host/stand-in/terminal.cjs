// Stands in for the terminal: reads its startup file, keeps a journal as the real one does (UTF-16LE, a file a day,
// tabs), and behaves as behaviour.json beside it says. It is started under the name terminal64.exe.
const { spawn } = require('node:child_process');
const { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const home = dirname(process.argv[1]);
const file = (name) => join(home, name);
const record = (line) => appendFileSync(file('launches.jsonl'), `${JSON.stringify(line)}\n`);
const launch = existsSync(file('launches.jsonl'))
  ? readFileSync(file('launches.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"launch"')).length
  : 0;

const unixPath = (path) => path.replace(/^Z:/i, '').replaceAll('\\', '/');
const config = process.argv
  .slice(2)
  .find((argument) => argument.startsWith('/config:'))
  ?.slice('/config:'.length);
const updated = process.argv.includes('/updated');
const plan = JSON.parse(readFileSync(file('behaviour.json'), 'utf8'));

function startup() {
  if (config === undefined) return {};
  const path = unixPath(config);
  if (!existsSync(path)) return { missing: true };
  const bytes = readFileSync(path);
  const text = bytes[0] === 0xff ? bytes.subarray(2).toString('utf16le') : bytes.toString('latin1');
  const pairs = text.split('\r\n').flatMap((line) => (line.includes('=') ? [line.split(/=(.*)/s).slice(0, 2)] : []));
  return { ...Object.fromEntries(pairs), mode: (statSync(path).mode & 0o777).toString(8), lines: text.split('\r\n') };
}

let wrote = false;
function journal(source, text) {
  mkdirSync(file('logs'), { recursive: true });
  const path = join(home, 'logs', `${new Date().toISOString().slice(0, 10).replaceAll('-', '')}.log`);
  const line = `CS\t0\t12:00:00.000\t${source}\t${text}\r\n`;
  const mark = !wrote && !existsSync(path) ? '\ufeff' : '';
  wrote = true;
  appendFileSync(path, Buffer.from(mark + line, 'utf16le'));
}

const ini = startup();
const act = plan.byLaunch?.[launch] ?? plan.byServer?.[ini.Server] ?? plan.otherwise ?? { does: 'nothing' };
writeFileSync(file('terminal.pid'), String(process.pid));
record({ launch, arguments: process.argv.slice(2), environment: process.env, pid: process.pid, updated, ini });
let ignored = 0;
process.on('SIGUSR2', () => {
  if (ignored++ < (act.ignoresCloses ?? 0)) return;
  record({ closed: 'by its window' });
  process.exit(0);
});
if (act.deaf) process.on('SIGTERM', () => undefined);
journal('Terminal', 'build 5000 started');
setInterval(() => undefined, 60_000);

const deeds = {
  nothing: () => undefined,
  authorise: () =>
    journal(
      'Network',
      `'${act.login ?? ini.Login}': authorized on ${ini.Server} through Access Point 1 (ping: 20.00 ms)`,
    ),
  refuse: () => journal('Network', `'${ini.Login}': authorization on ${ini.Server} failed (${act.reason})`),
  exit: () => process.exit(act.code ?? 1),
  update: () => {
    journal('LiveUpdate', 'new build is installed, restarting');
    const next = [process.argv[1], ...process.argv.slice(2), '/updated'];
    spawn('/bin/sh', ['-c', `sleep 0.3; exec "$@"`, 'update', process.execPath, ...next], {
      detached: true,
      stdio: 'ignore',
    }).unref();
    process.exit(0);
  },
};
// A cold terminal takes its time before it looks at the startup file again and at the network.
setTimeout(() => deeds[updated ? 'authorise' : act.does](), act.afterMs ?? 0);
