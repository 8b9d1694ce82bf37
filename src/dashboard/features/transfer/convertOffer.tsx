import type { ConvertibleRows } from '../../api/types'
import { preferences } from '../../core/store'
import { archiveStrings } from '../../texts/texts'
import { answerOffer, isOffered } from './archiveOffer'
import { describeCollection } from './importReportView'

/** Offers on Now to convert what an earlier release archived. */
export function ConvertOffer() {
  if (!isOffered.value) return null
  const dismiss = () => {
    answerOffer()
    document.querySelector('h1')?.focus()
  }
  return (
    <section class="card" aria-label={archiveStrings.offered}>
      <p>{describeOffer(preferences.value.archive?.convertible ?? [])}</p>
      <div class="row">
        <ConvertButton />
        <button type="button" onClick={dismiss}>
          {archiveStrings.notNow}
        </button>
      </div>
    </section>
  )
}

/** Opens the preview of the conversion. */
export function ConvertButton() {
  return (
    <button
      type="button"
      class="main"
      onClick={() => {
        location.hash = '#/archive/convert'
      }}
    >
      {archiveStrings.convertNow}
    </button>
  )
}

/** Collections that are named first; details of members and the like say less. */
const first = ['notes', 'customFields', 'polls', 'boardMessages', 'chatMessages', 'comments']

/** Collections that are named; the rows of others are counted together. */
const MAX_NAMED = 3

/** The server counts no more rows of a collection. */
const MAX_COUNTED = 1000

function describeOffer(convertible: readonly ConvertibleRows[]): string {
  const placeOf = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  const sorted = convertible.toSorted((a, b) => placeOf(a.collection) - placeOf(b.collection))
  const sum = (some: readonly ConvertibleRows[]) => some.reduce((all, { rows }) => all + rows, 0)
  const named = sorted
    .slice(0, MAX_NAMED)
    .map(({ collection, rows }) =>
      rows > MAX_COUNTED
        ? archiveStrings.moreThan(describeCollection(collection, MAX_COUNTED))
        : describeCollection(collection, rows),
    )
  const others = sum(sorted.slice(MAX_NAMED))
  const kinds = others > 0 ? [...named, archiveStrings.others(others)] : named
  return archiveStrings.offer(kinds, sum(sorted))
}
