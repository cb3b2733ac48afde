import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LaunchError, root } from './commands.mjs';

export const usage = `Usage: npm start                                    gateway and daemon on generated prices
       npm start -- --replay [BID.csv ASK.csv]      ... on recorded one-minute bars, with a summary at the end
Options: --speed N        replay speed: 1 is real time
         --data-dir DIR   where all state goes, by default .data
Every setting of docs/configuration.md is taken from the environment.`;

const recorded = ['bid', 'ask'].map((side) => resolve(root, `../shared/data/gbpusd-m1-${side}-2012-02.csv`));

/**
 * What `npm start -- ...` was asked for.
 * @throws LaunchError with the usage
 */
export function readArguments(args) {
  const { values, positionals } = parsed(args);
  if (positionals.length > 0 && !values.replay) throw refusal(`what is "${positionals[0]}"?`);
  if (values.speed !== undefined && !values.replay) throw refusal('--speed goes with --replay');
  if (values.speed !== undefined && !(Number(values.speed) > 0)) throw refusal('--speed wants a number above 0');
  return {
    help: values.help === true,
    dataDir: resolve(values['data-dir'] ?? join(root, '.data')),
    replay: values.replay ? { files: replayFiles(positionals), speed: values.speed } : undefined,
  };
}

function parsed(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        replay: { type: 'boolean' },
        speed: { type: 'string' },
        'data-dir': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw refusal(error.message.split('. ')[0]);
  }
}

function replayFiles(given) {
  if (given.length !== 0 && given.length !== 2) throw refusal('--replay wants two files, the bid and the ask bars');
  const files = given.length === 2 ? given.map((file) => resolve(file)) : recorded;
  const absent = files.find((file) => !existsSync(file));
  if (absent) throw refusal(`there is no file ${absent}`);
  return files;
}

function refusal(problem) {
  return new LaunchError(`npm start: ${problem}\n${usage}`);
}
