import { commands } from '../../../src/discord/commands/table'
import { rounds } from '../../tools/rounds'
import { describe, expect, test } from '../../tools/test'
import { startChat } from './discordChat'

const chat = await startChat()

/** Values that no command expects. The last one is a member of the owner. */
const values = [
  '"',
  '\u0000',
  '\ud800',
  '@everyone',
  '<@999999999999999999>',
  '__proto__',
  'x'.repeat(900),
  'Wren',
]

/** Writes a command with the same value for each parameter, as long as a message may be. */
function write(parts: (typeof commands)[number]['parts'], value: string): string {
  const words = parts.map((part) => ('literals' in part ? part.literals[0] : value))
  return `pk;${words.join(' ')}`.slice(0, 2000)
}

describe('every command', () => {
  for (const [title, by, given, count] of [
    ['refuses accounts without a system', 'guest', values.slice(-1), 1],
    // With four times as many rounds, every command gets every value.
    ['answers unexpected values', 'owner', values, rounds(2)],
  ] as const)
    test(`${title} without an unexpected error`, async () => {
      for (let round = 0; round < count; round++) {
        const { [by]: speaker } = await chat.newScene()
        for (const [index, { parts, id }] of commands.entries()) {
          if (id === 'system.new') continue
          const value = given[(index + round) % given.length] ?? ''
          const { text } = await speaker.say(write(parts, value))
          expect([id, value, text === '']).toEqual([id, value, false])
        }
      }
      expect(chat.logged()).not.toContain('Discord command failed')
      expect(chat.logged()).not.toContain('event failed')
    })
})
