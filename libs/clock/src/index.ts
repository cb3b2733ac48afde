export { backoffMs, type Backoff } from './backoff';
export { Clock, type Timer } from './clock';
export { SystemClock } from './system-clock';
export { VirtualClock } from './virtual-clock';
export { within } from './within';
