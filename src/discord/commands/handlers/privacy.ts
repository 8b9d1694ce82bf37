import type { Entity, Level } from '../../../model/core/entity'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import { buildEmbed } from '../cards/embed'
import type { Context } from '../context'
import { Refusal } from '../refusal'

const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bio: 'description',
    desc: 'description',
    pfp: 'avatar',
    picture: 'avatar',
    icon: 'avatar',
    bday: 'birthday',
    birthdate: 'birthday',
    cover: 'banner',
    splash: 'banner',
    members: 'memberlist',
    list: 'memberlist',
    groups: 'grouplist',
    fronters: 'front',
    fronter: 'front',
    fh: 'fronthistory',
    switches: 'fronthistory',
    history: 'fronthistory',
    pronouns: 'pronoun',
    prns: 'pronoun',
    meta: 'metadata',
    created: 'metadata',
    tags: 'proxy',
    proxytags: 'proxy',
    visible: 'visibility',
  }),
)

const LEVELS: ReadonlyMap<string, Level> = new Map(
  Object.entries({
    public: 'public',
    show: 'public',
    shown: 'public',
    visible: 'public',
    private: 'private',
    hide: 'private',
    hidden: 'private',
  } as const),
)

/** Returns the name of a privacy level as people type it, such as `description`. */
export function subjectOf(level: string): string {
  return level.replace(/_privacy$/, '').replaceAll('_', '')
}

export interface PrivacyTarget {
  readonly owner: string
  readonly entity: Entity
  readonly levels: Readonly<Record<string, string>> | null
  readonly write: (patch: Record<string, Level>) => Promise<unknown>
}

/** Shows all privacy levels, or sets one or `all`. */
export async function runPrivacy(
  { texts }: Context,
  { subject, level }: { subject?: string | undefined; level?: string | undefined },
  { owner, entity, levels, write }: PrivacyTarget,
): Promise<Answer> {
  const name = escapeMarkdown(owner)
  if (subject === undefined) {
    const fields = entity.levels.map((key) => ({
      name: texts.privacySubjects[subjectOf(key)] ?? subjectOf(key),
      value: levels?.[key] === 'private' ? texts.isPrivate : texts.isPublic,
      isInline: true,
    }))
    return { embeds: [buildEmbed({ title: texts.privacyOf(owner), fields })] }
  }
  const wanted = level === undefined ? undefined : LEVELS.get(level.toLowerCase())
  const subjects = entity.levels.map(subjectOf)
  if (wanted === undefined) throw new Refusal(texts.privacyLevels)
  const found = findLevels(entity, subject)
  if (found.length === 0) throw new Refusal(texts.privacySubjectsAre([...subjects, 'all']))
  await write(Object.fromEntries(found.map((key) => [key, wanted])))
  const what = found.length > 1 ? texts.everything : subjectOf(found[0] ?? '')
  return { content: texts.privacyChanged(name, what, wanted) }
}

function findLevels({ levels }: Entity, subject: string): readonly string[] {
  const typed = subject
    .toLowerCase()
    .replace(/[-_ ]/g, '')
    .replace(/privacy$/, '')
  if (typed === 'all') return levels
  const exact = levels.filter((level) => subjectOf(level) === typed)
  return exact.length > 0
    ? exact
    : levels.filter((level) => subjectOf(level) === SYNONYMS.get(typed))
}
