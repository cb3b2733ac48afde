import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from './programs/gateway-program';
import { describeWithPython } from './programs/needs';
import { Scratch } from './programs/scratch';
import { bareEnvironment } from './programs/started-program';

// Whole programs start and stop in here.
jest.setTimeout(300_000);

/** Runs Python; returns what it printed. @throws Error with all of it when it failed */
function python(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8', env: bareEnvironment() });
  if (status !== 0) throw new Error(`python3 ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`);
  return stdout;
}

describeWithPython('openapi_python_client')('a client generated from the OpenAPI document', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('is made without a warning, and parses every answer of every operation', async () => {
    const gateway = await GatewayProgram.startReady(scratch, { SIM_HOURS: 'always' });
    const folder = scratch.folder();
    const [document, config] = [join(folder, 'openapi.json'), join(folder, 'config.yaml')];
    writeFileSync(document, (await gateway.call('/apidocs/openapi.json', { key: null })).text);
    writeFileSync(config, 'package_name_override: gateway_api\npost_hooks: []\n');
    const place = [
      '--path',
      document,
      '--config',
      config,
      '--meta',
      'none',
      '--output-path',
      join(folder, 'gateway_api'),
    ];
    python(['-m', 'openapi_python_client', 'generate', '--fail-on-warning', ...place]);

    const printed = python([join(__dirname, 'generated-client/drive.py'), folder, gateway.url, gateway.key]);
    expect(printed).toMatch(/^\d\d operations\n$/);
  });
});
