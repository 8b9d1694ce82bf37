import type { Entity, Level } from '../../../model/core/entity'
import { suggest } from '../../../model/core/suggest'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import { buildEmbed } from '../cards/embed'
import type { Context } from '../context'
import { Refusal } from '../refusal'

const SYNONYMS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...named('description', 'bio', 'd', 'desc', 'describe', 'info', 'text', 'intro'),
    ...named('avatar', 'pfp', 'pic', 'picture', 'icon', 'image', 'av'),
    ...named('birthday', 'bday', 'bd', 'bdate', 'birth', 'birthdate', 'cakeday'),
    ...named('banner', 'b', 'cover', 'splash'),
    ...named('memberlist', 'mlist', 'members', 'list', 'l'),
    ...named('grouplist', 'glist', 'groups', 'group', 'gs'),
    fronters: 'front',
    fronter: 'front',
    ...named('fronthistory', 'fh', 'switch', 'switches', 'history'),
    ...named('pronoun', 'pn', 'prns', 'pronouns'),
    meta: 'metadata',
    created: 'metadata',
    tags: 'proxy',
    proxytags: 'proxy',
    ...named('visibility', 'visible', 'hidden'),
  }),
)

function named(subject: string, ...words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, subject]))
}

const LEVELS: ReadonlyMap<string, Level> = new Map(
  Object.entries({
    public: 'public',
    pub: 'public',
    show: 'public',
    shown: 'public',
    unhide: 'public',
    unhidden: 'public',
    visible: 'public',
    private: 'private',
    priv: 'private',
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
  const keys = findLevels(entity, subject)
  if (keys.length === 0) {
    const all = [...entity.levels.map(subjectOf), 'all']
    const near = suggest(all, subject.toLowerCase())
    throw new Refusal(texts.unknownPrivacySubject(escapeMarkdown(subject), near, all))
  }
  const wanted = level === undefined ? undefined : LEVELS.get(level.toLowerCase())
  if (wanted === undefined) throw new Refusal(texts.privacyLevels)
  await write(Object.fromEntries(keys.map((key) => [key, wanted])))
  const [changed = ''] = keys.map(subjectOf)
  const what = keys.length > 1 ? texts.everything : (texts.privacySubjects[changed] ?? changed)
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
