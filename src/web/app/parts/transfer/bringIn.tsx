import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type ImportPart, importParts } from '../../../../model/transfer'
import { say } from '../../acts'
import { askOwn, explainRefusal, Refused } from '../../client'
import { importFile } from '../../drafts'
import { importQuery, isSame, type Report } from '../../report'
import { isAway, loadAnew } from '../../store'
import { words } from '../../words'
import { importWords } from '../../words/import'
import { ImportReport, nameOfPart, spellTally } from './report'

/** A file: what it is, what would happen; then, if wanted, for good. */
export function BringIn() {
  const [done, setDone] = useState<Report | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const file = importFile.value
  const take = (given: File | undefined) => {
    if (!given) return
    setDone(null)
    importFile.value = given
  }
  // Wherever it falls: else the browser would open it, and leave.
  useEffect(() => {
    const drop = (event: DragEvent) => {
      event.preventDefault()
      if (event.type === 'drop') take(event.dataTransfer?.files[0])
    }
    addEventListener('dragover', drop)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', drop)
      removeEventListener('drop', drop)
    }
  }, [])
  useEffect(() => {
    if (file || done) heading.current?.focus()
  }, [file, done])
  const finish = (report: Report) => {
    importFile.value = null
    setDone(report)
    say(isSame(report) ? importWords.nothingDone : importWords.done(tellCounts(report)))
    loadAnew().catch(() => {})
  }
  if (done) return <Done report={done} heading={heading} onFile={take} />
  if (file)
    return (
      <Preview
        key={`${file.name} ${file.size} ${file.lastModified}`}
        file={file}
        heading={heading}
        onFile={take}
        onDone={finish}
      />
    )
  return (
    <section class="card drop">
      <h2>{importWords.bring}</h2>
      <p class="quiet">{importWords.bringMore}</p>
      <div class="row">
        <ChooseFile label={importWords.choose} kind="main" onFile={take} />
        <span class="quiet drop-hint">{importWords.drop}</span>
      </div>
    </section>
  )
}

interface ChooseProps {
  label: string
  kind?: string
  onFile: (file: File | undefined) => void
}

/** The browser's own field for files, dressed as a button. */
function ChooseFile({ label, kind = '', onFile }: ChooseProps) {
  return (
    <label class={`button file ${kind}`}>
      {label}
      <input
        type="file"
        class="unseen"
        accept=".json,.db,.txt,application/json"
        onChange={({ currentTarget }) => {
          onFile(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

interface PreviewProps {
  file: File
  heading: RefObject<HTMLHeadingElement | null>
  onFile: (file: File | undefined) => void
  onDone: (report: Report) => void
}

const allParts: ReadonlySet<ImportPart> = new Set(importParts)

function Preview({ file, heading, onFile, onDone }: PreviewProps) {
  const [report, setReport] = useState<Report | null>(null)
  const [parts, setParts] = useState(allParts)
  const [isPublic, setPublic] = useState(false)
  const [busy, setBusy] = useState('')
  const [problem, setProblem] = useState('')

  const send = (isDryRun: boolean, signal?: AbortSignal) =>
    askOwn<Report>(`v2/systems/@me/import?${importQuery({ isDryRun, parts, isPublic })}`, {
      method: 'POST',
      file,
      ...(signal && { signal }),
    })
  const attempt = async (doing: string, act: () => Promise<void>, signal?: AbortSignal) => {
    setProblem('')
    setBusy(doing)
    try {
      await act()
    } catch (cause) {
      if (!signal?.aborted) setProblem(explain(cause))
    }
    if (!signal?.aborted) setBusy('')
  }

  useEffect(() => {
    // What was cut off is done again when the server is back.
    if (parts.size === 0 || isAway.value) return setBusy('')
    const leaving = new AbortController()
    const { signal } = leaving
    const look = async () => {
      const found = await send(true, signal)
      setReport(found)
      if (found) say(`${importWords.formats[found.format]}: ${tellCounts(found)}`)
    }
    attempt(importWords.looking, look, signal)
    return () => leaving.abort()
  }, [file, parts, isPublic, isAway.value])

  const bring = () =>
    attempt(importWords.bringing, async () => {
      const brought = await send(false)
      if (brought) onDone(brought)
    })
  const cannot = isAway.value || busy !== '' || parts.size === 0 || report === null
  return (
    <section class="card" aria-busy={busy !== ''}>
      <h2 ref={heading} tabIndex={-1}>
        {report ? importWords.formats[report.format] : file.name}
      </h2>
      <p class="quiet">{importWords.about(file.name, spellSize(file.size))}</p>
      {report && (
        <>
          <ImportReport report={report} />
          <Choices {...{ report, parts, setParts, isPublic, setPublic }} />
        </>
      )}
      <p role="status" class="quiet">
        {busy}
      </p>
      <p class="problem" role="alert">
        {problem || (parts.size === 0 ? importWords.noParts : '')}
      </p>
      <div class="row">
        {report && (
          <button
            type="button"
            class="main"
            aria-disabled={cannot}
            onClick={() => cannot || bring()}
          >
            {importWords.bring}
          </button>
        )}
        <ChooseFile label={importWords.another} onFile={onFile} />
        <button
          type="button"
          onClick={() => {
            importFile.value = null
          }}
        >
          {words.cancel}
        </button>
      </div>
    </section>
  )
}

interface ChoicesProps {
  report: Report
  parts: ReadonlySet<ImportPart>
  setParts: (parts: ReadonlySet<ImportPart>) => void
  isPublic: boolean
  setPublic: (isPublic: boolean) => void
}

function Choices({ report, parts, setParts, isPublic, setPublic }: ChoicesProps) {
  return (
    <fieldset class="choice">
      <legend>{importWords.parts}</legend>
      {importParts.map((part) => (
        <label key={part} class="check">
          <input
            type="checkbox"
            checked={parts.has(part)}
            onChange={({ currentTarget: { checked } }) =>
              setParts(
                new Set(importParts.filter((one) => (one === part ? checked : parts.has(one)))),
              )
            }
          />
          {nameOfPart(part)}
        </label>
      ))}
      <p class="quiet small">{importWords.allThree}</p>
      {report.format === 'simplyplural' && (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={isPublic}
              onChange={({ currentTarget: { checked } }) => setPublic(checked)}
            />
            {importWords.friends}
          </label>
          <p class="quiet small">{importWords.friendsMore}</p>
        </>
      )}
    </fieldset>
  )
}

interface DoneProps {
  report: Report
  heading: RefObject<HTMLHeadingElement | null>
  onFile: (file: File | undefined) => void
}

function Done({ report, heading, onFile }: DoneProps) {
  return (
    <section class="card">
      <h2 ref={heading} tabIndex={-1}>
        {importWords.isDone}
      </h2>
      <ImportReport report={report} />
      <div class="row">
        <a class="button" href="#/now">
          {importWords.toNow}
        </a>
        <ChooseFile label={importWords.another} onFile={onFile} />
      </div>
    </section>
  )
}

function tellCounts(report: Report): string {
  return importParts.map((part) => `${nameOfPart(part)} ${spellTally(report[part])}`).join('; ')
}

const TOO_LARGE = 413

function explain(cause: unknown): string {
  if (cause instanceof Refused && cause.status === TOO_LARGE) return importWords.tooLarge
  return explainRefusal(cause, words.away)
}

function spellSize(bytes: number): string {
  const kilobytes = Math.ceil(bytes / 1024)
  return kilobytes < 1000
    ? importWords.kilobytes(kilobytes)
    : importWords.megabytes((kilobytes / 1024).toFixed(1))
}
