import { t } from 'elysia'

export const TAG = 'Bots'

/** Like in version 2, but without `@me`. */
export const systemRef = t.String({
  description: 'Short ID, UUID, or a linked account (`platform:ID`; the bare ID for Discord)',
})
