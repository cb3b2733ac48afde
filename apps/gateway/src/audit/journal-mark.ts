/** The journal at the time of a line, and how much of it was on disk. */
export interface JournalMark {
  readonly id: string;
  /** Sequence number of its last durable commit. */
  readonly sequence: number;
}

/** Source of the next line's mark; null while the journal may be incomplete. */
export interface MarkedJournal {
  readonly auditMark: JournalMark | null;
}
