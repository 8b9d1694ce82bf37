import type { ComponentChildren, JSX } from 'preact'
import type { CustomFieldType } from '../../../model/members/customField'
import type { CustomField } from '../../api/types'
import { keyOf } from '../../core/customFields'
import { fieldStrings, privacyStrings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { Icon } from '../../ui/icon'
import { ProblemText } from '../../ui/problemText'
import { monthNames } from '../members/fieldFormat'
import type { Form } from './form'
import { ColorLine, common, DescriptionLine, Line, type Props } from './lines'

interface ValueProps extends Props {
  field: CustomField
}

/** Input for a member's value of a custom field. */
export function ValueLine({ form, field }: { form: Form; field: CustomField }) {
  const name = keyOf(field)
  const Input = inputs[field.type]
  return (
    <Input
      form={form}
      name={name}
      field={field}
      beside={
        <span class="quiet small">
          {field.privacy === 'private' && <Icon name="lock" />} {privacyStrings[field.privacy]}
        </span>
      }
    />
  )
}

/** Line with one input of a type that browsers know. */
function inputLine(attributes: JSX.IntrinsicElements['input']) {
  return ({ field: _, ...props }: ValueProps) => (
    <Line {...props}>
      <input {...common(props)} {...attributes} />
    </Line>
  )
}

const inputs: Record<CustomFieldType, (props: ValueProps) => ComponentChildren> = {
  text: ({ field: _, ...props }) => (
    <Line {...props}>
      <textarea {...common(props)} rows={2} />
    </Line>
  ),
  markdown: DescriptionLine,
  color: ColorLine,
  date: inputLine({ type: 'date' }),
  month: (props) => <SelectLine {...props} options={monthNames()} />,
  year: inputLine({ inputMode: 'numeric', maxLength: 4, dir: 'ltr' }),
  month_year: (props) => <PartsLine {...props} parts={['year', 'month']} />,
  month_day: (props) => <PartsLine {...props} parts={['month', 'day']} />,
  moment: inputLine({ type: 'datetime-local' }),
  number: inputLine({ inputMode: 'decimal', dir: 'ltr' }),
  flag: (props) => (
    <SelectLine
      {...props}
      options={[
        ['true', fieldStrings.yes],
        ['false', fieldStrings.no],
      ]}
      read={(value) => value === 'true'}
    />
  ),
  url: inputLine({ type: 'url', inputMode: 'url', dir: 'ltr', spellcheck: false }),
  choice: (props) => (
    <SelectLine
      {...props}
      options={(props.field.options ?? []).map(({ id, name }) => [id, name] as const)}
    />
  ),
  choices: ChoicesLine,
}

type SelectOptions = readonly (readonly [value: string, title: string])[]

/** Select with an entry for no value. */
function SelectLine({
  options,
  read = (value) => value,
  ...props
}: ValueProps & { options: SelectOptions; read?: (value: string) => unknown }) {
  const { onInput: _, ...rest } = common(props)
  return (
    <Line {...props}>
      <select
        {...rest}
        onChange={({ currentTarget: { value } }) =>
          props.form.change(props.name, value === '' ? null : read(value))
        }
      >
        <option value="">{fieldStrings.noValue}</option>
        {options.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </Line>
  )
}

type Part = 'year' | 'month' | 'day'

/** Parts of a date, because few browsers have an input for these. The month comes first. */
function PartsLine({ parts, ...props }: ValueProps & { parts: readonly [Part, Part] }) {
  const { form, name, field } = props
  const typed = String(form.values[name] ?? '').split('-')
  const { id, value: _, onInput: __, ...rest } = common(props)
  const change = (part: Part, text: string) => {
    const next = parts.map((other, index) => (other === part ? text : (typed[index] ?? '')))
    form.change(name, next.every((value) => value === '') ? null : next.join('-'))
  }
  const attributesOf = (part: Part) => ({
    ...rest,
    id: part === 'month' ? id : `${id}-${part}`,
    'aria-label': fieldStrings.partOf(fieldStrings[part], field.name),
    value: typed[parts.indexOf(part)] ?? '',
  })
  const [other] = parts.filter((part) => part !== 'month')
  return (
    <Line {...props}>
      <div class="color-field">
        <select
          {...attributesOf('month')}
          onChange={({ currentTarget }) => change('month', currentTarget.value)}
        >
          <option value="">{fieldStrings.month}</option>
          {monthNames().map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        {other && (
          <input
            {...attributesOf(other)}
            dir="ltr"
            inputMode="numeric"
            maxLength={other === 'year' ? 4 : 2}
            placeholder={fieldStrings[other]}
            onInput={({ currentTarget }) => change(other, currentTarget.value.trim())}
            // Typed "5" is the day 05.
            onBlur={({ currentTarget: { value } }) =>
              other === 'day' && /^\d$/.test(value) && change(other, `0${value}`)
            }
          />
        )}
      </div>
    </Line>
  )
}

/** Options that can be chosen together, as buttons. */
function ChoicesLine({ form, name, field, beside }: ValueProps) {
  const value = form.values[name]
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  const toggle = (id: string) =>
    form.change(
      name,
      (field.options ?? [])
        .map((option) => option.id)
        .filter((other) => chosen.includes(other) !== (other === id)),
    )
  return (
    <fieldset class="choice line">
      <legend class="unseen">{field.name}</legend>
      <div class="line-head">
        <span class="label" aria-hidden="true">
          {field.name}
        </span>
        {beside}
      </div>
      <div class="chips">
        {(field.options ?? []).map((option) => (
          <button
            key={option.id}
            type="button"
            class={option.color ? 'chip tinted ringed' : 'chip'}
            style={tint(option.color)}
            aria-pressed={chosen.includes(option.id)}
            onClick={() => toggle(option.id)}
          >
            {chosen.includes(option.id) && <Icon name="check" />}
            <bdi>{option.name}</bdi>
          </button>
        ))}
      </div>
      <ProblemText id={`problem-${name}`} text={form.problems[name] ?? ''} />
    </fieldset>
  )
}
