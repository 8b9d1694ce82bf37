import { useEffect, useRef, useState } from 'preact/hooks'
import { announce } from '../../core/actions'
import { isOffline, memberWord, reloadAll } from '../../core/store'
import { useAction } from '../../core/useAction'
import { pictureStrings } from '../../texts/texts'
import { Icon } from '../../ui/icon'
import { ProblemText } from '../../ui/problemText'
import { type AvatarReport, type Progress, sendAvatars } from './avatarArchive'
import { explainPicture } from './explain'
import { ZipError } from './zip'

/** Asks for the avatar archive of Simply Plural, and sends its pictures. */
export function AvatarArchive() {
  const [progress, setProgress] = useState<Progress | null>(null)
  const [report, setReport] = useState<AvatarReport | null>(null)
  const sending = useRef<AbortController | null>(null)
  const { run, problem, isBusy } = useAction({ explain })
  // Afterwards, what changed is loaded, which cannot be stopped.
  const isSending = isBusy && report === null
  useEffect(() => () => sending.current?.abort(), [])
  const send = (file: File | undefined) =>
    run(async () => {
      if (!file) return
      const controller = new AbortController()
      sending.current = controller
      setReport(null)
      try {
        const result = await sendAvatars(file, setProgress, controller.signal)
        setReport(result)
        announce(pictureStrings.stored(result.stored))
        if (result.stored > 0) await reloadAll()
      } finally {
        setProgress(null)
      }
    })
  return (
    <section class="folds part" aria-busy={isBusy}>
      <h3>{pictureStrings.archive}</h3>
      <p>{pictureStrings.archiveMore(memberWord.value)}</p>
      {report && <Result report={report} />}
      <p role="status" class="quiet">
        {isSending &&
          (progress
            ? pictureStrings.sending(progress.done + 1, progress.total)
            : pictureStrings.reading)}
      </p>
      {isSending && progress && (
        <progress value={progress.done} max={progress.total} aria-hidden="true" />
      )}
      <ProblemText text={problem || (report?.problem ? explainPicture(report.problem) : '')} />
      <div class="row">
        {isSending ? (
          <button type="button" onClick={() => sending.current?.abort()}>
            {pictureStrings.stop}
          </button>
        ) : (
          <label class="button file" aria-disabled={isOffline.value || isBusy}>
            {pictureStrings.chooseArchive}
            <input
              type="file"
              class="unseen"
              accept=".zip,application/zip"
              onChange={({ currentTarget }) => {
                send(currentTarget.files?.[0])
                currentTarget.value = ''
              }}
            />
          </label>
        )}
      </div>
    </section>
  )
}

/** Says what was stored, and lists what was skipped. */
function Result({ report: { stored, skipped } }: { report: AvatarReport }) {
  return (
    <>
      <p>{pictureStrings.stored(stored)}</p>
      {skipped.length > 0 && (
        <details class="fold">
          <summary>
            {pictureStrings.skipped(skipped.length)}
            <Icon name="forth" />
          </summary>
          <ul>
            {skipped.map(({ name, reason }, index) => (
              <li key={index}>{pictureStrings.line(name, pictureStrings.reasons[reason])}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function explain(cause: unknown): string {
  return cause instanceof ZipError ? pictureStrings.notArchive : explainPicture(cause)
}
