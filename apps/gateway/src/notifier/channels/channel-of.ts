import type { Clock } from '@libs/clock';
import type { ChannelSpec } from '../notifier-file';
import type { Channel } from './channel';
import { DiscordChannel } from './discord.channel';
import { EmailChannel } from './email.channel';
import { TelegramChannel } from './telegram.channel';
import { WebhookChannel } from './webhook.channel';

export function channelOf(spec: ChannelSpec, clock: Clock): Channel {
  switch (spec.type) {
    case 'webhook':
      return new WebhookChannel(spec, clock);
    case 'telegram':
      return new TelegramChannel(spec);
    case 'discord':
      return new DiscordChannel(spec);
    case 'email':
      return new EmailChannel(spec);
  }
}
