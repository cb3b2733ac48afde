import { createServer, type AddressInfo, type Server } from 'node:net';
import type { Clock } from '@libs/clock';
import type { TerminalClient } from '../terminal-client';
import { LinkPeer } from './link-peer';
import type { LinkServerOptions } from './link-server-options';

/** Serves terminals over the link: each connection gets its own client from the factory. */
export class LinkServer {
  private readonly peers = new Set<LinkPeer>();
  private server: Server | null = null;

  constructor(
    private readonly options: LinkServerOptions,
    private readonly terminals: () => TerminalClient,
    private readonly clock: Clock,
  ) {}

  /** Starts to listen and returns the port. */
  async listen(): Promise<number> {
    const server = createServer((socket) => {
      const peer: LinkPeer = new LinkPeer(socket, this.options, this.terminals, this.clock, () => {
        this.peers.delete(peer);
      });
      this.peers.add(peer);
    });
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.options.port, this.options.host ?? '127.0.0.1', resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  /** Cuts every connection, as a crash would; the server continues to listen. */
  dropConnections(): void {
    for (const peer of this.peers) peer.close('dropped');
  }

  async close(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.dropConnections();
    await closed;
  }
}
