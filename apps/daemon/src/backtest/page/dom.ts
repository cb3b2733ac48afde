/*
 * As much of a browser as the report's view uses. The daemon is compiled for Node, and all of the browser's types would
 * put names such as `name` and `event` within reach of every file.
 */

export interface PointerAt {
  readonly clientX: number;
  readonly key: string;
  preventDefault(): void;
}

export interface PageElement {
  innerHTML: string;
  hidden: boolean;
  textContent: string | null;
  readonly dataset: Readonly<Record<string, string | undefined>>;
  addEventListener(type: string, listener: (event: PointerAt) => void): void;
  getBoundingClientRect(): { readonly left: number; readonly width: number };
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
  setAttribute(name: string, value: string): void;
  scrollIntoView(options: { readonly block: 'nearest' | 'center' }): void;
}

export interface PageLink extends PageElement {
  href: string;
  download: string;
  click(): void;
}

export interface Page {
  createElement(name: 'a'): PageLink;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}
