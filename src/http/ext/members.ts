import { t } from 'elysia'
import { member } from '../../model/members/member'
import { memberExt, memberKinds } from '../../model/members/memberExt'
import { serializedJson } from '../../serializers/body'
import { memberChangesFromExt, memberDraftFromExt, memberPatchFromExt } from '../../serializers/ext'
import { bodySchema, EXAMPLE_MEMBER, rawBody } from '../../serializers/schema'
import type { Deps } from '../../service/core/deps'
import {
  createExtendedMember,
  patchExtendedMember,
  patchExtendedMembers,
} from '../../service/members/extendedMembers'
import { readExtendedMember, readExtendedMembers } from '../../service/reads/objects'
import { describe, writeErrors } from '../server/openapi'
import { parameter, parameters, parseEnum } from '../server/query'
import { routes, waitingClientOf } from '../server/routeGroup'
import { memberRef, systemRef } from '../v2/params'

const { properties: added } = bodySchema(memberExt, 'patch')
const patchProperties = { member: bodySchema(member, 'patch'), ...added }
const params = t.Object({ memberRef })

/** Describes what lists leave out. */
export const excerptDoc =
  'An `about` of more than 300 characters is null, and `about_excerpt` has its beginning; the single member has it whole.'

/** Members with what the extension API adds to them. */
export function memberRoutes(deps: Deps, bodyLimit: number) {
  return routes(bodyLimit)
    .get(
      '/systems/:systemRef/members',
      async ({ params, query, viewer, request }) => {
        const { kind, archived } = query
        const filter = {
          kind: kind === undefined ? null : parseEnum('kind', kind, memberKinds),
          archived:
            archived === undefined
              ? null
              : parseEnum('archived', archived, ['true', 'false']) === 'true',
        }
        const findClient = () => waitingClientOf(request)
        return readExtendedMembers(deps, viewer, params.systemRef, filter, findClient)
      },
      {
        params: t.Object({ systemRef }),
        query: parameters({
          kind: parameter({
            type: 'string',
            enum: [...memberKinds],
            description: 'Only this kind',
          }),
          archived: parameter({
            type: 'string',
            enum: ['true', 'false'],
            description: 'Only archived members, or only others; for the owner',
          }),
        }),
        detail: describe({
          tag: 'Members',
          id: 'listExtendedMembers',
          summary: 'List members with their custom fields',
          description: `Oldest first. Callers other than the owner get public members only. ${excerptDoc}`,
          responses: { 200: ['ExtendedMemberInList'] },
          errors: [
            'badRequest',
            'unauthorized',
            'forbidden',
            'systemNotFound',
            'memberListHidden',
            'tooManyRequests',
          ],
        }),
      },
    )
    .patch(
      '/systems/@me/members',
      async ({ viewer, body, request }) =>
        serializedJson(
          await patchExtendedMembers(deps, viewer, request.signal, memberChangesFromExt(body)),
        ),
      {
        body: rawBody({
          type: 'array',
          minItems: 1,
          maxItems: 1000,
          items: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' }, ...patchProperties },
          },
          example: [{ id: EXAMPLE_MEMBER, archived: true }],
        }),
        detail: describe({
          tag: 'Members',
          id: 'updateExtendedMembers',
          summary: 'Update many members with their custom fields',
          description:
            'Each entry has the `id` of a member and its changes. Either all changes are applied or none. Validation errors are keyed by zero-based position, such as `3.member.color`.',
          responses: { 200: ['ExtendedMember'] },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'notYourMemberRef',
            'memberRefNotFound',
            'limitReached',
          ],
        }),
      },
    )
    .post(
      '/members',
      async ({ viewer, body, set }) => {
        const json = await createExtendedMember(deps, viewer, memberDraftFromExt(body))
        set.status = 201
        return serializedJson(json)
      },
      {
        body: rawBody({
          type: 'object',
          required: ['member'],
          properties: { ...patchProperties, member: bodySchema(member, 'draft') },
          example: { member: { name: 'Asleep' }, kind: 'custom_front' },
        }),
        detail: describe({
          tag: 'Members',
          id: 'createExtendedMember',
          summary: 'Create a member with custom fields',
          description:
            'The first 1,000 characters of `about` become the `description`, unless one is given.',
          responses: { 201: 'ExtendedMember' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'memberLimit',
            'systemNotFound',
            'limitReached',
          ],
        }),
      },
    )
    .get(
      '/members/:memberRef',
      async ({ params, viewer }) => await readExtendedMember(deps, viewer, params.memberRef),
      {
        params,
        detail: describe({
          tag: 'Members',
          id: 'getExtendedMember',
          summary: 'Get a member with custom fields',
          description:
            'Callers other than the owner get `about` if the description is public, and values of public fields if the member is public.',
          responses: { 200: 'ExtendedMember' },
          errors: ['badRequest', 'memberNotFound'],
        }),
      },
    )
    .patch(
      '/members/:memberRef',
      async ({ params, viewer, body }) =>
        serializedJson(
          await patchExtendedMember(deps, viewer, params.memberRef, memberPatchFromExt(body)),
        ),
      {
        params,
        body: rawBody({
          type: 'object',
          properties: patchProperties,
          example: { archived: true, archived_reason: 'Dormant', about: 'Keeps the lamps.' },
        }),
        detail: describe({
          tag: 'Members',
          id: 'updateExtendedMember',
          summary: 'Update a member with custom fields',
          description:
            'Changes only the given keys, and of `fields` only the given ones; null deletes a value. A later change of `description` clears `about`.',
          responses: { 200: 'ExtendedMember' },
          errors: [
            ...writeErrors,
            'invalidBody',
            'forbidden',
            'memberNotFound',
            'notYourMember',
            'limitReached',
          ],
        }),
      },
    )
}
