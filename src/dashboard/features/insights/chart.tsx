import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { saveFile } from '../../lib/download'
import { formatCsv, type Table } from '../../lib/table'
import { insightsStrings, strings } from '../../texts/texts'
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
          <button
            type="button"
            class="plain small"
            aria-label={isTable ? insightsStrings.chartOf(title) : insightsStrings.tableOf(title)}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? strings.asChart : strings.asTable}
          </button>
          <button
            type="button"
            class="plain small"
            aria-label={insightsStrings.csvOf(title)}
            onClick={() => saveFile(file, new Blob([formatCsv(table())], { type: 'text/csv' }))}
          >
            {insightsStrings.csv}
          </button>
        </div>
      </header>
      <p class="quiet">{summary}</p>
      {isTable ? <SortTable title={title} table={table()} /> : children}
    </section>
  )
}
