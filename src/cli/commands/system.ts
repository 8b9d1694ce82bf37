import { normalizeId } from '../../model/core/platform'
import { audienceOf, operator, redact } from '../../model/core/privacy'
import { problemMessage } from '../../model/core/problemMessages'
import { formatInstant, type Instant, parseInstant } from '../../model/core/time'
import { Problem } from '../../model/core/validation'
import { system } from '../../model/systems/system'
import { toV2 } from '../../serializers/v2'
import { listAccounts } from '../../service/access/accounts'
import { createSystem } from '../../service/access/registration'
import { listTokens } from '../../service/access/tokens'
import { disableSystem, enableSystem } from '../../service/systems/disableSystem'
import {
  describeSystems,
  findUnused,
  pruneSystems,
  type SystemInfo,
} from '../../service/systems/systemActivity'
import { deleteSystemAndRows } from '../../service/systems/systems'
import { type Command, columns, UsageError } from '../command'
import { countOf, formatCount, formatDuration, printable } from '../format'
import { ACCOUNT_RULE, resolveSystem } from './resolveSystem'

export const systemCommands: Command[] = [
  {
    name: 'system create',
    summary: 'Create a system and print its first token',
    database: () => 'create',
    flags: {
      name: { type: 'string', doc: 'Name of the system' },
      account: { type: 'string', doc: 'ID of a chat account to link to it' },
    },
    async run({ flags, deps }) {
      const name = system.fields.name.parse(flags.name ?? null)
      if (name instanceof Problem) throw new UsageError(`--name: ${problemMessage(name)}`)
      const account = typeof flags.account === 'string' ? normalizeId(flags.account) : undefined
      if (account === null) throw new UsageError(`--account: ${ACCOUNT_RULE}`)
      const { system: newSystem, token } = await createSystem(
        deps(),
        operator,
        { name },
        { account: account ?? null, tokenName: 'default' },
      )
      return {
        json: { id: newSystem.hid, uuid: newSystem.uuid, token },
        text: `${columns([
          ['id', newSystem.hid],
          ['uuid', newSystem.uuid],
          ['token', token],
        ])}\n\nKeep the token: it is not shown again.`,
      }
    },
  },
  {
    name: 'system list',
    summary: 'List systems with their size and last use',
    async run({ deps }) {
      const all = await describeSystems(deps(), operator)
      return {
        json: all.map(infoToJson),
        text: all.length === 0 ? 'There are no systems yet.' : tableOf(all, deps().now()),
      }
    },
  },
  {
    name: 'system show',
    summary: 'Show a system with its accounts and tokens',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: row } = await resolveSystem(call)
      const deps = call.deps()
      const accounts = (await listAccounts(deps, viewer)).map(({ id }) => id)
      const tokens = (await listTokens(deps, viewer)).map(({ name }) => name)
      const shown = toV2(system, redact(system, row, audienceOf(viewer, row.id)))
      const rows = Object.entries(shown).filter(
        ([key, value]) => key !== 'privacy' && value !== null,
      )
      return {
        json: { ...shown, disabled: row.disabled_at !== null, accounts, tokens },
        text: columns([
          ...rows.map(([key, value]) => [key, String(value)]),
          ...(row.disabled_at === null
            ? []
            : [['disabled', `since ${formatInstant(row.disabled_at)}`]]),
          ['accounts', accounts.join(', ') || 'none'],
          ['tokens', tokens.join(', ') || 'none'],
        ]),
      }
    },
  },
  {
    name: 'system delete',
    summary: 'Delete a system and all its data',
    args: ['SYSTEM'],
    isDestructive: true,
    async run(call) {
      const { viewer, system: row } = await resolveSystem(call)
      const { hid, name } = row
      await call.confirm(`Delete system ${hid}${name ? ` (${name})` : ''} and all its data?`)
      await deleteSystemAndRows(call.deps(), viewer)
      return { json: { deleted: hid }, text: `Deleted system ${hid}.` }
    },
  },
  {
    name: 'system disable',
    summary: 'Disable a system: block its tokens and hide its data',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: row } = await resolveSystem(call)
      await disableSystem(call.deps(), viewer)
      return {
        json: { disabled: row.hid },
        text: `Disabled system ${row.hid}. Run "multitude system enable ${row.hid}" to enable it again.`,
      }
    },
  },
  {
    name: 'system enable',
    summary: 'Enable a disabled system',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: row } = await resolveSystem(call)
      await enableSystem(call.deps(), viewer)
      return { json: { enabled: row.hid }, text: `Enabled system ${row.hid}.` }
    },
  },
  {
    name: 'prune',
    summary: 'Delete systems that have not been used since a date',
    flags: {
      'unused-since': {
        type: 'string',
        doc: 'Delete systems last used before this date, such as 2025-01-31',
      },
      'dry-run': { type: 'boolean', doc: 'List the systems without deleting them' },
    },
    requires: [['unused-since']],
    isDestructive: true,
    async run(call) {
      const deps = call.deps()
      const since = parseDay(call.flags['unused-since'], deps.now())
      const systems = await findUnused(deps, operator, since)
      const isDry = call.flags['dry-run'] === true
      const summary = `${countOf(systems.length, 'system')} not used since ${formatInstant(since)}`
      if (systems.length === 0)
        return {
          json: { dry_run: isDry, systems: [] },
          text: `All systems have been used since ${formatInstant(since)}.`,
        }
      const table = tableOf(systems, deps.now())
      if (isDry)
        return {
          json: { dry_run: true, systems: systems.map(infoToJson) },
          text: `${table}\n\nDry run: nothing was deleted. ${summary}.`,
        }
      await call.confirm(`${table}\n\nDelete ${summary} and all their data?`)
      const deleted = await pruneSystems(deps, operator, since)
      return {
        json: { dry_run: false, systems: deleted.map(infoToJson) },
        text: `Deleted ${countOf(deleted.length, 'system')}.`,
      }
    },
  },
]

function parseDay(text: string | boolean | undefined, now: Instant): Instant {
  const day = typeof text === 'string' ? parseInstant(text) : null
  if (day === null || day > now)
    throw new UsageError('--unused-since: must be a date in the past, such as 2025-01-31')
  return day
}

function infoToJson(info: SystemInfo) {
  const { hid, uuid, name, created, disabled, members, groups, switches, messages } = info
  return {
    id: hid,
    uuid,
    name,
    created: created === null ? null : formatInstant(created),
    last_active: info.lastActive === null ? null : formatInstant(info.lastActive),
    disabled,
    members,
    groups,
    switches,
    messages,
  }
}

const HEAD = ['ID', 'MEMBERS', 'GROUPS', 'SWITCHES', 'MESSAGES', 'LAST USED', 'NAME']

function tableOf(systems: readonly SystemInfo[], now: Instant): string {
  const rows = systems.map((info) => [
    info.hid,
    ...[info.members, info.groups, info.switches, info.messages].map(formatCount),
    info.lastActive === null ? 'never' : `${formatDuration(now - info.lastActive)} ago`,
    `${printable(info.name ?? '')}${info.disabled ? ' (disabled)' : ''}`.trim(),
  ])
  return columns([HEAD, ...rows])
}
