import type { Socket } from 'node:net';
import type { Connection } from './connection';
import type { ConnectionLimits } from './connection-limits';
import type { Crowd } from './crowd';

/** All connections of a program; decides which one is closed if there are too many. */
export class Connections {
  private readonly open = new Map<Socket, Connection>();
  /** In order of arrival. */
  private readonly unauthenticated = new Set<Connection>();
  private readonly byAddress = new Map<string, Set<Connection>>();

  constructor(
    private readonly limits: Pick<ConnectionLimits, 'most' | 'mostUnauthenticated'>,
    private readonly crowd: Crowd,
  ) {}

  add(socket: Socket, connection: Connection): void {
    // The event loop accepts one connection per turn, so short turns let a client with a credential in sooner.
    this.crowd.makeWay(1);
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
    // Connections without the credential are the first to go when room is needed.
    connection.whenAuthenticated(known);
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

  /** Closes the oldest connection without a credential, else the oldest idle one. False if all are in use. */
  private makeRoom(): boolean {
    const [oldest] = this.unauthenticated;
    if (oldest) return this.evict(oldest);
    for (const connection of this.open.values()) if (connection.isIdle) return this.evict(connection);
    return false;
  }

  /**
   * After the next turn of the loop: connections that arrived in one batch are read first, so that a client with a
   * credential is not closed because of the others.
   */
  private trimSoon(ofAddress: Set<Connection>): void {
    const trim = (): void => this.crowd.closings.take(() => this.closeOldestOf(ofAddress));
    setImmediate(() => setImmediate(trim));
  }

  private closeOldestOf(ofAddress: Set<Connection>): void {
    const [oldest] = ofAddress;
    if (!oldest || ofAddress.size <= this.limits.mostUnauthenticated) return;
    ofAddress.delete(oldest);
    this.evict(oldest);
  }

  private evict(connection: Connection): true {
    // A socket reports its end only later, and room is needed now.
    this.unauthenticated.delete(connection);
    connection.evict();
    return true;
  }
}

/** An IPv4 address, or the /64 network of an IPv6 address: a host can use any number of addresses in it. */
function networkOf(address: string): string {
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return ipv4 ?? address.split(':').slice(0, 4).join(':');
}
