import { t } from 'elysia'

/** Path parameters, as they are documented. */
export const systemRef = t.String({
  description:
    'Short ID, UUID, a linked account (`platform:ID`; the bare ID for Discord), or `@me`',
  example: '@me',
})
export const memberRef = t.String({ description: 'Short ID or UUID of a member' })
export const groupRef = t.String({ description: 'Short ID or UUID of a group' })
export const switchRef = t.String({ description: 'UUID of a switch' })
export const guildId = t.String({ description: 'ID of a guild (a server of a chat platform)' })
