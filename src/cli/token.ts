import { scopes } from '../model/scope'
import { problemsOfToken, type Token, type TokenDraft, token } from '../model/token'
import { Problem } from '../model/validation'
import { tokenToV2 } from '../serializers/v2'
import { listTokens, replaceToken, revokeToken } from '../service/access/tokens'
import { type Call, type Command, columns, Failure, UsageError } from './command'
import { resolveSystem } from './resolveSystem'

export const tokenCommands: Command[] = [
  {
    name: 'token create',
    summary: 'Make a token for a system, in place of one of the same name; shown this once',
    args: ['SYSTEM'],
    flags: {
      name: { type: 'string', doc: 'Name of the token (default)' },
      scope: { type: 'string', doc: `What it may do: ${scopes.join(', ')} (full)` },
      expires: { type: 'string', doc: 'When it stops working, as 2027-01-31 (never)' },
      'private-members': {
        type: 'boolean',
        doc: 'For the scope watch: show members whose visibility is private, too',
      },
    },
    async run(call) {
      const { viewer } = await resolveSystem(call)
      const deps = call.deps()
      const { secret, ...made } = await replaceToken(deps, viewer, draftOf(call, deps.now()))
      return {
        json: { ...tokenToV2(made), token: secret },
        text: `${secret}\n\nKeep it: it is not shown again.`,
      }
    },
  },
  {
    name: 'token list',
    summary: 'List the names of a system’s tokens, and what they may do',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer } = await resolveSystem(call)
      const all = await listTokens(call.deps(), viewer)
      return {
        json: all.map(tokenToV2),
        text:
          all.length === 0
            ? 'It has no tokens.'
            : columns([['name', 'scope', 'created', 'last used', 'expires'], ...all.map(rowOf)]),
      }
    },
  },
  {
    name: 'token revoke',
    summary: 'Make a system’s token useless at once, with the sessions it opened',
    args: ['SYSTEM', 'NAME'],
    isDestructive: true,
    async run(call) {
      const { viewer, system } = await resolveSystem(call)
      const { hid } = system
      const name = call.args[1] ?? ''
      await call.confirm(`Revoke the token ${name} of system ${hid}?`)
      if (!(await revokeToken(call.deps(), viewer, name)))
        throw new Failure(`System ${hid} has no token ${name}.`)
      return { json: { revoked: name }, text: `Token ${name} is revoked.` }
    },
  },
]

/** A token in words; never the token itself. */
export function rowOf(row: Token): string[] {
  const { name, scope, created, last_used, expires } = tokenToV2(row)
  return [name, scope, created, last_used ?? 'never used', expires ?? 'never'].map(String)
}

function draftOf({ flags }: Call, now: number): TokenDraft {
  const given: Record<string, unknown> = {
    name: flags.name || 'default',
    scope: flags.scope,
    expires: flags.expires,
    private_members: flags['private-members'],
  }
  const draft: Record<string, unknown> = {}
  for (const [key, field] of token.entries) {
    if (given[key] === undefined) continue
    const value = field.read(given[key])
    if (value instanceof Problem) throw new UsageError(`${flagOf(key)}: ${value.message}`)
    draft[key] = value
  }
  const made = draft as TokenDraft
  for (const [key, [problem]] of Object.entries(problemsOfToken(made, now)))
    throw new UsageError(`${flagOf(key)}: ${problem?.message}`)
  return made
}

function flagOf(key: string): string {
  return `--${key.replace('_', '-')}`
}
