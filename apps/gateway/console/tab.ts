import { signal } from '@preact/signals';

/** The parts of the page. */
export const tabs = ['Trade', 'Strategies', 'Requests', 'Events', 'System'] as const;
export type Tab = (typeof tabs)[number];

/** The part that is shown. */
export const shownTab = signal<Tab>('Trade');
