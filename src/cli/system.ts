import { Problem } from '../model/check'
import { normalizeId } from '../model/platform'
import { isOwner, operator, see } from '../model/privacy'
import { system } from '../model/system'
import { formatInstant } from '../model/time'
import { listTokens } from '../service/access/tokens'
import { listAccounts } from '../service/accounts'
import { createSystem, deleteSystemWhole, listSystems } from '../service/systems'
import { toV2 } from '../wire/v2'
import { type Command, columns, UsageError } from './command'
import { ACCOUNT_RULE, namedSystem } from './named'

export const systemCommands: Command[] = [
  {
    name: 'system create',
    summary: 'Make a system and its first token, which is shown this once',
    makesDatabase: () => true,
    flags: {
      name: { type: 'string', doc: 'Name of the system' },
      account: { type: 'string', doc: 'ID of a chat account to link to it' },
    },
    async run({ flags, deps }) {
      const name = system.fields.name.read(flags.name ?? null)
      if (name instanceof Problem) throw new UsageError(`--name: ${name.message}`)
      const account = typeof flags.account === 'string' ? normalizeId(flags.account) : undefined
      if (account === null) throw new UsageError(`--account: ${ACCOUNT_RULE}`)
      const { system: made, token } = await createSystem(
        deps(),
        operator,
        { name },
        { account: account ?? null, tokenName: 'default' },
      )
      return {
        json: { id: made.hid, uuid: made.uuid, token },
        text: `${columns([
          ['id', made.hid],
          ['uuid', made.uuid],
          ['token', token],
        ])}\n\nKeep the token: it is not shown again.`,
      }
    },
  },
  {
    name: 'system list',
    summary: 'List all systems',
    async run({ deps }) {
      const all = await listSystems(deps(), operator)
      return {
        json: all.map(({ hid, uuid, name, created }) => ({
          id: hid,
          uuid,
          name,
          created: created === null ? null : formatInstant(created),
        })),
        text:
          all.length === 0
            ? 'There are no systems yet.'
            : columns(all.map(({ hid, uuid, name }) => [hid, uuid, name ?? ''])),
      }
    },
  },
  {
    name: 'system show',
    summary: 'Show a system with its accounts and tokens',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: found } = await namedSystem(call)
      const deps = call.deps()
      const accounts = (await listAccounts(deps, viewer)).map(({ id }) => id)
      const tokens = (await listTokens(deps, viewer)).map(({ name }) => name)
      const shown = toV2(system, see(system, found, isOwner(viewer, found.id)))
      const rows = Object.entries(shown).filter(
        ([key, value]) => key !== 'privacy' && value !== null,
      )
      return {
        json: { ...shown, accounts, tokens },
        text: columns([
          ...rows.map(([key, value]) => [key, String(value)]),
          ['accounts', accounts.join(', ') || 'none'],
          ['tokens', tokens.join(', ') || 'none'],
        ]),
      }
    },
  },
  {
    name: 'system delete',
    summary: 'Delete a system and everything it has',
    args: ['SYSTEM'],
    destroys: true,
    async run(call) {
      const { viewer, system: found } = await namedSystem(call)
      const { hid, name } = found
      await call.confirm(`Delete system ${hid}${name ? ` (${name})` : ''} and everything it has?`)
      await deleteSystemWhole(call.deps(), viewer)
      return { json: { deleted: hid }, text: `System ${hid} is deleted.` }
    },
  },
]
