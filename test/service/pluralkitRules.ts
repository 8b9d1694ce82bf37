import type { JsonObject } from '../../src/model/core/entity'

/**
 * Lists the violations of the rules (3a.6) of PluralKit's importer in a file. PluralKit refuses a
 * file with a single violation.
 */
export function findPluralkitProblems(text: string): string[] {
  const file: JsonObject = JSON.parse(text)
  const problems: string[] = []
  const check: Check = (isValid, problem) => {
    if (!isValid) problems.push(problem)
  }
  check(!('tuppers' in file) && 'switches' in file, 'unknown file type')
  check(/"accounts":\s*\[[\d\s,]*\]/.test(text), 'accounts: not bare integers')
  checkSystem(file, check)
  const members = listOf(file.members)
  const ids = new Set(members.map(({ id }) => id))
  check(members.length <= 1000, 'members: too many')
  for (const member of members) checkMember(member, check)
  const groups = listOf(file.groups)
  check(groups.length <= 250, 'groups: too many')
  for (const group of groups) checkGroup(group, ids, check)
  const switches = listOf(file.switches)
  check(switches.length <= 100_000, 'switches: too many')
  for (const entry of switches) checkSwitch(entry, ids, check)
  return problems
}

type Check = (isValid: boolean, problem: string) => void

function checkSystem(file: JsonObject, check: Check): void {
  checkTexts('system', file, { name: 100, pronouns: 100, tag: 79, description: 1000 }, check)
  checkAddresses('system', file, ['avatar_url', 'banner'], check)
  checkColor('system', file, check)
  checkPrivacy('system', file, check)
  const config = file.config as JsonObject
  const templates = config.description_templates
  check(isTimeZone(config.timezone), 'config.timezone')
  for (const key of FLAGS) check(typeof config[key] === 'boolean', `config.${key}`)
  check(config.latch_timeout === null || Number.isInteger(config.latch_timeout), 'latch_timeout')
  check(['off', 'new', 'add'].includes(String(config.proxy_switch)), 'config.proxy_switch')
  check(Array.isArray(templates) && templates.length <= 3, 'config.description_templates')
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

function checkMember(member: JsonObject, check: Check): void {
  const { id, name, birthday, proxy_tags, message_count, privacy } = member
  const label = `member ${id}`
  check(isHid(id), `${label}: id`)
  check(typeof name === 'string' && name.trim() !== '', `${label}: name is blank`)
  const limits = { name: 100, display_name: 100, pronouns: 100, description: 1000 }
  checkTexts(label, member, limits, check)
  checkAddresses(label, member, ['avatar_url', 'webhook_avatar_url', 'banner'], check)
  checkColor(label, member, check)
  check(birthday === null || isDay(birthday), `${label}: birthday`)
  for (const key of ['keep_proxy', 'tts'])
    check(typeof member[key] === 'boolean', `${label}: ${key}`)
  check(Number.isInteger(message_count), `${label}: message_count`)
  const tags = listOf(proxy_tags)
  check(tags.length <= 100, `${label}: too many tags`)
  for (const { prefix, suffix } of tags) {
    const length = String(prefix ?? '').length + 4 + String(suffix ?? '').length
    check(length <= 100, `${label}: tag too long`)
  }
  check(typeof privacy === 'object' && privacy !== null, `${label}: no privacy`)
  checkPrivacy(label, member, check)
}

function checkGroup(group: JsonObject, ids: ReadonlySet<unknown>, check: Check): void {
  const label = `group ${group.id}`
  check(isHid(group.id), `${label}: id`)
  check(typeof group.name === 'string' && group.name.trim() !== '', `${label}: name is blank`)
  checkTexts(label, group, { name: 100, display_name: 100, description: 1000 }, check)
  checkAddresses(label, group, ['icon', 'banner'], check)
  checkColor(label, group, check)
  checkPrivacy(label, group, check)
  check(
    Array.isArray(group.members) && group.members.every((id) => ids.has(id)),
    `${label}: members`,
  )
}

function checkSwitch(entry: JsonObject, ids: ReadonlySet<unknown>, check: Check): void {
  const { timestamp, members } = entry
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(String(timestamp))
  check(isTime && !Number.isNaN(Date.parse(String(timestamp))), `switch ${timestamp}: timestamp`)
  const areKnown = Array.isArray(members) && members.every((id) => ids.has(id))
  check(areKnown && members.length <= 150, `switch ${timestamp}: members`)
}

function checkTexts(
  label: string,
  row: JsonObject,
  limits: Record<string, number>,
  check: Check,
): void {
  for (const [key, max] of Object.entries(limits)) {
    const value = row[key]
    const isValid = value === null || (typeof value === 'string' && value.length <= max)
    check(isValid, `${label}: ${key}`)
  }
}

function checkAddresses(label: string, row: JsonObject, keys: string[], check: Check): void {
  for (const key of keys) {
    const value = row[key]
    const url = typeof value === 'string' && value.length <= 256 ? URL.parse(value) : null
    check(value === null || url?.protocol === 'https:', `${label}: ${key}`)
  }
}

function checkColor(label: string, { color }: JsonObject, check: Check): void {
  check(color === null || /^[0-9a-f]{6}$/i.test(String(color)), `${label}: color`)
}

function checkPrivacy(label: string, { privacy }: JsonObject, check: Check): void {
  for (const [key, level] of Object.entries((privacy ?? {}) as JsonObject))
    check(level === 'public' || level === 'private', `${label}: ${key}`)
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
