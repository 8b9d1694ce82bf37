import { t } from 'elysia'
import type { ErrorName } from '../../model/core/errors'
import { givenVote } from '../../model/journal/poll'
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
import { describe, ownWriteErrors } from '../server/openapi'
import { memberRef } from '../v2/params'
import { ownedRoutes, parsePage } from './ownedRoutes'

const voteParams = t.Object({ id: t.String({ description: 'UUID' }), memberRef })

const voteErrors: ErrorName[] = [
  ...ownWriteErrors,
  'pollNotFound',
  'memberNotFound',
  'notYourMember',
  'pollClosed',
]

export function pollRoutes(deps: Deps, bodyLimit: number) {
  return ownedRoutes(deps, bodyLimit, {
    list: 'polls',
    tag: 'Journal',
    docs: {
      create: 'A poll needs a name and 1 to 50 options.',
      patch:
        'Changes only the given keys. Options with an `id` are kept, those without are added; removing an option removes its votes.',
      delete: 'Permanently deletes the poll and its votes.',
    },
    operations: {
      get: getPoll,
      create: createPoll,
      patch: patchPoll,
      delete: deletePoll,
      findProblems: findPollProblems,
    },
    serialize: pollToExt,
    listing: {
      read: (deps, viewer, query) => listPolls(deps, viewer, parsePage(query)),
      isPaged: true,
      serialize: pollToExt,
      description: 'Newest first, without the votes.',
      component: 'PollInList',
    },
  })
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
