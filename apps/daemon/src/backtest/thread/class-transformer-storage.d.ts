/** What class-transformer keeps of classes: it has no types of its own for this file. */
declare module 'class-transformer/cjs/storage' {
  export const defaultMetadataStorage: { clear(): void };
}
