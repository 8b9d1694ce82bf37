import { useState } from 'preact/hooks'
import { showToast } from '../../actions'
import { fetchOwn } from '../../api'
import { saveFile } from '../../download'
import { isOffline } from '../../store'
import { importStrings } from '../../strings'
import { useAction } from '../../useAction'
import { ProblemText } from '../problemText'

const PATH = 'v2/systems/@me/export'

/** Downloads of the export, the history and the calendar. */
export function ExportCard() {
  const { run, problem, isBusy } = useAction()
  const [current, setCurrent] = useState('')
  const [part, setPart] = useState(1)

  const download = (path: string, name: string) =>
    run(async () => {
      setCurrent(name)
      const response = await fetchOwn(path)
      saveFile(name, await response.blob())
      showToast({ text: importStrings.isSaved(name) })
      if (response.headers.get('link')?.includes('rel="next"')) setPart(part + 1)
    })
  const downloads = [
    {
      title: importStrings.everything,
      about: part === 1 ? importStrings.everythingMore : importStrings.partsMore(part),
      act: part === 1 ? importStrings.json : importStrings.nextPart(part),
      path: part === 1 ? PATH : `${PATH}?part=${part}`,
      name: part === 1 ? 'system.json' : `system-${part}.json`,
    },
    {
      title: importStrings.history,
      about: importStrings.historyMore,
      act: importStrings.csv,
      path: `${PATH}/front-history?format=csv`,
      name: 'front-history.csv',
    },
    {
      title: importStrings.calendarTitle,
      about: importStrings.calendarMore,
      act: importStrings.calendar,
      path: `${PATH}/front-history?format=ics`,
      name: 'front-history.ics',
    },
  ]
  return (
    <section class="card">
      <h2>{importStrings.export}</h2>
      <ProblemText text={problem} />
      <ul class="things">
        {downloads.map(({ title, about, act, path, name }) => (
          <li key={title}>
            <div class="about">
              <span class="name">{title}</span>
              <div class="quiet small">{about}</div>
            </div>
            <button
              type="button"
              aria-busy={isBusy && current === name}
              aria-disabled={isOffline.value}
              onClick={() => download(path, name)}
            >
              {act}
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
