import { createServer } from 'node:net';
import { LaunchError } from './commands.mjs';

/**
 * Reports a port in use before anything is installed or started.
 * @throws LaunchError naming port and variable
 */
export async function requireFreePort(port, variable) {
  const problem = await listenOnce(port);
  if (problem === undefined) return;
  const why = problem === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${problem})`;
  throw new LaunchError(
    `Port ${port} ${why}. Stop that program, or choose another port: ${variable}=${port + 1} npm start`,
  );
}

/** The code of the error that listening meets, or undefined. */
function listenOnce(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(error.code));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** Any port that is free now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
