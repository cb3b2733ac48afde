import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { effort } from '../setup/effort';
import { mostKept, type Kept } from '../fuzz/memory-growth';

const script = join(__dirname, '../../scripts/fuzz-memory.cjs');

/** The measures by which a program, or a gateway with a planted leak, keeps something. */
function leaksOf(subject: string): readonly string[] {
  const requestsOfRound = effort(100, 1_000);
  const output = execFileSync(process.execPath, ['--no-warnings', script, subject, String(requestsOfRound)], {
    encoding: 'utf8',
  });
  const { objects, bytes } = JSON.parse(output) as Kept;
  return [...(objects > mostKept.objects ? ['objects'] : []), ...(bytes > mostKept.bytes ? ['bytes'] : [])];
}

describe('of a request that nothing has to remember', () => {
  it.each(['gateway', 'daemon'])('the %s keeps nothing', (program) => {
    expect(leaksOf(program)).toEqual([]);
  });

  it.each(['objects', 'bytes'])('a planted leak of %s is seen', (measure) => {
    expect(leaksOf(measure === 'objects' ? 'leak-of-objects' : 'leak-of-texts')).toContain(measure);
  });
});
