import { GatewayProgram } from './programs/gateway-program';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository, StartedProgram } from './programs/started-program';

describe('the state folder of a gateway', () => {
  const scratch = new Scratch();
  afterEach(() => scratch.clear());

  it('is refused to a second gateway while the first one runs, and free the moment it has ended', async () => {
    const folder = scratch.folder();
    const first = await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
    const second = new StartedProgram({
      command: process.execPath,
      args: ['dist/apps/gateway/src/main.js'],
      cwd: repository,
      env: {
        ...bareEnvironment(),
        ORDER_AUDIT_FILE: `${folder}/audit.jsonl`,
        STATE_DIR: folder,
        TERMINAL_API_PORT: '0',
      },
    });
    expect(await second.exitCode()).toBe(1);
    expect(second.output).toContain('another gateway is using');
    expect(second.output).toContain('STATE_DIR');
    expect((await first.call('/account')).status).toBe(200);
    await first.stop();
    await GatewayProgram.startReady(scratch, { STATE_DIR: folder });
  });
});
