// The parts of the Python package that follow from the OpenAPI document of the built gateway. python/scripts/generate.py writes them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentOfGateway } from './routes.mjs';

/** @param document file of an OpenAPI document; undefined: that of a gateway that is started */
export async function render({ root, document: saved, isCheck }) {
  const folder = mkdtempSync(join(tmpdir(), 'docs-python-'));
  try {
    const document = saved ?? join(folder, 'openapi.json');
    if (!saved) writeFileSync(document, JSON.stringify(await documentOfGateway(root)));
    const args = ['-B', `${root}/python/scripts/generate.py`, document, ...(isCheck ? ['--check'] : [])];
    const { error, status } = spawnSync('python3', args, { stdio: 'inherit' });
    if (error) console.log(`python/src/trading_gateway was not generated: python3: ${error.message}`);
    else if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return {};
}
