import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { usePages } from '../core/useQuery'
import { strings } from '../texts/texts'
import { LoadProblem } from './loadProblem'
import { Skeleton } from './page'

interface Props<T extends { id: string }> {
  pages: ReturnType<typeof usePages<T>>
  /** Text for a list without items. */
  empty: string
  children: (items: readonly T[]) => ComponentChildren
}

/** List that is loaded page by page: placeholder, problem, items, and a button for more. */
export function PagedList<T extends { id: string }>({ pages, empty, children }: Props<T>) {
  const { items, hasMore, problem, reload, loadMore } = pages
  // Another search or filter replaces the items when it has arrived.
  const before = useRef<readonly T[] | null>(null)
  if (items) before.current = items
  const shown = items ?? before.current
  if (shown === null)
    return problem === '' ? (
      <Skeleton blocks={['card']} />
    ) : (
      <LoadProblem text={problem} onRetry={reload} />
    )
  return (
    <>
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {items?.length === 0 && <p class="quiet">{empty}</p>}
      {shown.length > 0 && children(shown)}
      {hasMore && (
        <button type="button" class="plain" onClick={loadMore}>
          {strings.showMore}
        </button>
      )}
    </>
  )
}
