import { Writable } from 'node:stream';
import { drained, tolerateClosedPipe } from './standard-streams';

/** A stream whose writes complete one by one, when the test lets them. */
function slowStream(): { stream: Writable; taken: string[]; takeOne: (error?: Error) => void } {
  const [taken, waiting]: [string[], ((error?: Error) => void)[]] = [[], []];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      waiting.push((error) => {
        if (!error) taken.push(text);
        done(error);
      });
    },
  });
  return { stream, taken, takeOne: (error) => waiting.shift()?.(error) };
}

describe('the standard streams', () => {
  it('are drained only after everything written before has been read', async () => {
    const { stream, taken, takeOne } = slowStream();
    stream.write('one');
    stream.write('two');
    let isDrained = false;
    const end = drained(stream).then(() => (isDrained = true));
    takeOne();
    await Promise.resolve();
    expect(isDrained).toBe(false);
    while (!isDrained) {
      takeOne();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await end;
    expect(taken).toEqual(['one', 'two', '']);
  });

  it('are drained when the reader has left', async () => {
    const { stream, takeOne } = slowStream();
    tolerateClosedPipe(stream);
    stream.write('one');
    const end = drained(stream);
    takeOne(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    await expect(end).resolves.toBeUndefined();
  });

  it('end the command, with the reason, when the output is lost', async () => {
    const { stream, takeOne } = slowStream();
    const problem = new Promise((resolve) => tolerateClosedPipe(stream, resolve));
    stream.write('one');
    takeOne(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
    await expect(problem).resolves.toBe('the output cannot be written: ENOSPC: no space left on device, write');
  });
});
