import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from './report.mjs';

/** The compose file by the strictest reader at hand, and what has to hold of every service. */
export async function checkCompose(report, folder) {
  const project = join(folder, 'project');
  mkdirSync(join(project, 'deploy'), { recursive: true });
  copyFileSync(join(root, '.env.example'), join(project, '.env'));
  for (const name of ['docker-compose.yml', 'docker-compose.fleet.yml', 'deploy/compose.secrets.yml'])
    copyFileSync(join(root, name), join(project, name));
  cpSync(join(root, 'strategies'), join(project, 'strategies'), { recursive: true });

  const config = (...args) => ['docker-compose', [...args], { cwd: project }];
  report.run('the default services are valid', ...config('-f', 'docker-compose.yml', 'config', '-q'));
  const overlay = ['-f', 'docker-compose.yml', '-f', 'deploy/compose.secrets.yml'];
  report.run('they are with secrets by file', ...config(...overlay, '--profile', 'terminal', 'config', '-q'));
  const text = report.run(
    'the terminal profile is valid',
    ...config('-f', 'docker-compose.yml', '--profile', 'terminal', 'config'),
  );
  if (text === undefined) return;

  // Version 1 of the program also prints the services of other profiles.
  const isChosen = ([, { profiles = ['terminal'] }]) => profiles.includes('terminal');
  const services = Object.fromEntries(Object.entries(parse(text).services).filter(isChosen));
  report.check(
    'every service is there',
    Object.keys(services).sort().join() === 'daemon,gateway,prometheus,terminal,terminal-daemon',
  );
  checkServices(report, services);
  const profiles = Object.entries(services).filter(([, service]) => service.profiles?.includes('terminal'));
  report.run(
    'the profile of Grafana is valid',
    ...config('-f', 'docker-compose.yml', '--profile', 'grafana', 'config', '-q'),
  );
  report.check(
    'the real terminal starts only when asked for',
    profiles.map(([name]) => name).join() === 'terminal,terminal-daemon',
  );
  const secret = ['TERMINAL_PASSWORD', 'PASSWORD'].filter((name) => name in (services.daemon.environment ?? {}));
  report.check('the daemon does not get the passwords', secret.length === 0);
  checkFleet(report, config);
}

/** The fleet of docker-compose.fleet.yml: daemons that differ in nothing but their names, ports and volumes. */
function checkFleet(report, config) {
  const file = ['-f', 'docker-compose.fleet.yml'];
  const secrets = ['env', 'API_KEY=k', 'DAEMON_DATABASE_PASSWORD=p'];
  const [program, args, options] = config(...file, 'config');
  const text = report.run('the fleet is valid', secrets[0], [...secrets.slice(1), program, ...args], options);
  if (text === undefined) return;
  const { services } = parse(text);
  const names = Object.keys(services).sort().join();
  const all = 'daemon-1,daemon-2,database,gateway-1,gateway-2,gateway-3';
  report.check('every service of the fleet is there', names === all, names);
  checkServices(report, services, ['database']);
  const environmentOf = ({ environment }) => JSON.stringify({ ...environment, DAEMON_HOST_NAME: '' });
  const [one, two] = [services['daemon-1'], services['daemon-2']];
  report.check('the daemons have one configuration', environmentOf(one) === environmentOf(two));
  report.check(
    'the daemons have names of their own',
    one.environment.DAEMON_HOST_NAME !== two.environment.DAEMON_HOST_NAME,
  );
  const logins = ['gateway-1', 'gateway-2', 'gateway-3'].map((name) => services[name].environment.TERMINAL_LOGIN);
  report.check('each gateway has an account of its own', new Set(logins).size === 3, logins.join());
}

/** @param internal services that publish nothing */
function checkServices(report, services, internal = []) {
  for (const [name, service] of Object.entries(services)) {
    const ports = service.ports ?? [];
    const published = ports.map((port) => (typeof port === 'string' ? port : `${port.host_ip}:${port.published}`));
    const local =
      published.length > 0 !== internal.includes(name) && published.every((port) => port.startsWith('127.0.0.1:'));
    report.check(`${name} publishes on this machine only`, local, published.join());
    const limits = service.deploy?.resources?.limits;
    report.check(`${name} has limits`, limits?.memory && limits?.cpus && service.pids_limit > 0);
    report.check(`${name} drops its capabilities`, service.cap_drop?.join() === 'ALL');
    report.check(`${name} keeps its data in a named volume`, hasNamedVolume(service));
    if (name !== 'terminal') report.check(`${name} has a read-only root`, service.read_only === true);
  }
}

function hasNamedVolume(service) {
  return service.volumes.some((volume) =>
    typeof volume === 'string' ? /^[a-z][\w-]*:/.test(volume) : volume.type === 'volume',
  );
}
