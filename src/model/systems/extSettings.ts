import { entity, type Patch, type Row } from '../core/entity'
import { choice } from '../core/field'

/** Settings of a system that PluralKit does not have. */
export const extSettings = entity('extSettings', {
  front_status_privacy: choice(['public', 'private'], {
    defaultValue: 'private',
    doc: 'Whether callers that may see the front also see status texts',
    example: 'public',
  }),
})

export type ExtSettings = Row<typeof extSettings>
export type ExtSettingsPatch = Patch<typeof extSettings>
