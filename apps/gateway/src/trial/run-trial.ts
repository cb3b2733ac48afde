import { SystemClock } from '@libs/clock';
import { parseArguments, UsageError } from '@libs/command-line';
import { serve } from '../serve';
import { startProblem } from '../start-problem';
import { banner, trialOf, type Trial } from './trial';

const usage = `usage: gateway try [--data-dir DIR]    serve a simulated account, with a generated key, until Ctrl-C
All state is in DIR (.data). Settings of the environment are used; the rest has the values of a trial.`;

/** `gateway try`: serves, and prints address, key and a first order. @param env of the process */
export async function runTrial(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return;
  }
  try {
    const { flags } = parseArguments(args, { 'data-dir': 'text' });
    const trial = trialOf(env, flags['data-dir'] ?? '.data');
    await serve({ env: trial.env, listening: (url) => void printReady(url, trial) });
  } catch (error) {
    console.error(error instanceof UsageError ? `${error.message}\n${usage}` : startProblem(error, null));
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** An order that is pasted at once finds the account logged in. After ten seconds it is printed all the same. */
async function printReady(url: string, trial: Trial): Promise<void> {
  const clock = new SystemClock();
  const headers = { authorization: `Bearer ${trial.env['API_KEY'] ?? ''}` };
  for (let tries = 0; tries < 100 && trial.keyFile !== null; tries += 1) {
    const answer = await fetch(`${url}/health/ready`, { headers }).catch(() => null);
    if (answer?.ok === true) break;
    await clock.sleep(100);
  }
  console.log(banner(url, trial));
}
