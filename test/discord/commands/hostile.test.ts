import { commands } from '../../../src/discord/commands/table'
import { describe, expect, test } from '../../test'
import { createTestApp } from '../../testApp'
import { createChat } from './chat'

const chat = createChat(createTestApp())

/** Values that no command expects. The last one is a member of the owner. */
const values = [
  '"',
  '-1',
  '\\',
  '\u0000',
  '\ud800',
  '@everyone',
  '<@999999999999999999>',
  '999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  '__proto__',
  'x'.repeat(3000),
  "' or 1=1 --",
  'Wren',
]

/** Writes a command with the same value for each parameter. */
function write(parts: (typeof commands)[number]['parts'], value: string): string {
  const words = parts.map((part) => ('literals' in part ? part.literals[0] : value))
  return `pk;${words.join(' ')}`
}

describe('every command', () => {
  for (const [title, hasSystem] of [
    ['refuses accounts without a system', false],
    ['answers unexpected values', true],
  ] as const)
    test(`${title} without an unexpected error`, async () => {
      const owner = await chat.newSystem('Lantern Hill')
      await owner.say('pk;m new Wren')
      const speaker = hasSystem ? owner : chat.newcomer()
      for (const { parts, id } of commands)
        for (const value of values) {
          if (id === 'system.new') continue
          const { answer, text } = await speaker.say(write(parts, value))
          expect([id, value, answer === null]).toEqual([id, value, false])
          expect(text.length, id).toBeLessThanOrEqual(6500)
          expect((answer?.content ?? '').length, `${id} ${value}`).toBeLessThanOrEqual(2000)
        }
      expect(chat.errors).toEqual([])
    })
})
