import { computed } from '@preact/signals'
import { useState } from 'preact/hooks'
import { appearance } from '../core/appearance'
import { textOn } from '../lib/color'

export interface AvatarSubject {
  readonly name: string
  readonly display_name: string | null
  readonly color: string | null
  readonly avatar_url: string | null
}

/**
 * Picture, or an initial on the member's colour. Hidden from screen readers, because the name is
 * beside it.
 */
export function Avatar({
  of,
  size = 'm',
}: {
  of: AvatarSubject | undefined
  size?: 's' | 'm' | 'l' | 'xl'
}) {
  const [broken, setBroken] = useState<string | null>(null)
  const picture = appearance.value.pictures === 'none' ? null : (of?.avatar_url ?? null)
  const letter = firstGrapheme(of?.display_name || of?.name || '?').toUpperCase()
  return (
    <span class={`avatar avatar-${size} tinted`} aria-hidden="true" style={tint(of?.color)}>
      {picture && picture !== broken ? (
        // `loading` has to precede `src`, or the browser starts the request before it is lazy.
        <img alt="" loading="lazy" src={picture} onError={() => setBroken(picture)} />
      ) : (
        <span class="letter">{letter}</span>
      )}
    </span>
  )
}

/** Returns the first character as people see it: flags and families are several code points. */
function firstGrapheme(text: string): string {
  const trimmed = text.trim()
  if (!('Segmenter' in Intl)) return [...trimmed][0] ?? ''
  for (const { segment } of graphemes.value.segment(trimmed)) return segment
  return ''
}

/** Created when it is first used. */
const graphemes = computed(() => new Intl.Segmenter())

/** Returns CSS variables for a colour and for text on it. */
export function tint(color: string | null | undefined): Record<string, string> {
  return color ? { '--own': `#${color}`, '--on-own': textOn(color) } : {}
}
