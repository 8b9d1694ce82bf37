import type { Context } from '../context'
import { settingTable } from '../handlers/config'
import { serverSettingTable } from '../handlers/serverConfig'
import { findOwn, type Own } from '../ownSystem'
import { viewGroups, viewMembers } from '../views'
import type { Completion } from './option'
import { slashCommands } from './table'

export interface Choice {
  readonly name: string
  readonly value: string
}

const MAX_CHOICES = 25
const MAX_NAME = 100

/** Completes an option while a person types, from the own system only. */
export async function completeOption(
  context: Context,
  command: string,
  option: string,
  typed: string,
): Promise<Choice[]> {
  const completion = findCompletion(command, option)
  if (completion === null) return []
  if (completion === 'setting') return matching(settingTable.map(toChoice), typed)
  if (completion === 'server setting') return matching(serverSettingTable.map(toChoice), typed)
  const own = await findOwn(context)
  if (!own) return []
  if (completion === 'group')
    return matching((await viewGroups(context, own.viewer, '@me')).map(named), typed)
  const members = await recentMembers(context, own)
  if (completion === 'member') return matching(members, typed)
  return completeLast(members, typed)
}

function findCompletion(command: string, option: string): Completion | null {
  const options = slashCommands.find(({ name }) => name === command)?.options
  return options?.find(({ name }) => name === option)?.completes ?? null
}

/** Members with the most recently proxied ones first. */
async function recentMembers(context: Context, { viewer }: Own): Promise<Candidate[]> {
  const members = await viewMembers(context, viewer, '@me')
  return members
    .toSorted((member, other) =>
      (other.last_message_timestamp ?? '').localeCompare(member.last_message_timestamp ?? ''),
    )
    .map(named)
}

/** A choice with the texts that are compared with what a person types. */
interface Candidate extends Choice {
  readonly texts: readonly string[]
}

/** The ID is the value, so that names with spaces and names that occur twice work. */
function named({
  id,
  name,
  display_name,
}: {
  id: string
  name: string
  display_name: string | null
}): Candidate {
  const texts = display_name === null ? [name] : [name, display_name]
  return { name: `${texts.join(' · ').slice(0, MAX_NAME - 10)} (${id})`, value: id, texts }
}

function toChoice({ names: [name = ''] }: { names: readonly string[] }): Candidate {
  return { name, value: name, texts: [name] }
}

/** Lists what starts with the typed text before what contains it. */
function matching(candidates: readonly Candidate[], typed: string): Choice[] {
  const folded = typed.trim().toLowerCase()
  const starting = candidates.filter(({ texts, value }) =>
    [...texts, value].some((text) => text.toLowerCase().startsWith(folded)),
  )
  const containing = candidates.filter(
    (candidate) =>
      !starting.includes(candidate) &&
      candidate.texts.some((text) => text.toLowerCase().includes(folded)),
  )
  return [...starting, ...containing]
    .slice(0, MAX_CHOICES)
    .map(({ name, value }) => ({ name, value }))
}

/** Completes the last name of a list, and keeps the ones before it. */
function completeLast(choices: readonly Candidate[], typed: string): Choice[] {
  const [, before = '', last = ''] = /^(.*?)(\S*)$/s.exec(typed) ?? []
  return matching(choices, last)
    .map(({ name, value }) => ({
      name: `${before}${name}`.slice(-MAX_NAME),
      value: `${before}${value}`,
    }))
    .filter(({ value }) => value.length <= MAX_NAME)
}
