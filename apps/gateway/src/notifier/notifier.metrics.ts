import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Clock } from '@libs/clock';
import { MetricsRegistry } from '@libs/metrics';
import type { ChannelReport, DeliveryCounts } from './channel-pump';

/** Metrics of the channels. There are no series without NOTIFIER_FILE. */
@Injectable()
export class NotifierMetrics implements DeliveryCounts {
  private readonly deliveredTotal: Counter<'channel'>;
  private readonly failedTotal: Counter<'channel'>;
  private reports: () => readonly ChannelReport[] = () => [];

  constructor(registry: MetricsRegistry, clock: Clock) {
    const common = { labelNames: ['channel'] as const, registers: [registry] };
    this.deliveredTotal = new Counter({
      name: 'notifications_delivered_total',
      help: 'Notifications that the receiver of a channel accepted.',
      ...common,
    });
    this.failedTotal = new Counter({
      name: 'notification_failures_total',
      help: 'Failed attempts to deliver. Each message is sent again unless its receiver has refused it for a day.',
      ...common,
    });
    const reports = (): readonly ChannelReport[] => this.reports();
    new Gauge({
      name: 'notifications_waiting',
      help: 'Notifications waiting for delivery.',
      ...common,
      collect() {
        for (const { name, waiting } of reports()) this.set({ channel: name }, waiting);
      },
    });
    new Gauge({
      name: 'notifications_set_aside',
      help: 'Notifications set aside because the receiver refused them for a day.',
      ...common,
      collect() {
        for (const { name, set_aside } of reports()) this.set({ channel: name }, set_aside);
      },
    });
    new Gauge({
      name: 'notification_oldest_age_seconds',
      help: 'Age of the oldest notification waiting for delivery; 0 if none is waiting.',
      ...common,
      collect() {
        for (const { name, oldest_at } of reports()) this.set({ channel: name }, ageSeconds(oldest_at, clock.nowMs()));
      },
    });
  }

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

function ageSeconds(at: string | null, nowMs: number): number {
  return at === null ? 0 : Math.max(0, (nowMs - Date.parse(at)) / 1_000);
}
