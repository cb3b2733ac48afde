/** Loads a package that the bundle of an entry leaves out. @throws Error where there is none */
export type PackageLoader = (name: string) => unknown;

let load: PackageLoader | null = null;

/** Sets by what the rules of parameters load their packages, when they need one. */
export function loadPackagesBy(loader: PackageLoader): void {
  load = loader;
}

/** A package behind a rule of class-validator; the bundler puts this call in its place. */
export function latePackage(name: string): unknown {
  if (load === null) throw new Error(`nothing loads ${name} here`);
  return load(name);
}
