import type { JsonObject } from '../../src/model/entity'

/**
 * What PluralKit's own importer would say against a file, written from its rules (3a.6) alone. For
 * one such thing it refuses the whole file.
 */
export function pluralkitObjections(text: string): string[] {
  const file: JsonObject = JSON.parse(text)
  const objections: string[] = []
  const judge: Judge = (isFine, what) => {
    if (!isFine) objections.push(what)
  }
  judge(!('tuppers' in file) && 'switches' in file, 'unknown file type')
  judge(/"accounts":\s*\[[\d\s,]*\]/.test(text), 'accounts: not bare integers')
  judgeSystem(file, judge)
  const members = listOf(file.members)
  const ids = new Set(members.map(({ id }) => id))
  judge(members.length <= 1000, 'members: too many')
  for (const member of members) judgeMember(member, judge)
  const groups = listOf(file.groups)
  judge(groups.length <= 250, 'groups: too many')
  for (const group of groups) judgeGroup(group, ids, judge)
  const switches = listOf(file.switches)
  judge(switches.length <= 100_000, 'switches: too many')
  for (const entry of switches) judgeSwitch(entry, ids, judge)
  return objections
}

type Judge = (isFine: boolean, what: string) => void

function judgeSystem(file: JsonObject, judge: Judge): void {
  judgeTexts('system', file, { name: 100, pronouns: 100, tag: 79, description: 1000 }, judge)
  judgeAddresses('system', file, ['avatar_url', 'banner'], judge)
  judgeColor('system', file, judge)
  judgePrivacy('system', file, judge)
  const config = file.config as JsonObject
  const templates = config.description_templates
  judge(isTimeZone(config.timezone), 'config.timezone')
  for (const key of FLAGS) judge(typeof config[key] === 'boolean', `config.${key}`)
  judge(config.latch_timeout === null || Number.isInteger(config.latch_timeout), 'latch_timeout')
  judge(['off', 'new', 'add'].includes(String(config.proxy_switch)), 'config.proxy_switch')
  judge(Array.isArray(templates) && templates.length <= 3, 'config.description_templates')
}

const FLAGS = [
  'pings_enabled',
  'member_default_private',
  'group_default_private',
  'case_sensitive_proxy_tags',
  'proxy_error_message_enabled',
  'hid_display_split',
  'hid_display_caps',
  'card_show_color_hex',
]

function judgeMember(member: JsonObject, judge: Judge): void {
  const { id, name, birthday, proxy_tags, message_count, privacy } = member
  const who = `member ${id}`
  judge(isHid(id), `${who}: id`)
  judge(typeof name === 'string' && name.trim() !== '', `${who}: name is blank`)
  const limits = { name: 100, display_name: 100, pronouns: 100, description: 1000 }
  judgeTexts(who, member, limits, judge)
  judgeAddresses(who, member, ['avatar_url', 'webhook_avatar_url', 'banner'], judge)
  judgeColor(who, member, judge)
  judge(birthday === null || isDay(birthday), `${who}: birthday`)
  for (const key of ['keep_proxy', 'tts']) judge(typeof member[key] === 'boolean', `${who}: ${key}`)
  judge(Number.isInteger(message_count), `${who}: message_count`)
  const tags = listOf(proxy_tags)
  judge(tags.length <= 100, `${who}: too many tags`)
  for (const { prefix, suffix } of tags) {
    const length = String(prefix ?? '').length + 4 + String(suffix ?? '').length
    judge(length <= 100, `${who}: tag too long`)
  }
  judge(typeof privacy === 'object' && privacy !== null, `${who}: no privacy`)
  judgePrivacy(who, member, judge)
}

function judgeGroup(group: JsonObject, ids: ReadonlySet<unknown>, judge: Judge): void {
  const who = `group ${group.id}`
  judge(isHid(group.id), `${who}: id`)
  judge(typeof group.name === 'string' && group.name.trim() !== '', `${who}: name is blank`)
  judgeTexts(who, group, { name: 100, display_name: 100, description: 1000 }, judge)
  judgeAddresses(who, group, ['icon', 'banner'], judge)
  judgeColor(who, group, judge)
  judgePrivacy(who, group, judge)
  judge(Array.isArray(group.members) && group.members.every((id) => ids.has(id)), `${who}: members`)
}

function judgeSwitch(entry: JsonObject, ids: ReadonlySet<unknown>, judge: Judge): void {
  const { timestamp, members } = entry
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(String(timestamp))
  judge(isTime && !Number.isNaN(Date.parse(String(timestamp))), `switch ${timestamp}: timestamp`)
  const isFine = Array.isArray(members) && members.every((id) => ids.has(id))
  judge(isFine && members.length <= 150, `switch ${timestamp}: members`)
}

function judgeTexts(
  who: string,
  row: JsonObject,
  limits: Record<string, number>,
  judge: Judge,
): void {
  for (const [key, max] of Object.entries(limits)) {
    const value = row[key]
    const isFine = value === null || (typeof value === 'string' && value.length <= max)
    judge(isFine, `${who}: ${key}`)
  }
}

function judgeAddresses(who: string, row: JsonObject, keys: string[], judge: Judge): void {
  for (const key of keys) {
    const value = row[key]
    const url = typeof value === 'string' && value.length <= 256 ? URL.parse(value) : null
    judge(value === null || url?.protocol === 'https:', `${who}: ${key}`)
  }
}

function judgeColor(who: string, { color }: JsonObject, judge: Judge): void {
  judge(color === null || /^[0-9a-f]{6}$/i.test(String(color)), `${who}: color`)
}

function judgePrivacy(who: string, { privacy }: JsonObject, judge: Judge): void {
  for (const [key, level] of Object.entries((privacy ?? {}) as JsonObject))
    judge(level === 'public' || level === 'private', `${who}: ${key}`)
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value : []
}

function isHid(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z]{5,6}$/.test(value)
}

function isDay(value: unknown): boolean {
  const text = String(value)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`))
}

function isTimeZone(value: unknown): boolean {
  return value === 'UTC' || Intl.supportedValuesOf('timeZone').includes(String(value))
}
