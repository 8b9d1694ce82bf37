import { entity, type Patch, type Row } from './entity'
import { choice, reference, timestamp } from './field'

export const autoproxy = entity('autoproxy settings', {
  autoproxy_mode: choice(['off', 'front', 'latch', 'member'], {
    defaultValue: 'off',
    doc: 'Whom messages without tags are proxied as',
    example: 'latch',
  }),
  autoproxy_member: reference({
    doc: 'Short ID of the member that is latched or chosen; null in the modes off and front',
  }),
  last_latch_timestamp: timestamp({ doc: 'When the latch last moved' }),
})

export type Autoproxy = Row<typeof autoproxy>
export type AutoproxyPatch = Patch<typeof autoproxy>
export type AutoproxyMode = Autoproxy['autoproxy_mode']
