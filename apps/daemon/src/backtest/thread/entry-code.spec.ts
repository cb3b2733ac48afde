import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { compiledFile, compiledOf, type EntryCode } from './entry-code';
import { threadLoader } from './backtest-thread';

/** What the thread of an entry posts, and the functions that it has compiled by then. */
async function ran(thread: EntryCode): Promise<{ readonly said: unknown; readonly compiled: Uint8Array }> {
  const { port1, port2 } = new MessageChannel();
  const workerData = { thread, compiledPort: port2 };
  const worker = new Worker(threadLoader, { eval: true, workerData, transferList: [port2] });
  try {
    const [said] = (await once(worker, 'message')) as [unknown];
    port1.postMessage(null);
    const [compiled] = (await once(port1, 'message')) as [Uint8Array];
    return { said, compiled };
  } finally {
    port1.close();
    await worker.terminate();
  }
}

function saying(word: string): string {
  return `const say = () => require('node:worker_threads').parentPort.postMessage('${word}'); say(); setInterval(say, 1e6);`;
}

describe('the compiled functions of an entry', () => {
  it('run in place of its text, of which V8 compares the length alone', async () => {
    const { said, compiled } = await ran({ text: saying('one'), compiled: null });
    expect(said).toBe('one');
    expect((await ran({ text: saying('two'), compiled })).said).toBe('one');
  });

  it('are compiled again where V8 refuses them', async () => {
    const { compiled } = await ran({ text: saying('one'), compiled: null });
    expect((await ran({ text: saying('three'), compiled })).said).toBe('three');
  });

  it('are read from a file only for the same text, and as they were written', () => {
    const compiled = Buffer.from('compiled functions');
    const file = compiledFile('text', compiled);
    expect(compiledOf('text', file)).toEqual(compiled);
    expect(compiledOf('test', file)).toBeNull();
    expect(compiledOf('text', Buffer.concat([file, Buffer.from('s')]))).toBeNull();
    expect(compiledOf('text', file.subarray(0, 10))).toBeNull();
  });

  it('are read from a file only by the runtime that made them', () => {
    const file = compiledFile('text', Buffer.from('compiled functions'));
    const real = Object.getOwnPropertyDescriptor(process, 'version');
    Object.defineProperty(process, 'version', { ...real, value: 'v0.0.1' });
    try {
      expect(compiledOf('text', file)).toBeNull();
    } finally {
      if (real) Object.defineProperty(process, 'version', real);
    }
  });
});
