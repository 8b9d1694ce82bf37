import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { saveFile } from '../../download'
import { strings } from '../../strings'
import { insightsStrings } from '../../strings/insights'
import { formatCsv, type Table } from '../../table'
import { SortTable } from './sortTable'

interface Props {
  title: string
  /** What it shows, in one sentence. */
  point: string
  /** Made when somebody wants it. */
  table: () => Table
  /** The name of the file for table programs. */
  file: string
  children: ComponentChildren
}

/** A picture of figures with its point in words; the same as a table, here or taken away. */
export function Chart({ title, point, table, file, children }: Props) {
  const [isTable, setTable] = useState(false)
  return (
    <section class="card chart">
      <header class="heading">
        <h2>{title}</h2>
        <div class="row">
          <button type="button" class="plain small" onClick={() => setTable(!isTable)}>
            <Of title={title}>{isTable ? strings.asPicture : strings.asTable}</Of>
          </button>
          <button
            type="button"
            class="plain small"
            onClick={() => saveFile(file, new Blob([formatCsv(table())], { type: 'text/csv' }))}
          >
            <Of title={title}>{insightsStrings.csv}</Of>
          </button>
        </div>
      </header>
      <p class="quiet">{point}</p>
      {isTable ? <SortTable title={title} table={table()} /> : children}
    </section>
  )
}

/** Which of the charts is meant is said to those who do not see where it stands. */
function Of({ title, children }: { title: string; children: string }) {
  return (
    <span>
      {children} <span class="unseen">{title}</span>
    </span>
  )
}
