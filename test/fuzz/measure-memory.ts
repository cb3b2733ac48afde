import { FuzzedDaemon } from './fuzzed-daemon';
import { FuzzedGateway } from './fuzzed-gateway';
import { keptOfRequests } from './memory-growth';
import type { Subject } from './subject';

const leaked = new Set<unknown>();

/** What is measured: a program as it is, or a gateway with a planted leak. */
const subjects: Readonly<Record<string, () => Promise<Subject>>> = {
  gateway: () => FuzzedGateway.start(1),
  daemon: () => FuzzedDaemon.start(1, 'control port'),
  'leak-of-objects': () =>
    FuzzedGateway.start(1, (fastify) => fastify.addHook('onRequest', async ({ id }) => void leaked.add({ id }))),
  'leak-of-texts': () =>
    FuzzedGateway.start(1, (fastify) => fastify.addHook('onRequest', async ({ url }) => void leaked.add(url))),
};

/** A process of its own: objects are counted in one realm, and Jest runs tests in another. */
async function measure([name = '', requestsOfRound]: readonly string[]): Promise<void> {
  const subject = await subjects[name]?.();
  if (!subject) throw new Error(`one of ${Object.keys(subjects).join(', ')}`);
  process.stdout.write(JSON.stringify(await keptOfRequests(subject, Number(requestsOfRound))));
  await subject.stop();
}

void measure(process.argv.slice(2));
