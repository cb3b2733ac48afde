import type { FenceClaim } from '../fenced-strategies';

/** Which tokens the gateway may have raised in its present journal. */
export class RaisedTokens {
  private readonly raises = new Map<string, { open: number; mayBeRaised: boolean }>();

  has(claim: FenceClaim): boolean {
    const raise = this.raises.get(tokenName(claim));
    return raise !== undefined && (raise.open > 0 || raise.mayBeRaised);
  }

  delivered(claim: FenceClaim): void {
    const raise = this.raises.get(tokenName(claim)) ?? { open: 0, mayBeRaised: false };
    this.raises.set(tokenName(claim), { ...raise, open: raise.open + 1 });
  }

  /** @param mayBeRaised false for an answer that says that it was not */
  ended(claim: FenceClaim, mayBeRaised: boolean): void {
    const raise = this.raises.get(tokenName(claim));
    if (!raise) return;
    raise.open -= 1;
    raise.mayBeRaised ||= mayBeRaised;
  }

  /** The journal is gone with all that was raised in it. */
  lost(): void {
    this.raises.clear();
  }
}

/** A token of a fence as one text. */
export function tokenName({ name, token }: FenceClaim): string {
  return `${name};${token}`;
}
