import { join, resolve } from 'node:path';
import { ServingProcess } from './child-process';
import { CleanUp } from './clean-up';
import { describeWithPython } from './python';
import { token } from './subjects';

const root = resolve(__dirname, '../..');
/** Lines of the main thread; the loop in which it waits has fewer. */
const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
const batches = [lines.slice(0, 4), lines.slice(4, 8), lines.slice(8)];

describeWithPython('a bridge that is asked to end (needs python3)', () => {
  const cleanUp = new CleanUp();
  afterEach(() => cleanUp.run());

  it.each(batches.map((batch) => [batch]))('ends, whatever its main thread does: lines %j', async (batch) => {
    const started = batch.map(async (line) => {
      const bridge = join(root, 'bridge/mt5_bridge.py');
      const args = ['-B', join(__dirname, 'stop_at_line.py'), String(line), bridge, '--port', '0'];
      const env = { PYTHONPATH: join(root, 'test/fake-mt5'), FAKE_MT5_NUMPY: '0', TERMINAL_BRIDGE_TOKEN: token };
      const process = await ServingProcess.start('python3', args, env);
      cleanUp.after(process, (one) => one.kill());
      return process.ended;
    });
    expect(await Promise.all(started)).toEqual(batch.map(() => 0));
  });
});
