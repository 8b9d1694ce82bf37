import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { archiveStrings, fieldStrings, findText, strings } from '../../texts/texts'
import { formatMoment } from '../journal/journal'

/** An archived row as keys and values. */
export function ArchivedRow({ row }: { row: unknown }) {
  return (
    <li>
      <div class="about">
        {isRecord(row) ? (
          <dl class="facts">
            {entriesOf(row).map(([key, value]) => (
              <div key={key}>
                <dt>
                  <Key name={key} />
                </dt>
                <dd>
                  <Value value={value} depth={1} name={key} />
                </dd>
              </div>
            ))}
          </dl>
        ) : (
          <Value value={row} depth={1} />
        )}
      </div>
    </li>
  )
}

function Key({ name }: { name: string }) {
  return <>{findText(archiveStrings.keys, name) ?? <code>{name}</code>}</>
}

/** Deeper values are shown as JSON. */
const MAX_DEPTH = 3

interface Props {
  value: unknown
  depth: number
  name?: string
}

/** A value; a list has a line for each item, and an object is one line. */
function Value({ value, depth, name = '' }: Props) {
  if (typeof value === 'string') return <Text text={value} />
  if (typeof value === 'boolean') return <>{value ? fieldStrings.yes : fieldStrings.no}</>
  if (typeof value === 'number') return <>{formatNumber(name, value)}</>
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return <>–</>
  if (depth > MAX_DEPTH) return <code>{toJson(value)}</code>
  if (Array.isArray(value))
    return (
      <>
        {value.map((item, index) => (
          <div key={index}>
            <Value value={item} depth={depth + 1} name={name} />
          </div>
        ))}
      </>
    )
  return (
    <>
      {entriesOf(value).map(([key, inner], index) => (
        <span key={key}>
          {index > 0 && ' · '}
          <Key name={key} />: <Value value={inner} depth={depth + 1} name={key} />
        </span>
      ))}
    </>
  )
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Keys that say nothing to people come last. */
const technical = ['_id', 'uid', 'iv', 'lastOperationTime', 'supportMarkdown']

function entriesOf(row: object): [key: string, value: unknown][] {
  return Object.entries(row).sort(([a], [b]) => technical.indexOf(a) - technical.indexOf(b))
}

const MAX_TEXT = 1000

/** Text with its line breaks. Of a long one, the rest is shown on request. */
function Text({ text }: { text: string }): ComponentChildren {
  const [isWhole, setWhole] = useState(text.length <= MAX_TEXT)
  if (text === '') return <>–</>
  const shown = isWhole ? text : `${text.slice(0, MAX_TEXT)}…`
  return (
    <>
      <span dir="auto">
        {shown.split('\n').map((line, index) => (
          <span key={index}>
            {index > 0 && <br />}
            {line}
          </span>
        ))}
      </span>
      {!isWhole && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          {strings.showMore}
        </button>
      )}
    </>
  )
}

/** Times in milliseconds, from 2001 on. */
const [MIN_TIME, MAX_TIME] = [1e12, 1e13]

function formatNumber(name: string, value: number): string {
  const isTime = /time|date|at$/i.test(name) && value >= MIN_TIME && value < MAX_TIME
  return isTime ? formatMoment(value * 1000) : String(value)
}

function toJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    // Nested too deep.
    return '…'
  }
}
