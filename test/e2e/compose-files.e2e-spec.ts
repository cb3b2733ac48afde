import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { copyComposeFiles, loadCompose, missingForLoader, type ComposeProject } from './programs/compose-loader';
import { Scratch } from './programs/scratch';
import { repository } from './programs/started-program';

const file = ['docker-compose.yml'];
const fleetFile = ['docker-compose.fleet.yml'];
const secrets = [...file, 'deploy/compose.secrets.yml'];
const always = ['daemon', 'gateway', 'prometheus'];
/** The files and profiles that the documents start, and the services of each. */
const projects: readonly [string, readonly string[], readonly string[]][] = [
  ['docker-compose.yml', file, always],
  ['its real terminal', ['--profile', 'terminal', ...file], [...always, 'terminal', 'terminal-daemon']],
  ['its Grafana', ['--profile', 'grafana', ...file], ['daemon', 'gateway', 'grafana', 'prometheus']],
  ['its secrets by file', ['--profile', 'terminal', ...secrets], [...always, 'terminal', 'terminal-daemon']],
  ['docker-compose.fleet.yml', fleetFile, ['daemon-1', 'daemon-2', 'database', 'gateway-1', 'gateway-2', 'gateway-3']],
];
const missing = missingForLoader();
const scratch = new Scratch();
let folder: string;
beforeAll(() => {
  folder = scratch.folder();
  copyComposeFiles(folder);
});
afterAll(() => scratch.clear());

const loaded = (args: readonly string[]): ComposeProject['services'] =>
  loadCompose(folder, args, { API_KEY: 'k', DAEMON_DATABASE_PASSWORD: 'p', DAEMON_CONTROL_TOKEN: 'control-token' })
    .services;
const everyService = () => projects.flatMap(([, args]) => Object.entries(loaded(args)));

describe('the compose files', () => {
  it.each(['docker-compose.yml', 'docker-compose.fleet.yml'])('%s states each limit once', (name) => {
    const { services } = parse(readFileSync(join(repository, name), 'utf8'), { merge: true }) as ComposeProject;
    const twice = Object.entries(services).filter(([, service]) => 'pids_limit' in service);
    expect(twice.map(([service]) => service)).toEqual([]);
  });

  if (missing !== undefined) it.todo(`are loaded by the loader of Docker Compose (needs ${missing})`);
});

if (missing === undefined)
  describe('the compose files, as Docker Compose loads them', () => {
    it.each(projects)('%s has its services', (_name, args, services) => {
      expect(Object.keys(loaded(args)).sort()).toEqual(services);
    });

    it('limit the memory, processors and processes of every service', () => {
      const unlimited = everyService().filter(([, { deploy }]) => {
        const { memory, cpus, pids } = deploy?.resources?.limits ?? {};
        return !(Number(memory) > 0 && Number(cpus) > 0 && Number(pids) > 0);
      });
      expect(unlimited.map(([name]) => name)).toEqual([]);
    });

    it('publish every port on this machine only, and the database nowhere', () => {
      for (const [name, { ports = [] }] of everyService())
        expect({ name, addresses: [...new Set(ports.map(({ host_ip }) => host_ip))] }).toEqual({
          ...{ name, addresses: name === 'database' ? [] : ['127.0.0.1'] },
        });
    });

    it('take the capabilities of every service, and the writable root of all but the terminal', () => {
      for (const [name, { cap_drop, read_only }] of everyService())
        expect({ name, cap_drop, read_only: read_only ?? false }).toEqual({
          ...{ name, cap_drop: ['ALL'], read_only: name !== 'terminal' },
        });
    });

    it('keep the data of every service in a named volume', () => {
      const kept = everyService().filter(([, { volumes = [] }]) => volumes.some(({ type }) => type === 'volume'));
      expect(kept).toHaveLength(everyService().length);
    });

    it('show the strategies of a daemon in the console of each gateway, with its token', () => {
      const gateways = [...everyService(), ...Object.entries(loaded(fleetFile))].filter(([name]) =>
        /^(gateway|terminal)(-\d)?$/.test(name),
      );
      expect(gateways.length).toBeGreaterThanOrEqual(7);
      for (const [name, { environment = {} }] of gateways) {
        const { CONSOLE_DAEMON_URL: url = '', CONSOLE_DAEMON_TOKEN: token } = environment;
        expect({ name, url }).toEqual({ name, url: expect.stringMatching(/^http:\/\/(terminal-)?daemon(-\d)?:7070$/) });
        expect({ name, token }).toEqual({ name, token: 'control-token' });
      }
    });

    it('give no daemon the password of the account or of the desktop', () => {
      const named = ['TERMINAL_PASSWORD', 'PASSWORD'];
      const daemons = everyService().filter(([name]) => name.includes('daemon'));
      expect(daemons.flatMap(([, { environment = {} }]) => named.filter((each) => each in environment))).toEqual([]);
    });

    it('run one configuration on the daemons of a fleet, and an account on each gateway', () => {
      const fleet = loaded(fleetFile);
      const settings = (name: string) => fleet[name]?.environment ?? {};
      expect({ ...settings('daemon-1'), DAEMON_HOST_NAME: 'daemon-2' }).toEqual(settings('daemon-2'));
      expect(settings('daemon-1').DAEMON_HOST_NAME).toBe('daemon-1');
      const logins = [1, 2, 3].map((n) => settings(`gateway-${n}`).TERMINAL_LOGIN);
      expect(new Set(logins).size).toBe(3);
    });
  });
