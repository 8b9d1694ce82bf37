import { t } from 'elysia'
import { givenVote, poll } from '../../model/journal/poll'
import { pollToExt } from '../../serializers/ext'
import { bodySchema } from '../../serializers/schema'
import { draftFromV2 } from '../../serializers/v2'
import type { Deps } from '../../service/core/deps'
import {
  castVote,
  createPoll,
  deletePoll,
  findPollProblems,
  getPoll,
  listPolls,
  patchPoll,
  withdrawVote,
} from '../../service/journal/polls'
import { describe, writeErrors } from '../server/openapi'
import { parameters } from '../server/query'
import { routes } from '../server/routeGroup'
import { memberRef } from '../v2/params'
import { ownedRoutes, ownReadErrors, pageParameters, parsePage } from './ownedRoutes'

const voteParams = t.Object({ id: t.String({ description: 'UUID' }), memberRef })

/** Lists polls, and changes votes. */
export function pollListRoutes(deps: Deps, bodyLimit: number) {
  const voteErrors = [
    ...writeErrors,
    'forbidden' as const,
    'pollNotFound' as const,
    'memberNotFound' as const,
    'notYourMember' as const,
    'pollClosed' as const,
  ]
  return routes(bodyLimit)
    .get(
      '/systems/@me/polls',
      async ({ viewer, query }) => (await listPolls(deps, viewer, parsePage(query))).map(pollToExt),
      {
        query: parameters(pageParameters),
        detail: describe({
          tag: 'Journal',
          id: 'listPolls',
          summary: 'List polls',
          description: 'Newest first, without the votes.',
          requiresAuth: true,
          responses: { 200: ['PollInList'] },
          errors: [...ownReadErrors, 'pollNotFound'],
        }),
      },
    )
    .put(
      '/polls/:id/votes/:memberRef',
      async ({ params, viewer, body }) =>
        pollToExt(
          await castVote(deps, viewer, params.id, params.memberRef, draftFromV2(givenVote, body)),
        ),
      {
        params: voteParams,
        body: bodySchema(givenVote, 'draft'),
        detail: describe({
          tag: 'Journal',
          id: 'castVote',
          summary: 'Vote as a member',
          description: 'Replaces an earlier vote of the member. Returns the poll.',
          responses: { 200: 'Poll' },
          errors: [...voteErrors, 'invalidBody', 'limitReached'],
        }),
      },
    )
    .delete(
      '/polls/:id/votes/:memberRef',
      async ({ params, viewer }) =>
        pollToExt(await withdrawVote(deps, viewer, params.id, params.memberRef)),
      {
        params: voteParams,
        detail: describe({
          tag: 'Journal',
          id: 'withdrawVote',
          summary: 'Withdraw the vote of a member',
          description: 'Succeeds if the member has not voted. Returns the poll.',
          responses: { 200: 'Poll' },
          errors: voteErrors,
        }),
      },
    )
}

/** Creates, reads, changes and deletes one poll. */
export function pollRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    entity: poll,
    path: 'polls',
    name: 'Poll',
    noun: 'poll',
    tag: 'Journal',
    component: 'Poll',
    missing: 'pollNotFound',
    errors: [],
    docs: {
      create: 'A poll needs a name and 1 to 50 options.',
      patch:
        'Changes only the given keys. Options with an `id` are kept, those without are added; removing an option removes its votes.',
      delete: 'Permanently deletes the poll and its votes.',
    },
    operations: {
      getOwn: getPoll,
      create: createPoll,
      patch: patchPoll,
      delete: deletePoll,
      findProblems: findPollProblems,
    },
    serialize: pollToExt,
  })
}
