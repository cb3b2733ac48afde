// `npm run first-hour`: follows README.md and the two pages after it, as written, from a clone of this working tree in an empty
// folder, and prints how long a newcomer needs. As root it becomes an ordinary user first. It shares the installed packages with
// this working tree, so that `npm start` does not install them: test/drills/newcomer.e2e-spec.ts does.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './launcher/commands.mjs';
import { cloneFor, newcomer, sharePackages } from './first-hour/newcomer.mjs';
import { commandsOf } from './first-hour/page-commands.mjs';
import { follow } from './first-hour/follow.mjs';
import { freePort } from './first-hour/free-port.mjs';
import { helpIfAsked } from './launcher/help.mjs';

helpIfAsked(import.meta.url);

const pages = ['README.md', 'docs/first-order.md', 'docs/first-strategy.md'];
/** What the pages lead to, in order: the command that does it, and what it prints. */
const milestones = [
  { name: 'gateway and daemon running', command: /^npm start$/m, prints: /Ctrl-C ends both/ },
  { name: 'first order', command: /GATEWAY\/order /, prints: /"ok":true.*"state":"executed"/ },
  { name: 'own strategy written', command: /^daemon new /m, prints: /has a strategy/ },
  { name: 'first backtest', command: /^daemon backtest my-idea/m, prints: /^net profit +\S/m },
  { name: 'own strategy live', command: /^daemon status my-idea/m, prints: /^my-idea +running /m },
];

const user = newcomer();
const port = await freePort();
try {
  const folder = cloneFor(user);
  sharePackages(folder);
  console.log(`In ${folder}, as ${user.name}, with the installed packages of ${root}.`);
  const commands = pages.flatMap((page) =>
    commandsOf(readFileSync(join(folder, page), 'utf8')).map((command) => ({
      ...{ page, ...command, text: command.text.replaceAll('127.0.0.1:5001', `127.0.0.1:${port}`) },
    })),
  );
  await follow(commands, milestones, {
    ...{ user, folder, env: { TERMINAL_API_PORT: String(port) } },
    report: (name, seconds) => console.log(`${name}: after ${seconds.toFixed(1)} s`),
  });
  console.log(`All ${commands.length} command blocks of ${pages.join(', ')} did what they are for.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(user.home, { recursive: true, force: true, maxRetries: 3 });
}
