import type { Field } from '../../../model/core/field'
import { discordBot } from '../../../model/core/privacy'
import { suggest } from '../../../model/core/suggest'
import { Problem } from '../../../model/core/validation'
import { systemGuild } from '../../../model/proxy/guild'
import { DEFAULT_LATCH_TIMEOUT, type Settings, settings } from '../../../model/systems/settings'
import { getAccount, patchAccount } from '../../../service/access/accounts'
import { getSystemGuild, patchSystemGuild } from '../../../service/proxy/guilds'
import { patchSettings } from '../../../service/systems/settings'
import { escapeMarkdown, formatCodeSpan } from '../../messages/escape'
import type { Answer } from '../answer'
import { confirm } from '../ask'
import { buildEmbed } from '../cards/embed'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { type Own, ownSettings, requireOwn } from '../ownSystem'
import { Refusal } from '../refusal'
import { distinctZones, findZones, timeIn } from '../timeZones'
import { viewGroups, viewMembers } from '../views'
import { parseDuration } from '../when'
import { orNull, parseSwitched, requireGuild } from './common'

/** A setting of the own system, as `config` names it. */
interface Setting {
  readonly names: readonly string[]
  readonly read: (context: Context, own: Own) => Promise<unknown>
  /** Parses what a person typed; throws a refusal. */
  readonly parse: (context: Context, text: string) => unknown
  readonly write: (context: Context, own: Own, value: unknown) => Promise<unknown>
  readonly initial: unknown
  /** Asks before the value is stored. */
  readonly question?: (context: Context, value: unknown) => string
}

const SECONDS = 1_000_000

function ofSystem(
  names: readonly string[],
  key: keyof Settings & keyof typeof settings.fields,
): Setting {
  const field: Field = settings.fields[key]
  return {
    names,
    initial: field.defaultValue,
    read: async (context, own) => (await ownSettings(context, own))[key],
    parse: (context, text) =>
      field.kind === 'flag' ? parseSwitched(context, text) : parseBy(context, field, text),
    write: ({ deps }, { viewer }, value) => patchSettings(deps, viewer, '@me', { [key]: value }),
  }
}

function parseBy({ texts }: Context, field: Field, text: string): unknown {
  const value = field.parse(field.kind === 'choice' ? text.toLowerCase() : text)
  if (value instanceof Problem) throw new Refusal(texts.invalidValue(texts.labels.value, value))
  return value
}

/** Finds the time zone that a text means. Of the zones of a large country, the person chooses one. */
function parseZone({ texts, deps, name }: Context, text: string): string {
  const nowMs = deps.now() / 1000
  const zones = distinctZones(findZones(text), nowMs)
  const [zone] = zones
  if (zone === undefined) throw new Refusal(texts.unknownZone(escapeMarkdown(text)))
  if (zones.length === 1) return zone
  const lines = zones.map((candidate) => texts.zoneWithTime(candidate, timeIn(candidate, nowMs)))
  const example = name('config', { setting: `timezone ${zone}` })
  throw new Refusal(texts.chooseZone(lines, example))
}

/** All settings of `config`, in the order in which they are listed. */
export const settingTable: readonly Setting[] = [
  {
    ...ofSystem(['timezone', 'zone', 'tz'], 'timezone'),
    parse: parseZone,
    question: ({ texts, deps }, value) =>
      texts.confirmZone(String(value), timeIn(String(value), deps.now() / 1000)),
  },
  ofSystem(['ping', 'pings'], 'pings_enabled'),
  {
    names: ['autoproxy account', 'ap account', 'ap ac'],
    initial: true,
    read: async ({ deps, account }) =>
      (await getAccount(deps, discordBot, account)).autoproxy_enabled,
    parse: parseSwitched,
    write: ({ deps, account }, _, value) =>
      patchAccount(deps, discordBot, account, { autoproxy_enabled: value === true }),
  },
  {
    ...ofSystem(['autoproxy timeout', 'ap timeout', 'ap tm'], 'latch_timeout'),
    parse: ({ texts }, text) => {
      if (['off', 'never', '0'].includes(text.toLowerCase())) return 0
      const duration = parseDuration(text)
      if (duration === null || duration <= 0) throw new Refusal(texts.invalidDuration)
      const seconds = Math.round(duration / SECONDS)
      return seconds === DEFAULT_LATCH_TIMEOUT ? null : seconds
    },
  },
  ofSystem(['proxy case', 'case', 'pc'], 'case_sensitive_proxy_tags'),
  ofSystem(['proxy error', 'pe'], 'proxy_error_message_enabled'),
  ofSystem(['proxy switch', 'proxyswitch', 'ps'], 'proxy_switch'),
  ofSystem(['private member', 'private members', 'pm', 'mp'], 'member_default_private'),
  ofSystem(['private group', 'private groups', 'pg', 'gp'], 'group_default_private'),
  ofSystem(['show private', 'showprivate', 'sp'], 'show_private_info'),
  ofSystem(['split ids', 'split id', 'sid', 'sids'], 'hid_display_split'),
  ofSystem(
    ['cap ids', 'cap id', 'caps ids', 'capitalize ids', 'capitalise ids', 'cid'],
    'hid_display_caps',
  ),
  ofSystem(['pad ids', 'pad id', 'id pad', 'ids pad', 'id padding', 'pid'], 'hid_list_padding'),
  ofSystem(['name format', 'nameformat', 'nf'], 'name_format'),
  {
    names: ['server name format', 'servernameformat', 'snf'],
    initial: null,
    read: async (context, { viewer }) =>
      context.guild &&
      (await orNull(getSystemGuild(context.deps, viewer, context.guild.id)))?.name_format,
    parse: (context, text) => parseBy(context, systemGuild.fields.name_format, text),
    write: (context, { viewer }, value) =>
      patchSystemGuild(
        context.deps,
        viewer,
        requireGuild(context),
        { name_format: value === null ? null : String(value) },
        'create',
      ),
  },
]

const CLEAR_WORDS = ['clear', 'reset', 'default']

/** Lists all settings, or shows or changes one. */
export async function runConfig(context: Context, { lists, flags }: Arguments): Promise<Answer> {
  const { texts } = context
  const own = await requireOwn(context)
  const words = lists.setting ?? []
  if (words.length === 0) return listSettings(context, own)
  const answered = findSetting(answers, words)
  if (answered) return answered.setting.run(context)
  const match = findSetting(settingTable, words)
  if (!match) throw unknownSetting(context, 'config', settingTable, words)
  const { setting, rest } = match
  const name = setting.names[0] ?? ''
  const isClear = flags.has('clear') || CLEAR_WORDS.includes(rest.toLowerCase())
  if (rest === '' && !isClear) {
    const value = formatSetting(context, await setting.read(context, own))
    return { content: explainSetting(context, 'config', name, value) }
  }
  const value = isClear ? setting.initial : setting.parse(context, rest)
  const store = async (): Promise<Answer> => {
    await setting.write(context, own, value)
    return { content: texts.settingSet(name, formatSetting(context, value)) }
  }
  if (isClear || !setting.question || flags.has('y')) return store()
  return confirm(context, setting.question(context, value), store)
}

/** Shows how many members and groups the system may have; the operator sets both numbers. */
async function showLimits(context: Context): Promise<Answer> {
  const { texts } = context
  const own = await requireOwn(context)
  const { member_limit, group_limit } = await ownSettings(context, own)
  const members = await viewMembers(context, own.viewer, '@me')
  const groups = await viewGroups(context, own.viewer, '@me')
  return {
    content: texts.limits(
      { count: members.length, limit: member_limit },
      { count: groups.length, limit: group_limit },
    ),
  }
}

/** Answers for a setting of PluralKit that has no effect here. */
const explainColor = async ({ texts }: Context): Promise<Answer> => ({ content: texts.colorsShown })

/** Words of PluralKit's settings that have no value here. */
const answers = [
  { names: ['limit', 'limits', 'member limit', 'group limit'], run: showLimits },
  { names: ['show color', 'show colour', 'show colors', 'show colours'], run: explainColor },
] as const

/** Finds the setting whose name begins the words; the rest is its value. */
export function findSetting<T extends { readonly names: readonly string[] }>(
  table: readonly T[],
  words: readonly string[],
): { setting: T; rest: string } | null {
  for (let count = Math.min(3, words.length); count > 0; count--) {
    const typed = words.slice(0, count).join(' ').toLowerCase().replaceAll(/[-_]/g, ' ')
    const joined = typed.replaceAll(' ', '')
    const setting = table.find(({ names }) =>
      names.some((name) => name === typed || name.replaceAll(' ', '') === joined),
    )
    if (setting) return { setting, rest: words.slice(count).join(' ') }
  }
  return null
}

/** Shows a setting, and says what it does. */
export function explainSetting(
  { texts, name: nameCommand }: Context,
  command: 'config' | 'serverconfig',
  name: string,
  value: string,
): string {
  const explanation = texts.explanations[name] ?? ''
  const example = nameCommand(command, { setting: `${name} …` })
  return `${texts.settingIs(name, value)}\n${texts.settingExplained(explanation, example)}`
}

/** Refuses a setting that does not exist, and names the closest ones. */
export function unknownSetting(
  { texts, name }: Context,
  command: 'config' | 'serverconfig',
  table: readonly { readonly names: readonly string[] }[],
  words: readonly string[],
): Refusal {
  const settings = table.map(({ names }) => names[0] ?? '')
  const typed = words.slice(0, 2).map((word) => word.toLowerCase())
  const near = suggest(settings, typed.join(' '))
  const suggested = near.length > 0 ? near : suggest(settings, typed[0] ?? '')
  const names = suggested.map((setting) => name(command, { setting }))
  return new Refusal(texts.unknownSetting(escapeMarkdown(words.join(' ')), names, name(command)))
}

async function listSettings(context: Context, own: Own): Promise<Answer> {
  const { texts } = context
  const fields = []
  for (const setting of settingTable) {
    const value = formatSetting(context, await setting.read(context, own))
    fields.push({ name: setting.names[0] ?? '', value, isInline: true })
  }
  return {
    embeds: [
      buildEmbed({ title: texts.configTitle, fields, footer: texts.configNote(context.name) }),
    ],
  }
}

/** Formats a value of a setting. Times in seconds are the only numbers. */
function formatSetting({ texts }: Context, value: unknown): string {
  if (typeof value === 'boolean') return value ? texts.on : texts.off
  if (value === null || value === undefined) return texts.defaultValue
  if (typeof value === 'number') return value === 0 ? texts.never : texts.duration(value)
  return formatCodeSpan(String(value))
}
