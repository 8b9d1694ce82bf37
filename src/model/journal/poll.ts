import { type Draft, entity, type Patch, type Row, withKeys } from '../core/entity'
import {
  clientTimestamp,
  optionList,
  reference,
  required,
  requiredReference,
  text,
  timestamp,
} from '../core/field'

export const MAX_OPTIONS = 50

export const poll = entity('poll', {
  name: required({ max: 200, doc: 'Question', example: 'Move the desk?' }),
  about: text({ max: 2_000, doc: 'Explanation' }),
  options: optionList({
    max: MAX_OPTIONS,
    isRequired: true,
    hasVeto: true,
    doc: 'Options, each with an ID that the server generates',
    example: [{ name: 'yes' }, { name: 'no' }],
  }),
  ends: clientTimestamp({ doc: 'When voting ends; null for never' }),
  created: timestamp({ doc: 'When the poll was created' }),
})

export type Poll = Row<typeof poll>
export type PollDraft = Draft<typeof poll>
export type PollPatch = Patch<typeof poll>

export const vote = entity('vote', {
  member: reference({ doc: 'Voter; null once that member is deleted' }),
  author_name: text({ max: 100, readonly: true, doc: 'Name of a deleted voter' }),
  option: requiredReference({
    doc: 'ID of the option',
    example: 'e1f0a5d2-3b4c-4d5e-8f60-718293a4b5c6',
  }),
  comment: text({ max: 500, doc: 'Comment', example: 'finally' }),
  created: timestamp({ doc: 'When the vote was given' }),
})

export type Vote = Row<typeof vote>
export type VoteDraft = Draft<typeof vote>

/** Body of a vote. */
export const givenVote = withKeys(vote, ['option', 'comment'])
