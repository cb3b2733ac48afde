export { SimulatedPostgres } from './simulated-postgres';
