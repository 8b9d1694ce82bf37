import type { JsonObject } from '../model/core/entity'
import { group } from '../model/groups/group'
import { member } from '../model/members/member'
import { system } from '../model/systems/system'
import {
  type Bundle,
  type BundleGroup,
  type BundleMember,
  emptyBundle,
  type ReadOptions,
  type Subject,
} from './bundle'
import { ImportLog } from './importLog'
import { nameOr, readRef, rejectTooMany, repairFields, rowsOf, withoutBlanks } from './repair'

export function isTupperbox(file: JsonObject): boolean {
  return Object.hasOwn(file, 'tuppers')
}

export function readTupperbox(file: JsonObject, options: ReadOptions): Bundle {
  const log = new ImportLog()
  const rows = rowsOf(file, 'tuppers', 'members', log)
  const groupRows = rowsOf(file, 'groups', 'groups', log)
  rejectTooMany('tooManyMembers', rows.length, options.maxMembers)
  rejectTooMany('tooManyGroups', groupRows.length, options.maxGroups)
  const tuppers = rows.map(withoutBlanks)
  const shared = sharedTag(tuppers)
  const groups = readGroups(groupRows, accountOf(tuppers), log)
  const members = tuppers.map((tupper, index) => {
    const read = readTupper(tupper, index, shared, log)
    joinGroup(read, tupper.group_id, groups, log)
    return read
  })
  return {
    ...emptyBundle('tupperbox'),
    system: { patch: shared === null ? {} : readTag(shared, log) },
    members,
    groups: [...groups.values()],
    ...log.result(),
  }
}

function readTupper(
  tupper: JsonObject,
  index: number,
  shared: string | null,
  log: ImportLog,
): BundleMember {
  const { name, tag } = tupper
  const subject: Subject = { kind: 'member', name: typeof name === 'string' ? name : null }
  const values = repairFields(
    member,
    {
      name,
      display_name:
        typeof tag === 'string' && tag !== shared
          ? [subject.name, tag].filter(Boolean).join(' ')
          : tupper.nick,
      description: tupper.description,
      avatar_url: tupper.avatar_url ?? undefined,
      banner: tupper.banner ?? undefined,
      birthday: dayOf(tupper.birthday),
      proxy_tags: pairsOf(tupper.brackets, subject, log),
      keep_proxy: tupper.show_brackets,
      message_count: tupper.posts,
      created: tupper.created_at ?? undefined,
      last_message_timestamp: tupper.last_used ?? undefined,
    },
    subject,
    log,
  )
  return {
    key: `#${index}`,
    values: { ...values, name: nameOr(values.name, values.display_name, subject, log) },
  }
}

/** Tupperbox writes a date as its midnight, and a date without a year with the year 0. */
function dayOf(birthday: unknown): unknown {
  if (typeof birthday !== 'string') return birthday
  return birthday.replace(/T.*$/s, '').replace(/^0000-/, '0004-')
}

/** Splits the flat list prefix, suffix, prefix, suffix … into pairs. */
function pairsOf(brackets: unknown, subject: Subject, log: ImportLog): unknown {
  if (!Array.isArray(brackets)) return brackets
  const pairs: unknown[] = []
  for (let index = 0; index < brackets.length; index += 2)
    pairs.push({ prefix: brackets[index], suffix: brackets[index + 1] ?? null })
  if (brackets.length % 2 === 1)
    log.repair(subject, 'proxy_tags', brackets.at(-1), null, 'bracket_without_pair')
  return pairs
}

function readGroups(
  rows: readonly JsonObject[],
  account: string | null,
  log: ImportLog,
): Map<string, BundleGroup> {
  const groups = new Map<string, BundleGroup>()
  for (const [index, row] of rows.map(withoutBlanks).entries()) {
    const { name, avatar } = row
    const subject: Subject = { kind: 'group', name: typeof name === 'string' ? name : null }
    const hasIcon = account !== null && typeof avatar === 'string' && /^[\w-]+$/.test(avatar)
    const fields = {
      name,
      description: describe(row),
      icon: hasIcon ? `https://cdn.tupperbox.app/group-pfp/${account}/${avatar}.webp` : undefined,
    }
    const values = repairFields(group, fields, subject, log)
    const key = readRef(row.id) ?? `#${index}`
    if (groups.has(key)) log.dropRow('groups', subject, 'id', key, 'given_twice')
    else
      groups.set(key, {
        key,
        values: { ...values, name: nameOr(values.name, null, subject, log) },
        members: [],
      })
  }
  return groups
}

/** Appends the tag to the description, because groups here have no tag. */
function describe({ description, tag }: JsonObject): unknown {
  if (typeof tag !== 'string') return description
  return typeof description === 'string' ? `${description}\nTag: ${tag}` : `Tag: ${tag}`
}

function joinGroup(
  { key, values }: BundleMember,
  id: unknown,
  groups: ReadonlyMap<string, BundleGroup>,
  log: ImportLog,
): void {
  if (id === undefined || id === null) return
  const joined = groups.get(readRef(id) ?? '')
  if (joined) joined.members.push(key)
  else {
    const subject: Subject = { kind: 'member', name: values.name }
    log.dropRow('memberships', subject, 'group_id', id, 'no_such_group')
  }
}

/** Returns the tag that all of several tuppers have, which becomes the system's tag. */
function sharedTag(tuppers: readonly JsonObject[]): string | null {
  const tags = new Set(tuppers.map(({ tag }) => tag))
  const [tag] = tags
  return tuppers.length > 1 && tags.size === 1 && typeof tag === 'string' ? tag : null
}

function readTag(tag: string, log: ImportLog) {
  const subject: Subject = { kind: 'system', name: null }
  const patch = repairFields(system, { tag }, subject, log)
  log.repair(subject, 'tag', null, patch.tag, 'tag_of_all')
  return patch
}

/** Returns the account ID in the address of any avatar. */
function accountOf(tuppers: readonly JsonObject[]): string | null {
  for (const { avatar_url } of tuppers) {
    const match =
      typeof avatar_url === 'string' && /\/\/cdn\.tupperbox\.app\/pfp\/(\d+)\//.exec(avatar_url)
    if (match) return match[1] ?? null
  }
  return null
}
