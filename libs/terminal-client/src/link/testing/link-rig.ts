import { VirtualClock } from '@libs/clock';
import { TerminalUnavailableError } from '../../last-error';
import { LinkClient } from '../link-client';
import { type RawPeer, RawServer } from './raw-peer';

/** A link client on a virtual clock, and a server that a test plays by hand. */
export class LinkRig {
  readonly clock = new VirtualClock();
  readonly client: LinkClient;
  /** States of the link, in the order in which they were reported. */
  readonly links: string[] = [];
  /** Late answers: the intent, and its order or its error. */
  readonly lateAnswers: [string, number | string][] = [];

  private constructor(public server: RawServer) {
    this.client = new LinkClient(
      { address: `127.0.0.1:${server.port}`, token: 'secret', callTimeoutMs: 1_000, tradeTimeoutMs: 2_000 },
      this.clock,
    );
    this.client.onLink((event) => this.links.push(event.state));
    this.client.onLateAnswer((intentId, outcome) => {
      this.lateAnswers.push([intentId, outcome.kind === 'answered' ? outcome.result.order : outcome.lastError.message]);
    });
  }

  static async listen(): Promise<LinkRig> {
    return new LinkRig(await RawServer.listen());
  }

  /** Connects the client. @returns the far side of the connection */
  async connected(): Promise<RawPeer> {
    const connecting = this.client.connect();
    const peer = await this.server.accept();
    await peer.greet();
    await peer.answer(null);
    await connecting;
    return peer;
  }
}

/** The failure of a read, or `answered`. */
export async function failureOf(read: Promise<unknown>): Promise<string> {
  try {
    await read;
    return 'answered';
  } catch (error) {
    if (!(error instanceof TerminalUnavailableError)) throw error;
    return `${error.failure} ${error.lastError.code}`;
  }
}

/** Waits for something from the network; the test's own deadline ends a wait in vain. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
