import { once } from 'node:events';
import { createServer } from 'node:net';

/** The system's own limit may be lower: net.core.somaxconn is 4,096 on Linux. Node asks for 511. */
const backlog = 4_096;

/**
 * Listen options, with the number of connections that the system completes while the program is busy. A client whose
 * connection does not fit retries a second later, so a crowd would delay it by that much. `localhost` becomes
 * 127.0.0.1, because its resolution differs between systems.
 */
export function listenOptions(port: number, host: string): { port: number; host: string; backlog: number } {
  return { port, host: host === 'localhost' ? '127.0.0.1' : host, backlog };
}

/** Listens for a moment. @throws an error of the system with the port, such as EADDRINUSE */
export async function requireFreePort(port: number, host: string): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  server.listen({ ...listenOptions(port, host), exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
