import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isOffline } from '../core/store'
import type { useQuery } from '../core/useQuery'
import { Icon } from './icon'
import { LoadProblem } from './loadProblem'
import { Page, Skeleton } from './page'

interface SheetProps<T> {
  /** Absent for a new row. */
  row: T | undefined
  onClose: () => void
  onDone: () => void
}

interface Props<T> {
  title: string
  /** Text of the button that adds a row. */
  add: string
  /** Text for a list without rows. */
  none: string
  query: ReturnType<typeof useQuery<readonly T[]>>
  sheet: (props: SheetProps<T>) => ComponentChildren
  /** Content below the list. */
  below?: ComponentChildren
  children: (rows: readonly T[], onEdit: (row: T) => void) => ComponentChildren
}

/** Page with a list whose rows are added and edited in a sheet. */
export function EditableList<T>(props: Props<T>) {
  const { title, add, none, query, sheet, below, children } = props
  const { data, problem, reload } = query
  const [edited, setEdited] = useState<{ row?: T } | null>(null)
  const close = () => setEdited(null)
  return (
    <Page
      title={title}
      actions={
        <button
          type="button"
          class="main"
          aria-disabled={isOffline.value || data === null}
          onClick={() => isOffline.value || (data && setEdited({}))}
        >
          <Icon name="plus" />
          {add}
        </button>
      }
    >
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {data === null ? (
        problem === '' && <Skeleton blocks={['card', 'rows']} />
      ) : data.length === 0 ? (
        <p>{none}</p>
      ) : (
        children(data, (row) => setEdited({ row }))
      )}
      {below}
      {edited &&
        sheet({
          row: edited.row,
          onClose: close,
          onDone() {
            close()
            reload()
          },
        })}
    </Page>
  )
}

/** Button of a row that opens its sheet. */
export function EditButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" class="round" aria-label={label} onClick={onClick}>
      <Icon name="edit" />
    </button>
  )
}
