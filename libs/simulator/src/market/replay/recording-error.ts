/** A price file that cannot be replayed, naming the line at fault. */
export class RecordingError extends Error {}

/** Bars without a file of bids or of asks. */
export class MissingSideError extends RecordingError {}
