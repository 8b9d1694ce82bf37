import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { saveFile } from '../../download'
import { strings } from '../../strings'
import { insightsStrings } from '../../strings/insights'
import { formatCsv, type Table } from '../../table'
import { SortTable } from './sortTable'

interface Props {
  title: string
  /** Summary in one sentence. */
  summary: string
  /** Built on demand. */
  table: () => Table
  /** Name of the CSV file. */
  file: string
  children: ComponentChildren
}

/** Chart with a summary in words; also available as a table and as CSV. */
export function Chart({ title, summary, table, file, children }: Props) {
  const [isTable, setTable] = useState(false)
  return (
    <section class="card chart">
      <header class="heading">
        <h2>{title}</h2>
        <div class="row">
          <button type="button" class="plain small" onClick={() => setTable(!isTable)}>
            <ButtonLabel title={title}>{isTable ? strings.asPicture : strings.asTable}</ButtonLabel>
          </button>
          <button
            type="button"
            class="plain small"
            onClick={() => saveFile(file, new Blob([formatCsv(table())], { type: 'text/csv' }))}
          >
            <ButtonLabel title={title}>{insightsStrings.csv}</ButtonLabel>
          </button>
        </div>
      </header>
      <p class="quiet">{summary}</p>
      {isTable ? <SortTable title={title} table={table()} /> : children}
    </section>
  )
}

/** Adds the chart's title for screen readers, because every chart has the same buttons. */
function ButtonLabel({ title, children }: { title: string; children: string }) {
  return (
    <span>
      {children} <span class="unseen">{title}</span>
    </span>
  )
}
