import { t } from 'elysia'

/** The parts of a path, as they are documented. */
export const systemRef = t.String({
  description:
    'Short ID, UUID, a linked account with its platform in front (Discord’s bare), or `@me`',
  example: '@me',
})
export const memberRef = t.String({ description: 'Short ID or UUID of a member' })
export const groupRef = t.String({ description: 'Short ID or UUID of a group' })
export const switchRef = t.String({ description: 'UUID of a switch' })
export const guildId = t.String({ description: 'ID of a guild (a chat platform’s server)' })
