import { type Draft, entity, type Identity, type Patch, type Row } from '../core/entity'
import { color, required, text, timestamp, url } from '../core/field'

export const group = entity(
  'group',
  {
    name: required({
      max: 100,
      guard: 'name_privacy',
      fallback: 'display_name',
      doc: 'Name; while it is private, other callers get the display name instead',
      example: 'Keepers',
    }),
    display_name: text({
      max: 100,
      guard: 'name_privacy',
      doc: 'Name shown instead of the name',
    }),
    description: text({ max: 1000, guard: 'description_privacy', doc: 'Description' }),
    created: timestamp({ guard: 'metadata_privacy', doc: 'When the group was created' }),
    icon: url({ guard: 'icon_privacy', doc: 'Address of the icon' }),
    banner: url({ guard: 'banner_privacy', doc: 'Address of the banner image' }),
    color: color({ doc: 'Colour, six hexadecimal digits', example: '335577' }),
  },
  [
    'name_privacy',
    'description_privacy',
    'banner_privacy',
    'icon_privacy',
    'list_privacy',
    'metadata_privacy',
    'visibility',
  ],
)

export type Group = Row<typeof group> & Identity & { system_id: number }
export type GroupPatch = Patch<typeof group>
export type GroupDraft = Draft<typeof group>
