import { useState } from 'preact/hooks'
import { say, toast } from '../../acts'
import { explainRefusal, openOwn } from '../../client'
import { saveFile } from '../../download'
import { isAway } from '../../store'
import { words } from '../../words'
import { importWords } from '../../words/import'

const PATH = 'v2/systems/@me/export'

/** Everything, or the history, as files. */
export function TakeAway() {
  const [problem, setProblem] = useState('')
  const [busy, setBusy] = useState('')
  const [part, setPart] = useState(1)

  const take = async (path: string, name: string) => {
    if (isAway.value || busy !== '') return
    setProblem('')
    setBusy(name)
    try {
      const response = await openOwn(path)
      saveFile(name, await response.blob())
      tell(importWords.isSaved(name))
      if (response.headers.get('link')?.includes('rel="next"')) setPart(part + 1)
    } catch (cause) {
      setProblem(explainRefusal(cause, words.away))
    }
    setBusy('')
  }
  const things = [
    {
      title: importWords.everything,
      about: part === 1 ? importWords.everythingMore : importWords.partsMore(part),
      act: part === 1 ? importWords.json : importWords.nextPart(part),
      path: part === 1 ? PATH : `${PATH}?part=${part}`,
      name: part === 1 ? 'system.json' : `system-${part}.json`,
    },
    {
      title: importWords.history,
      about: importWords.historyMore,
      act: importWords.csv,
      path: `${PATH}/front-history?format=csv`,
      name: 'front-history.csv',
    },
    {
      title: importWords.calendarTitle,
      about: importWords.calendarMore,
      act: importWords.calendar,
      path: `${PATH}/front-history?format=ics`,
      name: 'front-history.ics',
    },
  ]
  return (
    <section class="card">
      <h2>{importWords.take}</h2>
      <p class="problem" role="alert">
        {problem}
      </p>
      <ul class="things">
        {things.map(({ title, about, act, path, name }) => (
          <li key={title}>
            <div class="about">
              <span class="name">{title}</span>
              <div class="quiet small">{about}</div>
            </div>
            <button
              type="button"
              aria-busy={busy === name}
              aria-disabled={isAway.value}
              onClick={() => take(path, name)}
            >
              {act}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function tell(text: string): void {
  toast.value = { text }
  say(text)
}
