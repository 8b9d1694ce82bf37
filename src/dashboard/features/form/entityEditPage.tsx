import type { ComponentChildren } from 'preact'
import type { Entity, JsonObject } from '../../../model/core/entity'
import type { Group, Member } from '../../api/types'
import { formDraft } from '../../core/drafts'
import { findByRoute, goTo } from '../../core/route'
import { editStrings } from '../../texts/texts'
import { NotFound } from '../../ui/notFound'
import { type Form, type Saving, useForm } from './form'
import { DeleteButton, FormPage } from './formPage'

interface Props<T> extends Pick<Saving<T>, 'toForm' | 'describe'> {
  kind: 'members' | 'groups'
  entity: Entity
  all: readonly T[]
  /** Sends the changed values and returns the entity as it is then. */
  onSend: (own: T, patch: JsonObject) => Promise<T | null>
  onSaved: (saved: T) => void
  /** `onDeleted` leaves the page. */
  confirmDelete: (own: T, onClose: () => void, onDeleted: () => void) => ComponentChildren
  /** Content between the form and the button that deletes. */
  below?: (own: T) => ComponentChildren
  children: (form: Form, own: T) => ComponentChildren
}

/** Edit page of the member or group in the address. */
export function EntityEditPage<T extends Member | Group>(props: Props<T>) {
  const own = findByRoute(props.all)
  return own ? <Editing key={own.uuid} {...props} own={own} /> : <NotFound kind={props.kind} />
}

function Editing<T extends Member | Group>({
  kind,
  entity,
  own,
  onSend,
  onSaved,
  confirmDelete,
  below,
  children,
  ...more
}: Props<T> & { own: T }) {
  const back = `#/${kind}/${own.id}`
  const name = own.display_name || own.name
  const form = useForm<T>(entity, own, {
    ...more,
    send: (patch) => onSend(own, patch),
    onSaved(saved) {
      onSaved(saved)
      goTo(back)
    },
  })
  const leave = () => {
    formDraft.value = null
    goTo(`#/${kind}`)
  }
  return (
    <FormPage
      form={form}
      title={editStrings.editOf(name)}
      back={back}
      backName={name}
      below={
        <>
          {below?.(own)}
          <DeleteButton confirm={(onClose) => confirmDelete(own, onClose, leave)} />
        </>
      }
    >
      {children(form, own)}
    </FormPage>
  )
}
