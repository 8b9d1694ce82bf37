import { t } from 'elysia'
import type { Draft, Entity, JsonObject, Patch } from '../../model/core/entity'
import type { ErrorName, Problems } from '../../model/core/errors'
import type { PageRequest } from '../../model/core/listPage'
import type { Viewer } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import {
  parseObject,
  parseStrings,
  type RawBody,
  type SerializedObject,
} from '../../serializers/body'
import type { extComponents } from '../../serializers/extComponents'
import { bodySchema, listBody } from '../../serializers/schema'
import { draftFromV2, patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { describe, writeErrors } from '../server/openapi'
import type { Tag } from '../server/openapiInfo'
import { parameter, parseLimit, parseTime, requireSingleValue } from '../server/query'
import { routes } from '../server/routeGroup'

/** Errors of every read of the caller's own rows. */
export const ownReadErrors: ErrorName[] = ['badRequest', 'unauthorized', 'forbidden']

/** Path parameter of an object that is named by its UUID. */
export const idParams = t.Object({ id: t.String({ description: 'UUID' }) })

/** Parameters of lists that grow. */
export const pageParameters = {
  limit: parameter({
    type: 'integer',
    description: 'Number of items: 100 by default, at most 1,000',
  }),
  before: parameter({
    type: 'string',
    description: 'A time, for older items only, or the UUID of an item, for those after it',
  }),
}

export function parsePage(query: { limit?: unknown; before?: unknown }): PageRequest {
  const before = requireSingleValue('before', query.before)
  const position =
    before === undefined
      ? null
      : isUuid(before)
        ? { uuid: before }
        : { before: parseTime('before', before) ?? 0 }
  return { limit: parseLimit(query.limit, 100, 1_000), position }
}

/** Operations of one kind of the objects that a system owns and clients name by a UUID. */
interface OwnedOperations<E extends Entity, Result> {
  getOwn?(deps: Deps, viewer: Viewer, id: string): Promise<Result>
  create?(deps: Deps, viewer: Viewer, draft: Draft<E>): Promise<Result>
  patch(deps: Deps, viewer: Viewer, id: string, patch: Patch<E>): Promise<Result>
  delete(deps: Deps, viewer: Viewer, id: string): Promise<void>
  /** Puts the whole list into a new order. */
  order?(deps: Deps, viewer: Viewer, ids: readonly string[]): Promise<Result[]>
  /** Returns problems of a body that only the stored object shows; the ID of a new one is null. */
  findProblems?(deps: Deps, viewer: Viewer, id: string | null, body: JsonObject): Promise<Problems>
}

interface OwnedNoun<E extends Entity, Result> {
  readonly entity: E
  /** Fields that a patch may change, if it may not change all. */
  readonly patchEntity?: E
  /** Such as `notes`, in the path. */
  readonly path: string
  /** Path of the list that a new object is added to; `systems/@me/` and `path` by default. */
  readonly listPath?: string
  /** Such as `Note`, in the names of operations. */
  readonly name: string
  /** Such as `note`, in sentences. */
  readonly noun: string
  readonly tag: Tag
  readonly component: keyof typeof extComponents
  readonly missing: ErrorName
  /** Errors of writes besides the common ones. */
  readonly errors: ErrorName[]
  /** Sentences about creating, changing and deleting. */
  readonly docs: { readonly create?: string; readonly patch: string; readonly delete: string }
  readonly operations: OwnedOperations<E, Result>
  readonly serialize: (result: Result) => SerializedObject
}

/** Creates the routes that create, read, change and delete one object, and order all of them. */
export function ownedRoutes<E extends Entity, Result>(
  deps: Deps,
  bodyLimit: number,
  owned: OwnedNoun<E, Result>,
) {
  const {
    entity,
    patchEntity = entity,
    path,
    listPath = `systems/@me/${path}`,
    name,
    noun,
    tag,
    component,
    missing,
    docs,
    operations,
    serialize,
  } = owned
  const errors = [...writeErrors, 'forbidden', ...owned.errors] satisfies ErrorName[]
  const { getOwn, create, order, findProblems } = operations
  const problemsOf = async (viewer: Viewer, id: string | null, body: RawBody) =>
    findProblems ? await findProblems(deps, viewer, id, parseObject(body)) : {}
  const app = routes(bodyLimit)
  if (getOwn)
    app.get(
      `/${path}/:id`,
      async ({ params, viewer }) => serialize(await getOwn(deps, viewer, params.id)),
      {
        params: idParams,
        detail: describe({
          tag,
          id: `get${name}`,
          summary: `Get a ${noun}`,
          description: `Returns one ${noun} of your system.`,
          requiresAuth: true,
          responses: { 200: component },
          errors: [...ownReadErrors, missing],
        }),
      },
    )
  if (create)
    app.post(
      `/${listPath}`,
      async ({ viewer, body, set }) => {
        const problems = await problemsOf(viewer, null, body)
        const created = await create(deps, viewer, draftFromV2(entity, body, problems))
        set.status = 201
        return serialize(created)
      },
      {
        body: bodySchema(entity, 'draft'),
        detail: describe({
          tag,
          id: `create${name}`,
          summary: `Create a ${noun}`,
          description: docs.create ?? '',
          responses: { 201: component },
          errors: [...errors, 'invalidBody', 'limitReached'],
        }),
      },
    )
  if (order)
    app.put(
      `/${listPath}/order`,
      async ({ viewer, body }) => (await order(deps, viewer, parseStrings(body))).map(serialize),
      {
        body: listBody(`UUIDs of all ${noun}s, each once, in the new order`, []),
        detail: describe({
          tag,
          id: `order${name}s`,
          summary: `Order ${noun}s`,
          description: `The list names every ${noun} once; otherwise nothing changes.`,
          responses: { 200: [component] },
          errors: [...writeErrors, 'forbidden'],
        }),
      },
    )
  app
    .patch(
      `/${path}/:id`,
      async ({ params, viewer, body }) => {
        const problems = await problemsOf(viewer, params.id, body)
        const patch = patchFromV2(patchEntity, body, { problems })
        return serialize(await operations.patch(deps, viewer, params.id, patch))
      },
      {
        params: idParams,
        body: bodySchema(patchEntity, 'patch'),
        detail: describe({
          tag,
          id: `update${name}`,
          summary: `Update a ${noun}`,
          description: docs.patch,
          responses: { 200: component },
          errors: [...errors, 'invalidBody', 'limitReached', missing],
        }),
      },
    )
    .delete(
      `/${path}/:id`,
      async ({ params, viewer, set }) => {
        await operations.delete(deps, viewer, params.id)
        set.status = 204
      },
      {
        params: idParams,
        detail: describe({
          tag,
          id: `delete${name}`,
          summary: `Delete a ${noun}`,
          description: docs.delete,
          responses: { 204: null },
          errors: [...writeErrors, 'forbidden', missing],
        }),
      },
    )
  return app
}
