import { useState } from 'preact/hooks'
import { appearance } from '../appearance'
import { textOn } from '../color'

export interface AvatarSubject {
  readonly name: string
  readonly display_name: string | null
  readonly color: string | null
  readonly avatar_url: string | null
}

/** A picture, or a letter on their colour. Hidden from screen readers: the name stands beside it. */
export function Avatar({
  of,
  size = 'm',
}: {
  of: AvatarSubject | undefined
  size?: 's' | 'm' | 'l' | 'xl'
}) {
  const [broken, setBroken] = useState<string | null>(null)
  const picture = appearance.value.pictures === 'none' ? null : (of?.avatar_url ?? null)
  const letter = [...(of?.display_name || of?.name || '?')][0]?.toUpperCase()
  return (
    <span class={`face face-${size} tinted`} aria-hidden="true" style={tint(of?.color)}>
      {picture && picture !== broken ? (
        // What is lazy must be known before what it is.
        <img alt="" loading="lazy" src={picture} onError={() => setBroken(picture)} />
      ) : (
        <span class="letter">{letter}</span>
      )}
    </span>
  )
}

/** A member's colour for the rules of the style sheet, and what is read on it. */
export function tint(color: string | null | undefined): Record<string, string> {
  return color ? { '--own': `#${color}`, '--on-own': textOn(color) } : {}
}
