/** How far the shutdown of the daemon is. */
export class Shutdown {
  private began = false;
  private ended = false;

  /** No new entries; requests in flight are still followed. */
  get isStopping(): boolean {
    return this.began;
  }

  /** The time to follow requests is over: the next start continues with them. */
  get hasEnded(): boolean {
    return this.ended;
  }

  begin(): void {
    this.began = true;
  }

  end(): void {
    this.began = true;
    this.ended = true;
  }
}
