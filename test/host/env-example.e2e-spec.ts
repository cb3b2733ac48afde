import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonSettings } from '../../apps/daemon/src/daemon.config';
import { gatewaySettingGroups } from '../../apps/gateway/src/gateway.config';

const root = join(__dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Names of a file in dotenv format, those commented out as well. */
function namesIn(dotenv: string): string[] {
  return [...dotenv.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name).sort();
}

describe('.env.example', () => {
  const declared = [
    ...new Set([...gatewaySettingGroups.map(({ table }) => table), daemonSettings].flatMap(Object.keys)),
  ];
  // What the compose files themselves ask for, beside the settings: ports on this machine, and the password of a role.
  const composeFiles = ['docker-compose.yml', 'docker-compose.fleet.yml'];
  const ofCompose = composeFiles.flatMap((file) =>
    [...read(file).matchAll(/\$\{([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name),
  );
  const own = [...new Set(ofCompose)].filter((name) => !declared.includes(name));

  it('has every setting of gateway and daemon and every variable of the compose files once, and no other', () => {
    expect(namesIn(read('.env.example'))).toEqual([...declared, ...own].sort());
  });

  it('shows the default of each setting that it comments out, as docs/configuration.md does', () => {
    const row = /^\| `([A-Z][A-Z0-9_]*)` \| [^|]* \| (?:`([^`|]*)`)?[^|]*\| /gm;
    const defaults = new Map<string, string>();
    // Some programs name a setting again; the first row is that of the gateway.
    for (const [, name = '', value = ''] of read('docs/configuration.md').matchAll(row))
      if (!defaults.has(name)) defaults.set(name, value);
    expect(defaults.size).toBeGreaterThan(100);
    // A default that follows from something else is empty here. In a container, the audit log is in the folder of the state.
    const shown = [...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]*)=(.+)$/gm)];
    const other = shown.flatMap(([line, name = '', value]) => {
      const isSame = name === 'ORDER_AUDIT_FILE' || (defaults.get(name) ?? value) === value;
      return isSame ? [] : [{ line, default: defaults.get(name) }];
    });
    expect(other).toEqual([]);
  });

  it('has no setting of the daemon that the compose file does not hand on', () => {
    const compose = read('docker-compose.yml');
    // Where the image keeps its things is the image's own.
    const ofTheImage = ['DAEMON_CONFIG', 'DAEMON_STATE_DIR'];
    const left = Object.keys(daemonSettings).filter((name) => !new RegExp(`^ +${name}: `, 'm').test(compose));
    expect(left.sort()).toEqual(ofTheImage);
  });

  it('says of MAX_NUM_BARS, as docs/configuration.md does, that it bounds num_bars and no range of time', () => {
    const [, comment = ''] = /((?:^# .*\n)+)#MAX_NUM_BARS=/m.exec(read('.env.example')) ?? [];
    const [, meaning = ''] = /^\| `MAX_NUM_BARS` .*\| ([^|]+) \|$/m.exec(read('docs/configuration.md')) ?? [];
    for (const text of [comment, meaning]) expect(text).toMatch(/num_bars.* MAX_HISTORY_RANGE_DAYS/);
  });

  it('sets nothing but what a person has to fill in', () => {
    const set = [...read('.env.example').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(set).toEqual([
      ['API_KEY', ''],
      ['TERMINAL_LOGIN', ''],
      ['TERMINAL_PASSWORD', ''],
      ['TERMINAL_SERVER', ''],
    ]);
  });
});
