import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './report.mjs';

const has = (tool) => spawnSync('which', [tool], { stdio: 'ignore' }).status === 0;

/** Each step of the terminal image that needs neither the broker's program nor a site out of reach, as the image runs it. */
export async function checkTerminalSteps(report, folder) {
  windowsPackages(report, folder);
  packageNames(report);
  await desktop(report, folder);
  prefix(report, folder);
  report.notRun(
    'the download of Python for Windows from python.org; npm test -- test/genuine runs the bridge in one from Maven Central',
  );
  report.notRun('MetaTrader 5 itself: its installer and its program');
  report.notRun('the download of Wine 10 from WineHQ, and the building of the terminal stage as a whole');
}

function windowsPackages(report, folder) {
  const python = join(folder, 'python');
  mkdirSync(python);
  writeFileSync(join(python, 'python311._pth'), 'python311.zip\r\n.\r\n');
  const script = join(root, 'deploy/terminal/install-windows-packages.sh');
  const requirements = join(root, 'deploy/terminal/requirements.txt');
  if (report.run('the Windows wheels are what their hashes say', script, [requirements, python]) === undefined) return;
  const packages = readdirSync(join(python, 'Lib/site-packages'));
  report.check(
    'MetaTrader5 and numpy are in place',
    ['MetaTrader5', 'numpy'].every((name) => packages.includes(name)),
  );
  const binary = readdirSync(join(python, 'Lib/site-packages/MetaTrader5')).some(
    (name) => name.endsWith('.win_amd64.pyd') || name.endsWith('.pyd'),
  );
  report.check('they are for Windows', binary);
  report.check(
    'Python gets the path',
    readFileSync(join(python, 'python311._pth'), 'utf8').includes('Lib\\site-packages'),
  );
  const wrong = join(folder, 'wrong.txt');
  writeFileSync(wrong, readFileSync(requirements, 'utf8').replaceAll(/sha256:..../g, 'sha256:0000'));
  mkdirSync(join(folder, 'other'));
  const refused = spawnSync(script, [wrong, join(folder, 'other')], { encoding: 'utf8' });
  report.check('another hash is refused', refused.status !== 0 && !existsSync(join(folder, 'other/Lib')));
}

function packageNames(report) {
  const text = readFileSync(join(root, 'Dockerfile.gateway'), 'utf8').replaceAll('\\\n', ' ');
  const terminal = text.slice(text.indexOf('AS terminal'));
  const names = /--no-install-recommends ([^&]+?) && rm/.exec(terminal)?.[1]?.trim().split(/\s+/) ?? [];
  report.check('the terminal stage installs packages', names.length > 4, terminal);
  const unknown = [...names, 'wine', 'wine64'].filter(
    (name) => spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status !== 0,
  );
  report.check("Debian has each of the terminal stage's packages", unknown.length === 0, unknown.join());
}

async function desktop(report, folder) {
  const missing = ['Xvnc', 'openbox', 'websockify'].filter((tool) => !has(tool));
  if (missing.length > 0 || !existsSync('/usr/share/novnc'))
    return report.notRun(`the desktop: ${missing.join(', ')} or novnc missing`);
  const home = join(folder, 'desktop');
  for (const [what, env] of [
    ['CUSTOM_USER and PASSWORD', { CUSTOM_USER: 'trader', PASSWORD: 'desk:top word' }],
    ["the image's own", {}],
  ]) {
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const own = {
      PATH: process.env.PATH,
      HOME: home,
      DISPLAY: ':91',
      TERMINAL_HOST_HOME: home,
      DESKTOP_PORT: String(port),
    };
    const child = spawn(join(root, 'deploy/terminal/desktop.sh'), [], {
      env: { ...own, ...env },
      detached: true,
      stdio: 'pipe',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const url = `http://127.0.0.1:${port}/vnc.html`;
    const status = async (user, word) => {
      const headers =
        user === undefined ? {} : { authorization: `Basic ${Buffer.from(`${user}:${word}`).toString('base64')}` };
      return fetch(url, { headers }).then(
        (response) => response.status,
        () => 0,
      );
    };
    for (let tries = 0; tries < 100 && (await status()) === 0; tries++) await pause(200);
    const user = env.CUSTOM_USER ?? 'desktop';
    const word = env.PASSWORD ?? readFileSync(join(home, 'desktop-password'), 'utf8');
    const got = [await status(), await status(user, 'wrong'), await status('other', word), await status(user, word)];
    report.check(
      `the desktop opens with ${what} and with nothing else`,
      got.join() === '401,401,401,200',
      `${got.join()}\n${output}`,
    );
    report.check(
      'no password is printed or in an argument',
      !output.includes(word) && !argumentsOf(child.pid).includes(word),
    );
    process.kill(-child.pid, 'SIGTERM');
    await exited;
    for (let tries = 0; tries < 25 && argumentsOf(child.pid) !== ''; tries++) await pause(200);
    report.check('it ends as a whole', argumentsOf(child.pid) === '', argumentsOf(child.pid));
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The command lines of a process group. */
function argumentsOf(group) {
  return spawnSync('ps', ['-eo', 'pgid=,args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.trim().startsWith(`${group} `) && !line.includes('<defunct>'))
    .join('\n');
}

function prefix(report, folder) {
  if (!has('wine')) return report.notRun('the Wine prefix: wine is not installed');
  const home = join(folder, 'home');
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    WINEPREFIX: join(folder, 'terminal/wine'),
    WINEARCH: 'win64',
    WINEDEBUG: '-all',
  };
  const script = join(root, 'deploy/terminal/start.sh');
  const printed = report.run(
    'start.sh makes a Wine prefix, and a token for the bridge',
    script,
    ['sh', '-c', 'echo "token=$TERMINAL_BRIDGE_TOKEN"'],
    { env },
  );
  report.check('the token is long', /token=[0-9a-f]{48}/.test(printed ?? ''));
  const version = spawnSync('wine', ['cmd', '/c', 'ver'], { env, encoding: 'utf8' }).stdout;
  report.check('it is a Windows 10', /Windows 10\./.test(version ?? ''), version);
  report.run('a second start is quick', script, ['true'], { env: { ...env, TERMINAL_BRIDGE_TOKEN: 'given' } });
  spawnSync('wineserver', ['-k'], { env });
}
