import { preferences } from '../../model/access/preferences'
import type { JsonObject } from '../../model/core/entity'
import { normalizeId } from '../../model/core/platform'
import { reason } from '../../model/core/reason'
import { isObject } from '../../model/core/validation'
import { type AutoproxyMode, autoproxy } from '../../model/proxy/autoproxy'
import { memberGuild, systemGuild } from '../../model/proxy/guild'
import { type Bundle, MAX_GUILD_ROWS, type Subject } from '../bundle'
import type { ImportLog } from '../importLog'
import { readRef, readUuid, repairFields } from '../repair'

/** Parses data that PluralKit's format lacks, from the key `multitude` of our own exports. */
export function readExtras(
  extras: JsonObject,
  keys: ReadonlyMap<string, string>,
  log: ImportLog,
): Pick<Bundle, 'systemGuilds' | 'memberGuilds' | 'autoproxy'> {
  restoreArchived(extras.kept, log)
  const memberOf = (value: unknown) => (typeof value === 'string' ? keys.get(value) : undefined)

  const systemGuilds = perGuild('system_guilds', extras, log, (row, guild_id, subject) => [
    guild_id,
    { guild_id, ...repairFields(systemGuild, row, subject, log) },
  ])

  const memberGuilds = perGuild('member_guilds', extras, log, (row, guild_id, subject) => {
    const member = memberOf(row.member)
    if (member !== undefined)
      return [
        `${member} ${guild_id}`,
        { guild_id, member, ...repairFields(memberGuild, row, subject, log) },
      ]
    log.repair(subject, 'member', row.member, null, 'no_such_member')
    return null
  })

  const autoproxies = perGuild('autoproxy', extras, log, (row, guild_id) => {
    const subject: Subject = { kind: 'autoproxy', name: guild_id }
    const { autoproxy_member: ref, ...values } = repairFields(autoproxy, row, subject, log)
    const { autoproxy_mode: mode = 'off' } = values
    const member = mode === 'latch' || mode === 'member' ? (memberOf(ref) ?? null) : null
    if (ref && member === null)
      log.repair(subject, 'autoproxy_member', ref, null, reason('no_member_for_mode', { mode }))
    const lacksMember = mode === 'member' && member === null
    if (lacksMember) log.repair(subject, 'autoproxy_mode', mode, 'off', 'mode_needs_member')
    const autoproxy_mode: AutoproxyMode = lacksMember ? 'off' : mode
    return [guild_id, { guild_id, ...values, autoproxy_mode, autoproxy_member: member }]
  })

  return { systemGuilds, memberGuilds, autoproxy: autoproxies }
}

/** Returns UUIDs of switches by their timestamp as written in the file. */
export function readSwitchUuids({ switches }: JsonObject): Map<string, string> {
  const byUuid = new Map<string, string>()
  for (const row of Array.isArray(switches) ? switches : []) {
    if (!isObject(row) || typeof row.timestamp !== 'string') continue
    const uuid = readUuid(row.uuid)
    if (uuid !== undefined && !byUuid.has(uuid)) byUuid.set(uuid, row.timestamp)
  }
  return new Map([...byUuid].map(([uuid, timestamp]) => [timestamp, uuid]))
}

/** Returns values that PluralKit would have rejected, by kind and short ID of their entity. */
export function readUnfit({ unfit }: JsonObject): Map<string, JsonObject> {
  const values = new Map<string, JsonObject>()
  for (const row of Array.isArray(unfit) ? unfit : []) {
    const { kind, id, field, value }: JsonObject = isObject(row) ? row : {}
    if (typeof kind !== 'string' || typeof id !== 'string' || typeof field !== 'string') continue
    const key = `${kind} ${id}`
    values.set(key, { ...values.get(key), [field]: value })
  }
  return values
}

/** Parses rows that belong to a guild. Of rows with the same key, the last one wins. */
function perGuild<T>(
  name: 'system_guilds' | 'member_guilds' | 'autoproxy',
  { [name]: list }: JsonObject,
  log: ImportLog,
  read: (row: JsonObject, guildId: string, subject: Subject) => [key: string, row: T] | null,
): T[] {
  const rows = new Map<string, T>()
  const items: unknown[] = Array.isArray(list) ? list : []
  if (items.length > MAX_GUILD_ROWS) {
    const why = reason('only_first', { max: MAX_GUILD_ROWS })
    log.repair({ kind: 'guild', name: null }, name, items.length, MAX_GUILD_ROWS, why)
  }
  for (const row of items.slice(0, MAX_GUILD_ROWS)) {
    const ref = isObject(row) ? readRef(row.guild_id) : undefined
    const guildId = normalizeId(ref ?? '')
    if (!isObject(row) || guildId === null) {
      log.repair({ kind: 'guild', name: null }, 'guild_id', ref, null, 'not_guild_id')
      continue
    }
    const entry = read(row, guildId, { kind: 'guild', name: guildId })
    if (entry) rows.set(...entry)
  }
  return [...rows.values()]
}

function restoreArchived(kept: unknown, log: ImportLog): void {
  for (const [collection, rows] of Object.entries(isObject(kept) ? kept : {}))
    if (/^[a-z]{1,40}$/i.test(collection) && Array.isArray(rows))
      for (const row of rows) log.archive(collection, row)
}

/** Parses preferences of the dashboard, without members and groups that are not in the file. */
export function readPreferences(
  { preferences: values }: JsonObject,
  refs: Record<'keys' | 'groupKeys', ReadonlyMap<string, string>>,
): Pick<Bundle, 'preferences'> {
  if (!isObject(values)) return {}
  const keysOf = (list: unknown, keys: ReadonlyMap<string, string>) =>
    Array.isArray(list) ? list.flatMap((ref) => keys.get(String(ref)) ?? []) : []
  const word = preferences.fields.word.parse(values.word)
  return {
    preferences: {
      ...(typeof word === 'string' && { word }),
      pinned: keysOf(values.pinned, refs.keys),
      statuses: keysOf(values.statuses, refs.groupKeys),
    },
  }
}
