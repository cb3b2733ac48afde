import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection';
import type { ConnectionLimits } from './connection-limits';

const markers = new WeakMap<Socket, () => void>();

/**
 * Notes that the client on the other end of a request's connection has shown the credential. Connections without it are
 * the first to go when room is needed.
 */
export function authenticated({ socket }: Pick<IncomingMessage, 'socket'>): void {
  markers.get(socket)?.();
}

/** All connections of a program, and which of them goes when there are too many. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  /** In the order in which they came. */
  private readonly unauthenticated = new Set<Connection>();
  private readonly byAddress = new Map<string, Set<Connection>>();

  constructor(private readonly limits: Pick<ConnectionLimits, 'most' | 'mostUnauthenticated'>) {}

  add(socket: Socket, connection: Connection): void {
    const address = networkOf(socket.remoteAddress ?? '');
    const ofAddress = this.byAddress.get(address) ?? new Set();
    const known = (): void => {
      this.unauthenticated.delete(connection);
      ofAddress.delete(connection);
      if (ofAddress.size === 0) this.byAddress.delete(address);
    };
    if (this.open.size >= this.limits.most && !this.makeRoom()) return void socket.destroy();
    this.open.set(socket, connection);
    this.unauthenticated.add(connection);
    this.byAddress.set(address, ofAddress.add(connection));
    markers.set(socket, () => {
      connection.isAuthenticated = true;
      known();
    });
    socket.once('close', () => {
      this.open.delete(socket);
      known();
    });
    if (ofAddress.size > this.limits.mostUnauthenticated) this.trimSoon(ofAddress);
  }

  of(socket: Socket): Connection | undefined {
    return this.open.get(socket);
  }

  all(): Iterable<Connection> {
    return this.open.values();
  }

  /** Closes the oldest connection without a credential, else the oldest idle one. False when all are in use. */
  private makeRoom(): boolean {
    const [oldest] = this.unauthenticated;
    if (oldest) return this.evict(oldest);
    for (const connection of this.open.values()) if (connection.isIdle) return this.evict(connection);
    return false;
  }

  /**
   * After the next turn of the loop: connections that came in one batch get the chance to be read first, so that a
   * client with a credential is not closed for the crowd around it.
   */
  private trimSoon(ofAddress: Set<Connection>): void {
    setImmediate(() =>
      setImmediate(() => {
        for (const connection of ofAddress) {
          if (ofAddress.size <= this.limits.mostUnauthenticated) return;
          ofAddress.delete(connection);
          this.evict(connection);
        }
      }),
    );
  }

  private evict(connection: Connection): true {
    // A socket reports its end only later, and room is needed now.
    this.unauthenticated.delete(connection);
    connection.evict();
    return true;
  }
}

/** An IPv4 address, or the /64 network of an IPv6 address: one host there has as many addresses as it likes. */
function networkOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return ipv4 ?? address.split(':').slice(0, 4).join(':');
}
