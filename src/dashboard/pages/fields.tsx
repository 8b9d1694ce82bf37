import type { Level } from '../../model/core/entity'
import { moveItem, useOrder } from '../actions/useOrder'
import { api } from '../api/resources'
import type { CustomField } from '../api/types'
import { announce } from '../core/actions'
import { membersWith } from '../core/customFields'
import { isOffline, memberWord } from '../core/store'
import { useAction } from '../core/useAction'
import { SampleValues } from '../features/members/memberFields'
import { useFields } from '../features/members/useMemberData'
import { fieldStrings, strings } from '../texts/texts'
import { EditableList, EditButton } from '../ui/editableList'
import { MoveButtons } from '../ui/moveButtons'
import { LevelButton } from '../ui/privacySwitch'
import { ProblemText } from '../ui/problemText'
import { FieldSheet } from './fieldSheet'

/** Custom fields of the system, in their order. */
export function FieldsPage() {
  const fields = useFields()
  return (
    <EditableList<CustomField>
      title={strings.fields}
      add={fieldStrings.add}
      none={fieldStrings.none(memberWord.value)}
      query={fields}
      sheet={({ row, ...props }) => <FieldSheet field={row} {...props} />}
    >
      {(all, onEdit) => (
        <>
          <p class="quiet">{fieldStrings.intro(memberWord.value)}</p>
          <FieldList all={all} reload={fields.reload} onEdit={onEdit} />
        </>
      )}
    </EditableList>
  )
}

interface ListProps {
  all: readonly CustomField[]
  reload: () => void
  onEdit: (field: CustomField) => void
}

function FieldList({ all, reload, onEdit }: ListProps) {
  const { items: fields, reorder, problem } = useOrder(all, api.fields.order, reload)
  const move = (index: number, step: -1 | 1, pressed: string) => {
    const moved = moveItem(fields, index, step)
    const field = fields[index]
    if (!moved || !field) return
    reorder(
      moved.map(({ id }) => id),
      pressed,
    )
    announce(fieldStrings.movedTo(field.name, index + step + 1, fields.length))
  }
  return (
    <>
      <ProblemText text={problem} />
      <ul class="card things">
        {fields.map((field, index) => (
          <li key={field.id}>
            <div class="about">
              <bdi class="name">{field.name}</bdi>
              <div class="quiet small">
                {fieldStrings.about(
                  fieldStrings.types[field.type],
                  membersWith(field).length,
                  memberWord.value,
                )}
              </div>
              <SampleValues field={field} />
            </div>
            <div class="row">
              <FieldLevel field={field} reload={reload} />
              <MoveButtons
                id={field.id}
                name={field.name}
                isFirst={index === 0}
                isLast={index === fields.length - 1}
                onMove={(step, pressed) => move(index, step, pressed)}
              />
              <EditButton
                label={fieldStrings.editNamed(field.name)}
                onClick={() => onEdit(field)}
              />
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

function FieldLevel({ field, reload }: { field: CustomField; reload: () => void }) {
  const { run, problem } = useAction()
  const change = (privacy: Level) =>
    run(async () => {
      await api.fields.patch(field.id, { privacy })
      reload()
    })
  return (
    <>
      <LevelButton
        label={field.name}
        level={field.privacy}
        isOff={isOffline.value}
        onChange={change}
      />
      <ProblemText text={problem} />
    </>
  )
}
