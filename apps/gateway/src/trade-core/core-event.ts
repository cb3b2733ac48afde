import type { EntryLimits, OrderRefusal } from '@libs/order-drafts';
import type { Refusal, StoredStatus } from '@libs/request-life';
import type { AuditEvent, AuditFacts } from '../audit/audit-event';
import type {
  IntentRecord,
  NewIntent,
  RefusedKey,
  SettledOutcome,
  TicketClaim,
  TradeIdentity,
  TradeRequestRecord,
} from './journal-records';
import type { EntryOrder, EntryView } from './counted-entries';
import type { FenceClaim, Losses, StoredFence, WantedFence } from './fence';
import type { FenceProblem, RefusedRaise } from './fence-rules';
import type { FirstUse, KnownKey, RememberedKey, StoredKey } from './known-key';

/** When an event happens. */
export interface Moment {
  /** UTC milliseconds. */
  readonly utcMs: number;
  /** Running time of the gateways on this journal, milliseconds. */
  readonly runningMs: number;
}

/** The claims of tickets that a send may concern, as they are on disk. */
export type StoredClaims = readonly (readonly [ticket: number, claim: TicketClaim])[];

/** An entry of the journal whose time may have come. */
export interface EndedEntry {
  readonly untilRunningMs: number;
  readonly kind: 'request' | 'intent' | 'ticket';
  readonly id: string;
  /** Of a request that is settled: how, and when in running time; null otherwise. */
  readonly settled: { readonly status: StoredStatus; readonly runningMs: number } | null;
}

/** A used or void key: its hash, and when it ended, in running time. */
export interface UsedKey extends Pick<RememberedKey, 'status' | 'endedAtRunningMs'> {
  readonly hash: string;
}

/** How a request of unknown outcome ends, or is answered again. */
export type Resolution = 'recovered' | 'absent' | 'unknown' | 'accepted';

/** An event of the trade core without its time, which the shell adds: plain data. */
export type CoreEventBody =
  /** The journal was opened. `refused`: the bindings of refused keys, by hash. */
  | {
      readonly type: 'opened';
      readonly refused: readonly (readonly [hash: string, binding: RefusedKey])[];
      readonly fences: readonly (readonly [name: string, fence: StoredFence])[];
    }
  /** Fences that the audit log has. */
  | { readonly type: 'fences found'; readonly fences: readonly (readonly [name: string, fence: WantedFence])[] }
  /** A fence is to be raised. `cause`: of that request, for the audit log. */
  | {
      readonly type: 'fence asked';
      readonly name: string;
      readonly wanted: WantedFence;
      readonly cause: AuditFacts;
      readonly losses: Losses;
    }
  /** The last check of a send that has to respect fences. `magics`: the certain one first, then those that it may have instead. */
  | {
      readonly type: 'sending';
      readonly intentId: string;
      readonly claim: FenceClaim | null;
      readonly magics: readonly number[];
      readonly losses: Losses;
    }
  /** Claims that only the audit log has. */
  | { readonly type: 'claims found'; readonly claims: StoredClaims }
  /**
   * A request that an earlier process left open, or that only the audit log has. `isWritten`: the disk has it as it is here.
   * `outcomes`: those that only the audit log has. `interrupted`: what is answered while its outcome is unknown.
   */
  | {
      readonly type: 'restarted';
      readonly record: TradeRequestRecord;
      readonly intents: readonly IntentRecord[];
      readonly isWritten: boolean;
      readonly outcomes: readonly (readonly [intentId: string, outcome: SettledOutcome])[];
      readonly interrupted: StoredAnswer & { readonly reason: string };
      readonly claims: StoredClaims;
    }
  /** A request of the disk or of the broker's books is needed in memory. */
  | {
      readonly type: 'found';
      readonly record: TradeRequestRecord;
      readonly intents: readonly IntentRecord[];
      readonly isWritten: boolean;
    }
  /** Outcomes of earlier sends that later ones could be confused with. */
  | { readonly type: 'recalled'; readonly intents: readonly IntentRecord[] }
  /** A request arrives. `id`: of the request, if it begins. `isFenced`: its fence does not allow it to trade. */
  | {
      readonly type: 'requested';
      readonly identity: TradeIdentity;
      readonly id: string;
      readonly isFenced: boolean;
      readonly stored: StoredKey;
    }
  /** A request was refused before its key was looked up. */
  | { readonly type: 'refused'; readonly identity: TradeIdentity; readonly stored: StoredKey }
  /** The account that the request's next send goes to. */
  | { readonly type: 'account known'; readonly key: string; readonly login: number }
  /** The handler is about to send. `facts`: of its fence, for the audit log. */
  | {
      readonly type: 'intended';
      readonly key: string;
      readonly id: string;
      readonly intent: NewIntent;
      readonly facts: AuditFacts;
    }
  /** A send got its outcome. `event`: recorded with it. `isAnswered`: an answer follows, and is written with it. */
  | {
      readonly type: 'settled';
      readonly key: string;
      readonly intentId: string;
      readonly outcome: SettledOutcome;
      readonly event: AuditEvent | null;
      readonly isAnswered: boolean;
      readonly claims: StoredClaims;
    }
  /** The handler has its final answer. */
  | { readonly type: 'answered'; readonly key: string; readonly id: string; readonly response: StoredAnswer }
  /** The outcomes of a request were found out, or are given up. `events`: what led to it, recorded with it. */
  | {
      readonly type: 'resolved';
      readonly key: string;
      readonly status: Resolution;
      readonly response: StoredAnswer;
      readonly events: readonly AuditEvent[];
    }
  /** The handler ends with a refusal, and nothing was done. */
  | { readonly type: 'released'; readonly key: string; readonly id: string }
  /** A key is to be made void. `askedAtMs`: when that was asked for, UTC milliseconds. */
  | {
      readonly type: 'void asked';
      readonly key: string;
      readonly askedAtMs: number;
      readonly login: number | null;
      readonly event: AuditEvent | null;
      readonly stored: StoredKey;
    }
  /** An order that the entry limits apply to is about to be sent. */
  | {
      readonly type: 'entry asked';
      readonly requestId: string;
      readonly order: EntryOrder;
      readonly view: EntryView;
      readonly limits: EntryLimits;
    }
  /** Nothing more is sent for it. */
  | { readonly type: 'entry ended'; readonly requestId: string }
  /** The account was read for the entry limits. */
  | { readonly type: 'account viewed'; readonly view: EntryView }
  /** A write ended. */
  | { readonly type: 'persisted'; readonly write: number }
  | { readonly type: 'persist failed'; readonly write: number }
  /** Whether the audit log took the events of a failed write. */
  | { readonly type: 'kept in log'; readonly write: number; readonly isKept: boolean }
  /** The disk may take what it could not take before. */
  | { readonly type: 'disk tried' }
  /** Entries whose time may have come, and some of the used keys. */
  | {
      readonly type: 'time passed';
      readonly ended: readonly EndedEntry[];
      readonly keys: readonly UsedKey[];
    };

/** An event of the trade core. */
export type CoreEvent = CoreEventBody & { readonly at: Moment };

/** A final answer as text, which is sent, kept and replayed. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

/** A change of the journal's tables. */
export type Change =
  | { readonly put: 'request'; readonly record: TradeRequestRecord }
  | { readonly put: 'open'; readonly key: string }
  | { readonly put: 'intent'; readonly intent: IntentRecord }
  | { readonly put: 'claim'; readonly ticket: number; readonly claim: TicketClaim }
  | { readonly put: 'key'; readonly key: string; readonly entry: RememberedKey }
  | { readonly put: 'fence'; readonly name: string; readonly fence: StoredFence }
  | { readonly put: 'refusal'; readonly hash: string; readonly binding: RefusedKey }
  | { readonly put: 'lifetime'; readonly kind: EndedEntry['kind']; readonly id: string; readonly untilMs: number }
  | { readonly remove: 'request' | 'open' | 'intent' | 'claim' | 'evidence' | 'key' | 'refusal'; readonly id: string }
  | { readonly remove: 'lifetime'; readonly entry: Omit<EndedEntry, 'settled'> };

/** What the shell does, in this order. */
export type CoreEffect =
  /** Write the changes and the records of the events, all or nothing. Ends with `persisted` or `persist failed`. */
  | {
      readonly type: 'append';
      readonly write: number;
      /** Of which it is; null if it concerns no single one. */
      readonly key: string | null;
      readonly kind: 'intent' | 'rows' | 'release' | 'void' | 'fences' | 'refusals' | 'retention';
      readonly changes: readonly Change[];
      readonly events: readonly AuditEvent[];
    }
  /** Write the events of a failed write to the audit log itself. Ends with `kept in log`. */
  | { readonly type: 'keep in log'; readonly write: number }
  /** Send, once. */
  | { readonly type: 'submit'; readonly key: string; readonly intentId: string }
  /** Deliver the event again once this write has ended. */
  | { readonly type: 'wait'; readonly write: number }
  /** The request begins. */
  | { readonly type: 'begin'; readonly key: string }
  /** Answer with what is known under the key. */
  | { readonly type: 'answer'; readonly known: KnownKey }
  | { readonly type: 'refuse'; readonly refusal: Refusal; readonly first: FirstUse }
  /** Its capacity is held. */
  | { readonly type: 'admit' }
  | { readonly type: 'refuse entry'; readonly refusal: OrderRefusal }
  /** A fence keeps the send from going out. */
  | { readonly type: 'fence off'; readonly problem: FenceProblem }
  /** The fence is not raised. */
  | { readonly type: 'refuse fence'; readonly raise: RefusedRaise }
  /** Report the key as it is. */
  | { readonly type: 'report'; readonly key: string }
  /** An earlier outcome stands. */
  | { readonly type: 'ignore'; readonly intent: IntentRecord; readonly outcome: SettledOutcome }
  /** The outcome of a send is on disk, or kept in memory because the disk fails. */
  | { readonly type: 'show'; readonly intent: IntentRecord }
  /** A send of an earlier process was cut short. */
  | { readonly type: 'cut short'; readonly record: TradeRequestRecord; readonly intent: IntentRecord };
