import { type Token, type TokenDraft, token, validateToken } from '../../model/access/token'
import { scopes } from '../../model/core/privacy'
import { problemMessage } from '../../model/core/problemMessages'
import { Problem } from '../../model/core/validation'
import { tokenToV2 } from '../../serializers/v2'
import { listTokens, replaceToken, revokeToken } from '../../service/access/tokens'
import { type Call, type Command, columns, Failure, UsageError } from '../command'
import { resolveSystem } from './resolveSystem'

export const tokenCommands: Command[] = [
  {
    name: 'token create',
    summary: 'Create or replace a token of a system and print it',
    args: ['SYSTEM'],
    flags: {
      name: {
        type: 'string',
        doc: 'Name of the token; an existing one is replaced (default: "default")',
      },
      scope: { type: 'string', doc: `Permissions: ${scopes.join(', ')} (default: full)` },
      expires: { type: 'string', doc: 'Expiry date, such as 2027-01-31 (default: never)' },
      'private-members': {
        type: 'boolean',
        doc: 'With the scope watch: include members with private visibility',
      },
    },
    async run(call) {
      const { viewer } = await resolveSystem(call)
      const deps = call.deps()
      const { secret, ...made } = await replaceToken(deps, viewer, draftOf(call, deps.now()))
      return {
        json: { ...tokenToV2(made), token: secret },
        text: `${secret}\n\nKeep the token: it is not shown again.`,
      }
    },
  },
  {
    name: 'token list',
    summary: 'List the tokens of a system',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer } = await resolveSystem(call)
      const all = await listTokens(call.deps(), viewer)
      return {
        json: all.map(tokenToV2),
        text:
          all.length === 0
            ? 'This system has no tokens.'
            : columns([['name', 'scope', 'created', 'last used', 'expires'], ...all.map(rowOf)]),
      }
    },
  },
  {
    name: 'token revoke',
    summary: 'Revoke a token and the sessions it opened',
    args: ['SYSTEM', 'NAME'],
    isDestructive: true,
    async run(call) {
      const { viewer, system } = await resolveSystem(call)
      const { hid } = system
      const name = call.args[1] ?? ''
      await call.confirm(`Revoke token ${name} of system ${hid}?`)
      if (!(await revokeToken(call.deps(), viewer, name)))
        throw new Failure(`System ${hid} has no token ${name}.`)
      return { json: { revoked: name }, text: `Revoked token ${name} of system ${hid}.` }
    },
  },
]

/** Formats a token for the table, without its secret. */
export function rowOf(row: Token): string[] {
  const { name, scope, created, last_used, expires } = tokenToV2(row)
  return [name, scope, created, last_used ?? 'never', expires ?? 'never'].map(String)
}

function draftOf({ flags }: Call, now: number): TokenDraft {
  const values: Record<string, unknown> = {
    name: flags.name || 'default',
    scope: flags.scope,
    expires: flags.expires,
    private_members: flags['private-members'],
  }
  const draft: Record<string, unknown> = {}
  for (const [key, field] of token.entries) {
    if (values[key] === undefined) continue
    const value = field.parse(values[key])
    if (value instanceof Problem) throw new UsageError(`${flagOf(key)}: ${problemMessage(value)}`)
    draft[key] = value
  }
  const tokenDraft = draft as TokenDraft
  for (const [key, [problem]] of Object.entries(validateToken(tokenDraft, now)))
    if (problem) throw new UsageError(`${flagOf(key)}: ${problemMessage(problem)}`)
  return tokenDraft
}

function flagOf(key: string): string {
  return `--${key.replace('_', '-')}`
}
