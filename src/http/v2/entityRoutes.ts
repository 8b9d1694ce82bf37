import type { t } from 'elysia'
import type { Draft, Entity, Patch } from '../../model/core/entity'
import type { ErrorName } from '../../model/core/errors'
import type { Serialized, Viewer } from '../../model/core/privacy'
import { parseStrings, serializedJson } from '../../serializers/body'
import { bodySchema, bulkBody, listBody } from '../../serializers/schema'
import { changesFromV2, draftFromV2, patchFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import type { ListedPatches } from '../../service/core/entities'
import { type MembershipAction, membershipActions } from '../../service/groups/memberships'
import type { DirectRead } from '../server/apiModule'
import { describe, writeErrors } from '../server/openapi'
import { direct, routes } from '../server/routeGroup'

interface EntityOperations<E extends Entity> {
  readonly read: DirectRead
  create(deps: Deps, viewer: Viewer, draft: Draft<E>): Promise<Stored>
  patch(deps: Deps, viewer: Viewer, ref: string, patch: Patch<E>): Promise<Stored>
  patchAll(
    deps: Deps,
    viewer: Viewer,
    signal: AbortSignal,
    changes: Generator<void, ListedPatches<E>>,
  ): Promise<string>
  delete(deps: Deps, viewer: Viewer, ref: string): Promise<void>
}

interface Stored {
  readonly json: Serialized
}

/** Groups of a member, or members of a group. */
interface Memberships {
  readonly path: 'groups' | 'members'
  readonly read: DirectRead
  /** Details of the list. */
  readonly detail: ReturnType<typeof describe>
  change(
    deps: Deps,
    viewer: Viewer,
    ref: string,
    action: MembershipAction,
    refs: readonly string[],
  ): Promise<void>
  /** Reference in the example of a body. */
  readonly example: string
  readonly docs: Readonly<
    Record<MembershipAction, { id: string; summary: string; description: string }>
  >
}

interface EntityNoun<E extends Entity, Noun extends 'member' | 'group'> {
  readonly entity: E
  readonly noun: Noun
  /** Schema of the parameter with the reference. */
  readonly params: ReturnType<typeof t.Object>
  /** Reference in the example of a body. */
  readonly example: string
  /** Sentences about creating, changing and deleting. */
  readonly docs: { readonly create: string; readonly patch: string; readonly delete: string }
  readonly operations: EntityOperations<E>
  readonly memberships: Memberships
}

const namesOf = { member: 'Member', group: 'Group' } as const

/** Errors of references to members or groups in a body. */
const refErrors = {
  members: ['memberRefNotFound', 'notYourMemberRef'],
  groups: ['groupRefNotFound', 'notYourGroupRef'],
} as const satisfies Record<string, readonly ErrorName[]>

/** Creates the routes that members and groups have in common. */
export function entityRoutes<E extends Entity, Noun extends 'member' | 'group'>(
  deps: Deps,
  bodyLimit: number,
  { entity, noun, params, example, docs, operations, memberships }: EntityNoun<E, Noun>,
) {
  const name = namesOf[noun]
  const tag = `${name}s` as const
  const list = `${noun}s` as const
  const missing = `${noun}NotFound` as const
  const ownErrors: ErrorName[] = [...writeErrors, missing, `notYour${name}`]
  const [refMissing, notYours] = refErrors[list]
  const path = `/${list}/:${noun}Ref`
  const app = routes(bodyLimit)
    .patch(
      `/systems/@me/${list}`,
      async ({ viewer, body, request }) =>
        serializedJson(
          await operations.patchAll(deps, viewer, request.signal, changesFromV2(entity, body)),
        ),
      {
        body: bulkBody(entity, example),
        detail: describe({
          tag,
          id: `update${name}s`,
          summary: `Update many ${list}`,
          description: `Each entry has the \`id\` of a ${noun} and its changes. Either all changes are applied or none. Validation errors are keyed by zero-based position, such as \`3.color\`. Counts as one request for the rate limit.`,
          responses: { 200: [name] },
          errors: [...writeErrors, 'invalidBody', 'forbidden', notYours, refMissing],
        }),
      },
    )
    .post(
      `/${list}`,
      async ({ viewer, body }) =>
        (await operations.create(deps, viewer, draftFromV2(entity, body))).json,
      {
        body: bodySchema(entity, 'draft'),
        detail: describe({
          tag,
          id: `create${name}`,
          summary: `Create a ${noun}`,
          description: docs.create,
          responses: { 200: name },
          errors: [...writeErrors, 'invalidBody', `${noun}Limit`, 'systemNotFound'],
        }),
      },
    )
    .get(path, direct(deps, operations.read), {
      params,
      detail: describe({
        tag,
        id: `get${name}`,
        summary: `Get a ${noun}`,
        description: `Also returns ${list} of other systems; their private fields are \`null\`.`,
        responses: { 200: `${name}WithSystem` },
        errors: ['badRequest', missing],
      }),
    })
    .patch(
      path,
      async ({ params, viewer, body }) =>
        (await operations.patch(deps, viewer, refOf(params), patchFromV2(entity, body))).json,
      {
        params,
        body: bodySchema(entity, 'patch'),
        detail: describe({
          tag,
          id: `update${name}`,
          summary: `Update a ${noun}`,
          description: docs.patch,
          responses: { 200: name },
          errors: [...writeErrors, 'invalidBody', missing, `notYour${name}`],
        }),
      },
    )
    .delete(
      path,
      async ({ params, viewer, set }) => {
        await operations.delete(deps, viewer, refOf(params))
        set.status = 204
      },
      {
        params,
        detail: describe({
          tag,
          id: `delete${name}`,
          summary: `Delete a ${noun}`,
          description: docs.delete,
          responses: { 204: null },
          errors: ownErrors,
        }),
      },
    )
    .get(`${path}/${memberships.path}`, direct(deps, memberships.read), {
      params,
      detail: memberships.detail,
    })
  for (const action of membershipActions)
    app.post(
      `${path}/${memberships.path}/${action}`,
      async ({ params, viewer, body, set }) => {
        await memberships.change(deps, viewer, refOf(params), action, parseStrings(body))
        set.status = 204
      },
      {
        params,
        body: listBody(`Short IDs or UUIDs of ${memberships.path}`, [memberships.example]),
        detail: describe({
          tag,
          ...memberships.docs[action],
          responses: { 204: null },
          errors: [...ownErrors, ...refErrors[memberships.path]],
        }),
      },
    )
  return app
}

function refOf(params: Readonly<Record<string, unknown>>): string {
  return String(Object.values(params)[0])
}
