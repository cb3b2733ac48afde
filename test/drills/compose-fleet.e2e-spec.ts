import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { DaemonProgram } from '../e2e/daemon/daemon-program';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { describeWithPostgres, PostgresServer } from '../e2e/programs/postgres';
import { Scratch } from '../e2e/programs/scratch';
import { repository } from '../e2e/programs/started-program';

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string | null>> }>>;
}

interface Row {
  readonly name: string;
  readonly host: string;
  readonly state: string;
}

/** The variables that the file needs; what is optional has its default. */
const variables: Readonly<Record<string, string>> = { API_KEY: 'e2e-key', DAEMON_DATABASE_PASSWORD: 'p' };
const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

describeWithPostgres('the services of docker-compose.fleet.yml, as processes', () => {
  const scratch = new Scratch();
  const text = read('docker-compose.fleet.yml').replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, name: string) => {
    return variables[name] ?? '';
  });
  const { services } = parse(text, { merge: true }) as ComposeFile;
  afterAll(() => scratch.clear());

  /** The environment of a service, whose volume is a folder. */
  const environmentOf = (service: string, folder: string): Record<string, string> => {
    const entries = Object.entries(services[service]?.environment ?? {});
    return Object.fromEntries(entries.map(([name, value]) => [name, (value ?? '').replace(/^\/config\b/, folder)]));
  };

  it('share three accounts between two daemons, and one of them goes on with all when the other is stopped', async () => {
    const server = PostgresServer.start();
    scratch.undo(() => server.end());
    let daemonFile = read('deploy/fleet/daemon.yaml').replaceAll('/app/strategies', join(repository, 'strategies'));
    for (const name of ['gateway-1', 'gateway-2', 'gateway-3']) {
      const environment = environmentOf(name, scratch.folder());
      const address = { TERMINAL_API_HOST: '127.0.0.1', TERMINAL_API_PORT: '0' };
      const gateway = await GatewayProgram.startReady(scratch, { ...environment, ...address });
      daemonFile = daemonFile.replace(`http://${name}:5001`, gateway.url);
    }
    const start = (name: string): Promise<DaemonProgram> => {
      const stateDir = scratch.folder();
      const config = join(stateDir, 'daemon.yaml');
      writeFileSync(config, daemonFile);
      const address = { DAEMON_CONTROL_HOST: '127.0.0.1', DAEMON_CONTROL_PORT: '0' };
      const env = { ...environmentOf(name, stateDir), ...address, DAEMON_CONFIG: config };
      return DaemonProgram.start(scratch, { config, stateDir, env: { ...env, DAEMON_DATABASE_URL: server.url } });
    };
    const [one, two] = await Promise.all([start('daemon-1'), start('daemon-2')]);
    const placed = (rows: readonly Row[]): string[] =>
      rows.filter(({ state }) => state === 'running').map(({ name, host }) => `${name} on ${host}`);
    const shared = await two.until<readonly Row[]>('/list?scope=fleet', (rows) => placed(rows).length === 3);
    expect(new Set(shared.map(({ host }) => host))).toEqual(new Set(['daemon-1', 'daemon-2']));
    await one.stop();
    const left = await two.until<readonly Row[]>('/list', (rows) => placed(rows).length === 3);
    expect(left.map(({ name }) => name)).toEqual(['ema-one', 'ema-two', 'ema-three']);
  });
});
