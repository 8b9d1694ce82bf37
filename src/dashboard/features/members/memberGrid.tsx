import { Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Member } from '../../api/types'
import { whenVisible } from '../../lib/whenVisible'
import { strings } from '../../texts/texts'
import { Avatar, tint } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import type { Section } from './memberSections'

interface Props {
  members: readonly Member[]
  chosen: readonly string[]
  label: string
  onToggle: (id: string) => void
}

function MemberGrid({ members, chosen, label, onToggle }: Props) {
  const { shown, moreButton } = useIncrementalList(members)
  return (
    <>
      <ul class="tiles" aria-label={label}>
        {shown.map((member, index) => (
          <li key={member.id} aria-setsize={members.length} aria-posinset={index + 1}>
            <button
              type="button"
              class="tile tinted"
              style={tint(member.color)}
              aria-pressed={chosen.includes(member.id)}
              onClick={({ currentTarget }) => {
                onToggle(member.id)
                // The bar that appears with the first selection may cover it.
                requestAnimationFrame(() => currentTarget.scrollIntoView({ block: 'nearest' }))
              }}
            >
              <Avatar of={member} />
              <bdi class="name">{member.display_name || member.name}</bdi>
              <span class="tick">
                <Icon name="check" />
              </span>
            </button>
          </li>
        ))}
      </ul>
      {moreButton}
    </>
  )
}

interface SectionsProps extends Omit<Props, 'members'> {
  sections: readonly Section[]
}

/** Grids with headings; the label is that of the one without. */
export function MemberGrids({ sections, label, ...props }: SectionsProps) {
  return (
    <>
      {sections.map(([heading, inside]) => (
        <Fragment key={heading}>
          {heading !== '' && <h3 class="quiet small">{heading}</h3>}
          <MemberGrid {...props} members={inside} label={heading || label} />
        </Fragment>
      ))}
    </>
  )
}

/** More than a screen shows, but few enough for a fast first render. */
const FIRST_PART = 30
const NEXT_PART = 60

interface ListOptions {
  /** Identifies the list; when it changes, rendering starts again with the first part. */
  listKey?: string
  /** Number of rows rendered before the page was left. */
  start?: number
  onMore?: (count: number) => void
}

/**
 * Renders a long list in parts. The next part is added near the end of the list, or on a button.
 */
export function useIncrementalList<T>(
  all: readonly T[],
  { listKey = '', start = 0, onMore }: ListOptions = {},
) {
  const [rendered, setRendered] = useState({ listKey, count: Math.max(FIRST_PART, start) })
  const count = rendered.listKey === listKey ? rendered.count : FIRST_PART
  const end = useRef<HTMLButtonElement>(null)
  const isMore = count < all.length
  const more = () => {
    setRendered({ listKey, count: count + NEXT_PART })
    onMore?.(count + NEXT_PART)
  }
  useEffect(() => {
    if (!isMore || !end.current) return
    return whenVisible(end.current, more, { rootMargin: '400px' })
  }, [isMore, count, listKey])
  const moreButton = isMore && (
    <button type="button" ref={end} class="plain" onClick={more}>
      {strings.showMore}
    </button>
  )
  return { shown: all.slice(0, count), isMore, more, end, moreButton }
}
