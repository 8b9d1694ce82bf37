import type { Pair } from '../../../../model/fronting/pairs'
import { SECOND } from '../../../../model/time'
import { membersById, nameOf } from '../../store'
import { type Table, textCell } from '../../table'
import { spellLength } from '../../time'
import { listNames } from '../../words'
import { insightsWords } from '../../words/insights'
import { Face } from '../face'
import { timeCell } from './bars'
import { Chart } from './chart'
import { useSome } from './some'

/** Who is here with whom, longest first. */
export function Together({ pairs }: { pairs: readonly Pair[] }) {
  const { some, more } = useSome(pairs)
  const [first] = pairs
  if (!first)
    return (
      <section class="card chart">
        <h2>{insightsWords.together}</h2>
        <p class="quiet">{insightsWords.nobodyTogether}</p>
      </section>
    )
  return (
    <Chart
      title={insightsWords.together}
      point={insightsWords.mostTogether(namesOf(first), spellLength(first.time * SECOND))}
      table={() => makeTable(pairs)}
      file="often-together.csv"
    >
      <ol class="switches">
        {some.map((pair) => (
          <li key={pair.members.join()}>
            <span class="faces">
              {pair.members.map((id) => (
                <Face key={id} of={membersById.value.get(id)} size="s" />
              ))}
            </span>
            <span class="about">
              <span class="name">{namesOf(pair)}</span>
              <br />
              <span class="quiet small">
                {spellLength(pair.time * SECOND)} · {insightsWords.times(pair.times)}
              </span>
            </span>
          </li>
        ))}
      </ol>
      {more}
    </Chart>
  )
}

function namesOf({ members }: Pair): string {
  return listNames(members.map(nameOf))
}

function makeTable(pairs: readonly Pair[]): Table {
  const { who, time, times } = insightsWords.columns
  return {
    columns: [who, time, times],
    rows: pairs.map((pair) => [
      textCell(namesOf(pair)),
      timeCell(pair.time),
      { value: pair.times, text: String(pair.times) },
    ]),
    csv: [
      ['member_id', 'member', 'other_id', 'other', 'seconds', 'times'],
      ...pairs.map(({ members: [one, other], time, times }) => [
        one,
        nameOf(one),
        other,
        nameOf(other),
        time,
        times,
      ]),
    ],
  }
}
