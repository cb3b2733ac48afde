import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWithPython } from '../programs/needs';

const folder = join(__dirname, 'independent-model');

/** The last digits depend on the mathematical library of the machine. */
function rounded(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(10)) : value,
  );
}

describeWithPython('statistics')('the figures against luck, in Python', () => {
  it('are those that the unit tests compare with', () => {
    const { status, stdout, stderr } = spawnSync('python3', [join(folder, 'luck.py')], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(rounded(stdout)).toEqual(rounded(readFileSync(join(folder, 'luck.json'), 'utf8')));
  });
});
