import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

describe('a gateway that cannot start', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  const start = (env: Record<string, string>): StartedProgram =>
    new StartedProgram({
      command: process.execPath,
      args: ['dist/apps/gateway/src/main.js'],
      cwd: repository,
      env: { ...bareEnvironment(), ORDER_AUDIT_FILE: `${scratch.folder()}/audit.jsonl`, ...env },
    });

  it('lists all wrong settings at once by their names, and not one of their values', async () => {
    const wrong = {
      API_KEY: 'two secret words',
      TERMINAL_API_PORT: 'ninety',
      MAX_NUM_BARS: '-7',
      TERMINAL_SERVER_TIME_ZONE: 'Mars/Olympus',
      SIM_LEVERAGE: 'plenty',
    };
    const program = start(wrong);
    expect(await program.exitCode()).toBe(1);
    for (const [name, value] of Object.entries(wrong)) {
      expect(program.output).toContain(name);
      expect(program.output).not.toContain(value);
    }
  });

  it.each(['ORDER_AUDIT_FILE', 'STATE_DIR', 'SIM_STATE_FILE'])(
    'says in one line that %s cannot be used, without a stack',
    async (name) => {
      const folder = scratch.folder();
      writeFileSync(`${folder}/file`, '');
      const program = start({ STATE_DIR: `${folder}/state`, [name]: `${folder}/file/inside/it` });
      expect(await program.exitCode()).toBe(1);
      expect(program.output).toMatch(new RegExp(`^${name}( cannot be used)?: .*\\bE[A-Z]+\\b`, 'm'));
      expect(program.output).not.toMatch(/^\s+at /m);
    },
  );

  it('says in one line that a directory is in the place of the audit log', async () => {
    const folder = scratch.folder();
    mkdirSync(`${folder}/audit.jsonl`);
    const program = start({ ORDER_AUDIT_FILE: `${folder}/audit.jsonl` });
    expect(await program.exitCode()).toBe(1);
    expect(program.lines).toEqual([expect.stringMatching(/^ORDER_AUDIT_FILE cannot be used: .*EISDIR/)]);
    expect(readdirSync(folder)).toEqual(['audit.jsonl']);
  });

  it('says that the folder of the audit log cannot be made, by the setting that names it', async () => {
    const program = start({ ORDER_AUDIT_FILE: '/proc/no-such-folder/audit.jsonl', STATE_DIR: '' });
    expect(await program.exitCode()).toBe(1);
    expect(program.lines.join('\n')).toMatch(/^ORDER_AUDIT_FILE \(its folder is STATE_DIR/);
  });

  it('says which port is taken, and the setting for another one', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const program = start({ TERMINAL_API_PORT: String(port), LOG_LEVEL: 'ERROR' });
    const code = await program.exitCode();
    other.close();
    expect([code, program.lines]).toEqual([
      1,
      [
        `cannot listen: listen EADDRINUSE: address already in use 127.0.0.1:${port}. Set TERMINAL_API_PORT to a free port.`,
      ],
    ]);
  });
});
