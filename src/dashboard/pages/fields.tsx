import { useState } from 'preact/hooks'
import type { Level } from '../../model/core/entity'
import { useOrder } from '../actions/useOrder'
import { api } from '../api/resources'
import type { CustomField } from '../api/types'
import { announce } from '../core/actions'
import { membersWith } from '../core/customFields'
import { isOffline, memberWord } from '../core/store'
import { useAction } from '../core/useAction'
import { SampleValues } from '../features/members/memberFields'
import { useFields } from '../features/members/useMemberData'
import { fieldStrings, strings } from '../texts/texts'
import { Icon } from '../ui/icon'
import { LoadProblem } from '../ui/loadProblem'
import { Page, Skeleton } from '../ui/page'
import { LevelButton } from '../ui/privacySwitch'
import { ProblemText } from '../ui/problemText'
import { FieldSheet } from './fieldSheet'

/** Custom fields of the system, in their order. */
export function FieldsPage() {
  const { data, problem, reload } = useFields()
  /** Field that is edited, or none yet for a new one. */
  const [edited, setEdited] = useState<{ field?: CustomField } | null>(null)
  return (
    <Page
      title={strings.fields}
      actions={
        <button
          type="button"
          class="main"
          aria-disabled={isOffline.value || data === null}
          onClick={() => isOffline.value || (data && setEdited({}))}
        >
          <Icon name="plus" />
          {fieldStrings.add}
        </button>
      }
    >
      {data && data.length > 0 && <p class="quiet">{fieldStrings.intro(memberWord.value)}</p>}
      {problem !== '' && <LoadProblem text={problem} onRetry={reload} />}
      {data === null ? (
        problem === '' && <Skeleton blocks={['card', 'rows']} />
      ) : data.length === 0 ? (
        <p>{fieldStrings.none(memberWord.value)}</p>
      ) : (
        <FieldList all={data} reload={reload} onEdit={(field) => setEdited({ field })} />
      )}
      {edited && (
        <FieldSheet
          {...edited}
          onClose={() => setEdited(null)}
          onDone={() => {
            setEdited(null)
            reload()
          }}
        />
      )}
    </Page>
  )
}

interface ListProps {
  all: readonly CustomField[]
  reload: () => void
  onEdit: (field: CustomField) => void
}

type Direction = 'up' | 'down'

function FieldList({ all, reload, onEdit }: ListProps) {
  const { items: fields, reorder, problem } = useOrder(all, api.fields.order, reload)
  const move = (field: CustomField, direction: Direction) => {
    const ids = fields.map(({ id }) => id)
    const at = ids.indexOf(field.id)
    const to = direction === 'up' ? at - 1 : at + 1
    if (isOffline.value || to < 0 || to >= ids.length) return
    reorder(ids.toSpliced(at, 1).toSpliced(to, 0, field.id), buttonId(field, direction))
    announce(fieldStrings.movedTo(field.name, to + 1, ids.length))
  }
  return (
    <>
      <ProblemText text={problem} />
      <ul class="card things">
        {fields.map((field, at) => (
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
              {(['up', 'down'] as const).map((direction) => (
                <button
                  key={direction}
                  id={buttonId(field, direction)}
                  type="button"
                  class="round"
                  aria-label={fieldStrings[direction](field.name)}
                  aria-disabled={
                    isOffline.value || at === (direction === 'up' ? 0 : fields.length - 1)
                  }
                  onClick={() => move(field, direction)}
                >
                  <Icon name={direction} />
                </button>
              ))}
              <button
                type="button"
                class="round"
                aria-label={fieldStrings.editNamed(field.name)}
                onClick={() => onEdit(field)}
              >
                <Icon name="edit" />
              </button>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

function buttonId({ id }: CustomField, direction: Direction): string {
  return `${direction}-${id}`
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
