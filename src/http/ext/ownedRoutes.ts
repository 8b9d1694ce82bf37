import { t } from 'elysia'
import type { Draft, JsonObject, Patch } from '../../model/core/entity'
import type { ErrorName, Problems } from '../../model/core/errors'
import type { PageRequest } from '../../model/core/listPage'
import type { Redacted, Viewer } from '../../model/core/privacy'
import { isUuid } from '../../model/core/ref'
import { type EntityOf, type OwnedList, ownedKind, ownedKinds } from '../../model/ownedKinds'
import {
  parseObject,
  parseStrings,
  type RawBody,
  type SerializedObject,
} from '../../serializers/body'
import { toExt } from '../../serializers/ext'
import { componentOf, type ExtComponent } from '../../serializers/extComponents'
import { bodySchema, listBody } from '../../serializers/schema'
import { draftFromV2, patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import { describe, ownReadErrors, ownWriteErrors } from '../server/openapi'
import type { Tag } from '../server/openapiInfo'
import { parameter, parameters, parseLimit, parseTime, requireSingleValue } from '../server/query'
import { routes } from '../server/routeGroup'

/** Path parameter of an object that is named by its UUID. */
export const idParams = t.Object({ id: t.String({ description: 'UUID' }) })

/** Parameters of lists that grow. */
const pageParameters = {
  limit: parameter({
    type: 'integer',
    description: 'Number of items: 100 by default, at most 1,000',
  }),
  before: parameter({
    type: 'string',
    description: 'A time, for older items only, or the UUID of an item, for those after it',
  }),
}

type Query = Readonly<Record<string, unknown>>

export function parsePage(query: Query): PageRequest {
  const before = requireSingleValue('before', query.before)
  const position =
    before === undefined
      ? null
      : isUuid(before)
        ? { uuid: before }
        : { before: parseTime('before', before) ?? 0 }
  return { limit: parseLimit(query.limit, 100, 1_000), position }
}

/** List of all objects of a kind, or of one page of them. */
export interface OwnedListing<Item> {
  read(deps: Deps, viewer: Viewer, query: Query, request: Request): Promise<readonly Item[]>
  readonly serialize: (item: Item) => SerializedObject
  /** True for a list that grows, of which a page is read. */
  readonly isPaged: boolean
  /** Query parameters besides those of a page. */
  readonly filters?: Readonly<Record<string, ReturnType<typeof parameter>>>
  readonly summary?: string
  readonly description: string
  /** Schema of an item, if it differs from that of the object. */
  readonly component?: ExtComponent
  readonly errors?: readonly ErrorName[]
}

/** Operations of one kind of the objects that a system owns and clients name by a UUID. */
export interface OwnedOperations<L extends OwnedList, Result> {
  get?(deps: Deps, viewer: Viewer, id: string): Promise<Result>
  create?(deps: Deps, viewer: Viewer, draft: Draft<EntityOf<L>>): Promise<Result>
  patch(deps: Deps, viewer: Viewer, id: string, patch: Patch<EntityOf<L>>): Promise<Result>
  delete(deps: Deps, viewer: Viewer, id: string): Promise<void>
  /** Puts the whole list into a new order. */
  order?(deps: Deps, viewer: Viewer, ids: readonly string[]): Promise<readonly Result[]>
  /** Returns problems of a body that only the stored object shows; the ID of a new one is null. */
  findProblems?(deps: Deps, viewer: Viewer, id: string | null, body: JsonObject): Promise<Problems>
}

/** What the routes of one kind of objects differ in. */
export interface OwnedNoun<L extends OwnedList, Result, Item = Result> {
  readonly list: L
  /** Fields that a patch may change, if it may not change all. */
  readonly patchEntity?: EntityOf<L>
  /** Path of the list, also for new objects; `systems/@me/` and the name of the list by default. */
  readonly listPath?: string
  /** Such as `custom field`, in sentences; the name of the kind by default. */
  readonly noun?: string
  readonly tag: Tag
  /** Errors of writes besides the common ones. */
  readonly errors?: readonly ErrorName[]
  /** Sentences about creating, changing and deleting. */
  readonly docs: { readonly create?: string; readonly patch: string; readonly delete: string }
  readonly operations: OwnedOperations<L, Result>
  readonly serialize: (result: Result) => SerializedObject
  readonly listing?: OwnedListing<Item>
}

/** Serializes an object that has no more keys than its field table. */
export function serializerOf<L extends OwnedList>(list: L) {
  return (redacted: Redacted<EntityOf<L>>) => toExt<EntityOf<L>>(ownedKinds[list].entity, redacted)
}

/**
 * Creates the routes that list and order the objects of a kind, and those that create, read, change
 * and delete one.
 */
export function ownedRoutes<L extends OwnedList, Result, Item = Result>(
  deps: Deps,
  bodyLimit: number,
  owned: OwnedNoun<L, Result, Item>,
) {
  const { list, tag, docs, operations, serialize, listing } = owned
  const entity: EntityOf<L> = ownedKinds[list].entity
  const { missing, name } = ownedKind(list)
  const component = componentOf(name)
  const {
    patchEntity = entity,
    listPath = `systems/@me/${list}`,
    noun = name.replaceAll('_', ' '),
  } = owned
  const path = `/${list.replaceAll('_', '-')}/:id`
  const errors = [...ownWriteErrors, ...(owned.errors ?? [])]
  const { get, create, order, findProblems } = operations
  const problemsOf = async (viewer: Viewer, id: string | null, body: RawBody) =>
    findProblems ? await findProblems(deps, viewer, id, parseObject(body)) : {}
  const app = routes(bodyLimit)
  if (listing)
    app.get(
      `/${listPath}`,
      async ({ viewer, query, request }) =>
        (await listing.read(deps, viewer, query, request)).map(listing.serialize),
      {
        query: parameters({ ...listing.filters, ...(listing.isPaged && pageParameters) }),
        detail: describe({
          tag,
          id: `list${component}s`,
          summary: listing.summary ?? `List ${noun}s`,
          description: listing.description,
          requiresAuth: true,
          responses: { 200: [listing.component ?? component] },
          errors: [
            ...ownReadErrors,
            ...(listing.errors ?? []),
            ...(listing.isPaged ? [missing] : []),
          ],
        }),
      },
    )
  if (get)
    app.get(path, async ({ params, viewer }) => serialize(await get(deps, viewer, params.id)), {
      params: idParams,
      detail: describe({
        tag,
        id: `get${component}`,
        summary: `Get a ${noun}`,
        description: `Returns one ${noun} of your system.`,
        requiresAuth: true,
        responses: { 200: component },
        errors: [...ownReadErrors, missing],
      }),
    })
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
          id: `create${component}`,
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
          id: `order${component}s`,
          summary: `Order ${noun}s`,
          description: `The list names every ${noun} once; otherwise nothing changes.`,
          responses: { 200: [component] },
          errors: ownWriteErrors,
        }),
      },
    )
  app
    .patch(
      path,
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
          id: `update${component}`,
          summary: `Update a ${noun}`,
          description: docs.patch,
          responses: { 200: component },
          errors: [...errors, 'invalidBody', 'limitReached', missing],
        }),
      },
    )
    .delete(
      path,
      async ({ params, viewer, set }) => {
        await operations.delete(deps, viewer, params.id)
        set.status = 204
      },
      {
        params: idParams,
        detail: describe({
          tag,
          id: `delete${component}`,
          summary: `Delete a ${noun}`,
          description: docs.delete,
          responses: { 204: null },
          errors: [...ownWriteErrors, missing],
        }),
      },
    )
  return app
}
