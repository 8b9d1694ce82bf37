import { Fragment } from 'preact'
import type { FieldValue } from '../../../model/members/fieldValue'
import type { CustomField, Member } from '../../api/types'
import { chosenOptions, fieldValue, membersWith, publicFields } from '../../core/customFields'
import { textOn } from '../../lib/color'
import { LoadProblem } from '../../ui/loadProblem'
import { Markdown } from '../../ui/markdown'
import { Skeleton } from '../../ui/page'
import { Fact } from '../../ui/profile'
import { formatValue } from './fieldFormat'
import { useFields } from './useMemberData'

interface Props {
  member: Member
  /** Shows private fields, too. */
  isOurs: boolean
}

/** Values of a member's custom fields, in the order of the fields. */
export function MemberFields({ member, isOurs }: Props) {
  const { data, problem, reload } = useFields()
  if (Object.keys(member.ext?.fields ?? {}).length === 0) return null
  if (data === null)
    return problem === '' ? (
      <Skeleton blocks={['card']} />
    ) : (
      <LoadProblem text={problem} onRetry={reload} />
    )
  return <FieldValues member={member} fields={isOurs ? data : publicFields(member, data)} />
}

export function FieldValues({
  member,
  fields,
}: {
  member: Member
  fields: readonly CustomField[]
}) {
  const shown = fields.filter((field) => fieldValue(member, field) !== null)
  if (shown.length === 0) return null
  return (
    <dl class="card facts">
      {shown.map((field) => (
        <Fact key={field.id} name={field.name}>
          <Value field={field} value={fieldValue(member, field)} />
        </Fact>
      ))}
    </dl>
  )
}

/** Value of a custom field, in the form that suits its type. */
function Value({ field, value }: { field: CustomField; value: FieldValue }) {
  const text = formatValue(field, value)
  switch (field.type) {
    case 'markdown':
      return <Markdown text={text} />
    case 'color':
      return (
        <span class="copying">
          <Swatch color={String(value)} />
          <code>{text}</code>
        </span>
      )
    case 'url':
      return (
        <a href={text} target="_blank" rel="noreferrer noopener nofollow" dir="ltr">
          {text}
        </a>
      )
    case 'choice':
    case 'choices':
      return (
        <span class="chips">
          {chosenOptions(field, value).map(({ id, name, color }) => (
            <bdi key={id} class="pill" style={pillStyle(color)}>
              {name}
            </bdi>
          ))}
        </span>
      )
    default:
      return (
        <bdi>
          {text.split('\n').map((line, index) => (
            <Fragment key={index}>
              {index > 0 && <br />}
              {line}
            </Fragment>
          ))}
        </bdi>
      )
  }
}

const MAX_SAMPLES = 3
const MAX_SAMPLE_LENGTH = 30

/** Some of the values that members have. */
export function SampleValues({ field }: { field: CustomField }) {
  const all = membersWith(field).map((member) => fieldValue(member, field))
  const distinct = [...new Map(all.map((value) => [String(value), value])).values()]
  const samples = distinct.slice(0, MAX_SAMPLES)
  if (samples.length === 0) return null
  if (field.options !== null) return <Value field={field} value={distinct.flat().map(String)} />
  if (field.type === 'color')
    return (
      <span class="chips">
        {samples.map((value) => (
          <Value key={value} field={field} value={value} />
        ))}
      </span>
    )
  return (
    <bdi class="small">
      {samples.map((value) => shorten(formatValue(field, value))).join(' · ')}
    </bdi>
  )
}

function shorten(text: string): string {
  const letters = [...text.replace(/\s+/g, ' ')]
  return letters.length <= MAX_SAMPLE_LENGTH
    ? letters.join('')
    : `${letters.slice(0, MAX_SAMPLE_LENGTH).join('').trimEnd()}…`
}

/** The colour itself. The edge shows it on a background of the same colour. */
function Swatch({ color }: { color: string }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="11" style={{ fill: `#${color}` }} />
    </svg>
  )
}

function pillStyle(color: string | null): Record<string, string> {
  return color === null
    ? { background: 'var(--sunk)', color: 'var(--ink)' }
    : { background: `#${color}`, color: textOn(color) }
}
