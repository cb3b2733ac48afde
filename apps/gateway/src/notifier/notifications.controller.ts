import { Controller, Get, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiError, collection, single } from '@libs/envelope';
import { StoreWriteError } from '@libs/store';
import { countText } from '@libs/records';
import { bodyErrors, LocalEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { NOTIFIER, type Notifier } from './notifier';
import { SetAsideRequest } from './set-aside.request';
import { SetAsideChangeResponse, SetAsideResponse } from './set-aside.response';

/** What the routes that change the queue have in common. */
const change = {
  response: SetAsideChangeResponse,
  errors: ['validation_error', 'journal_unavailable', ...bodyErrors],
  changes: true,
  ofAccount: true,
  worksWithoutSession: true,
} as const;

/** The messages that a receiver refused for a day, for an operator who sends them again or drops them. */
@ApiTags('control')
@Controller('notifications')
export class NotificationsController {
  constructor(@Inject(NOTIFIER) private readonly notifier: Notifier | null) {}

  @Get('set_aside')
  @LocalEndpoint({
    summary: 'The notifications that were set aside',
    description:
      'Notifications that their receivers refused for a day, by channel, oldest first. Empty without NOTIFIER_FILE.',
    response: SetAsideResponse,
    changes: false,
    ofAccount: true,
    worksWithoutSession: true,
  })
  listSetAsideNotifications(): SetAsideResponse {
    const rows = this.notifier?.setAside() ?? [];
    return collection(
      rows.map(({ channel, message: { id, type, at, account, text }, reason, refusedAt }) => {
        return { channel, id, type, at, account, text, reason, refused_at: refusedAt };
      }),
    );
  }

  @Post('retry')
  @LocalEndpoint({
    summary: 'Send notifications again that were set aside',
    description:
      'They are queued behind those that are waiting. A notification that its receiver refuses again is set aside again.',
    ...change,
  })
  async retryNotifications(@ValidBody() { channel, ids }: SetAsideRequest): Promise<SetAsideChangeResponse> {
    const changed = await stored(this.notifier?.sendAgain(channel, ids));
    return changeOf({ channel, ids }, changed, 'queued to be sent again');
  }

  @Post('drop')
  @LocalEndpoint({
    summary: 'Drop notifications that were set aside',
    ...change,
  })
  async dropNotifications(@ValidBody() { channel, ids }: SetAsideRequest): Promise<SetAsideChangeResponse> {
    const changed = await stored(this.notifier?.drop(channel, ids));
    return changeOf({ channel, ids }, changed, 'dropped');
  }
}

function changeOf({ channel, ids }: SetAsideRequest, changed: readonly string[], what: string): SetAsideChangeResponse {
  const not_set_aside = ids.filter((id) => !changed.includes(id));
  const message = `${countText(changed.length, 'notification')} of ${channel} ${what}`;
  return single({ message, channel, ids: changed, not_set_aside });
}

async function stored(change: Promise<readonly string[]> | undefined): Promise<readonly string[]> {
  try {
    return (await change) ?? [];
  } catch (cause) {
    if (!(cause instanceof StoreWriteError)) throw cause;
    throw new ApiError('journal_unavailable', `the queue of notifications cannot be written: ${cause.message}`, {
      cause,
    });
  }
}
