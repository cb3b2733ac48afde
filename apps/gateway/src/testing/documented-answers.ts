import type { OpenAPIObject } from '@nestjs/swagger';
import addFormats from 'ajv-formats';
import Ajv2020 from 'ajv/dist/2020';
import { statusOfErrorType, type ErrorType } from '@libs/envelope';

/** An answer as received. */
export interface WireAnswer {
  readonly method: string;
  /** Path, with or without a query. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

interface Media {
  readonly schema?: object;
  readonly examples?: Readonly<Record<string, unknown>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Route {
  readonly path: string;
  readonly pattern: RegExp;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Errors in the `default` response of any route, which concern the connection instead of the request. */
const ofConnection: readonly ErrorType[] = ['request_timeout', 'too_many_requests', 'headers_too_large'];
const documentId = 'openapi';
const errorSchema = '#/components/schemas/ErrorResponse';

/**
 * Compares answers with the OpenAPI document: the status, the content type and the error type are listed for the route,
 * and the body fits the schema. A field that the schema does not name counts as a mismatch, although clients may ignore
 * it.
 */
export class DocumentedAnswers {
  private readonly routes: readonly Route[];
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });

  constructor(document: OpenAPIObject) {
    this.routes = Object.entries(document.paths as Record<string, Route['operations']>).map(([path, operations]) => ({
      path,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
      operations,
    }));
    addFormats(this.ajv);
    this.ajv.addSchema(closed(document) as object, documentId);
  }

  /** Differences between an answer and the document; empty if there are none. */
  problems(answer: WireAnswer): string[] {
    const path = answer.url.split('?', 1)[0] ?? '';
    if (path === '/apidocs' || path.startsWith('/apidocs/') || answer.method === 'OPTIONS') return [];
    const route = this.routes.find(({ pattern }) => pattern.test(path));
    const method = answer.method === 'HEAD' ? 'get' : answer.method.toLowerCase();
    const operation = route?.operations[method];
    const problems =
      route && operation
        ? this.ofOperation(`/paths/${pointer(route.path)}/${method}`, operation, answer)
        : this.ofNoRoute(answer);
    return problems.map((problem) => `${answer.method} ${path} ${answer.status}: ${problem}`);
  }

  private ofOperation(at: string, { responses }: Operation, answer: WireAnswer): string[] {
    const status = String(answer.status) in responses ? answer.status : 'default';
    const content = responses[status]?.content;
    if (!content) return [`this status is not documented: ${answer.text.slice(0, 300)}`];
    const type = mediaType(answer.contentType);
    const media = content[type];
    if (!media?.schema) return [`the content type ${type} is not documented`];
    if (answer.method === 'HEAD' || type !== 'application/json') return [];
    const schema = `#${at}/responses/${status}/content/${pointer(type)}/schema`;
    const types = answer.status >= 400 ? Object.keys(media.examples ?? {}) : null;
    const byDefault = ofConnection.filter((type) => statusOfErrorType[type] === answer.status);
    return this.ofBody(schema, answer.text, status === 'default' ? byDefault : types);
  }

  /** An unknown path or method: no operation describes it, but the error envelope is promised. */
  private ofNoRoute(answer: WireAnswer): string[] {
    if (answer.method === 'HEAD') return [];
    if (mediaType(answer.contentType) !== 'application/json') return [`the content type is ${answer.contentType}`];
    return this.ofBody(errorSchema, answer.text, null);
  }

  private ofBody(schema: string, text: string, errorTypes: readonly string[] | null): string[] {
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return ['the body is not JSON'];
    }
    const validate = this.ajv.getSchema(`${documentId}${schema}`);
    if (!validate) return [`the document has no schema at ${schema}`];
    const mismatches = validate(body) ? [] : (validate.errors ?? []).map(describe);
    const type = typeof body === 'object' && body !== null && 'error_type' in body ? body.error_type : undefined;
    if (errorTypes === null || errorTypes.some((known) => known === type)) return mismatches;
    return [...mismatches, `the error type ${String(type)} is not documented for this status of the route`];
  }
}

function describe({
  instancePath,
  message,
  params,
}: {
  instancePath: string;
  message?: string;
  params: object;
}): string {
  return `${instancePath || 'the body'} ${message ?? 'does not fit'} ${JSON.stringify(params)}`;
}

function mediaType(contentType: string | undefined): string {
  return contentType?.split(';', 1)[0]?.trim() ?? 'none';
}

function pointer(part: string): string {
  return encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
}

/** The same schemas, without additional fields in objects that name their fields. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isOpen = 'additionalProperties' in node || !('properties' in node) || !('type' in node);
  return isOpen ? copy : { ...copy, additionalProperties: false };
}
