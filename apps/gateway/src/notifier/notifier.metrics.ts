import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import { Counter } from 'prom-client';
import { Clock } from '@libs/clock';
import { counter, gauge } from '@libs/metrics';
import type { ChannelReport, DeliveryCounts } from './channel-pump';

const labelNames = ['channel'];

/** Metrics of the channels, in which {@link NotifierMetrics} counts. There are no series without NOTIFIER_FILE. */
export const notifierMetrics = [
  counter({
    name: 'notifications_delivered_total',
    help: 'Notifications that the receiver of a channel accepted.',
    labelNames,
  }),
  counter({
    name: 'notification_failures_total',
    help: 'Failed attempts to deliver. Each message is sent again unless its receiver has refused it for a day.',
    labelNames,
  }),
];

/** Counts what happens to the messages of the channels. */
@Injectable()
export class NotifierMetrics implements DeliveryCounts {
  /** What the channels report now; empty until they are shown. */
  reports: () => readonly ChannelReport[] = () => [];

  constructor(
    @InjectMetric('notifications_delivered_total') private readonly deliveredTotal: Counter<'channel'>,
    @InjectMetric('notification_failures_total') private readonly failedTotal: Counter<'channel'>,
  ) {}

  /** Shows these channels from now on. */
  show(reports: () => readonly ChannelReport[]): void {
    this.reports = reports;
    for (const { name } of reports()) {
      this.deliveredTotal.inc({ channel: name }, 0);
      this.failedTotal.inc({ channel: name }, 0);
    }
  }

  delivered(channel: string, messages: number): void {
    this.deliveredTotal.inc({ channel }, messages);
  }

  failed(channel: string): void {
    this.failedTotal.inc({ channel });
  }
}

/** Metrics of what waits, read at each scrape. */
export const waitingMetrics = [
  gauge({
    name: 'notifications_waiting',
    help: 'Notifications waiting for delivery.',
    labelNames,
    inject: [NotifierMetrics],
    collect({ reports }: NotifierMetrics) {
      for (const { name, waiting } of reports()) this.set({ channel: name }, waiting);
    },
  }),
  gauge({
    name: 'notifications_set_aside',
    help: 'Notifications set aside because the receiver refused them for a day.',
    labelNames,
    inject: [NotifierMetrics],
    collect({ reports }: NotifierMetrics) {
      for (const { name, set_aside } of reports()) this.set({ channel: name }, set_aside);
    },
  }),
  gauge({
    name: 'notification_oldest_age_seconds',
    help: 'Age of the oldest notification waiting for delivery; 0 if none is waiting.',
    labelNames,
    inject: [NotifierMetrics, Clock],
    collect({ reports }: NotifierMetrics, clock: Clock) {
      for (const { name, oldest_at } of reports()) this.set({ channel: name }, ageSeconds(oldest_at, clock.nowMs()));
    },
  }),
];

function ageSeconds(at: string | null, nowMs: number): number {
  return at === null ? 0 : Math.max(0, (nowMs - Date.parse(at)) / 1_000);
}
