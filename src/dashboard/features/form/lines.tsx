import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Entity, Level } from '../../../model/core/entity'
import { group } from '../../../model/groups/group'
import { appearance, formatter } from '../../core/appearance'
import { memberWord } from '../../core/store'
import { NO_YEAR } from '../../lib/time'
import { editStrings, findText, pictureStrings } from '../../texts/texts'
import { ColorInput } from '../../ui/form/colorInput'
import { inputAttributes } from '../../ui/form/textField'
import { Markdown } from '../../ui/markdown'
import { LevelButton } from '../../ui/privacySwitch'
import { ProblemText } from '../../ui/problemText'
import { PictureUpload } from '../pictures/pictureUpload'
import type { Form } from './form'
import { labelOf } from './formPage'

export interface Props {
  form: Form
  name: string
  /** Shown beside the label in place of a privacy level. */
  beside?: ComponentChildren
}

interface LineProps extends Props {
  /** Spans the full width of the form. */
  isWide?: boolean
  hint?: string | undefined
  children: ComponentChildren
}

/** Field with its label, privacy level, hint and validation message. */
export function Line(props: LineProps) {
  const { form, name, beside, isWide = false, hint = hintOf(form, name), children } = props
  return (
    <div class={isWide ? 'line wide-line' : 'line'}>
      <div class="line-head">
        <label for={`field-${name}`}>{labelOf(name, form)}</label>
        {beside ?? <Guard form={form} name={name} />}
      </div>
      {children}
      {hint && (
        <p id={`hint-${name}`} class="quiet small">
          {hint}
        </p>
      )}
      <ProblemText id={`problem-${name}`} text={form.problems[name] ?? ''} />
    </div>
  )
}

/** The form of a group has more fields than the group of v2. */
function isGroup({ name }: Entity): boolean {
  return name === group.name
}

/** Explains a field or a level, where its name is not enough. */
function hintOf({ entity, values }: Form, name: string): string | undefined {
  if (name === 'visibility') {
    const kind = isGroup(entity) ? 'groups' : 'members'
    return editStrings.listed[kind][values[name] as Level](memberWord.value)
  }
  if (name === 'name' && entity.fields.display_name && values.name_privacy === 'private')
    return values.display_name ? editStrings.nameReplaced : editStrings.nameStillShown
  if (name === 'metadata_privacy' && isGroup(entity)) return editStrings.groupMetadataMore
  return findText(editStrings.hints, name)
}

/** Privacy level of a field; not every field has one. */
export function Guard({ form, name }: Props) {
  const field = form.entity.fields[name]
  if (form.entity.levels.length === 0) return null
  if (field?.guard === undefined)
    return field?.ownerOnly === undefined ? (
      <span class="quiet small">{editStrings.alwaysPublic}</span>
    ) : null
  return <LevelOf form={form} level={field.guard} label={labelOf(name, form)} />
}

export function LevelOf({ form, level, label }: { form: Form; level: string; label: string }) {
  return (
    <LevelButton
      label={label}
      level={form.values[level] as Level}
      onChange={(next) => form.change(level, next)}
    />
  )
}

/** Level that guards more than one field. */
export function LevelLine({ form, level }: { form: Form; level: string }) {
  const isOfGroup = level === 'metadata_privacy' && isGroup(form.entity)
  const label = isOfGroup ? editStrings.groupMetadata : labelOf(level, form)
  return (
    <div class="line">
      <div class="line-head">
        <span class="label">{label}</span>
        <LevelOf form={form} level={level} label={label} />
      </div>
      <p class="quiet small">{hintOf(form, level)}</p>
    </div>
  )
}

/** Attributes that all inputs share. */
export function common({ form, name }: Props) {
  return inputAttributes(form.field(name))
}

export function TextLine(props: Props) {
  return (
    <Line {...props}>
      <input {...common(props)} />
    </Line>
  )
}

export function ColorLine(props: Props) {
  const { form, name } = props
  return (
    <Line {...props}>
      <ColorInput {...common(props)} onChange={(value) => form.change(name, value)} />
    </Line>
  )
}

/** A leap year, for date inputs, which need a year. */
const ANY_YEAR = 2000
const formatYear = (year: number) => String(year).padStart(4, '0')

/** A date input always has a year; the year that means "none" is never shown. */
export function BirthdayLine(props: Props) {
  const { form, name } = props
  const date = String(form.values[name] ?? '')
  const isYearless = date.startsWith(`${formatYear(NO_YEAR)}-`)
  const day = date.slice(4)
  return (
    <Line {...props}>
      <input
        {...common(props)}
        type="date"
        value={isYearless ? `${ANY_YEAR}${day}` : date}
        onInput={({ currentTarget: { value } }) =>
          form.change(name, isYearless && value ? `${formatYear(NO_YEAR)}${value.slice(4)}` : value)
        }
      />
      {date !== '' && (
        <label class="check">
          <input
            type="checkbox"
            checked={isYearless}
            onChange={({ currentTarget: { checked } }) =>
              form.change(name, `${formatYear(checked ? NO_YEAR : ANY_YEAR)}${day}`)
            }
          />
          {editStrings.noYear}
        </label>
      )}
      {date !== '' && !(name in form.problems) && (
        <p class="quiet small">{editStrings.shownAs(formatter.value.birthday(date))}</p>
      )}
    </Line>
  )
}

export function DescriptionLine(props: Props & Pick<LineProps, 'hint'>) {
  const { form, name } = props
  const typed = String(form.values[name] ?? '')
  const max = form.entity.fields[name]?.max ?? 0
  return (
    <Line {...props} isWide>
      <textarea {...common(props)} rows={6} />
      <p class="quiet small">{editStrings.letters(typed.length, max)}</p>
      {typed.trim() !== '' && (
        <section class="note preview" aria-label={editStrings.preview}>
          <p class="quiet small">{editStrings.preview}</p>
          <Markdown text={typed} />
        </section>
      )}
    </Line>
  )
}

const PREVIEW_DELAY_MS = 600

interface PictureLineProps extends Props {
  isWide?: boolean
  /** Path of the extension API that stores a picture for this field; without one it is only a URL. */
  path?: string
  /** Called with the URL of a stored picture, or null after its removal. */
  onStored?: (url: string | null) => void
}

/** URL of a picture with a preview. Loads nothing while the URL is being typed. */
export function PictureLine({ path, onStored, ...props }: PictureLineProps) {
  const { form, name } = props
  const typed = String(form.values[name] ?? '')
  const parsed = form.entity.fields[name]?.parse(typed)
  const url = typeof parsed === 'string' ? parsed : null
  const [shown, setShown] = useState(url)
  const [broken, setBroken] = useState<string | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setShown(url), PREVIEW_DELAY_MS)
    return () => clearTimeout(timer)
  }, [url])
  const isOff = appearance.value.pictures === 'none'
  return (
    <Line {...props} {...(path !== undefined && { hint: pictureStrings.orAddress })}>
      {path !== undefined && (
        <PictureUpload
          path={path}
          url={url}
          onStored={(stored) => {
            onStored?.(stored)
            form.takeStored?.(name, stored)
          }}
        />
      )}
      <input {...common(props)} type="url" dir="ltr" inputMode="url" spellcheck={false} />
      {shown !== null && isOff && <p class="quiet small">{editStrings.picturesOff}</p>}
      {shown !== null && !isOff && shown === broken && (
        <p class="quiet small" role="status">
          {editStrings.pictureBroken}
        </p>
      )}
      {shown !== null && !isOff && shown !== broken && (
        <img
          class={props.isWide ? 'shown-picture shown-banner' : 'shown-picture'}
          alt=""
          src={shown}
          onError={() => setBroken(shown)}
        />
      )}
    </Line>
  )
}

export function FlagLine({ form, name }: Props) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={form.values[name] === true}
        onChange={(event) => form.change(name, event.currentTarget.checked)}
      />
      {labelOf(name, form)}
    </label>
  )
}
