import type { differenceFields, RecordOf } from '@libs/records';
import { renewedReason, type SessionStatus } from '../terminal-session/terminal-session';
import type { EvidenceStatus } from './account-evidence';

/** Why the terminal is not connected, or connected and not to be relied on. */
export type ConnectionReason = 'synchronizing' | 'server_lost' | 'not_logged_in' | 'unreachable';

/** The session with the terminal, as listeners of streams see it. */
export interface ConnectionNotice {
  readonly event: 'connection';
  readonly connected: boolean;
  /** Null: connected, and the account is explained. */
  readonly reason: ConnectionReason | null;
  readonly message: string | null;
  /** Positions, orders and deals that nothing explains. */
  readonly tickets: readonly number[];
}

/** Connected, and the account is explained: what a listener assumes that received no notice. */
export const inOrder: ConnectionNotice = {
  event: 'connection',
  connected: true,
  reason: null,
  message: null,
  tickets: [],
};

/** A difference between account and journal that began or ended. */
export interface DifferenceNotice extends RecordOf<typeof differenceFields> {
  readonly event: 'difference';
  readonly action: 'began' | 'ended';
  /** Of the position or order; 0 if it is not known. */
  readonly magic: number;
}

/** A difference that is open now. */
export type OpenNotice = Omit<DifferenceNotice, 'event' | 'action'>;

/** What the notices are made from. */
export interface NoticedSession {
  readonly session: {
    status(): Pick<SessionStatus, 'state' | 'lastError' | 'problemKind'>;
    onConnected(listener: () => void): void;
    onDisconnected(listener: () => void): void;
  };
  readonly evidence: {
    readonly status: EvidenceStatus;
    readonly isExplained: boolean;
    onChange(listener: () => void): void;
  };
}

/** What listeners of streams are to know beside the events: it is a state, so only the newest one is sent. */
export class AccountNotices {
  private open: ReadonlyMap<string, OpenNotice> = new Map();
  private readonly followers = new Set<() => void>();

  constructor(private readonly of: NoticedSession) {
    const tell = (): void => this.changed();
    of.session.onConnected(tell);
    of.session.onDisconnected(tell);
    of.evidence.onChange(tell);
  }

  get connection(): ConnectionNotice {
    const { session, evidence } = this.of;
    const { state, lastError, problemKind } = session.status();
    if (state !== 'connected') {
      const reason = reasonOf({ problemKind, lastError });
      return { event: 'connection', connected: false, reason, message: lastError?.message ?? null, tickets: [] };
    }
    if (evidence.isExplained) return inOrder;
    const { unexplained } = evidence.status;
    const message = unexplained[0]?.message ?? 'the account was not read yet in this session';
    const tickets = unexplained.flatMap(({ ticket }) => ticket ?? []);
    return { event: 'connection', connected: true, reason: 'synchronizing', message, tickets };
  }

  /** The open differences by name. */
  get differences(): ReadonlyMap<string, OpenNotice> {
    return this.open;
  }

  setDifferences(open: ReadonlyMap<string, OpenNotice>): void {
    this.open = open;
    this.changed();
  }

  /** Calls back whenever there may be something new. */
  follow(changed: () => void): () => void {
    this.followers.add(changed);
    return () => this.followers.delete(changed);
  }

  private changed(): void {
    for (const follower of [...this.followers]) follower();
  }
}

/** Whether listeners that know one notice need the other. */
export function isSameConnection(a: ConnectionNotice, b: ConnectionNotice): boolean {
  return a.connected === b.connected && a.reason === b.reason && a.tickets.join() === b.tickets.join();
}

function reasonOf({ problemKind, lastError }: Pick<SessionStatus, 'problemKind' | 'lastError'>): ConnectionReason {
  if (lastError?.message === renewedReason) return 'synchronizing';
  switch (problemKind) {
    case 'no_server':
      return 'server_lost';
    case 'login_refused':
    case 'wrong_account':
    case 'account_changed':
    case 'logged_out':
      return 'not_logged_in';
    default:
      return 'unreachable';
  }
}
