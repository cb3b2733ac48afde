import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayProgram } from './programs/gateway-program';
import { describeWith, describeWithPython } from './programs/needs';
import { Scratch } from './programs/scratch';
import { bareEnvironment, repository } from './programs/started-program';

const drivers = join(__dirname, 'generated-client');
const installed = (path: string): string => join(repository, 'node_modules', path);

/** Runs a program; returns what it printed. @throws Error with all of it when it failed */
function run(program: string, args: readonly string[], cwd?: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env: bareEnvironment() });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`);
  return stdout;
}

/** A running gateway, and a folder with the programs that drive it and its document. */
async function gatewayWithDocument(scratch: Scratch): Promise<{ gateway: GatewayProgram; folder: string }> {
  const gateway = await GatewayProgram.startReady(scratch, { SIM_HOURS: 'always' });
  const folder = scratch.folder();
  cpSync(drivers, folder, { recursive: true });
  writeFileSync(join(folder, 'openapi.json'), (await gateway.call('/apidocs/openapi.json', { key: null })).text);
  return { gateway, folder };
}

describeWithPython('openapi_python_client')('a client for Python, generated from the OpenAPI document', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('is made without a warning, and parses every answer of every operation', async () => {
    const { gateway, folder } = await gatewayWithDocument(scratch);
    writeFileSync(join(folder, 'config.yaml'), 'package_name_override: gateway_api\npost_hooks: []\n');
    const place = [
      '--path',
      'openapi.json',
      '--config',
      'config.yaml',
      '--meta',
      'none',
      '--output-path',
      'gateway_api',
    ];
    run('python3', ['-m', 'openapi_python_client', 'generate', '--fail-on-warning', ...place], folder);
    expect(run('python3', ['drive.py', folder, gateway.url, gateway.key], folder)).toMatch(/^\d\d operations\n$/);
  });
});

describe('a client for TypeScript, generated from the OpenAPI document', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('compiles without a guard, and trades under the magic that it names', async () => {
    const { gateway, folder } = await gatewayWithDocument(scratch);
    run(process.execPath, [installed('openapi-typescript/bin/cli.js'), 'openapi.json', '-o', 'schema.d.ts'], folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    symlinkSync(installed(''), join(folder, 'node_modules'));
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
    const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    run(process.execPath, [installed('typescript/bin/tsc'), ...strict, ...target, 'drive.mts'], folder);
    expect(run(process.execPath, ['drive.mjs', gateway.url, gateway.key], folder)).toBe('traded\n');
  });
});

describeWith('go')('clients for Go, generated from the OpenAPI document', () => {
  const scratch = new Scratch();
  afterAll(() => scratch.clear());

  it('have every operation, and trade under the magic that they name', async () => {
    const { gateway, folder } = await gatewayWithDocument(scratch);
    const module = join(folder, 'go');
    const go = (...args: string[]): string => run('go', args, module);
    const oapi = ['-generate', 'types,client', '-package', 'api', '-o', 'oapi/api/client.gen.go'];
    mkdirSync(join(module, 'oapi/api'));
    go('tool', 'oapi-codegen', ...oapi, '../openapi.json');
    // Without ignore_not_implemented it fails for an operation that it cannot make.
    go('tool', 'ogen', '-config', 'ogen/ogen.yml', '-package', 'api', '-target', 'ogen/api', '../openapi.json');
    go('build', '-trimpath', '-o', 'bin/', './oapi', './ogen');
    for (const program of ['oapi', 'ogen'])
      expect([program, run(join(module, 'bin', program), [gateway.url, gateway.key])]).toEqual([program, 'traded\n']);
  });
});
