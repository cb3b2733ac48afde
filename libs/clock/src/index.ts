export { backoffMs, type Backoff } from './backoff';
export { Clock, type Timer } from './clock';
export { endOnSignals, type End, type Ending } from './end-on-signals';
export { SystemClock } from './system-clock';
export { VirtualClock } from './virtual-clock';
export { isZoneName, parseZoneName, type ZoneName } from './zone-name';
export { within } from './within';
