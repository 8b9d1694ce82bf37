import { operator } from '../../model/core/privacy'
import { formatInstant, type Instant, parseInstant } from '../../model/core/time'
import { createInvite, listInvites, revokeInvite } from '../../service/access/invites'
import { type Command, columns, Failure, UsageError } from '../command'
import { printable } from '../format'

export const inviteCommands: Command[] = [
  {
    name: 'invite create',
    summary: 'Create an invite and print its code',
    flags: {
      name: { type: 'string', doc: 'Name of the invite, such as the people it is for' },
      uses: { type: 'string', doc: 'Number of systems that can be created with it (default: 1)' },
      expires: { type: 'string', doc: 'Expiry date, such as 2027-01-31 (default: never)' },
    },
    requires: [['name']],
    async run({ flags, deps }) {
      const { uses = '1', expires: end } = flags
      const name = String(flags.name)
      if (typeof uses !== 'string' || !/^[1-9]\d{0,4}$/.test(uses))
        throw new UsageError('--uses: must be a whole number, 1 or more')
      const expires = parseEnd(end, deps().now())
      const code = await createInvite(deps(), operator, { name, uses: Number(uses), expires })
      return {
        json: { name, code, uses: Number(uses), expires: timeOrNull(expires) },
        text: `${code}\n\nKeep the code: it is not shown again. It is valid for bots while REGISTRATION is invite, and for browsers while WEB_REGISTRATION is invite.`,
      }
    },
  },
  {
    name: 'invite list',
    summary: 'List invites and how often they were used',
    async run({ deps }) {
      const all = await listInvites(deps(), operator)
      return {
        json: all.map((invite) => ({
          ...invite,
          created: formatInstant(invite.created),
          expires: timeOrNull(invite.expires),
        })),
        text:
          all.length === 0
            ? 'There are no invites.'
            : columns([
                ['NAME', 'USED', 'OF', 'EXPIRES'],
                ...all.map(({ name, used, uses, expires }) => [
                  printable(name),
                  String(used),
                  String(uses),
                  timeOrNull(expires) ?? 'never',
                ]),
              ]),
      }
    },
  },
  {
    name: 'invite revoke',
    summary: 'Revoke an invite',
    args: ['NAME'],
    isDestructive: true,
    async run({ args: [name = ''], deps, confirm }) {
      await confirm(`Revoke invite ${name}?`)
      if (!(await revokeInvite(deps(), operator, name)))
        throw new Failure(`There is no invite ${name}.`)
      return { json: { revoked: name }, text: `Revoked invite ${name}.` }
    },
  },
]

function parseEnd(text: string | boolean | undefined, now: Instant): Instant | null {
  if (text === undefined) return null
  const end = typeof text === 'string' ? parseInstant(text) : null
  if (end === null || end <= now)
    throw new UsageError('--expires: must be a time in the future, such as 2027-01-31')
  return end
}

function timeOrNull(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at)
}
