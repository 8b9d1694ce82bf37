import { type Draft, entity, type Row } from './entity'
import type { Problems } from './errors'
import { choice, clientTimestamp, flag, required, timestamp } from './field'
import { scopes } from './scope'
import type { Instant } from './time'
import { Problem } from './validation'

/** What is told of a token; itself it is shown once. */
export const token = entity('token', {
  name: required({ max: 100, doc: 'What it is called, once in a system', example: 'stream deck' }),
  scope: choice(scopes, { defaultValue: 'full', doc: 'What it may do', example: 'front' }),
  created: timestamp({ doc: 'When it was made' }),
  last_used: timestamp({ doc: 'When it was last used, to the hour' }),
  expires: clientTimestamp({ doc: 'When it stops working; never when null' }),
  private_members: flag(false, {
    doc: 'Whether a `watch` token shows members whose visibility is private, too; of those only',
  }),
})

export type Token = Row<typeof token>
export type TokenDraft = Draft<typeof token>

/** Most that a system may have. */
export const MAX_TOKENS = 50

/** What is wrong with a draft beyond its single fields. */
export function problemsOfToken(draft: TokenDraft, now: Instant): Problems {
  const problems: Problems = {}
  // Neither could stand in a path, where a token is revoked by its name.
  if (draft.name === '.' || draft.name === '..')
    problems.name = [new Problem('Must be another name.')]
  if (typeof draft.expires === 'number' && draft.expires <= now)
    problems.expires = [new Problem('Must be in the future.')]
  if (draft.private_members && draft.scope !== 'watch')
    problems.private_members = [new Problem('Only tokens of the scope watch have it.')]
  return problems
}
