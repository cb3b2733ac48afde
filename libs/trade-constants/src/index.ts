export * from './enums';
export * from './retcodes';
