import type { AnyElysia } from 'elysia'

// Behaviour of Elysia and its swagger plugin that they do not document. An upgrade may change it;
// `test/http/server/elysiaInternals.test.ts` fails then.

/** Keyword of a schema that keeps all values of a repeated query parameter instead of the last. */
export const keepsRepeats = { elysiaMeta: 'ArrayQuery' }

/** Parses the plugin's OpenAPI document without the keywords that Elysia adds to schemas. */
export function parseDocument(text: string): object {
  return JSON.parse(text, (key, value) => (key === 'elysiaMeta' ? undefined : value))
}

const DEFERRED = 'x-rest'

/** Passes details of a route through the plugin, which copies keywords that it does not know. */
export function deferDetails<D>(details: D) {
  return { [DEFERRED]: details }
}

/** Operation of the plugin's document. */
export interface PluginOperation<D> {
  [DEFERRED]?: D
}

/** Removes the deferred details from an operation and returns them. */
export function takeDeferredDetails<D>(operation: PluginOperation<D>): D | undefined {
  const { [DEFERRED]: details } = operation
  delete operation[DEFERRED]
  return details
}

/** A route with the handler that it was defined with. */
export interface ListedRoute {
  readonly method: string
  readonly path: string
  readonly handler: object
}

/** Lists the routes of an app and its plugins, with their prefixes. */
export function listRoutes({ routes }: AnyElysia): readonly ListedRoute[] {
  return routes
}

/**
 * Options of routes whose body a `derive` hook reads. Elysia's parser would turn every body into a
 * stream first, and wrap the errors of the hook.
 */
export const unparsedBody: { parse: 'none'[] } = { parse: ['none'] }
