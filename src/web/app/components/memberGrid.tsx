import { useEffect, useRef, useState } from 'preact/hooks'
import type { Member } from '../store'
import { strings } from '../strings'
import { Avatar, tint } from './avatar'
import { Icon } from './icon'

interface Props {
  members: readonly Member[]
  chosen: readonly string[]
  label: string
  onToggle: (id: string) => void
}

/** Faces to choose from. */
export function MemberGrid({ members, chosen, label, onToggle }: Props) {
  const { shown, onward } = useIncrementalList(members)
  return (
    <>
      <ul class="tiles" aria-label={label}>
        {shown.map((member, at) => (
          <li key={member.id} aria-setsize={members.length} aria-posinset={at + 1}>
            <button
              type="button"
              class="tile tinted"
              style={tint(member.color)}
              aria-pressed={chosen.includes(member.id)}
              onClick={() => onToggle(member.id)}
            >
              <Avatar of={member} />
              <span class="name">{member.display_name || member.name}</span>
              <span class="tick">
                <Icon name="check" />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {onward}
    </>
  )
}

/** More than a screen shows; what is drawn first is waited for. */
const FIRST = 30
const PART = 60

interface Parts {
  /** What the list is of: of another one, the first part is drawn again. */
  about?: string
  /** How many were drawn when it was left. */
  start?: number
  onMore?: (count: number) => void
}

/** Long lists are drawn in parts: the next comes when the end is in sight, or at a press. */
export function useIncrementalList<T>(
  all: readonly T[],
  { about = '', start = 0, onMore }: Parts = {},
) {
  const [drawn, setDrawn] = useState({ about, count: Math.max(FIRST, start) })
  const count = drawn.about === about ? drawn.count : FIRST
  const end = useRef<HTMLButtonElement>(null)
  const isMore = count < all.length
  const more = () => {
    setDrawn({ about, count: count + PART })
    onMore?.(count + PART)
  }
  useEffect(() => {
    if (!isMore || !end.current) return
    const watcher = new IntersectionObserver(
      ([seen]) => {
        if (seen?.isIntersecting) more()
      },
      { rootMargin: '400px' },
    )
    watcher.observe(end.current)
    return () => watcher.disconnect()
  }, [isMore, count, about])
  const onward = isMore && (
    <button type="button" ref={end} class="plain" onClick={more}>
      {strings.showMore}
    </button>
  )
  return { shown: all.slice(0, count), isMore, more, end, onward }
}
