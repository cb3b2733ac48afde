export type { DiskPace } from './machine';
export { SimulatedDisk, type Crash, type DiskView } from './simulated-disk';
export type { Denial } from './volume';
