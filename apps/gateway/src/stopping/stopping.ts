import { Injectable } from '@nestjs/common';
import { ApiError } from '@libs/envelope';

/** Whether the gateway stops. From the first moment it is not ready and accepts no new orders; closes and cancels go on. */
@Injectable()
export class Stopping {
  private hasBegun = false;

  get isUnderWay(): boolean {
    return this.hasBegun;
  }

  begin(): void {
    this.hasBegun = true;
  }

  /** @throws ApiError terminal_unavailable once the gateway stops; nothing was sent */
  refuseEntries(): void {
    if (!this.hasBegun) return;
    throw new ApiError('terminal_unavailable', 'the gateway is stopping: it accepts no new orders');
  }
}
