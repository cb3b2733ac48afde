// A bare Fastify server, in a process of its own, that answers /0, /1, ... with prepared bodies: as bytes, or as a string.
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const answers = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const server = Fastify();
for (const [index, { contentType, body, asString = false }] of answers.entries()) {
  const prepared = asString ? body : Buffer.from(body);
  server.get(`/${index}`, (_request, reply) => reply.header('content-type', contentType).send(prepared));
}
await server.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ port: server.server.address().port });
process.on('disconnect', () => process.exit(0));
