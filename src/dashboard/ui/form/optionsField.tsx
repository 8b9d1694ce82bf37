import type { ComponentChildren } from 'preact'
import type { Option } from '../../../model/core/field'
import type { fieldStrings } from '../../texts/texts'
import { Icon } from '../icon'
import { ProblemText } from '../problemText'
import { ColorInput } from './colorInput'
import type { FieldTexts } from './formState'
import { inputAttributes } from './textField'

/** Option with a key while the form is open; a new one has no ID yet. */
export type OptionDraft = Option & { readonly key: number }

const newOption = { id: '', name: '', color: null }

/** Returns drafts of options; a number makes as many new ones. */
export function draftOptions(options: readonly Option[] | number): OptionDraft[] {
  const all = typeof options === 'number' ? Array(options).fill(newOption) : options
  return all.map((option: Option, key) => ({ ...option, key }))
}

/** Returns options for the body of a request. */
export function optionsOf(drafts: readonly OptionDraft[]): object[] {
  return drafts.map(({ id, key: _, name, ...option }) => ({
    ...(id !== '' && { id }),
    name: name.trim(),
    ...option,
  }))
}

interface Props {
  /** Names of the inputs and buttons. */
  texts: Pick<typeof fieldStrings, 'options' | 'option' | 'addOption' | 'removeOption' | 'colourOf'>
  options: readonly OptionDraft[]
  problems: FieldTexts
  max: number
  onChange: (options: readonly OptionDraft[]) => void
  /** Further inputs of an option. */
  more?: (option: OptionDraft, index: number, change: Change) => ComponentChildren
  /** Effect of what was removed. */
  children?: ComponentChildren
}
type Change = (patch: Partial<Option>) => void

/** Editable list of options, each with a name and a colour. */
export function OptionsField({ texts, options, problems, max, onChange, more, children }: Props) {
  const add = () => {
    const key = Math.max(-1, ...options.map((option) => option.key)) + 1
    onChange([...options, { ...newOption, key }])
  }
  return (
    <fieldset class="choice line">
      <legend>{texts.options}</legend>
      {options.map((option, index) => {
        const change: Change = (patch) => onChange(options.with(index, { ...option, ...patch }))
        const name = `option-${option.key}`
        const input = (key: 'name' | 'color', onInput: (value: string) => void) =>
          inputAttributes({
            name: `${name}-${key}`,
            value: option[key] ?? '',
            problem: problems[`options.${index}.${key}`] ?? '',
            onChange: onInput,
          })
        const describedBy = { 'aria-describedby': `problem-${name}` }
        return (
          <fieldset key={option.key} class="tag-row" aria-label={texts.option(index + 1)}>
            <label class="field" style={{ flex: '1 1 12rem' }}>
              {texts.option(index + 1)}
              <input {...input('name', (typed) => change({ name: typed }))} {...describedBy} />
            </label>
            <div style={{ flex: '1 1 11.5rem' }}>
              <ColorInput
                {...input('color', () => {})}
                {...describedBy}
                aria-label={texts.colourOf(index + 1)}
                onChange={(color) => change({ color: color === '' ? null : color })}
              />
            </div>
            <button
              type="button"
              class="round"
              aria-label={texts.removeOption(index + 1)}
              onClick={() => onChange(options.toSpliced(index, 1))}
            >
              <Icon name="close" />
            </button>
            {more?.(option, index, change)}
            <ProblemText
              id={`problem-${name}`}
              text={problems[`options.${index}.name`] ?? problems[`options.${index}.color`] ?? ''}
            />
          </fieldset>
        )
      })}
      {children}
      <ProblemText text={problems.options ?? ''} />
      {options.length < max && (
        <button type="button" onClick={add}>
          <Icon name="plus" />
          {texts.addOption}
        </button>
      )}
    </fieldset>
  )
}
