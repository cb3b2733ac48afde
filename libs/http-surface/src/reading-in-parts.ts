import type { Socket } from 'node:net';

/** A typical request fits. A part contains some 80 of the shortest heads, which take about a millisecond to parse. */
const partBytes = 2_048;

/**
 * Feeds the parser of a connection in parts, with the event loop free between them. Node parses everything of one read
 * at once: 64 KiB, or 1,300 requests. Nothing reaches the parser once `isOver`.
 *
 * Expects that Node's server has just accepted the connection, whose only data listener feeds the parser.
 */
export function readInParts(socket: Socket, isOver: () => boolean): void {
  const [feed, ...others] = socket.listeners('data');
  if (feed === undefined || others.length > 0)
    throw new Error("unsupported Node.js version: the HTTP server does not expose the connection's data listener");
  const take = (bytes: Buffer): void => {
    if (isOver()) return;
    if (bytes.length <= partBytes) {
      feed.call(socket, bytes);
      return;
    }
    socket.pause();
    socket.unshift(bytes.subarray(partBytes));
    setImmediate(() => socket.resume());
    feed.call(socket, bytes.subarray(0, partBytes));
  };
  socket.removeAllListeners('data');
  // Node's parser reads directly from the socket's handle until there is another data listener.
  socket.on('data', take);
}
