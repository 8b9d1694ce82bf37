import { cutText } from '../../../model/core/field/text'
import { parseInstant } from '../../../model/core/time'
import type { Embed } from '../answer'
import { MAX_EMBEDS } from '../answer'

const MAX_TITLE = 256
const MAX_DESCRIPTION = 4000
const MAX_VALUE = 1024
const MAX_FIELDS = 25

export interface CardField {
  readonly name: string
  /** Empty values are left out. */
  readonly value: string | null | undefined
  readonly isInline?: boolean
}

export interface Card {
  readonly title: string
  /** Address that the title leads to. */
  readonly link?: string | null
  readonly color?: string | null
  readonly description?: string | null
  readonly picture?: string | null
  readonly banner?: string | null
  readonly fields?: readonly CardField[]
  readonly footer?: string
}

/** Builds an embed within Discord's limits. Texts are escaped by the caller. */
export function buildEmbed(card: Card): Embed {
  const title = shorten(card.title, MAX_TITLE)
  const footer = shorten(card.footer ?? '', MAX_TITLE)
  let left = MAX_EMBEDS - title.length - footer.length
  const take = (text: string, max: number) => {
    const taken = shorten(text, Math.min(max, left))
    left -= taken.length
    return taken
  }
  const description = take(card.description ?? '', MAX_DESCRIPTION)
  const fields = []
  for (const { name, value, isInline = false } of card.fields ?? []) {
    if (!value || fields.length === MAX_FIELDS || left < name.length + 20) continue
    left -= name.length
    fields.push({ name, value: take(value, MAX_VALUE), inline: isInline })
  }
  return {
    title,
    ...(card.link && { url: card.link }),
    ...(description !== '' && { description }),
    ...(card.color && { color: Number.parseInt(card.color, 16) }),
    ...(card.picture && { thumbnail: { url: card.picture } }),
    ...(card.banner && { image: { url: card.banner } }),
    ...(fields.length > 0 && { fields }),
    ...(footer !== '' && { footer: { text: footer } }),
  }
}

export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max - 1)}…`
}

/** Formats a time so that each reader sees it in the own time zone. */
export function formatTime(time: string | null, style: 'f' | 'R' | 'D' = 'f'): string | null {
  const instant = time === null ? null : parseInstant(time)
  return instant === null ? null : `<t:${Math.floor(instant / 1_000_000)}:${style}>`
}
