import { entity, isEmptyPatch, type JsonObject } from '../../../../model/core/entity'
import { group } from '../../../../model/groups/group'
import { groupExt } from '../../../../model/groups/groupExt'
import { showToast } from '../../actions'
import { requestOwn } from '../../api'
import { ConfirmDelete } from '../../components/confirmDelete'
import { EntityEditPage } from '../../components/form/entityEditPage'
import {
  ColorLine,
  DescriptionLine,
  LevelLine,
  PictureLine,
  TextLine,
} from '../../components/form/lines'
import { Fold } from '../../components/form/page'
import { VisibleToLine } from '../../components/friends/visibleToLine'
import { Sheet } from '../../components/sheet'
import { describeBuckets, useBuckets } from '../../friends'
import {
  type Group,
  groups,
  memberWord,
  putGroup,
  readGroup,
  removeGroupFromStore,
  type SerializedGroup,
} from '../../store'
import { bulkStrings, editStrings, memberStrings } from '../../strings'

/** Fields of the form of a group: those of v2, and what the extension API adds. */
const groupForm = entity(
  'group',
  { ...group.fields, emoji: groupExt.fields.emoji, buckets: groupExt.fields.buckets },
  group.levels,
)

const basics = ['name', 'display_name', 'emoji', 'color', 'description', 'buckets']
const pictures = ['icon', 'banner']

export function GroupEdit() {
  const buckets = useBuckets()
  return (
    <EntityEditPage<Group>
      kind="groups"
      entity={groupForm}
      all={groups.value}
      describe={(key, value) =>
        key === 'buckets' ? describeBuckets(buckets.data ?? [], value) : undefined
      }
      onSend={saveGroup}
      onSaved={putGroup}
      confirmDelete={(own, onClose, onDeleted) => (
        <DeleteGroup own={own} onClose={onClose} onDeleted={onDeleted} />
      )}
    >
      {(form, own) => (
        <>
          <Fold title={editStrings.profile} form={form} keys={basics} isFirst>
            <TextLine form={form} name="name" />
            <TextLine form={form} name="display_name" />
            <TextLine form={form} name="emoji" />
            <ColorLine form={form} name="color" />
            <DescriptionLine form={form} name="description" />
            <LevelLine form={form} level="visibility" />
            <LevelLine form={form} level="list_privacy" />
            <LevelLine form={form} level="metadata_privacy" />
            <VisibleToLine form={form} buckets={buckets} />
          </Fold>
          <Fold title={editStrings.pictures} form={form} keys={pictures}>
            <PictureLine
              form={form}
              name="icon"
              path={`groups/${own.uuid}`}
              onStored={(icon) => putGroup({ ...own, icon })}
            />
            <PictureLine form={form} name="banner" isWide />
          </Fold>
        </>
      )}
    </EntityEditPage>
  )
}

async function saveGroup(
  own: Group,
  { emoji, buckets, ...body }: JsonObject,
): Promise<Group | null> {
  const { uuid } = own
  const saved = isEmptyPatch(body)
    ? own
    : await requestOwn<Group>(`v2/groups/${uuid}`, { method: 'PATCH', body })
  if ((emoji === undefined && buckets === undefined) || !saved) return saved
  const added = { method: 'PATCH', body: { emoji, buckets } }
  const ext = await requestOwn<SerializedGroup>(`ext/v1/groups/${uuid}`, added)
  return ext && readGroup(ext)
}

interface DeleteProps {
  own: Group
  onClose: () => void
  onDeleted: () => void
}

function DeleteGroup({ own, onClose, onDeleted }: DeleteProps) {
  const name = own.display_name || own.name
  const remove = async () => {
    await requestOwn(`v2/groups/${own.uuid}`, { method: 'DELETE' })
    onDeleted()
    removeGroupFromStore(own.uuid)
    showToast({ text: memberStrings.groupIsDeleted(memberWord.value) })
  }
  return (
    <Sheet heading={bulkStrings.deleteAsk(name)} onClose={onClose}>
      <ConfirmDelete
        effect={editStrings.deleteGroupEffect(memberWord.value)}
        label={bulkStrings.typeToConfirm(own.name)}
        expected={own.name}
        onDelete={remove}
      />
    </Sheet>
  )
}
