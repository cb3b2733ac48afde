import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LaunchError, root } from './commands.mjs';

export const usage = `Usage: npm start                                    gateway and daemon on generated prices
       npm start -- --replay [BID.csv ASK.csv]      ... on recorded one-minute bars, with a summary at the end;
                                                    SYMBOL=FILE where a file's name does not start with its symbol
Options: --speed N        replay speed (600): 1 is real time
         --data-dir DIR   where all state goes, by default .data
Every setting of docs/configuration.md is taken from the environment.`;

const recorded = ['bid', 'ask'].map((side) => resolve(root, `../shared/data/gbpusd-m1-${side}-2012-02.csv`));

/**
 * What `npm start -- ...` was asked for.
 * @throws LaunchError with the usage
 */
export function readArguments(args) {
  const { values, positionals } = parsed(args);
  if (positionals.length > 0 && !values.replay) throw refusal(`unexpected argument "${positionals[0]}"`);
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
  if (given.length % 2 !== 0) throw refusal('--replay needs two files a symbol, the bid and the ask bars');
  const files = given.length > 0 ? given.map(replayFile) : recorded.map(replayFile);
  const absent = files.find(({ path }) => !existsSync(path));
  if (absent) throw refusal(`there is no file ${absent.path}`);
  return files;
}

/** `SYMBOL=path`, or a path whose file name starts with the symbol, as SIM_FEED has it. */
function replayFile(text) {
  const [, symbol, file = text] = /^([A-Za-z0-9._#]+)=(.+)$/.exec(text) ?? [];
  const path = resolve(file);
  if (symbol !== undefined) return { path, symbol, feed: `${symbol}=${path}` };
  return { path, symbol: /^[A-Za-z0-9]*/.exec(basename(path))[0].toUpperCase(), feed: path };
}

function refusal(problem) {
  return new LaunchError(`npm start: ${problem}\n${usage}`);
}
