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

/** As much of the drawing context of a canvas. */
export interface Canvas {
  strokeStyle: string;
  fillStyle: string;
  lineWidth: number;
  save(): void;
  restore(): void;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number): void;
  clip(): void;
  setLineDash(lengths: readonly number[]): void;
  stroke(): void;
  fill(): void;
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
