/** Which journal a line was written beside, and how much of it was on disk by then. */
export interface JournalMark {
  readonly id: string;
  /** Sequence number of its last durable commit. */
  readonly sequence: number;
}

/** Where the mark of the next line comes from; null while the journal cannot be vouched for. */
export interface MarkedJournal {
  readonly auditMark: JournalMark | null;
}
