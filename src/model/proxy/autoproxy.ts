import { entity, type Identity, type Patch, type Row } from '../core/entity'
import { choice, reference, timestamp } from '../core/field'

export const autoproxy = entity('autoproxy settings', {
  autoproxy_mode: choice(['off', 'front', 'latch', 'member'], {
    defaultValue: 'off',
    doc: 'How the member for messages without proxy tags is chosen',
    example: 'latch',
  }),
  autoproxy_member: reference({
    doc: 'Short ID of the latched or chosen member; null in the modes off and front',
  }),
  last_latch_timestamp: timestamp({ doc: 'When the latch was last updated' }),
})

export type Autoproxy = Row<typeof autoproxy>
export type AutoproxyPatch = Patch<typeof autoproxy>
export type AutoproxyMode = Autoproxy['autoproxy_mode']

/** Autoproxy of a system in a guild, with the IDs of the member that clients use. */
export interface GuildAutoproxy extends Omit<Autoproxy, 'autoproxy_member'> {
  autoproxy_member: Identity | null
}
