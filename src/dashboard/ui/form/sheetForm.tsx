import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Entity, JsonObject } from '../../../model/core/entity'
import type { Resource } from '../../api/resources'
import { showToast } from '../../core/actions'
import { changesOf, problemsOf, trimTexts } from '../../core/form'
import type { Toast } from '../../core/toastStorage'
import { strings } from '../../texts/texts'
import { ConfirmSheet } from '../confirmSheet'
import { SaveButtons } from '../saveButtons'
import { Sheet } from '../sheet'
import { type FieldTexts, type FormState, useLocalForm } from './formState'
import { Form } from './textField'

/** Everything that a sheet edits has a name. */
type SheetValues = JsonObject & { readonly name: string }

interface Options<T, V> {
  /** Beginning of the names of the fields. */
  readonly id: string
  readonly entity: Entity
  /** Null for a new one. */
  readonly row: T | null
  readonly resource: Pick<Resource<T>, 'create' | 'patch' | 'remove'>
  /** Values that the fields begin with. */
  readonly values: V
  /** Converts what is typed to the body of a request, where it is not the same. */
  readonly toBody?: (values: V) => JsonObject
  /** Finds problems that the field table does not know, or has worse texts for. */
  readonly check?: (values: V) => FieldTexts
  readonly explain?: (cause: unknown) => string
  readonly onDone: () => void
}

export interface SheetForm<V> extends Omit<FormState, 'values'> {
  readonly values: V
  readonly isNew: boolean
  readonly isChanged: boolean
  set(patch: Partial<V>): void
  readonly remove: (toast: Toast) => void
}

/** Form of a sheet that adds, edits or deletes one row. It sends only what was changed. */
export function useSheetForm<T extends { readonly id: string }, V extends SheetValues>(
  options: Options<T, V>,
): SheetForm<V> {
  const { id, entity, row, resource, toBody, check, explain, onDone } = options
  const [opened] = useState(options.values)
  const bodyOf = (typed: V) => trimTexts(toBody?.(typed) ?? typed)
  const findProblems = (typed: V): FieldTexts => {
    return {
      ...problemsOf(entity, { values: bodyOf(typed) }),
      ...(typed.name.trim() === '' && { name: strings.enterName }),
      ...check?.(typed),
    }
  }
  const save = async (values: V) => {
    const body = bodyOf(values)
    const changes = row ? changesOf(bodyOf(opened), body) : body
    if (Object.keys(changes).length === 0) return onDone()
    if (row) await resource.patch(row.id, changes)
    else await resource.create(body)
    showToast({ text: row ? strings.isSaved : strings.isAdded(String(body.name)) })
    onDone()
  }
  const state = useLocalForm({ id, values: opened, check: findProblems, save, explain })
  return {
    ...state,
    isNew: row === null,
    set(patch) {
      for (const [key, value] of Object.entries(patch)) state.change(key, value)
    },
    remove: (toast) =>
      row &&
      state.run(async () => {
        await resource.remove(row.id)
        showToast(toast)
        onDone()
      }),
  }
}

interface Props<V> {
  form: SheetForm<V>
  heading: string
  onClose: () => void
  /** What the button that deletes does; absent if it cannot be deleted here. */
  deletion?: Deletion | undefined
  children: ComponentChildren
}

interface Deletion {
  readonly toast: Toast
  /** Question before a deletion that cannot be undone. */
  readonly confirm?: { readonly heading: string; readonly effect: string }
}

/** Sheet with the fields of a form, and buttons that save and delete. */
export function FormSheet<V>({ form, heading, onClose, deletion, children }: Props<V>) {
  const [isAsking, setAsking] = useState(false)
  const { confirm, toast } = deletion ?? {}
  const remove = () => toast && form.remove(toast)
  return (
    <Sheet heading={heading} isChanged={form.isChanged} onClose={onClose}>
      <Form onSubmit={form.onSubmit}>
        {children}
        <SaveButtons
          isNew={form.isNew}
          isBusy={form.isBusy}
          problem={form.problem}
          onDelete={deletion ? () => (confirm ? setAsking(true) : remove()) : undefined}
        />
      </Form>
      {confirm && isAsking && (
        <ConfirmSheet
          {...confirm}
          action={strings.delete}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </Sheet>
  )
}
