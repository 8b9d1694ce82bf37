import { type Draft, entity, type Row } from '../core/entity'
import type { Problems } from '../core/errors'
import { choice, clientTimestamp, flag, required, timestamp } from '../core/field'
import { scopes } from '../core/privacy'
import type { Instant } from '../core/time'
import { Problem } from '../core/validation'

/** Public data of a token. The token itself is shown once, when it is created. */
export const token = entity('token', {
  name: required({ max: 100, doc: 'Name, unique within the system', example: 'stream deck' }),
  scope: choice(scopes, {
    defaultValue: 'full',
    doc: 'Scope: what the token may do',
    example: 'front',
  }),
  created: timestamp({ doc: 'When the token was created' }),
  last_used: timestamp({ doc: 'When the token was last used, to the hour' }),
  expires: clientTimestamp({ doc: 'When the token expires; null means never' }),
  private_members: flag(false, {
    doc: 'Whether the token also shows members whose visibility is private; only for the scope `watch`',
  }),
})

export type Token = Row<typeof token>
export type TokenDraft = Draft<typeof token>

/** Maximum number of tokens per system. */
export const MAX_TOKENS = 50

/** Returns problems that field validation does not detect. */
export function validateToken(draft: TokenDraft, now: Instant): Problems {
  const problems: Problems = {}
  // A token is revoked by its name in the path, and URLs normalize these names away.
  if (draft.name === '.' || draft.name === '..') problems.name = [new Problem('unusable_name')]
  if (typeof draft.expires === 'number' && draft.expires <= now)
    problems.expires = [new Problem('not_in_future')]
  if (draft.private_members && draft.scope !== 'watch')
    problems.private_members = [new Problem('only_for_watch')]
  return problems
}
