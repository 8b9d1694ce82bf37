import { normalizeId } from '../model/platform'
import { isOwner, operator, redact } from '../model/privacy'
import { system } from '../model/system'
import { formatInstant, type Instant, parseInstant } from '../model/time'
import { Problem } from '../model/validation'
import { toV2 } from '../serializers/v2'
import { listTokens } from '../service/access/tokens'
import { listAccounts } from '../service/accounts'
import {
  describeSystems,
  findUnused,
  pruneSystems,
  type SystemInfo,
} from '../service/admin/activity'
import { disableSystem, enableSystem } from '../service/admin/disableSystem'
import { createSystem, deleteSystemWhole } from '../service/systems'
import { type Command, columns, UsageError } from './command'
import { countOf, formatCount, formatDuration, printable } from './format'
import { ACCOUNT_RULE, resolveSystem } from './resolveSystem'

export const systemCommands: Command[] = [
  {
    name: 'system create',
    summary: 'Make a system and its first token, which is shown this once',
    database: () => 'create',
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
    summary: 'List all systems, with how much they have and when they were last used',
    async run({ deps }) {
      const all = await describeSystems(deps(), operator)
      return {
        json: all.map(showInfo),
        text: all.length === 0 ? 'There are no systems yet.' : tableOf(all, deps().now()),
      }
    },
  },
  {
    name: 'system show',
    summary: 'Show a system with its accounts and tokens',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: found } = await resolveSystem(call)
      const deps = call.deps()
      const accounts = (await listAccounts(deps, viewer)).map(({ id }) => id)
      const tokens = (await listTokens(deps, viewer)).map(({ name }) => name)
      const shown = toV2(system, redact(system, found, isOwner(viewer, found.id)))
      const rows = Object.entries(shown).filter(
        ([key, value]) => key !== 'privacy' && value !== null,
      )
      return {
        json: { ...shown, disabled: found.disabled_at !== null, accounts, tokens },
        text: columns([
          ...rows.map(([key, value]) => [key, String(value)]),
          ...(found.disabled_at === null
            ? []
            : [['disabled', `since ${formatInstant(found.disabled_at)}`]]),
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
    isDestructive: true,
    async run(call) {
      const { viewer, system: found } = await resolveSystem(call)
      const { hid, name } = found
      await call.confirm(`Delete system ${hid}${name ? ` (${name})` : ''} and everything it has?`)
      await deleteSystemWhole(call.deps(), viewer)
      return { json: { deleted: hid }, text: `System ${hid} is deleted.` }
    },
  },
  {
    name: 'system disable',
    summary: 'Let nobody come in as a system, nor see it, until it is enabled',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: found } = await resolveSystem(call)
      await disableSystem(call.deps(), viewer)
      return {
        json: { disabled: found.hid },
        text: `System ${found.hid} is disabled. "multitude system enable ${found.hid}" lets it in again.`,
      }
    },
  },
  {
    name: 'system enable',
    summary: 'Let a disabled system in again',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer, system: found } = await resolveSystem(call)
      await enableSystem(call.deps(), viewer)
      return { json: { enabled: found.hid }, text: `System ${found.hid} is enabled.` }
    },
  },
  {
    name: 'prune',
    summary: 'Delete the systems that were not used since a day',
    flags: {
      'unused-since': { type: 'string', doc: 'The day, such as 2025-01-31, or a time' },
      'dry-run': { type: 'boolean', doc: 'Only list them' },
    },
    requires: [['unused-since']],
    isDestructive: true,
    async run(call) {
      const deps = call.deps()
      const since = parseDay(call.flags['unused-since'], deps.now())
      const found = await findUnused(deps, operator, since)
      const isDry = call.flags['dry-run'] === true
      const says = `${countOf(found.length, 'system')} not used since ${formatInstant(since)}`
      if (found.length === 0)
        return {
          json: { dry_run: isDry, systems: [] },
          text: `There is no system that was not used since ${formatInstant(since)}.`,
        }
      const table = tableOf(found, deps.now())
      if (isDry)
        return {
          json: { dry_run: true, systems: found.map(showInfo) },
          text: `${table}\n\nDry run: nothing was deleted. ${says}.`,
        }
      await call.confirm(`${table}\n\nDelete these ${says}, and everything they have?`)
      const gone = await pruneSystems(deps, operator, since)
      return {
        json: { dry_run: false, systems: gone.map(showInfo) },
        text: `${countOf(gone.length, 'system')} deleted.`,
      }
    },
  },
]

function parseDay(given: string | boolean | undefined, now: Instant): Instant {
  const day = typeof given === 'string' ? parseInstant(given) : null
  if (day === null || day > now)
    throw new UsageError('--unused-since: must be a day that is past, such as 2025-01-31')
  return day
}

function showInfo(info: SystemInfo) {
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
  const rows = systems.map((one) => [
    one.hid,
    ...[one.members, one.groups, one.switches, one.messages].map(formatCount),
    one.lastActive === null ? 'never' : `${formatDuration(now - one.lastActive)} ago`,
    `${printable(one.name ?? '')}${one.disabled ? ' (disabled)' : ''}`.trim(),
  ])
  return columns([HEAD, ...rows])
}
