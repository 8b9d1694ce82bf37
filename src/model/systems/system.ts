import { type Draft, entity, type Identity, type Level, type Patch, type Row } from '../core/entity'
import { color, text, timestamp, url } from '../core/field'

export const system = entity(
  'system',
  {
    name: text({
      max: 100,
      guard: 'name_privacy',
      doc: 'Name of the system',
      example: 'Lantern Hill',
    }),
    description: text({ max: 1000, guard: 'description_privacy', doc: 'Description' }),
    tag: text({
      max: 79,
      doc: 'Tag appended to names of proxied messages',
      example: '| Lantern',
    }),
    pronouns: text({ max: 100, guard: 'pronoun_privacy', doc: 'Pronouns', example: 'they/them' }),
    avatar_url: url({ guard: 'avatar_privacy', doc: 'Address of the picture' }),
    banner: url({ guard: 'banner_privacy', doc: 'Address of the banner image' }),
    color: color({ doc: 'Colour, six hexadecimal digits', example: 'f2b632' }),
    created: timestamp({ doc: 'When the system was created' }),
    webhook_url: url({
      readonly: true,
      ownerOnly: 'absent',
      doc: 'Address that events are sent to; shown to the owner only',
    }),
  },
  [
    'name_privacy',
    'description_privacy',
    'avatar_privacy',
    'banner_privacy',
    'pronoun_privacy',
    'member_list_privacy',
    'group_list_privacy',
    'front_privacy',
    'front_history_privacy',
  ],
)

export type System = Row<typeof system> & Identity
export type SystemPatch = Patch<typeof system>
export type SystemDraft = Draft<typeof system>

/** Parts of a new system that other callers may see: everything, the fronters, nothing. */
export const visibilities = ['public', 'front', 'private'] as const
export type Visibility = (typeof visibilities)[number]

/** Returns every privacy level of a new system. */
export function privacyOf(visibility: Visibility): SystemPatch {
  const levelOf = (level: (typeof system.levels)[number]): Level =>
    visibility === 'public' || (visibility === 'front' && level === 'front_privacy')
      ? 'public'
      : 'private'
  return Object.fromEntries(system.levels.map((level) => [level, levelOf(level)]))
}

/** Makes name and avatar public, because a `watch` token may read them. */
export function withWatcherVisibility(row: System): System {
  return { ...row, name_privacy: 'public', avatar_privacy: 'public' }
}
