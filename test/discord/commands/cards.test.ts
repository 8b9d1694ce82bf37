import type { Embed } from '../../../src/discord/commands/answer'
import { memberCard } from '../../../src/discord/commands/cards/cards'
import { buildEmbed } from '../../../src/discord/commands/cards/embed'
import { formatListId, formatShortId } from '../../../src/discord/commands/cards/formatShortId'
import type { MemberView } from '../../../src/discord/commands/views'
import { en } from '../../../src/discord/text/en'
import { describe, expect, test } from '../../tools/test'

/** Counts the characters that Discord limits. */
function sizeOf({ title = '', description = '', fields = [], footer }: Embed): number {
  const texts = fields.map(({ name, value }) => name + value)
  return [title, description, ...texts, footer?.text ?? ''].join('').length
}

const long = (length: number) => '*'.repeat(length)

const largest: MemberView = {
  id: 'abcdef',
  uuid: 'u',
  name: long(100),
  display_name: long(100),
  color: 'ff8800',
  birthday: '2001-05-03',
  pronouns: long(100),
  avatar_url: 'https://example.com/a.png',
  webhook_avatar_url: null,
  banner: 'https://example.com/b.png',
  description: '](x'.repeat(333),
  created: '2024-01-01T00:00:00Z',
  proxy_tags: Array.from({ length: 100 }, () => ({ prefix: '`'.repeat(90), suffix: null })),
  keep_proxy: true,
  tts: false,
  autoproxy_enabled: true,
  message_count: 1e9,
  last_message_timestamp: '2024-01-01T00:00:00Z',
  privacy: null,
}

const system = { id: 'abcdef', name: 'x'.repeat(100) }

describe('cards', () => {
  test('keep the limits of Discord', () => {
    const groups = Array.from({ length: 250 }, () => long(100))
    const card = memberCard(largest, {
      texts: en,
      ids: {},
      link: null,
      groups,
      inGuild: { display_name: long(100), avatar_url: long(200) },
      system,
    })
    expect(sizeOf(card)).toBeLessThanOrEqual(6000)
    for (const { value } of card.fields ?? []) expect(value.length).toBeLessThanOrEqual(1024)
    const fields = Array.from({ length: 40 }, () => ({ name: 'name', value: long(2000) }))
    const full = buildEmbed({
      title: long(500),
      description: long(9000),
      footer: long(500),
      fields,
    })
    expect(sizeOf(full)).toBeLessThanOrEqual(6000)
    expect(full.fields?.length ?? 0).toBeLessThanOrEqual(25)
  })

  test('show text as it was typed, without formatting and links', () => {
    const card = memberCard(
      {
        ...largest,
        proxy_tags: [],
        description: '[a](https://evil.example)',
        pronouns: '@everyone',
      },
      { texts: en, ids: {}, link: null, groups: ['**x**'], inGuild: null, system },
    )
    expect(card.description).toBe('[a\\](https://evil.example)')
    expect(JSON.stringify(card.fields)).toContain('\\\\@everyone')
    expect(JSON.stringify(card.fields)).not.toContain('**x**')
  })

  test('show IDs as their reader prefers', () => {
    const style = { hid_display_split: true, hid_display_caps: true }
    expect(formatShortId('abcdef', style)).toBe('ABC-DEF')
    expect(formatShortId('abcde', style)).toBe('ABCDE')
    expect(formatListId('abcde', { hid_list_padding: 'left' })).toBe(' abcde')
    expect(formatListId('abcde', { ...style, hid_list_padding: 'right' })).toBe('ABCDE  ')
  })
})
