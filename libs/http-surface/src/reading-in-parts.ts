import type { Socket } from 'node:net';

/** A usual request fits. A part holds some 80 of the shortest heads, which take about a millisecond to parse. */
const partBytes = 2_048;

/**
 * Feeds the parser of a connection in parts, with the event loop free between them. Node parses all that one read has
 * brought: 64 KiB, or 1,300 requests. Nothing reaches the parser once `isOver`.
 *
 * Expects that Node's server has just taken the connection: the one listener for data feeds its parser.
 */
export function readInParts(socket: Socket, isOver: () => boolean): void {
  const [feed, ...others] = socket.listeners('data');
  if (feed === undefined || others.length > 0) throw new Error('the HTTP server does not read this connection itself');
  const take = (bytes: Buffer): void => {
    if (isOver()) return;
    if (bytes.length > partBytes) {
      socket.pause();
      socket.unshift(bytes.subarray(partBytes));
      setImmediate(() => socket.resume());
    }
    Reflect.apply(feed, socket, [bytes.subarray(0, partBytes)]);
  };
  socket.removeAllListeners('data');
  // Node's parser reads from the handle of the socket itself until another listener asks for data.
  socket.on('data', take);
}
