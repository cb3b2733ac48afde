/** How far the shutdown of the daemon is, or that of a part of it, which ends with the whole at the latest. */
export class Shutdown {
  private began = false;
  private ended = false;

  /** @param whole what it is a part of; null for the daemon */
  constructor(private readonly whole: Shutdown | null = null) {}

  /** No new entries; requests in flight are still followed. */
  get isStopping(): boolean {
    return this.began || (this.whole?.isStopping ?? false);
  }

  /** The time to follow requests is over: the next start continues with them. */
  get hasEnded(): boolean {
    return this.ended || (this.whole?.hasEnded ?? false);
  }

  begin(): void {
    this.began = true;
  }

  end(): void {
    this.began = true;
    this.ended = true;
  }
}
