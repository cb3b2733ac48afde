import {
  GatewayClient,
  GatewayReadError,
  type AccountRecord,
  type HealthReport,
  type OrderRecord,
  type PositionRecord,
  type ReadinessReport,
  type Reconciliation,
} from '@libs/gateway-client';
import { signal } from '@preact/signals';
import { Feed } from './feed';
import { readRequestHistory, type RequestHistory } from './request-history';
import { settleUnknownWrites } from './trade-writes';

const oftenMs = 2_000;
/** Reads that cost the terminal or the disk more. */
const seldomMs = 5_000;

/** Address of the gateway: that of the page, also behind a proxy that serves it under a path. */
const baseUrl = new URL('.', location.href).href;

/**
 * What one key shows: a feed for each route, all of the account that was logged in when the key was entered. The client
 * states that account with every request, so that neither a figure nor a write of another account can appear here.
 */
export class Desk {
  readonly client: GatewayClient;
  /** The account of this page; null until one is logged in. */
  readonly login = signal<number | null>(null);
  readonly health: Feed<HealthReport>;
  readonly readiness: Feed<ReadinessReport>;
  readonly account: Feed<AccountRecord>;
  readonly positions: Feed<readonly PositionRecord[]>;
  readonly orders: Feed<readonly OrderRecord[]>;
  readonly books: Feed<Reconciliation>;
  /** The request whose history is shown; null for none. */
  readonly request = signal<{ readonly key: string; readonly feed: Feed<RequestHistory> } | null>(null);
  private readonly feeds: readonly Feed<unknown>[];

  /** @param onRefusedKey called when the gateway does not accept the key any more */
  constructor(
    apiKey: string,
    private readonly onRefusedKey: () => void,
  ) {
    this.client = new GatewayClient({
      baseUrl,
      apiKey,
      expectedLogin: () => this.login.peek(),
      readTimeoutMs: 4_000,
      // The next read follows soon, and an outage is to be seen at once.
      readAttempts: 1,
    });
    const { reads } = this.client;
    this.health = this.feed(() => this.readHealth());
    this.readiness = this.feed(() => reads.healthReady());
    this.account = this.feed(() => reads.account());
    this.positions = this.feed(() => reads.positions());
    this.orders = this.feed(() => reads.orders());
    this.books = this.feed(() => reads.reconcile(), seldomMs);
    const unknownWrites = this.feed(() => settleUnknownWrites(this));
    this.feeds = [
      ...[this.health, this.readiness, this.account, this.positions, this.orders],
      ...[this.books, unknownWrites],
    ];
  }

  /** @throws GatewayReadError if the gateway does not answer, or not to this key */
  async open(): Promise<void> {
    await this.readHealth();
    this.refresh();
  }

  /** Shows the history of a request, and keeps it up to date. */
  showRequest(key: string): void {
    this.request.value?.feed.stop();
    const feed = this.feed(() => readRequestHistory(this.client, key), seldomMs);
    this.request.value = { key, feed };
    void feed.refresh();
  }

  /** Reads everything now: after a write, an event, or a broken connection. */
  refresh(): void {
    for (const feed of this.feeds) void feed.refresh();
    void this.request.value?.feed.refresh();
  }

  close(): void {
    for (const feed of this.feeds) feed.stop();
    this.request.value?.feed.stop();
  }

  private feed<T>(read: () => Promise<T>, everyMs = oftenMs): Feed<T> {
    return new Feed({ read, everyMs, onFailure: (error) => this.noteFailure(error) });
  }

  private async readHealth(): Promise<HealthReport> {
    const health = await this.client.reads.health();
    if (this.login.peek() === null && health.account !== null) this.login.value = health.account;
    return health;
  }

  private noteFailure(error: unknown): void {
    if (error instanceof GatewayReadError && error.status === 401) this.onRefusedKey();
  }
}
