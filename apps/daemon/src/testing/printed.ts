import { run } from '../cli/run';

/** Runs a command of the daemon in this process. @returns what it has printed to standard output */
export async function printedBy(...args: readonly string[]): Promise<string> {
  let printed = '';
  const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  try {
    await run(args);
  } finally {
    write.mockRestore();
  }
  return printed;
}
