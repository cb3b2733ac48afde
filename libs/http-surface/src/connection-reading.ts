import type { Socket } from 'node:net';

/** A typical request fits. A part contains some 80 of the shortest heads, which take about a millisecond to parse. */
const partBytes = 2_048;

type Listener = (...values: unknown[]) => void;

/** What Node's server keeps on a connection, which its types do not declare (lib/_http_server.js; the same in Node 20, 22 and 24). */
interface ParsedSocket {
  readonly parser?: { _consumed?: boolean; consume?: (handle: object) => void } | null;
  readonly _handle?: { readonly isStreamBase?: boolean; reading?: boolean; readonly readStart?: () => void } | null;
}

/**
 * How the bytes of a connection reach the parser of Node's server: in parts, or directly.
 *
 * **In parts**, with the event loop free between them. Node parses everything of one read at once: 64 KiB, or 1,300 requests.
 * Nothing reaches the parser once `isOver`.
 *
 * **Directly**, from the handle of the socket, as Node's server does it by default. It costs a third less processor time for a
 * light read: no buffer of 64 KiB and no event of the socket for each request.
 */
export class ConnectionReading {
  private readonly feed: Listener;
  /** Those of Node's server, which stop and resume the handle. It removes them when it stops to read directly. */
  private readonly flow: readonly (readonly ['pause' | 'resume', Listener])[];
  private isDirect = false;

  /** Expects that Node's server has just accepted the connection, whose only data listener feeds the parser. Begins in parts. */
  constructor(
    private readonly socket: Socket & ParsedSocket,
    private readonly isOver: () => boolean,
  ) {
    const [feed, ...others] = listenersOf(socket, 'data');
    if (feed === undefined || others.length > 0)
      throw new Error("unsupported Node.js version: the HTTP server does not expose the connection's data listener");
    this.feed = feed;
    this.flow = (['pause', 'resume'] as const).flatMap((event) =>
      listenersOf(socket, event).map((listener) => [event, listener] as const),
    );
    this.takeParts();
  }

  /** Reads in parts from now on. */
  inParts(): void {
    if (!this.isDirect) return;
    this.isDirect = false;
    this.takeParts();
    // While Node reads directly, it stops the handle of a paused connection. A stream never starts a handle that it did not stop.
    const { _handle: handle } = this.socket;
    if (handle?.reading !== false) return;
    handle.reading = true;
    handle.readStart?.();
  }

  /** Reads directly from now on, if nothing of the connection is between the handle and the parser; otherwise changes nothing. */
  directly(): void {
    const { socket } = this;
    const { parser, _handle: handle } = socket;
    if (this.isDirect || socket.readableFlowing !== true || socket.readableLength > 0) return;
    if (!parser?.consume || parser._consumed !== false || handle?.isStreamBase !== true) return;
    this.isDirect = true;
    for (const [event, listener] of this.flow) socket.on(event, listener);
    parser._consumed = true;
    parser.consume(handle);
  }

  private takeParts(): void {
    this.socket.removeAllListeners('data');
    // Node's parser reads directly from the socket's handle until there is another data listener.
    this.socket.on('data', this.take);
  }

  private readonly take = (bytes: Buffer): void => {
    const { socket } = this;
    if (this.isOver()) return;
    if (bytes.length <= partBytes) {
      this.feed.call(socket, bytes);
      return;
    }
    socket.pause();
    socket.unshift(bytes.subarray(partBytes));
    setImmediate(() => socket.resume());
    this.feed.call(socket, bytes.subarray(0, partBytes));
  };
}

function listenersOf(socket: Socket, event: string): Listener[] {
  return socket.listeners(event).map((listener) => listener as Listener);
}
