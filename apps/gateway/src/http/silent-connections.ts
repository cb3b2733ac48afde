import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Ends connections at shutdown that never asked anything. Clients open some in advance; Node waits for them as if a
 * request were under way, and the process would not end. Connections with a request are left to finish it.
 */
export function endSilentConnections(fastify: FastifyInstance): void {
  const silent = new Set<Socket>();
  const { server } = fastify;
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', (request) => silent.delete(request.socket));
  fastify.addHook('preClose', (done) => {
    for (const socket of silent) socket.destroy();
    done();
  });
}
