import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { isOffline } from '../core/store'
import { useAction } from '../core/useAction'
import { ConfirmSheet } from './confirmSheet'
import { ProblemText } from './problemText'

interface Row {
  /** Set where names are not unique. */
  readonly id?: string
  readonly name: string
}

interface Props<T> {
  rows: readonly T[]
  describe: (row: T) => string
  /** Shown behind the name. */
  note?: (row: T) => string
  /** Text of each button, and its accessible name. */
  action: string
  label: (name: string) => string
  onAction: (row: T) => Promise<void>
  more?: (row: T) => ComponentChildren
  /** Heading and text of a question that is asked first. */
  confirm?: readonly [heading: (name: string) => string, effect: string]
}

/** Rows with a name, a description and a button each. */
export function RowList<T extends Row>({
  rows,
  describe,
  note,
  action,
  label,
  onAction,
  more,
  confirm,
}: Props<T>) {
  const [asking, setAsking] = useState<T | null>(null)
  const { run, problem } = useAction()
  return (
    <>
      <ProblemText text={problem} />
      <ul class="things">
        {rows.map((row) => (
          <li key={row.id ?? row.name}>
            <div class="about">
              <bdi class="name">{row.name}</bdi>
              {note && <span class="quiet">{note(row)}</span>}
              <div class="quiet small">{describe(row)}</div>
            </div>
            <div class="row">
              {more?.(row)}
              <button
                type="button"
                class={confirm ? 'danger' : ''}
                aria-label={label(row.name)}
                aria-disabled={isOffline.value}
                onClick={() => run(() => (confirm ? setAsking(row) : onAction(row)))}
              >
                {action}
              </button>
            </div>
          </li>
        ))}
      </ul>
      {confirm && asking && (
        <ConfirmSheet
          heading={confirm[0](asking.name)}
          effect={confirm[1]}
          action={action}
          onConfirm={() => run(() => onAction(asking))}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  )
}
