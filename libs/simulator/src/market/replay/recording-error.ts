/** A price file that cannot be replayed, naming the line at fault. */
export class RecordingError extends Error {}
